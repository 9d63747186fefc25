"""Profiles: where the CPU time of a blast went, as stacks and how often each was seen."""

from fwdtui.core.profile.folded import Folded, Stack

__all__ = ["Folded", "Stack"]
