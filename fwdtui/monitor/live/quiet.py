"""Finds, for each host, the quiet before and after a blast, in which no packet is in flight.

Between two such moments the counts of hosts that are sampled at different times add up exactly. Counters are
followed from sample to sample, so that one that wraps is counted correctly and one that is reset is detected.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from fwdtui.core.arrived import QUIET
from fwdtui.core.growth import Counted, Growth, growth
from fwdtui.core.host_rates import FAST, Kind, kinds
from fwdtui.core.lab import Lab
from fwdtui.core.model import HostSample, Sample
from fwdtui.core.rates import Reason
from fwdtui.monitor.live.blast import REFRESH, SLOWEST, quiet_after, stands_still

_RAMP = 3
"""Samples: in one or two of so many, a blast that is just beginning looks like noise."""
_LAST = 5.0
"""Seconds at the end of a blast that show how often a host's counters move."""
NOISE = 0.1
"""Share of a blast's rate; other traffic of a port is less."""
_UNKNOWN = frozenset((str(Reason.REBOOT), str(Reason.CLOCK)))
Spans = Mapping[Kind, Sequence[HostSample]]
"""The samples of each kind, from the last one in the quiet before to one in the quiet after."""


class Port(NamedTuple):
    """One counter of a port; `way` is "rx", "tx" or "refused"."""

    name: str
    way: str


def between_quiets(lab: Lab, host: str, samples: Sequence[Sample], began: float, ended: float) -> Spans:
    """The host's samples by kind, from the quiet before to the quiet after.

    A kind that was not sampled in both quiets is left out.

    A blast may begin so late within an interval that its first packets look like noise there. So the span
    begins with the last sample that is not after `began` and whose counters have not grown since the one
    before it, if one of the last few samples is like that.

    A slow DUT forwards what is left in its queues after the blast has ended, and the sink counts it. So the
    span ends with the first sample after which the host's packets do not grow within the seconds that are
    surely quiet. If they grow later, by more than noise, they had only not been counted yet: some drivers
    count once a second or two. After a blast during which a host did so, the quiet is examined for longer,
    and the span begins earlier in the quiet before: not all of the host's counters are the card's, and the
    kernel's own drops move at once.
    """
    by_kind, spans = _by_kind(samples, host), {}
    fast = by_kind.get(FAST, [])
    slow = _is_slow(fast, began, ended)
    last = ended + max(quiet_after(lab.interval), SLOWEST if slow else 0.0)

    def after(those: Sequence[HostSample]) -> list[int]:
        places = [place for place, s in enumerate(those) if s.at >= ended + lab.interval]
        return [place for place in places if those[place].at <= last] or places[:1]

    quiet = [fast[place] for place in after(fast)]
    still = [
        one.at
        for one, following in pairwise(quiet)
        if not _grown(one, following) and _grown(one, quiet[-1]) <= QUIET * (quiet[-1].at - one.at)
    ]
    earlier = [one for one in fast if one.at <= began]
    at_rest = _slow_rest(earlier) if slow and earlier else None
    rest = _last_rest(earlier) if at_rest is None else _before_refresh(earlier, at_rest)
    for kind, those in by_kind.items():
        before = [place for place, s in enumerate(those) if s.at <= began]
        ends = after(those)
        if before and ends:
            start = next((one for one in reversed(before) if those[one].at <= rest), before[0])
            end = next((one for one in ends if still and those[one].at >= still[0]), ends[-1])
            spans[kind] = those[start : end + 1]
    return spans


def without_quiet(lab: Lab, samples: Sequence[Sample], spans: Spans, began: float) -> Spans:
    """The DUT's samples of kinds that were not read in both quiets, from the last one before the blast."""
    parts = {}
    for kind, those in _by_kind(samples, lab.dut.host).items():
        if kind not in spans and kind != FAST:
            first = max((place for place, s in enumerate(those) if s.at <= began), default=0)
            parts[kind] = those[first:]
    return parts


def port_counts(spans: Spans) -> Growth[Port] | None:
    """Packets by port; None if the host was not sampled, or rebooted."""
    if FAST not in spans:
        return None

    def read(sample: HostSample) -> dict[Port, Counted]:
        counters = {}
        for row in sample.interfaces:
            for way, value in (("rx", row.rx_packets), ("tx", row.tx_packets), ("refused", row.tx_dropped)):
                if value is not None:
                    counters[Port(row.name, way)] = Counted(value, device=row.link)
        return counters

    grown = growth(spans[FAST], read)
    return None if _UNKNOWN & set(grown.gaps.values()) else grown


def seen_quiet(lab: Lab, samples: Sequence[Sample], began: float, ended: float) -> set[str]:
    """The hosts that are known to have been quiet before a blast; packets cannot be counted on the others.

    The others were first sampled within the traffic, or after a silence. Their first samples are of different
    moments, so their counts do not match. The same holds for the last sample of a host where an attack goes
    on after the wanted traffic, so such a host is left out, too.
    """
    until = began + (_RAMP + 1) * lab.interval
    quiet = set()
    for host in lab.hosts():
        fast = _by_kind(samples, host).get(FAST, [])
        begin = [one for one in fast if one.at <= until]
        outlasted = lab.attacked and _goes_on(fast, began, ended, ended + quiet_after(lab.interval))
        if _was_quiet(begin, began, _is_slow(fast, began, ended)) and not outlasted:
            quiet.add(host)
    return quiet


def _goes_on(fast: Sequence[HostSample], began: float, ended: float, until: float) -> bool:
    """Whether a host still counts packets, as in the blast, at the end of the seconds after it."""
    during = [one for one in fast if began <= one.at <= ended]
    after = [one for one in fast if ended < one.at <= until][-2:]
    if len(during) < 2 or len(after) < 2:
        return False
    return _rate(*after) >= max(QUIET, NOISE * _rate(during[0], during[-1]))


def _was_quiet(those: Sequence[HostSample], began: float, slow: bool) -> bool:
    """Whether a host was quiet before the blast, according to its samples.

    `slow`: its cards' counters stand still within traffic, too, so it takes longer to know that it was quiet.
    """
    before = [one for one in those if one.at <= began]
    if not before:
        return False
    if slow and before[-1].at - before[0].at > REFRESH:
        return _slow_rest(before) is not None
    pairs = list(pairwise(before))[-_RAMP:]
    if not all(_grown(*pair) for pair in pairs):
        return True
    after = list(pairwise(those[len(before) - 1 : len(before) + _RAMP]))
    # with a single sample before the blast, the interval in which it began must have little of it yet
    last = pairs[-1:] or after[:1]
    return bool(last) and _rate(*last[0]) < max(
        QUIET, NOISE * max((_rate(*pair) for pair in after), default=0.0)
    )


def _last_rest(before: Sequence[HostSample]) -> float:
    """When the last interval `before` a blast ended in which the host's packets did not grow.

    Infinity if they grew in each of the last few.
    """
    pairs = list(pairwise(before))[-_RAMP:]
    return next((later.at for earlier, later in reversed(pairs) if not _grown(earlier, later)), inf)


def _slow_rest(before: Sequence[HostSample]) -> float | None:
    """Until when a host was quiet `before` a blast if its cards stand still within traffic, too; None: never.

    Its counters may be refreshed before those of the side that shows the beginning of the blast; then they
    already have some of the blast's packets.
    """
    first = 0
    rests = []
    for sample in before:
        while first + 1 < len(before) and before[first + 1].at <= sample.at - REFRESH:
            first += 1
        if sample.at - before[first].at >= REFRESH and _rate(before[first], sample) < QUIET:
            rests.append(sample.at)
    return rests[-1] if rests and rests[-1] >= before[-1].at - SLOWEST else None


def _before_refresh(before: Sequence[HostSample], at_rest: float) -> float:
    """The earliest moment of the quiet before `at_rest`, at most as long before it as a refresh may take."""
    quiet = [one for one in before if at_rest - SLOWEST <= one.at <= at_rest]
    return next(one.at for one in quiet if one is quiet[-1] or _rate(one, quiet[-1]) < QUIET)


def _is_slow(fast: Sequence[HostSample], began: float, ended: float) -> bool:
    """Whether a host's cards count more slowly than they are read, judging by the last seconds of a blast."""
    last = [one for one in fast if max(began, ended - _LAST) <= one.at <= ended]
    return stands_still([_grown(*pair) > 0 for pair in pairwise(last)])


def _rate(one: HostSample, other: HostSample) -> float:
    return _grown(one, other) / max(other.at - one.at, 1e-3)


def _grown(one: HostSample, other: HostSample) -> int:
    """Packets that the busiest port counted between two samples."""
    grown = port_counts({FAST: (one, other)})
    return max(grown.counts.values(), default=0) if grown else 0


def _by_kind(samples: Sequence[Sample], host: str) -> dict[Kind, list[HostSample]]:
    by_kind: dict[Kind, list[HostSample]] = {}
    for sample in samples:
        if isinstance(sample, HostSample) and sample.host == host:
            for kind in kinds(sample):
                by_kind.setdefault(kind, []).append(sample)
    return by_kind
