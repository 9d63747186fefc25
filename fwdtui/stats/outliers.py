"""Iterations that lie far from the others of their set, and sets that fall into two groups.

Both limits are set so that at most about 2 % of clean, normal sets are accused, at any n: the tests draw
them again.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fwdtui.stats.values import LargeValues

LEAST = 5
"""Below five values the spread of the others says too little to call one of them odd."""

GAP_LIMIT = 8.0
"""Two groups: how many times wider than the average other gap the widest gap must be."""


MOST_ITERATIONS = 2000
"""A set of more values holds samples, not iterations."""


class Outlier(NamedTuple):
    """`position` counts from 0. `score` is the modified z, None where the others do not differ at all."""

    position: int
    score: float | None


class Groups(NamedTuple):
    """The values split in two at the widest gap: how many are on each side, and where the gap lies."""

    low: int
    high: int
    below: float  # the highest value of the low group
    above: float  # the lowest value of the high group


def score_limit(n: int) -> float:
    """The modified z above which a value of n is called an outlier.

    3.5 (Iglewicz & Hoaglin, "How to Detect and Handle Outliers", 1993) is for large samples: the median
    absolute deviation of five values is so uncertain that it would accuse 21 % of clean sets. The formula
    follows the simulated 98 % point of the largest score from above: 13 at n = 5, 6.6 at 10, 4.4 at 50; the
    second term is the normal tail, which takes over beyond 100.
    """
    return max(4.0 + 18.0 / (n - 3), math.sqrt(2.0 * math.log(50.0 * n)))


def outliers(values: Sequence[float], least_percent: float) -> list[Outlier]:
    """The values far from the median, by their modified z score 0.6745 * |x - median| / MAD.

    MAD is the median absolute deviation. Where it is zero, more than half of the values are the same, there
    is no scale, and any deviation would score infinity: a value then counts only if it is further than
    `least_percent` of the median away from it.
    """
    n = len(values)
    if n < LEAST:
        return []
    median = _median(values)
    deviations = [abs(value - median) for value in values]
    mad = _median(deviations)
    if mad == 0.0:
        least = least_percent / 100.0 * abs(median)
        return [Outlier(index, None) for index, deviation in enumerate(deviations) if deviation > least]
    scores = [0.6745 * (deviation / mad) for deviation in deviations]
    limit = score_limit(n)
    return [Outlier(index, score) for index, score in enumerate(scores) if limit < score < math.inf]


def far(values: Sequence[float], least_percent: float, most: int) -> tuple[int, list[Outlier]]:
    """How many outliers there are, and the first `most` of them."""
    if not isinstance(values, LargeValues):
        found = outliers(values, least_percent)
        return len(found), found[:most]
    if len(values) < LEAST:
        return 0, []
    from fwdtui.stats.large import far_from_median

    middle = _mean_of_two(*values.digest.middle)
    least = least_percent / 100.0 * abs(middle)
    count, first = far_from_median(values.data, middle, score_limit(len(values)), least, most)
    return count, [Outlier(*one) for one in first]


def groups(values: Sequence[float], least_percent: float) -> Groups | None:
    """The two groups that the values fall into, if they do.

    The widest gap between neighbours in order of size, with at least a fifth of the values (and two) on each
    side, must be wider than GAP_LIMIT times the average of the other gaps. Where all other gaps are zero (two
    values, each measured many times) it must be wider than `least_percent` of the median.

    Of more than MOST_ITERATIONS values it must also be wider than all that is left of the middle three
    fifths. The average gap of a million values is smaller than the step in which they are written: the gap
    between one packet per second and the next would make two groups.
    """
    n = len(values)
    if n < LEAST:
        return None
    side = max(2, -(-n // 5))
    if isinstance(values, LargeValues):
        known = values.digest
        (split, below, above), low, high = known.split, known.low, known.high
        (first, last), median = known.ends, _mean_of_two(*known.middle)
    else:
        ordered = sorted(values)
        split = max(range(side, n - side + 1), key=lambda at: ordered[at] - ordered[at - 1])
        below, above, low, high = ordered[split - 1], ordered[split], ordered[0], ordered[-1]
        first, last, median = ordered[side - 1], ordered[n - side], _median(ordered)
    gap = above - below
    rest = (below - low) + (high - above)
    least = GAP_LIMIT * rest / (n - 2) if rest > 0.0 else least_percent / 100.0 * abs(median)
    if gap <= least or (n > MOST_ITERATIONS and gap <= (last - first) - gap):
        return None
    return Groups(split, n - split, below, above)


def _median(values: Sequence[float]) -> float:
    ordered, n = sorted(values), len(values)
    return _mean_of_two(ordered[(n - 1) // 2], ordered[n // 2])


def _mean_of_two(low: float, high: float) -> float:
    return low / 2.0 + high / 2.0
