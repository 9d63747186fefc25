"""An iteration that was profiled is never a value: a profiler costs packets."""

from collections.abc import Iterable

import msgspec

from fwdtui.core.model import Caution, Iteration
from fwdtui.core.profile.record import Profile

PROFILED = "profiled"
"""The code of the warning on such an iteration."""
REJECTED = "profile-rejected"
"""The code of the warning on one whose profile says nothing about the blast."""


def without_value(iteration: Iteration) -> Iteration:
    """The iteration without a value if it has a profile, with the reason; any other as it is.

    Everything that writes or reads an iteration goes through here, so that no file can say otherwise.
    """
    if iteration.profile is None:
        return iteration
    reason = iteration.incomplete or _sentence(iteration.profile)
    said = {one.code for one in iteration.warnings}
    cautions = [one for one in _cautions(iteration.profile) if one.code not in said]
    return msgspec.structs.replace(
        iteration,
        value=None,
        complete=False,
        incomplete=reason,
        warnings=(*cautions, *iteration.warnings),
    )


def newest(iterations: Iterable[Iteration]) -> Iteration | None:
    """The last iteration with a profile that says something about its blast, and that nobody dropped."""
    last = None
    for one in iterations:
        if one.profile is not None and not one.profile.rejected and not one.dropped:
            last = one
    return last


def _sentence(profile: Profile) -> str:
    by = f" by {profile.tool}" if profile.tool else ""
    return f"It was profiled{by}, which costs packets, so it is no value."


def _cautions(profile: Profile) -> list[Caution]:
    cautions = [Caution(PROFILED, _sentence(profile))]
    if profile.rejected:
        cautions.append(Caution(REJECTED, f"Its profile is not used: {profile.rejected.rstrip('.')}."))
    return cautions
