"""Holes in a blast's samples: on which host, how long and why, and whether the value is still sound.

The value is sound if the samples that it is made of are there: those of the receiver, or without a receiver
those of the DUT's output. If another host's samples are missing, only what they would have shown is missing.
If the value's own samples are missing at the end or for the most part, the median of the rest measures
something else: the iteration is incomplete. It is saved with all that was seen, and its value is in no
statistic.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf

import msgspec

from fwdtui.core.host_rates import is_fast
from fwdtui.core.lab import Lab
from fwdtui.core.model import Caution, EventSample, HostSample, Iteration, Sample
from fwdtui.core.rates import SAID, Reason
from fwdtui.monitor.live.flows import MISSING
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.ticks import LATE_AFTER

_MOST = 0.5  # share of a blast: if samples cover less, the median is only that of a part
_CAUSES = ("reboot", "failed", "host-lost", "clock-step", "held-up", "note")
_SAID = {"reboot": "the host was rebooted", "held-up": "fwdtui itself did not run"}
_SAMPLERS = "the sampler "  # beginning of a note about a sampler; others, of tools say, are no cause
_NEAR = 2.0  # seconds around a hole in which its cause is reported
_UNKNOWN = "the cause is not known"
_OF_HOST = frozenset((Reason.LATE, Reason.REBOOT, Reason.CLOCK, MISSING))  # gaps of which the holes tell
_LEAST = 0.05  # seconds: a shorter gap is shown as 0.0 s
_FLOWS = {
    "offered": "The offered load",
    "attack": "The rate of the attack",
    "dut in": "What the DUT took in",
    "forwarded": "What the DUT forwarded",
}
"""Flows that a value is not made from where there is a receiver, as a sentence begins with them."""


class Hole(msgspec.Struct, frozen=True):
    """A time within a blast, in seconds on the recording's axis, with no samples from `host`."""

    host: str
    start: float
    end: float
    cause: str
    to_end: bool = False  # up to the blast's end

    @property
    def seconds(self) -> float:
        """Its length in seconds."""
        return self.end - self.start


def holes(
    lab: Lab, samples: Sequence[Sample], events: Sequence[EventSample], began: float, ended: float
) -> tuple[Hole, ...]:
    """The holes of all hosts, in the order of the lab's hosts and of time."""
    began = max(began, min((s.at for s in samples if isinstance(s, HostSample)), default=began))
    late = LATE_AFTER * lab.interval
    return tuple(
        # why a host was silent up to the end may be reported later: a dead connection shows after a while
        Hole(
            host,
            start,
            end,
            cause_of(host, events, start, inf if end >= ended else end) or _UNKNOWN,
            end >= ended,
        )
        for host, mine in _by_host(lab, samples).items()
        for start, end in _missing(mine, began, ended, late)
    )


def silent_after(lab: Lab, samples: Sequence[Sample], ended: float) -> tuple[str, ...]:
    """The hosts without samples in the intervals after this moment, at which only some of them were read."""
    start = ended + lab.interval
    until = start + LATE_AFTER * lab.interval
    return tuple(
        host
        for host, mine in _by_host(lab, samples).items()
        if not any(start < sample.at <= until for sample in mine)
    )


def _by_host(lab: Lab, samples: Sequence[Sample]) -> dict[str, list[HostSample]]:
    """The samples that every tick has, of each of the lab's hosts."""
    by_host: dict[str, list[HostSample]] = {host: [] for host in lab.hosts()}
    for sample in samples:
        if isinstance(sample, HostSample) and is_fast(sample) and sample.host in by_host:
            by_host[sample.host].append(sample)
    return by_host


def _missing(
    mine: Sequence[HostSample], began: float, ended: float, late: float
) -> Iterator[tuple[float, float]]:
    ordered = sorted(mine, key=lambda sample: sample.at)
    if not ordered:
        yield began, ended
        return
    if ordered[0].at > began + late:
        yield began, min(ordered[0].at, ended)
    for before, after in pairwise(ordered):
        broken = (before.boot and after.boot and before.boot != after.boot) or after.t < before.t
        start, end = max(before.at, began), min(after.at, ended)
        if (broken or after.at - before.at > late) and end > start:
            yield start, end
    if ordered[-1].at < ended - late:
        yield max(ordered[-1].at, began), ended


def cause_of(host: str, events: Sequence[EventSample], start: float, end: float) -> str:
    """Why a host gave no samples from `start` to `end`, according to its events; empty if none says."""
    mine = [e for e in events if e.host == host and start - _NEAR <= e.at <= end + _NEAR]
    mine = [e for e in mine if e.code != "note" or e.text.startswith(_SAMPLERS)]
    for code in _CAUSES:
        if causes := [e for e in mine if e.code == code]:
            return _SAID.get(code, causes[-1].text)
    earlier = [e for e in events if e.host == host and e.at < start and e.code in _CAUSES[:3]]
    return earlier[-1].text if earlier and not mine else ""


def measuring(lab: Lab, iteration: Iteration) -> str:
    """The host from which the value comes, or would come if there were one."""
    receiver = lab.receiver
    if receiver is None or (iteration.value is not None and "received" not in iteration.metrics):
        return lab.dut.host
    return receiver.host


def cautions(all_holes: Iterable[Hole], measured: str) -> list[Caution]:
    """Warnings about missing samples, one for each host except `measured`, from which the value comes."""
    by_host: dict[str, list[Hole]] = {}
    for hole in all_holes:
        if hole.host != measured:
            by_host.setdefault(hole.host, []).append(hole)
    return [Caution("gap", _sentence(host, mine)) for host, mine in by_host.items()]


def uncounted_flows(
    flows: Mapping[str, Sequence[Point]],
    parts: Mapping[str, Sequence[Sequence[Point]]],
    began: float,
    ended: float,
) -> list[Caution]:
    """Warnings about flows whose host was sampled, but not their counter: its port was away, or it was reset.

    `flows`, `parts`: as for `segment`. Nothing is said of the flow that the value is made from, of which
    `segment` tells, nor of a flow that is not known at all: its port may never have been the kernel's.
    """
    known = {name for name, points in flows.items() if any(point.value is not None for point in points)}
    known.discard("received" if "received" in known else "forwarded")
    told = []
    for name, what in _FLOWS.items():
        if name not in known:
            continue
        gaps = [
            [(point, seconds) for point in points if (seconds := _uncounted(point, began, ended)) > 0.0]
            for points in (flows[name], *parts.get(name, ()))
        ]
        longest = max(gaps, key=lambda gap: sum(seconds for _, seconds in gap))
        lasted = sum(seconds for _, seconds in longest)
        if lasted >= _LEAST:
            causes = _causes(point for point, _ in longest)
            text = f"{what} is not known for {lasted:.1f} s of the blast ({causes}); its rate is of the rest."
            told.append(Caution("gap", text))
    return told


def _causes(points: Iterable[Point]) -> str:
    """Why these points have no rate; empty if nothing is known about it."""
    return ", ".join(sorted({SAID.get(point.why, point.why) for point in points if point.why}))


def _uncounted(point: Point, began: float, ended: float) -> float:
    """For how many seconds of the blast a point is unknown although its host was sampled."""
    if point.value is not None or point.why in _OF_HOST:
        return 0.0
    return min(point.at, ended) - max(point.at - point.seconds, began)


def _sentence(host: str, mine: Sequence[Hole]) -> str:
    seconds = sum(hole.seconds for hole in mine)
    causes = "; ".join(dict.fromkeys(hole.cause for hole in mine))
    until = " up to its end" if mine[-1].to_end else ""
    return (
        f"{host}: no samples for {seconds:.1f} s of the blast{until} ({causes}); "
        "what only this host measures covers the rest."
    )


def unsound(
    lab: Lab,
    flows: Mapping[str, Sequence[Point]],
    all_holes: Sequence[Hole],
    began: float,
    ended: float,
    unseen: bool = False,
    silent: Sequence[str] = (),
) -> str:
    """Why the value of this blast is not sound; empty if it is. `flows` as for `segment`.

    `unseen`: the end of the blast was not observed; `silent`: the hosts that had no samples just then.
    """
    name, host = ("received", lab.receiver.host) if lab.receiver else ("forwarded", lab.dut.host)
    mine = [hole for hole in all_holes if hole.host == host]
    points = [p for p in flows.get(name, ()) if p.at > began and p.at - p.seconds < ended]
    uncounted = [point for point in points if _uncounted(point, began, ended) > 0.0]
    causes = "; ".join(dict.fromkeys(hole.cause for hole in mine)) or _causes(uncounted) or _UNKNOWN
    if unseen:
        hosts = silent or [*dict.fromkeys(hole.host for hole in all_holes if hole.to_end)] or ["any host"]
        return f"It is not known when the blast ended: no samples from {', '.join(hosts)} ({causes})."
    known = [point for point in points if point.value is not None]
    if not known:
        if not mine:
            return ""  # the host was sampled: its counter is missing, which `segment` reports
        return f"No samples from {host} during the blast ({causes}): what was {name} is not known."
    # a host that was sampled, but not this counter: its port was away, say
    lacks = f"No samples from {host}" if mine else f"What was {name} is not known"
    missing = ended - known[-1].at
    if missing > LATE_AFTER * max(lab.interval, known[-1].seconds):
        return f"{lacks} for the last {missing:.1f} s of the blast ({causes})."
    seen = sum(min(p.at, ended) - max(p.at - p.seconds, began) for p in known)
    if seen < _MOST * (ended - began):
        gone, lasted = ended - began - seen, ended - began
        return f"{lacks} for {gone:.1f} s of the blast's {lasted:.1f} s ({causes})."
    return ""
