"""Whether the samples of profiles can be related to packets, and what must be known to compare two."""

from collections.abc import Sequence

from fwdtui.core.metrics import SAME_LOAD
from fwdtui.core.profile.capture import TIMED
from fwdtui.core.profile.record import Profile
from fwdtui.core.units import pps

IDLE_MOST = 0.9
"""From this share of idle samples on, a profile probably covers more than the traffic."""
_LOAD = "what a packet costs depends on the load (batching, idle polling)"


def alike(one: Profile, other: Profile) -> bool:
    """Whether a sample stands for the same in both profiles: the same event, and the same rate or period.

    With perf, an equal rate shows that only for a timer: the kernel keeps the rate of any other event by
    changing its period.
    """
    if not one.event or one.event != other.event:
        return False
    if one.period is not None and one.period == other.period:
        return True
    if _varies(one) or _varies(other):
        return False
    return one.rate is not None and one.rate == other.rate


def _varies(one: Profile) -> bool:
    """Whether the kernel has changed how many events a sample stands for, to keep a rate of them."""
    return one.tool == "perf" and one.period is None and one.event.partition(":")[0] not in TIMED


def why_not_per_packet(profiles: Sequence[Profile], names: Sequence[str]) -> str:
    """Why there are no samples per million packets of one profile, or of two; "" if there are."""
    lacking = [name for one, name in zip(profiles, names, strict=True) if not one.packets]
    if lacking:
        who = f"{' and '.join(lacking)} forwarded" if len(profiles) > 1 else "were forwarded meanwhile"
        return f"No samples per packet: it is not known how many packets {who}."
    if len(profiles) > 1 and not alike(profiles[0], profiles[1]):
        return "No samples per packet: the two were not, or not certainly, sampled in the same way."
    if len(profiles) == 1 and _varies(profiles[0]):
        event = profiles[0].event or "its events"
        return f"No samples per packet: samples do not all stand for the same number of {event}."
    return ""


def loads(profiles: Sequence[Profile], names: Sequence[str]) -> str:
    """A sentence if two profiles with packets were taken at different loads, or at unknown ones; else ""."""
    if len(profiles) < 2 or not all(one.packets for one in profiles):
        return ""
    rates = [_forwarded(one) for one in profiles]
    unknown = [name for name, rate in zip(names, rates, strict=True) if rate is None]
    if unknown:
        return f"It is not known at which load {' and '.join(unknown)} was taken, and {_LOAD}."
    known = [rate for rate in rates if rate is not None]
    if max(known) - min(known) <= SAME_LOAD * known[0]:
        return ""
    told = " and ".join(f"{name} {pps(rate)}" for name, rate in zip(names, known, strict=True))
    return f"They are of different loads ({told} forwarded): {_LOAD}."


def _forwarded(one: Profile) -> float | None:
    """Packets per second while the profile was taken."""
    if not one.packets or one.start is None or one.end is None or one.end <= one.start:
        return None
    return one.packets / (one.end - one.start)


def mostly_idle(idle: float | None) -> str:
    """A sentence about a profile whose share of `idle` samples is near 1; "" for any other."""
    if idle is None or idle < IDLE_MOST:
        return ""
    return (
        f"{100 * idle:.1f} % of its samples are idle: most of them were probably taken without traffic, "
        "and some of the rest are the profiler's own work."
    )
