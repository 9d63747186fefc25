"""An iteration that was profiled has no value, and its packets are known only if the DUT counts them all.

A profiler costs packets.
"""

from collections.abc import Iterable

import msgspec

from fwdtui.core import fragments, super_packets, uncounted
from fwdtui.core.model import Caution, Iteration
from fwdtui.core.profile.record import Profile

PROFILED = "profiled"
"""The code of the warning on such an iteration."""
REJECTED = "profile-rejected"
"""The code of the warning on one whose profile says nothing about the blast."""
UNSEEN = f"how many packets were forwarded meanwhile is not known: {uncounted.NO_COST}"
"""A note on a profile whose packets the DUT's counters do not all see (`dut-uncounted`, `super-packets`)."""
FRAGMENTS = "the DUT fragments packets: samples per packet are those of a fragment"
"""A note on a profile of an iteration with the warning `fragmented`."""


def without_value(iteration: Iteration) -> Iteration:
    """The iteration without its value, and with the reason, if it has a profile; any other as it is.

    The profile loses its packets if the DUT's counters do not see all that it forwards, or count bundles of
    packets as one: where a cost is not known, neither are samples per packet. Everything that writes or reads
    an iteration goes through here, so that no file can say otherwise.
    """
    if iteration.profile is None:
        return iteration
    reason = iteration.incomplete or _sentence(iteration.profile)
    said = {one.code for one in iteration.warnings}
    cautions = [one for one in _cautions(iteration.profile) if one.code not in said]
    return msgspec.structs.replace(
        iteration,
        profile=_of_all_packets(iteration.profile, iteration.warnings),
        value=None,
        complete=False,
        incomplete=reason,
        warnings=(*cautions, *iteration.warnings),
    )


def _of_all_packets(profile: Profile, warnings: Iterable[Caution]) -> Profile:
    """The profile as it is; without packets if a warning says that they are not those that passed."""
    if profile.packets is None:
        return profile
    told = tuple(warnings)
    if any(one.code == uncounted.CODE or super_packets.of_forwarded(one) for one in told):
        return msgspec.structs.replace(profile, packets=None, notes=(UNSEEN, *profile.notes))
    if any(one.code == fragments.CODE for one in told) and FRAGMENTS not in profile.notes:
        return msgspec.structs.replace(profile, notes=(FRAGMENTS, *profile.notes))
    return profile


def newest(iterations: Iterable[Iteration]) -> Iteration | None:
    """The last iteration that has a profile that was not rejected, and that was not itself dropped."""
    last = None
    for one in iterations:
        if one.profile is not None and not one.profile.rejected and not one.dropped:
            last = one
    return last


def _sentence(profile: Profile) -> str:
    if not profile.samples:  # the profiler could not be started, or the traffic was over
        return "It was for a profile, and a profiler costs packets, so it does not count as a value."
    by = f" by {profile.tool}" if profile.tool else ""
    return f"It was profiled{by}, which costs packets, so it does not count as a value."


def _cautions(profile: Profile) -> list[Caution]:
    cautions = [Caution(PROFILED, _sentence(profile))]
    if profile.rejected:
        cautions.append(Caution(REJECTED, f"Its profile is not used: {profile.rejected.rstrip('.')}."))
    return cautions
