"""How a rate grows with a resource: efficiency against linear scaling, and where more of it stops paying.

*Linear* goes from zero through the first level: y0 * x / x0. *Efficiency* is the measured share of it.

The *knee* is the level with the most benefit for its cost, as Eager, Zahorjan and Lazowska define it
("Speedup Versus Efficiency in Parallel Systems", IEEE Transactions on Computers 38(3), 1989): the one that
maximises the ratio of efficiency to execution time, which is efficiency times speed-up and in proportion to
y * y / x. Levels far beyond it do not move it, as they do in rules that look at the whole curve (Kneedle).

Medians vary, so every level gets the interval of its median that two of its own values enclose (order
statistics, no distribution assumed): the least and greatest of 5 values enclose it with 93.75 %. A level can
be the knee if the upper end of its y * y / x reaches the highest lower end of all. Where several levels can
be, the knee lies between them; where the last one can be, there is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

FEWEST_LEVELS = 3
FEWEST_VALUES = 5
"""Values of a level. The range of fewer encloses the median in less than 93.75 % of cases."""
_ONE_IN = 16  # the interval misses the median at most once in so many times: of 5 values, exactly so

FEW_LEVELS, FEW_VALUES, FIRST_CAPPED, NOT_POSITIVE, LAST = (
    "few-levels",
    "few-values",
    "first-capped",
    "not-positive",
    "last",
)
"""Why no knee is named. LAST: it may be the last level that can be judged, or lie beyond it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One level of the resource: `x` of it, and the median rate with its interval. `n`: number of values.

    `capped`: the rate is only a lower bound, since link or generator could not do more.
    """

    x: float
    median: float
    interval: tuple[float, float]
    n: int
    capped: bool = False


@dataclass(frozen=True, slots=True)
class Knee:
    """The levels between which the knee lies, by their places among all levels; equal: it is that one.

    `why_not`: if no knee is named, one of the reasons above; for LAST, `first` and `last` are then the levels
    that could be it. `judged` is the place of the last level that could be judged: capped ones cannot.
    """

    first: int = 0
    last: int = 0
    judged: int = 0
    why_not: str = ""


def efficiency(first: Measured, one: Measured) -> float | None:
    """The share of linear scaling from `first` that `one` has; 1 is linear. None: `first` has no slope."""
    if first.x <= 0 or first.median <= 0 or one.x <= 0:
        return None
    return one.median / (first.median * one.x / first.x)


def efficiency_range(first: Measured, one: Measured) -> tuple[float, float] | None:
    """The least and greatest efficiency that the intervals of both medians allow."""
    if first.x <= 0 or one.x <= 0 or first.interval[0] <= 0:
        return None
    times = one.x / first.x
    return one.interval[0] / (first.interval[1] * times), one.interval[1] / (first.interval[0] * times)


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The narrowest two values, as far from either end, that enclose the median with at least 93.75 %.

    Of fewer than 5 values the least and the greatest, whatever they enclose it with. `values` is not empty.
    """
    ordered, n = sorted(values), len(values)
    rank, ways, missed = 0, 1, 1  # in how many of 2**n ways at most `rank` of the values lie below the median
    while 2 * missed * _ONE_IN <= 2**n:
        rank += 1
        ways = ways * (n - rank + 1) // rank
        missed += ways
    rank = max(rank, 1)
    return ordered[rank - 1], ordered[n - rank]


def knee(levels: Sequence[Measured]) -> Knee:
    """The knee of `levels`, which are in the order of x."""
    if not levels or any(one.x <= 0 or one.interval[0] <= 0 for one in levels):
        return Knee(why_not=NOT_POSITIVE)
    if levels[0].capped:
        return Knee(why_not=FIRST_CAPPED)
    judged = [place for place, one in enumerate(levels) if not one.capped]
    if len(judged) < FEWEST_LEVELS:
        return Knee(why_not=FEW_LEVELS)
    if any(levels[place].n < FEWEST_VALUES for place in judged):
        return Knee(why_not=FEW_VALUES)
    at_least = max(_benefit(levels[place], 0) for place in judged)
    able = [place for place in judged if _benefit(levels[place], 1) >= at_least]
    end = judged[-1]
    return Knee(able[0], able[-1], end, LAST if able[-1] == end else "")


def _benefit(one: Measured, end: int) -> float:
    """In proportion to efficiency times speed-up, at the lower (0) or upper (1) end of the interval."""
    return one.interval[end] * (one.interval[end] / one.x)
