"""Averages over one span: what stands in one sentence is of the same seconds, and of no others.

Hosts sample at their own moments and slow counters are read by themselves, so no two courses have the same
intervals. Only intervals that lie within the bounds count; each mean is then taken over the seconds that all
courses tell of, an interval that reaches over their edge by its part.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from fwdtui.core.host_rates import STAGES, CpuShare, HostRates, QueueRate
from fwdtui.monitor.evidence import mean_cpus
from fwdtui.monitor.series import Point

_SLACK = 0.01  # of an interval: hosts' clocks are laid together that well
Span = tuple[float, float]
T = TypeVar("T", Point, HostRates)


def whole(course: Iterable[T], bounds: Span) -> list[T]:
    """The intervals that lie within the bounds from begin to end."""
    start, end = bounds
    return [
        one
        for one in course
        if one.at - one.seconds >= start - _SLACK * one.seconds and one.at <= end + _SLACK * one.seconds
    ]


def common(courses: Iterable[Sequence[Point] | Sequence[HostRates]]) -> Span | None:
    """The seconds that all of these tell of; None: there are none. A course without intervals is left out."""
    told = [course for course in courses if course]
    begin = max((course[0].at - course[0].seconds for course in told), default=0.0)
    end = min((course[-1].at for course in told), default=0.0)
    return (begin, end) if begin < end else None


def part(one: T, span: Span) -> float:
    """How many seconds of the span this interval tells of."""
    return max(min(one.at, span[1]) - max(one.at - one.seconds, span[0]), 0.0)


def mean(course: Iterable[T], span: Span, value: Callable[[T], float | None]) -> float | None:
    """Over the parts of the span in which the value is known; None: in none."""
    known = [(found, part(one, span)) for one in course if (found := value(one)) is not None]
    seconds = sum(weight for _, weight in known)
    return sum(found * weight for found, weight in known) / seconds if seconds > 0 else None


class Seen(msgspec.Struct, frozen=True):
    """What was seen over one span: mean rates of the flows; the DUT's drops, cores and queues."""

    flows: Mapping[str, float]
    drops: Mapping[str, float] = {}
    cpus: tuple[CpuShare, ...] = ()
    queues: tuple[QueueRate, ...] = ()


def together(
    flows: Mapping[str, Sequence[Point]],
    ticks: Iterable[HostRates],
    slow: Iterable[Sequence[HostRates]],
    bounds: Span,
    late: float,
) -> Seen:
    """What all of them tell of the same seconds within the bounds; nothing where there are no such seconds.

    `slow`: courses of what is read by itself: one that has nothing to tell of these seconds is left out. A
    flow that has been silent for `late` seconds is not waited for.
    """
    inside = {name: whole(points, bounds) for name, points in flows.items()}
    inside = {name: found for name, found in inside.items() if found and found[-1].at >= bounds[1] - late}
    courses = [whole((one for one in ticks if not one.gap), bounds)]
    span = common([*inside.values(), *courses])
    if span is None:
        return Seen({})
    for found in (whole(course, bounds) for course in slow):
        narrower = common([*inside.values(), *courses, found])
        if found and narrower is not None:
            span = narrower
            courses.append(found)
    means = {name: mean(found, span, lambda point: point.value) for name, found in inside.items()}
    return Seen(
        flows={name: value for name, value in means.items() if value is not None},
        drops=drops(courses, span),
        cpus=mean_cpus([one for one in courses[0] if part(one, span)]),
        queues=queues(courses, span),
    )


def drops(courses: Sequence[Sequence[HostRates]], span: Span) -> Mapping[str, float]:
    """Packets per second lost at each stage, in the packet's order: of the first course that tells it."""
    found = {}
    for stage in STAGES:
        for course in courses:
            lost = mean(course, span, lambda one, stage=stage: one.drops.get(stage))  # type: ignore[misc]
            if lost is not None:
                found[stage] = lost
                break
    return found


def queues(courses: Sequence[Sequence[HostRates]], span: Span) -> tuple[QueueRate, ...]:
    """Each queue's mean rates, and the last depth and state: of the first course that tells a rate.

    A tick that read the queues after one that did not has their depths alone.
    """
    found: tuple[QueueRate, ...] = ()
    for course in courses:
        if any(one.queues and part(one, span) for one in course):
            told = tuple(_queues([one for one in course if one.queues], span))
            if any(row.pps is not None or row.drops is not None for row in told):
                return told
            found = found or told
    return found


def _queues(course: Sequence[HostRates], span: Span) -> Iterable[QueueRate]:
    rows = [
        ({(row.interface, row.direction, row.index): row for row in one.queues}, part(one, span))
        for one in course
    ]
    for key, last in rows[-1][0].items():
        told = [(row[key], weight) for row, weight in rows if key in row]

        def over(name: str, told: list[tuple[QueueRate, float]] = told) -> float | None:
            known = [(getattr(row, name), weight) for row, weight in told if getattr(row, name) is not None]
            seconds = sum(weight for _, weight in known)
            return sum(value * weight for value, weight in known) / seconds if seconds > 0 else None

        yield QueueRate(*key, pps=over("pps"), drops=over("drops"), depth=last.depth, state=last.state)
