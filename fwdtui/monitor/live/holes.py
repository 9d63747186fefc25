"""Where a blast was not seen: which host gave no samples, for how long and why; and what its value is then.

The value is sound while the samples that it is made of are there: those of the receiver, or without one of
the DUT's output. A host that is missing beside them costs what only it could tell. Where they are missing
themselves at the end or for the most part, the median of the rest is of another measurement: the iteration is
incomplete. It is kept with all that was seen, and is no value of any statistic.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf

import msgspec

from fwdtui.core.host_rates import is_fast
from fwdtui.core.lab import Lab
from fwdtui.core.model import Caution, EventSample, HostSample, Sample
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.ticks import LATE_AFTER

_MOST = 0.5  # of a blast: with fewer samples the median is that of a part
_CAUSES = ("reboot", "failed", "host-lost", "clock-step", "note")
_NEAR = 2.0  # seconds around a hole in which its cause is told


class Hole(msgspec.Struct, frozen=True):
    """Seconds of the recording's axis within a blast for which `host` gave no samples."""

    host: str
    start: float
    end: float
    cause: str
    to_end: bool = False  # up to the blast's end

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end - self.start


def holes(
    lab: Lab, samples: Sequence[Sample], events: Sequence[EventSample], began: float, ended: float
) -> tuple[Hole, ...]:
    """Those of all hosts, in the order of the lab's hosts and of time."""
    began = max(began, min((s.at for s in samples if isinstance(s, HostSample)), default=began))
    late = LATE_AFTER * lab.interval
    by_host: dict[str, list[HostSample]] = {host: [] for host in lab.hosts()}
    for sample in samples:
        if isinstance(sample, HostSample) and is_fast(sample) and sample.host in by_host:
            by_host[sample.host].append(sample)
    return tuple(
        # why a host was silent up to the end may be told later: a dead connection shows after a while
        Hole(host, start, end, _cause(host, events, start, inf if end >= ended else end), end >= ended)
        for host, mine in by_host.items()
        for start, end in _missing(mine, began, ended, late)
    )


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


def _cause(host: str, events: Sequence[EventSample], start: float, end: float) -> str:
    mine = [e for e in events if e.host == host and start - _NEAR <= e.at <= end + _NEAR]
    for code in _CAUSES:
        if found := [e for e in mine if e.code == code]:
            return {"reboot": "the host was started again"}.get(code, found[-1].text)
    earlier = [e for e in events if e.host == host and e.at < start and e.code in _CAUSES[:3]]
    return earlier[-1].text if earlier and not mine else "its samples stayed away"


def cautions(found: Iterable[Hole], measured: str) -> list[Caution]:
    """What is missing of the hosts beside the one that the value is of, a sentence for each host."""
    by_host: dict[str, list[Hole]] = {}
    for hole in found:
        if hole.host != measured:
            by_host.setdefault(hole.host, []).append(hole)
    return [Caution("gap", _told(host, mine)) for host, mine in by_host.items()]


def _told(host: str, mine: Sequence[Hole]) -> str:
    seconds = sum(hole.seconds for hole in mine)
    causes = "; ".join(dict.fromkeys(hole.cause for hole in mine))
    until = " up to its end" if mine[-1].to_end else ""
    return (
        f"{host}: no samples for {seconds:.1f} s of the blast{until} ({causes}); "
        "what only this host can tell is of the rest."
    )


def unsound(
    lab: Lab,
    flows: Mapping[str, Sequence[Point]],
    found: Sequence[Hole],
    began: float,
    ended: float,
    unseen: bool = False,
) -> str:
    """Why the value of this blast is not sound; empty where it is. `flows` as for `cut`.

    `unseen`: nobody saw the blast end.
    """
    name, host = ("received", lab.receiver.host) if lab.receiver else ("forwarded", lab.dut.host)
    mine = [hole for hole in found if hole.host == host]
    causes = "; ".join(dict.fromkeys(hole.cause for hole in mine)) or "its samples stayed away"
    if unseen:
        hosts = dict.fromkeys(hole.host for hole in found if hole.to_end) or {"any host": None}
        return f"When the blast ended is not known: no samples from {', '.join(hosts)} ({causes})."
    points = [p for p in flows.get(name, ()) if p.at > began and p.at - p.seconds < ended]
    known = [point for point in points if point.value is not None]
    if not known:
        if not mine:
            return ""  # the host was sampled: what is missing is its counter, which `cut` says
        return f"{host} gave no samples during the blast ({causes}): what was {name} is not known."
    missing = ended - known[-1].at
    if missing > LATE_AFTER * max(lab.interval, known[-1].seconds):
        return f"{host} gave no samples for the last {missing:.1f} s of the blast ({causes})."
    seen = sum(min(p.at, ended) - max(p.at - p.seconds, began) for p in known)
    if seen < _MOST * (ended - began):
        gone, lasted = ended - began - seen, ended - began
        return f"{host} gave no samples for {gone:.1f} s of the blast's {lasted:.1f} s ({causes})."
    return ""
