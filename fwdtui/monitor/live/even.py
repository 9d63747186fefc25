"""How long it took from one refresh of a slow counter to the next, although it is only seen when it is read.

The counter of a card that refreshes every 0.25 s and is read every 0.2 s moves after 0.2, 0.2, 0.2 and 0.4 s.
Each rate is wrong by the part of a sampling interval by which the refresh came before it was seen, and the
median of the rates is 25 % too high. If the counter is read every 0.4 s it always moves, by one refresh or by
two. Cards refresh evenly (refreshes.py), so the moments at which refreshes are seen lie along a line, and the
line says when the refreshes really were: all of them together are off by less than one sampling interval,
instead of each of them.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import linear_regression, median
from typing import NamedTuple

from fwdtui.monitor.live.series import Point

# in each pair of numbers, the second one is for counters that move in most samples
_FEW = 5, 12  # refreshes: with fewer of them, it is not known whether they are even
_SAME = 0.25  # by how much packets from one refresh to the next may differ, as a share of one refresh
_CLEAR = 0.1  # the same if the counter moves in every sample: samples of n and n + 1 refreshes lie far apart
_MOST = 20  # refreshes in one sample: with more of them, n and n + 1 differ by less than 5 %
_EARLY = 1.25  # sampling intervals, or refreshes, by which a refresh may be seen early or late
_NEAR = 1.5  # sampling intervals; a sample that took longer follows one that was missed
_SURE = 1.75  # samples for one refresh: the counter stands still in many of them
_ODD = 2, 3  # steps of another length than usual: so many are not chance
_SWAY = 3.0, 1.2  # sampling intervals by which refreshes may run ahead of even ones


class Step(NamedTuple):
    """Points from one refresh to another: indexes of the first and the last point, and how many refreshes.

    `length`: how long they took, in usual sampling intervals; that is `samples` unless a sample was missed.
    `late`: by how many sampling intervals a missed sample may have delayed the moments at which the refresh
    before this step and its own last refresh were seen.
    """

    first: int
    last: int
    refreshes: int
    length: float
    late: tuple[float, float]

    @property
    def samples(self) -> int:
        """The number of points."""
        return self.last - self.first + 1


class Run(NamedTuple):
    """Steps that follow each other. `even`: their time is divided evenly among their refreshes."""

    steps: list[Step]
    even: bool

    @property
    def joined(self) -> int:
        """How many points differ from what was read: the counter stood still, or had one refresh more."""
        usual = min(step.refreshes for step in self.steps)
        return sum(step.samples - 1 or int(step.refreshes > usual) for step in self.steps)


def runs(points: Sequence[Point], moved: Sequence[int]) -> list[Run]:
    """The stretches in which a counter is refreshed more slowly than it is read, and evenly.

    The list is empty if the counter is up to date whenever it is read. Real pauses and bursts are
    distinguished from refreshes by their packets and by how evenly they come. `moved`: the indexes of points
    with packets.
    """
    steps = [(one + 1, other) for one, other in pairwise(moved) if _counted(points[one + 1 : other + 1])]
    if len(steps) < _FEW[0]:
        return []
    packets = [points[last].count or 0 for _, last in steps]
    stands_still = any(last > first for first, last in steps)
    interval = median(points[place].seconds for step in steps for place in range(step[0], step[1] + 1))
    if not interval:
        return []
    lengths = [sum(point.seconds for point in points[one : other + 1]) / interval for one, other in steps]
    one = median(packets) if stands_still else _of_one_refresh(packets, lengths)
    if not one:
        return []
    apart = _SAME if stands_still else _CLEAR
    late = [max(point.seconds / interval - 1.0, 0.0) for point in points]
    told = [
        Step(first, last, round(count / one), length, (late[first - 1], late[last]))
        for (first, last), count, length in zip(steps, packets, lengths, strict=True)
    ]
    alike = [
        step
        for step, count in zip(told, packets, strict=True)
        if step.refreshes and abs(count - step.refreshes * one) <= apart * one
    ]
    usual = median(lengths)
    near = [step for step in alike if step.length < usual + _NEAR]
    if not near:
        return []
    pace = _pace(near)
    most = _EARLY * min(1.0, pace)
    regular = [
        step
        for step in alike
        if -most - step.late[0] <= step.length - step.refreshes * pace <= most + step.late[1]
    ]
    found = []
    for stretch in _stretches(regular):
        sure = pace >= _SURE
        even = len(stretch) >= _FEW[not sure] and _is_even(stretch, sure)
        if even or (sure and len(stretch) > 1):
            found.append(Run(stretch, even))
    return found


def spread(points: Sequence[Point], run: Run) -> list[Point]:
    """The points of a run, one for each of its steps."""
    parts = [points[step.first : step.last + 1] for step in run.steps]
    if not run.even:
        return [joined(part, part[-1].at, sum(point.seconds for point in part)) for part in parts]
    number = list(accumulate((step.refreshes for step in run.steps), initial=0))
    seen = [parts[0][0].at - parts[0][0].seconds, *(part[-1].at for part in parts)]
    line = linear_regression(number, seen)
    return [
        joined(part, line.intercept + line.slope * upto, line.slope * step.refreshes)
        for part, step, upto in zip(parts, run.steps, number[1:], strict=True)
    ]


def joined(points: Sequence[Point], at: float, seconds: float) -> Point:
    """One point for several consecutive ones, which ends at `at` and lasts `seconds`."""
    count = sum(point.count or 0 for point in points)
    known = [point.bps * point.seconds for point in points if point.bps is not None]
    bps = sum(known) / seconds if len(known) == len(points) else None
    return Point(at, seconds, count / seconds, count, bps=bps)


def _counted(points: Sequence[Point]) -> bool:
    return all(point.value is not None and point.count is not None for point in points)


def _pace(steps: Sequence[Step]) -> float:
    """Samples for one refresh."""
    return sum(step.length for step in steps) / sum(step.refreshes for step in steps)


def _of_one_refresh(packets: Sequence[int], lengths: Sequence[float]) -> float:
    """The packets of one refresh, if each sample has either n or n + 1 refreshes; 0 if that is not so.

    The ends are left out, as a blast begins and ends within a refresh, and so is what follows a missed
    sample.
    """
    inner = [n for n, length in list(zip(packets, lengths, strict=True))[2:-2] if length < _NEAR]
    if len(inner) < _FEW[1] or max(inner) * _MOST < min(inner) * (_MOST + 1):
        return 0.0
    middle = (min(inner) + max(inner)) / 2
    less, more = [n for n in inner if n <= middle], [n for n in inner if n > middle]
    low, high = median(less), median(more)
    one = high - low
    if any(abs(n - low) > _CLEAR * one for n in less) or any(abs(n - high) > _CLEAR * one for n in more):
        return 0.0
    return one if round(low / one) >= 1 and abs(low / one - round(low / one)) <= _CLEAR else 0.0


def _stretches(steps: Sequence[Step]) -> list[list[Step]]:
    """The steps, grouped into stretches without a hole."""
    found: list[list[Step]] = []
    for step in steps:
        if found and found[-1][-1].last + 1 == step.first:
            found[-1].append(step)
        else:
            found.append([step])
    return found


def _is_even(steps: Sequence[Step], sure: bool) -> bool:
    """Whether refreshes of one length explain that they are seen sometimes after more samples, or fewer.

    `sure`: the counter stands still in many samples.
    """
    lengths = [max(1, round(step.length)) / step.refreshes for step in steps]
    usual = max(set(lengths), key=lengths.count)
    if len(lengths) - lengths.count(usual) < _ODD[not sure]:
        return False
    number = list(accumulate((step.refreshes for step in steps), initial=0))
    seen = list(accumulate((step.length for step in steps), initial=0.0))
    line = linear_regression(number, seen)
    ahead = [at - line.slope * upto for at, upto in zip(seen, number, strict=True)]
    late = [steps[0].late[0], *(step.late[1] for step in steps)]
    most = max(one - more for one, more in zip(ahead, late, strict=True))
    return most - min(ahead) <= _SWAY[not sure] * min(1.0, line.slope)
