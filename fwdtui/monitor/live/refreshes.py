"""Counters that a card brings up to date once a second or so, however often they are read.

Between two refreshes such a counter stands still, and then moves by everything at once: at ten samples a
second the rates are 0 nine times out of ten, and their median is 0. Even at one sample a second the two paces
drift past each other, and a rate of 0 is followed by twice the true one. (FreeBSD: iflib_timer() of
sys/net/iflib.c has the driver read its statistics once a second; Linux: bnxt has the card write them every
second, by BNXT_DEF_STATS_COAL_TICKS.) So an interval in which a counter stood still is joined with the one in
which it moved next. How long it took from refresh to refresh is only known from many of them (even.py).
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise, takewhile
from operator import attrgetter
from statistics import median

from fwdtui.monitor.live import even
from fwdtui.monitor.live.averages import Bounds, mean, part
from fwdtui.monitor.live.series import Point

_AT = attrgetter("at")
_MORE = 1.5  # times the level: such an interval includes packets that were not counted before
_TOUCHES = 1e-3  # share of an interval
_ALIKE = 0.25  # by how much the rate of joined intervals may differ from the level, as a share


def at_refreshes(points: Sequence[Point]) -> tuple[list[Point], int]:
    """The rates from refresh to refresh, and how many intervals were joined with a later one or made even.

    A stretch without packets stays if no later interval makes up for it: there really were none. The last
    refresh is an exception: it has only the packets until the end, so it cannot make up for the stretch
    before it, and is joined with it if it took no longer than the other refreshes. A stretch without packets
    at the end is left out if it is no longer than the stretches that were joined.
    """
    moved = [place for place, point in enumerate(points) if point.count]
    if len(moved) < 3:
        return list(points), 0
    regular = even.runs(points, moved)
    if len(moved) == len(points) and not regular:
        return list(points), 0
    level = median(_joined(points[one + 1 : other + 1]).value or 0.0 for one, other in pairwise(moved))
    found: list[Point] = []
    most = joined = done = 0
    for run in [*regular, None]:
        upto = len(points) if run is None else run.steps[0].first
        these, number, longest = _made_good(points[done:upto], level)
        found, joined, most = [*found, *these], joined + number, max(most, longest)
        if run is not None:
            found += even.spread(points, run)
            joined += run.joined
            most = max(most, *(step.samples - 1 for step in run.steps))
            done = run.steps[-1].last + 1
    rest = len(points) - 1 - moved[-1]  # none of them moved
    last = len(found) - rest - 1
    still = sum(1 for _ in takewhile(lambda one: one.count == 0, reversed(found[:last])))
    if regular and still and moved[-1] - moved[-2] - 1 <= most:
        found[last - still : last + 1] = [_joined(found[last - still : last + 1])]
        joined += still
    return (found[: len(found) - rest] if rest <= most else found), joined


def _made_good(points: Sequence[Point], level: float) -> tuple[list[Point], int, int]:
    """The points, with those without packets joined with a later point that makes up for them.

    Also returns how many were joined, and the most in a row. `level`: the usual rate.
    """
    found: list[Point] = []
    most = joined = 0
    for point in points:
        found.append(point)
        if not point.count or point.value is None or point.value < _MORE * level:
            continue
        still = sum(1 for _ in takewhile(lambda one: one.count == 0, reversed(found[:-1])))
        for number in range(still, 0, -1):  # a refresh may come late, but not by much
            together = _joined(found[-1 - number :])
            if abs((together.value or 0.0) - level) <= _ALIKE * level:
                found[-1 - number :] = [together]
                joined, most = joined + number, max(most, number)
                break
    return found, joined, most


def sum_at_refreshes(whole: Sequence[Point], parts: Sequence[Sequence[Point]]) -> tuple[list[Point], int]:
    """Like `at_refreshes`, for a sum. `whole`: its points; `parts`: the points of each port or generator.

    Each card refreshes at its own moments, so a sum stands still only while all of them do. Therefore each
    part is joined by itself. The rates are then summed over the intervals of the part in which the most
    intervals were joined, the slowest one, so that the sum's points are as independent of each other as those
    of one card. Bits and counts are not summed.
    """
    if not parts:
        return at_refreshes(whole)
    each = [at_refreshes(points) for points in parts]
    slowest, joined = max(each, key=lambda one: one[1])
    if not joined:
        return list(whole), 0
    end = min(points[-1].at for points, number in each if number)  # what came after it is not known
    return [_sum(whole, [points for points, _ in each], one) for one in slowest if one.at <= end], joined


def sum_of_same_seconds(whole: Sequence[Point], parts: Sequence[Sequence[Point]]) -> list[Point]:
    """A sum whose points cover the same seconds in each of its parts: the intervals of one of the parts.

    Generators on several hosts are read at different moments, and `whole` adds up their newest rates. When
    they begin, one generator's interval may lie within the blast while another's lies mostly before it. Once
    a part is no longer heard, the rest of `whole` stays as it is, because what is to come is not known.
    """
    times = [[point.at for point in points] for points in parts]
    if not all(times) or all(one == times[0] for one in times):
        return list(whole)
    end = min(one[-1] for one in times)
    sums = [_sum(whole, parts, one) for one in min(parts, key=len) if one.at <= end]
    return [*sums, *(point for point in whole if point.at > end)]


def _sum(whole: Sequence[Point], parts: Sequence[Sequence[Point]], over: Point) -> Point:
    """The sum over the interval of `over`; a gap if a part is missing or `whole` has a gap there."""
    bounds = over.at - over.seconds, over.at
    missing = [one.why for one in (over, *_near(whole, bounds)) if one.value is None]
    rates = [_rate(points, bounds) for points in parts]
    known = [rate for rate in rates if rate is not None]
    if missing or len(known) < len(rates):
        why = next(filter(None, missing), "a part of the sum is missing")
        return Point(over.at, over.seconds, None, why=why)
    return Point(over.at, over.seconds, sum(known))


def _rate(points: Sequence[Point], bounds: Bounds) -> float | None:
    """The mean rate between two times; None if it was not measured.

    0 after the last point, which is right if the sum is known there: then the generator's tool had ended.
    """
    if not points or points[-1].at <= bounds[0]:
        return 0.0
    return mean(
        (one for one in _near(points, bounds) if one.value is not None), bounds, lambda one: one.value
    )


def _near(points: Sequence[Point], bounds: Bounds) -> list[Point]:
    """The points whose intervals overlap with the bounds, by more than the last digits of a clock."""
    begin, end = bounds
    first = last = bisect_right(points, begin, key=_AT)
    while last < len(points) and points[last].at - points[last].seconds < end:
        last += 1
    return [one for one in points[first:last] if part(one, bounds) > _TOUCHES * (end - begin)]


def _joined(points: Sequence[Point]) -> Point:
    """Consecutive intervals as one."""
    if len(points) == 1:
        return points[0]
    return even.joined(points, points[-1].at, sum(point.seconds for point in points))
