"""Counted events per forwarded packet: cycles, instructions, cache misses (see core/cost.py)."""

from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median

from fwdtui.core.cost_parts import DIGITS, forwarded, summary_of
from fwdtui.core.interval import lies_within
from fwdtui.core.model import Cost, CountSample, HostSample, Sample

_UNITS = {"msec": ("us/packet", 1e3), "ns": ("us/packet", 1e-3)}
"""Units of events that are times: the unit of their cost, and the microseconds in one of them."""
NO_WINDOW = "no whole interval of the counters lies within the window"


def metric_of(event: str) -> str:
    """``cycles`` -> ``cycles-per-packet``"""
    return f"{event}-per-packet"


def event_costs(
    samples: Iterable[Sample],
    mine: Sequence[HostSample],
    dut: str,
    outputs: Sequence[str],
    scope: str,
    *,
    asked: Sequence[str],
    why_not: Mapping[str, str],
    anew: Container[int] = (),
) -> dict[str, Cost]:
    """The cost of each event that was counted or `asked` for. `mine`: the DUT's samples in the window.

    `anew`: `id()` of the samples right before which the DUT's clock was set.
    """
    counted = [s for s in samples if isinstance(s, CountSample) and s.host == dut]
    events = dict.fromkeys([*asked, *(name for s in counted for name in (*s.counts, *s.missing))])
    if not events:
        return {}
    sent = _Sent(mine, outputs, anew)
    inside = [] if sent.bounds is None else [s for s in counted if sent.covers(s)]
    return {metric_of(event): _cost(event, inside, sent, scope, why_not) for event in events}


class _Sent:
    """How many packets the DUT's outputs had sent, at any moment of its clock between its samples."""

    def __init__(self, mine: Sequence[HostSample], outputs: Sequence[str], anew: Container[int]) -> None:
        self._times: list[float] = []
        self._totals: list[float] = []
        offsets: list[float] = []
        for before, after in pairwise(mine):
            passed = None if id(after) in anew else forwarded(before, after, outputs)
            if passed is None:
                # a reset, a reboot or a step of the clock: what came before is on another count or clock
                self._times, self._totals, offsets = [], [], []
                continue
            if not self._times:
                self._times, self._totals, offsets = [before.t], [0.0], [before.t - before.at]
            self._times.append(after.t)
            self._totals.append(self._totals[-1] + passed[1])
            offsets.append(after.t - after.at)
        # for tools without a clock: how far the recording's axis is behind the host's clock
        self._offset = median(offsets) if offsets else 0.0

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The stretch that is known, by the host's clock."""
        return (self._times[0], self._times[-1]) if self._times else None

    def end_of(self, sample: CountSample) -> float:
        """When its interval ended, by the host's clock."""
        return sample.at + self._offset if sample.t is None else sample.t

    def covers(self, sample: CountSample) -> bool:
        """Whether its interval lies within the stretch."""
        assert self.bounds is not None
        return sample.seconds > 0 and lies_within(self.end_of(sample), sample.seconds, self.bounds)

    def packets(self, sample: CountSample) -> float:
        """How many packets were sent in its interval."""
        end = self.end_of(sample)
        return self._at(end) - self._at(end - sample.seconds)

    def _at(self, moment: float) -> float:
        times, totals = self._times, self._totals
        place = min(max(bisect_right(times, moment), 1), len(times) - 1)
        begin, end = times[place - 1], times[place]
        share = min(max((moment - begin) / (end - begin), 0.0), 1.0)
        return totals[place - 1] + share * (totals[place] - totals[place - 1])


def _cost(
    event: str, inside: Sequence[CountSample], sent: _Sent, scope: str, why_not: Mapping[str, str]
) -> Cost:
    known = [s for s in inside if event in s.counts]
    unit, scale = _unit(event, next(filter(None, (s.units.get(event) for s in known)), ""))
    packets = sum(map(sent.packets, known))
    if not known or packets < 1:
        return Cost(unit, scope, why=_why(event, inside, known, why_not))
    values = [s.counts[event] * scale / in_it if (in_it := sent.packets(s)) >= 1 else None for s in known]
    return Cost(
        unit,
        scope,
        summary_of(sum(s.counts[event] for s in known) * scale / packets, values),
        seconds=round(sum(s.seconds for s in known), DIGITS),
        packets=round(packets),
        enabled=min(s.enabled.get(event, 1.0) for s in known),
    )


def _unit(event: str, counted: str) -> tuple[str, float]:
    """The unit of a cost, and how many of it are one of what was `counted` in: Joules, MiB; "": events."""
    if counted in _UNITS:
        return _UNITS[counted]
    return (f"{counted}/packet" if counted.isalnum() else f"{event}/packet"), 1.0


def _why(
    event: str, inside: Sequence[CountSample], known: Sequence[CountSample], why_not: Mapping[str, str]
) -> str:
    if known:
        return "the DUT forwarded nothing in the window"
    told = [s.missing[event] for s in inside if event in s.missing]
    if told:
        return told[-1]
    return why_not.get(event) or NO_WINDOW
