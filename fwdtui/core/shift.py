"""Whether a series has two levels: a step, or a period at another rate; or changes its level several times.

A slow climb is not a step (it is reported as drift), nor is a single odd second, nor correlated noise:
neighbouring seconds of a run are alike, so the noise of a mean is computed with its autocorrelation.
"""

from collections.abc import Sequence
from itertools import accumulate
from statistics import fmean, median, pstdev
from typing import NamedTuple

from fwdtui.core.noise import MAD_TO_SIGMA, around_line, median_error

SHIFT = 0.01
"""A smaller change, as a share of the level, is not reported."""
LEAST = 5
"""The fewest samples that each of the two levels must have."""

_NEAR = 3  # samples on each side of a step that must show it: a slow wander does not
_JUMP = 5.0, 80.0  # times the usual jump: at least the first number plus the second divided by the samples
_BLOCKS = 64  # a longer series is averaged into this many blocks, since all pairs of ends are tried
_ERRORS = 5.0  # standard errors between the levels: the best of two thousand pairs of ends is chosen
# standard errors from which no step need be visible: noise correlated by 0.95 reaches them in 0.5 % of runs
_SURELY = 10.0


class Shift(NamedTuple):
    """The samples `first`..`last` (exclusive) are at `there`, the others at `elsewhere`, in the input's unit.

    If the level changes once, `first` is 0 or `last` is the number of samples.
    """

    first: int
    last: int
    there: float
    elsewhere: float


def find(rates: Sequence[float]) -> Shift | None:
    """The clearest change of level; None: there is one level, or the change may be chance or a climb."""
    level = median(rates) if rates else 0.0
    if len(rates) < 2 * LEAST or level <= 0:
        return None
    size = -(-len(rates) // _BLOCKS)
    blocks = rates if size == 1 else [fmean(rates[i : i + size]) for i in range(0, len(rates), size)]
    if max(blocks) - min(blocks) <= SHIFT * level:  # medians of them are no farther apart
        return None
    smooth = _without_spikes(blocks)
    if max(smooth) - min(smooth) <= SHIFT * level:
        return None
    first, last = (min(edge * size, len(rates)) for edge in _stretch(smooth, -(-LEAST // size)))
    inside, outside = rates[first:last], [*rates[:first], *rates[last:]]
    clearest = Shift(first, last, median(inside), median(outside))
    apart = abs(clearest.there - clearest.elsewhere)
    if apart <= SHIFT * level:
        return None
    rest = [
        rate - (clearest.there if first <= i < last else clearest.elsewhere) for i, rate in enumerate(rates)
    ]
    error = median_error(rest, len(inside), len(outside))
    if apart <= _ERRORS * error or _climbs(rates, rest):
        return None
    return clearest if apart > _SURELY * error or _jumps(rates, rest, clearest) else None


def several(rates: Sequence[float]) -> tuple[float, float] | None:
    """The lowest and highest level of a series in which `find` sees no single change, but one in each half.

    Its rate goes back and forth, or changes twice. None if the change is not clear in both halves; by chance
    it hardly ever is.
    """
    middle = len(rates) // 2
    halves = []
    for half in (rates[:middle], rates[middle:]):
        changed = find(half)
        if changed is None:
            return None
        halves.append(changed)
    levels = [level for half in halves for level in (half.there, half.elsewhere)]
    return min(levels), max(levels)


def _without_spikes(values: Sequence[float]) -> list[float]:
    """Medians of five: removes spikes of one or two samples, and leaves a step where it is."""
    n = len(values)
    inner = [sorted(values[i - 2 : i + 3])[2] for i in range(2, n - 2)]  # half of the time of `median`
    ends = [median(values[max(i - 2, 0) : i + 3]) for i in (0, 1, n - 2, n - 1)]
    return [*ends[:2], *inner, *ends[2:]]


def _stretch(values: Sequence[float], least: int) -> tuple[int, int]:
    """Ends of the stretch whose mean is farthest from the rest's, in standard errors of white noise."""
    n, sums = len(values), [0.0, *accumulate(values)]
    best, ends = -1.0, (0, n)
    for first in range(n):
        for last in range(first + least, n + 1):
            inside, outside = last - first, n - (last - first)
            if outside < least:
                break
            part = sums[last] - sums[first]
            apart = part / inside - (sums[n] - part) / outside
            weight = apart * apart * inside * outside
            if weight > best:
                best, ends = weight, (first, last)
    return ends


def _jumps(rates: Sequence[float], rest: Sequence[float], clearest: Shift) -> bool:
    """Whether the rate steps at each edge, within a few samples and by far more than it does elsewhere."""
    n = len(rates)
    steps = {
        at: abs(median(rates[at : at + _NEAR]) - median(rates[at - _NEAR : at]))
        for at in range(_NEAR, n - _NEAR + 1)
    }
    edges = [edge for edge in (clearest.first, clearest.last) if 0 < edge < n]
    usual = [step for at, step in steps.items() if all(abs(at - edge) >= _NEAR for edge in edges)]
    limit = _JUMP[0] + _JUMP[1] / n
    limit *= median(usual) * MAD_TO_SIGMA if len(usual) >= 2 * _NEAR else pstdev(rest)
    return all(
        max((steps.get(at, 0.0) for at in range(edge - _NEAR + 1, edge + _NEAR)), default=0.0) > limit
        for edge in edges
    )


def _climbs(rates: Sequence[float], rest: Sequence[float]) -> bool:
    """Whether a straight line fits better than the two levels do."""
    return sum(one * one for one in around_line(rates)) <= sum(one * one for one in rest)
