"""Profiles: where the CPU time of a blast went, as stacks and how often each was seen."""

from fwdtui.core.profile.folded import Folded, Stack
from fwdtui.core.profile.idle import Idle
from fwdtui.core.profile.record import Profile

__all__ = ["Folded", "Idle", "Profile", "Stack"]
