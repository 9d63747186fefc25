"""Averages over the same seconds, so that all figures of one sentence cover the same time.

Hosts sample at their own moments and slow counters are read separately, so no two series have the same
intervals. Only intervals that lie within the bounds count; each mean is then taken over the seconds that all
series cover, and an interval that crosses the edge of these seconds counts in part. If no interval of a slow
kind lies within the bounds, the nearest one of the same traffic stands for them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter, mul
from typing import TypeVar

import msgspec

from fwdtui.core import drop_stages
from fwdtui.core.arrived import QUIET
from fwdtui.core.host_evidence import InterruptRate, NicRate, SoftnetRate
from fwdtui.core.host_rates import FAST, CpuShare, HostRates, Kind, QueueRate
from fwdtui.core.interval import lies_within
from fwdtui.monitor.live import dut_rates
from fwdtui.monitor.live.dut_rates import Summed
from fwdtui.monitor.live.series import Point

Bounds = tuple[float, float]
"""Start and end, in seconds on the recording's axis."""
T = TypeVar("T", Point, HostRates)
_SHARES = tuple(map(attrgetter, dut_rates.SHARES))
_COUNTED = attrgetter("pps"), attrgetter("drops")


def whole_intervals(series: Iterable[T], bounds: Bounds) -> list[T]:
    """The intervals that lie within the bounds; one that crosses a bound includes what is beyond it."""
    return [one for one in series if lies_within(one.at, one.seconds, bounds)]


def common(all_series: Iterable[Sequence[Point] | Sequence[HostRates]]) -> Bounds | None:
    """The stretch that all of these series cover; None if there is none. Empty series are ignored."""
    known = [series for series in all_series if series]
    begin = max((series[0].at - series[0].seconds for series in known), default=0.0)
    end = min((series[-1].at for series in known), default=0.0)
    return (begin, end) if begin < end else None


def part(one: T, stretch: Bounds) -> float:
    """How many seconds of the stretch this interval covers."""
    end = one.at
    begin = end - one.seconds
    first, last = stretch
    covered = (end if end < last else last) - (begin if begin > first else first)
    return covered if covered > 0 else 0.0


def mean(series: Iterable[T], stretch: Bounds, value: Callable[[T], float | None]) -> float | None:
    """The mean over those parts of the stretch in which the value is known; None if there are none."""
    return _mean([(value(one), part(one, stretch)) for one in series])


def mean_lengths(flows: Mapping[str, Iterable[Point]], bounds: Bounds) -> dict[str, float]:
    """The mean length of each flow's packets within the bounds, in bytes; idle flows are left out."""
    lengths = {}
    for name, points in flows.items():
        inside = whole_intervals(points, bounds)
        known = [(p.value, p.bps, p.seconds) for p in inside if p.value is not None and p.bps is not None]
        packets = sum(value * seconds for value, _, seconds in known)
        if packets >= QUIET * sum(seconds for _, _, seconds in known) > 0:
            lengths[name] = sum(bits * seconds for _, bits, seconds in known) / 8 / packets
    return lengths


def _mean(weighted: Iterable[tuple[float | None, float]]) -> float | None:
    known = [(value, weight) for value, weight in weighted if value is not None]
    seconds = sum([weight for _, weight in known])
    return sum([value * weight for value, weight in known]) / seconds if seconds > 0 else None


class Averages(msgspec.Struct, frozen=True):
    """Mean rates of the flows; the DUT's drops, cores, queues and evidence, all over the same seconds."""

    flows: Mapping[str, float]
    drops: Mapping[str, float] = {}
    unread: Mapping[str, str] = {}  # stages whose drops are a lower bound, and why
    cpus: tuple[CpuShare, ...] = ()
    queues: tuple[QueueRate, ...] = ()
    nic: tuple[NicRate, ...] = ()
    at_nic: float | None = None
    softnet: tuple[SoftnetRate, ...] = ()
    interrupts: tuple[InterruptRate, ...] = ()


def averages(
    flows: Mapping[str, Sequence[Point]],
    dut: Mapping[Kind, Sequence[Summed]],
    bounds: Bounds,
    late: float,
    traffic: Bounds | None = None,
) -> Averages:
    """Means over the seconds within the bounds that all series cover; empty if there are none.

    `dut`: its rates by kind. A slow kind without readings in these seconds is left out. A flow that has been
    silent for `late` seconds is not waited for. `traffic`: between these times the same traffic passed. A
    host that is held up reads its slow counters so rarely that no two readings may be within the bounds.
    """
    inside = {name: whole_intervals(points, bounds) for name, points in flows.items()}
    inside = {name: points for name, points in inside.items() if points and points[-1].at >= bounds[1] - late}
    all_rows = [_inside(dut.get(FAST, ()), bounds)]
    all_series = [[row.rates for row in all_rows[0]]]
    stretch = common([*inside.values(), *all_series])
    if stretch is None:
        return Averages({})
    rare: list[Summed] = []
    for read in (rows for kind, rows in dut.items() if kind != FAST):
        rows = _inside(read, bounds)
        rates = [row.rates for row in rows]
        narrower = common([*inside.values(), *all_series, rates])
        if rates and narrower is not None:
            stretch = narrower
            all_rows.append(rows)
            all_series.append(rates)
        elif not rates and traffic is not None:
            rare += _nearest(_inside(read, traffic), bounds)
    for row in rare:
        rates = [msgspec.structs.replace(row.rates, at=stretch[1], seconds=stretch[1] - stretch[0])]
        all_rows.append([msgspec.structs.replace(row, rates=rates[0])])
        all_series.append(rates)
    means = {name: mean(points, stretch, lambda point: point.value) for name, points in inside.items()}
    lost, gaps = losses(all_series, stretch)
    return Averages(
        flows={name: value for name, value in means.items() if value is not None},
        drops=drop_stages.stages(lost),
        unread=drop_stages.unread(gaps),
        cpus=mean_cpus([row for row in all_rows[0] if part(row.rates, stretch)]),
        queues=queues(all_rows, stretch),
        nic=nic(all_series, stretch),
        at_nic=_first(all_series, stretch, lambda one: one.at_nic),
        softnet=softnet(all_series[0], stretch),
        interrupts=interrupts(all_series, stretch),
    )


def _inside(rows: Sequence[Summed], bounds: Bounds) -> list[Summed]:
    """The rows that are not gaps and lie within the bounds."""
    return [row for row in rows if not row.rates.gap and lies_within(row.rates.at, row.rates.seconds, bounds)]


def _nearest(rows: Sequence[Summed], bounds: Bounds) -> list[Summed]:
    """The interval that covers most of the bounds, else the nearest; one of its length away is too far."""

    def away(one: HostRates) -> float:
        return max(bounds[0] - one.at, one.at - one.seconds - bounds[1], 0.0)

    near = [row for row in rows if away(row.rates) <= row.rates.seconds]
    return [max(near, key=lambda row: (part(row.rates, bounds), -away(row.rates)))] if near else []


def mean_cpus(rows: Sequence[Summed]) -> tuple[CpuShare, ...]:
    """Each core's mean shares over several intervals."""
    means = dut_rates.mean_cpus(rows)
    if means is not None:
        return means
    cores: dict[int, list[CpuShare]] = {}
    for row in rows:
        for cpu in row.rates.cpus:
            cores.setdefault(cpu.cpu, []).append(cpu)
    return tuple(
        # what a host does not count takes no time: None adds as little as zero
        CpuShare(number, *(sum(filter(None, map(share, shares))) / len(shares) for share in _SHARES))
        for number, shares in sorted(cores.items())
    )


def losses(all_series: Sequence[Sequence[HostRates]], stretch: Bounds) -> drop_stages.Losses:
    """Lost packets per second by place, each from the first series that has it."""
    lost_at: dict[drop_stages.Place, float] = {}
    gaps: dict[drop_stages.Place, str] = {}
    for series in all_series:
        rows = [(one, length) for one in series if (length := part(one, stretch))]
        for place in dict.fromkeys(place for one, _ in rows for place in one.losses):
            lost = _mean([(one.losses.get(place), length) for one, length in rows])
            if lost is not None:
                lost_at.setdefault(place, lost)
        for one, _ in rows:
            gaps |= one.loss_gaps
    return drop_stages.Losses(lost_at, gaps)


def nic(all_series: Sequence[Sequence[HostRates]], stretch: Bounds) -> tuple[NicRate, ...]:
    """The mean rates of the cards' own counters that moved, from the first series that has any."""
    for series in all_series:
        known = [(one.nic, length) for one in series if one.nic and (length := part(one, stretch)) > 0]
        if not known:
            continue
        seconds = sum(length for _, length in known)
        by_counter: dict[tuple[str, str], NicRate] = {}
        for rows, length in known:
            for row in rows:
                if row.per_second:
                    before = by_counter.get((row.interface, row.name))
                    rate = (before.per_second or 0.0 if before else 0.0) + row.per_second * length / seconds
                    by_counter[row.interface, row.name] = msgspec.structs.replace(row, per_second=rate)
        return tuple(by_counter.values())
    return ()


def softnet(series: Sequence[HostRates], stretch: Bounds) -> tuple[SoftnetRate, ...]:
    """The cores that dropped packets or used up their budget: means, and the highest backlog."""
    by_core: dict[int, SoftnetRate] = {}
    known = [(one.softnet, part(one, stretch)) for one in series if one.softnet]
    seconds = sum(length for _, length in known)
    for rows, length in known:
        for row in rows:
            if length > 0 and (row.dropped or row.squeezed):
                old = by_core.get(row.cpu, SoftnetRate(row.cpu, None, 0.0, 0.0, 0.0))
                by_core[row.cpu] = SoftnetRate(
                    row.cpu,
                    processed=None,
                    dropped=(old.dropped or 0.0) + (row.dropped or 0.0) * length / seconds,
                    squeezed=(old.squeezed or 0.0) + (row.squeezed or 0.0) * length / seconds,
                    flow_limited=(old.flow_limited or 0.0) + (row.flow_limited or 0.0) * length / seconds,
                    backlog=max((n for n in (old.backlog, row.backlog) if n is not None), default=None),
                )
    return tuple(by_core[cpu] for cpu in sorted(by_core))


def interrupts(all_series: Sequence[Sequence[HostRates]], stretch: Bounds) -> tuple[InterruptRate, ...]:
    """The interrupts of the newest interval, from the first series that has any."""
    for series in all_series:
        known = [one.interrupts for one in series if one.interrupts and part(one, stretch)]
        if known:
            return known[-1]
    return ()


def _first(
    all_series: Sequence[Sequence[HostRates]], stretch: Bounds, value: Callable[[HostRates], float | None]
) -> float | None:
    known = (mean(series, stretch, value) for series in all_series)
    return next((average for average in known if average is not None), None)


def queues(all_rows: Sequence[Sequence[Summed]], stretch: Bounds) -> tuple[QueueRate, ...]:
    """Each queue's mean rates, and its last depth and state, from the first series that has a rate.

    A tick that read the queues after a tick that did not read them has only their depths.
    """
    newest: tuple[QueueRate, ...] = ()
    for series in all_rows:
        rows = [row for row in series if row.rates.queues]
        weights = [part(row.rates, stretch) for row in rows]
        if not any(weights):
            continue
        means = dut_rates.mean_queues(rows, weights)
        if means is None:
            means = tuple(_queues([row.rates for row in rows], stretch))
        if any(row.pps is not None or row.drops is not None for row in means):
            return means
        newest = newest or means
    return newest


def _queues(series: Sequence[HostRates], stretch: Bounds) -> Iterable[QueueRate]:
    rows: dict[tuple[str, str, int], tuple[list[QueueRate], list[float]]] = {}
    for one in series:
        weight = part(one, stretch)
        for row in one.queues:
            key = row.interface, row.direction, row.index
            of_queue = rows.get(key)
            if of_queue is None:
                of_queue = rows[key] = [], []
            of_queue[0].append(row)
            of_queue[1].append(weight)
    for last in series[-1].queues:
        key = last.interface, last.direction, last.index
        mine, weights = rows[key]
        pps, drops = (_weighted(list(map(value, mine)), weights) for value in _COUNTED)
        yield QueueRate(*key, pps=pps, drops=drops, depth=last.depth, state=last.state)


def _weighted(values: list[float | None], weights: list[float]) -> float | None:
    """The mean of the values that are known; None if there are none."""
    if None in values:
        known = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
        values, weights = [value for value, _ in known], [weight for _, weight in known]
    seconds = sum(weights)
    total: float = sum(map(mul, values, weights))
    return total / seconds if seconds > 0 else None
