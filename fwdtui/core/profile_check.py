"""Whether a capture is a profile of the traffic: inside it, whole, and without slowing it down.

A profile of the wrong seconds looks like any other. One that is not shown to be right is rejected as missed.
"""

from collections.abc import Sequence
from statistics import median

import msgspec

from fwdtui.core.arrived import QUIET
from fwdtui.core.profile.capture import TIMED, Asked, Capture
from fwdtui.core.profile.idle import Idle
from fwdtui.core.uncounted import NO_COST
from fwdtui.core.units import grouped, pps

BUSY_LEAST = 200
"""Samples that are not idle. With fewer, the standard error of a share of a half is over 3.5 points."""
SLOWED = 0.1
"""Share by which the forwarding rate may differ between the seconds before the capture and those of it."""
LOST = 0.05
"""Share of the samples that may be lost, and of the cores' time in which the profiler may be held back."""
LASTED = 0.8
"""Share of the time asked for that the samples must span."""
STARVED = 1 / 3
"""Share of the samples of a timer's event that each core must give."""
UNEVEN = 0.8
"""A core that gives a smaller share of them is reported: what ran on it with interrupts off is missing."""
_SEEN = 0.75  # share of the capture's time in which the DUT's counters must be known
_TRAFFIC = 0.5  # of the rate before: less is a pause of the traffic
_UNSEEN = f"It is not known to be inside the traffic: {NO_COST} (XDP, hardware offload)."


class Passage(msgspec.Struct, frozen=True):
    """What the DUT forwarded from `begin` to `end`, seconds of its own clock; `pps` None: a gap."""

    begin: float
    end: float
    pps: float | None


class Checked(msgspec.Struct, frozen=True):
    """`missed`: why the capture is not a profile of the traffic, in a sentence; "" if it is one.

    `idle`: samples that are idle. `before` and `during`: what the DUT forwarded, in packets per second. None:
    not known.
    """

    missed: str
    idle: int | None = None
    before: float | None = None
    during: float | None = None


def check(
    capture: Capture,
    asked: Asked,
    passages: Sequence[Passage],
    idle: Idle | None = None,
    *,
    unseen: bool = False,
) -> Checked:
    """Checks a capture against what the DUT forwarded around it, `passages` in order.

    `unseen`: the DUT's counters do not see all that it forwards, so they do not show that it paused either.
    """
    samples = capture.folded.samples
    if capture.problem or not samples:
        who, why = capture.profiler or "The profiler", capture.problem or "it has no samples"
        return Checked(f"{who} gave no profile: {why.rstrip('.')}.")
    idle_samples = (idle or Idle()).samples(capture.folded)
    if capture.began is None or capture.ended is None or capture.ended <= capture.began:
        return Checked(f"{capture.profiler} did not say when it took its samples.", idle_samples)
    inside = [one for one in passages if one.end > capture.began and one.begin < capture.ended]
    # the median, since the traffic may have begun in the middle of one of them
    rates = [one.pps for one in passages if one.end <= capture.began and (one.pps or 0.0) >= QUIET]
    before = median(rate for rate in rates if rate is not None) if rates else None
    during = _mean(
        [one for one in inside if one.begin >= capture.began and one.end <= capture.ended] or inside
    )
    checked = Checked("", idle_samples, before, during)
    load = _outside(capture.began, capture.ended, inside, before, during) or _slowed(before, during)
    why = (
        (_UNSEEN if load and unseen else load)
        or _incomplete(capture, asked, capture.ended - capture.began)
        or _few(samples - idle_samples, samples)
    )
    return msgspec.structs.replace(checked, missed=why)


def _mean(passages: Sequence[Passage]) -> float | None:
    known = [(one.end - one.begin, one.pps) for one in passages if one.pps is not None]
    seconds = sum(length for length, _ in known)
    return sum(length * rate for length, rate in known) / seconds if seconds > 0 else None


def _outside(
    began: float, ended: float, inside: Sequence[Passage], before: float | None, during: float | None
) -> str:
    """Why the capture is not known to be completely inside the traffic; "" if it is."""
    seen = sum(min(one.end, ended) - max(one.begin, began) for one in inside if one.pps is not None)
    if seen < _SEEN * (ended - began) or during is None:
        return f"The DUT's counters are known only for {seen:.1f} s of its {ended - began:.1f} s."
    if during < QUIET:
        return f"It is a profile of an idle DUT, which forwarded {pps(during)} meanwhile."
    if before is None:
        return (
            "The DUT forwarded nothing before the profile began, so part of it may lie outside the traffic."
        )
    quiet = [one for one in inside if one.pps is not None and one.pps < max(QUIET, _TRAFFIC * before)]
    if quiet:
        if quiet[-1] is inside[-1]:
            return f"The traffic ended {ended - quiet[0].begin:.1f} s before the profile did."
        return "The traffic paused while it was taken."
    return ""


def _slowed(before: float | None, during: float | None) -> str:
    if before and during is not None and abs(during / before - 1.0) > SLOWED:
        return f"The DUT forwarded {pps(before)} before it and {pps(during)} during it: not the same load."
    return ""


def _incomplete(capture: Capture, asked: Asked, seconds: float) -> str:
    """Why the capture is only a part of what was asked for; "" if it is all of it."""
    samples = capture.folded.samples
    if seconds < LASTED * asked.seconds:
        return f"Its samples span {seconds:.1f} s of {asked.seconds:.1f} s: the profiler was starved."
    if capture.limit is not None and capture.limit < asked.frequency:
        return (
            f"It was throttled: the kernel now allows {capture.limit:g} samples per second"
            f" (kernel.perf_event_max_sample_rate), but {asked.frequency} were requested."
        )
    if capture.paused is not None and capture.paused > LOST:
        return f"It was throttled: the kernel held it back for up to {capture.paused:.0%} of the time."
    if capture.lost is not None and capture.lost > LOST * (capture.lost + samples):
        return f"{grouped(capture.lost)} samples were lost, and {grouped(samples)} recorded."
    if capture.event in TIMED and capture.online and 0 < len(capture.cores) < capture.online:
        return f"Only {len(capture.cores)} of {capture.online} cores gave samples."
    if behind := _behind(capture, asked, seconds, STARVED):
        return f"{behind[0]}: the profiler was starved."
    return ""


def uneven(capture: Capture, asked: Asked) -> tuple[str, ...]:
    """A note on each core with fewer samples than a timer should give, though enough to be used."""
    if capture.began is None or capture.ended is None:
        return ()
    return _behind(capture, asked, capture.ended - capture.began, UNEVEN)


def _behind(capture: Capture, asked: Asked, seconds: float, share: float) -> tuple[str, ...]:
    """The cores that gave less than this share of the samples that a timer should give, in words."""
    wanted = asked.frequency * seconds
    if capture.event not in TIMED:
        return ()
    return tuple(
        f"Core {core} gave {grouped(samples)} of about {grouped(wanted)} samples"
        for core, samples in sorted(capture.cores.items())
        if samples < share * wanted
    )


def _few(busy: int, samples: int) -> str:
    if busy < BUSY_LEAST:
        return (
            f"Only {grouped(busy)} of {grouped(samples)} samples are not idle, and {BUSY_LEAST} are needed:"
            " offer more, profile for longer, or sample more often."
        )
    return ""
