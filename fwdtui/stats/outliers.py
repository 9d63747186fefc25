"""Iterations that lie far from the others of their set, and sets that fall into two groups.

Both limits are set so that at most about 2 % of clean, normal sets are accused, at any n: the tests draw
them again.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

LEAST = 5
"""Below five values the spread of the others says too little to call one of them odd."""

GAP_LIMIT = 8.0
"""Two groups: how many times wider than the average other gap the widest gap must be."""


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


def groups(values: Sequence[float], least_percent: float) -> Groups | None:
    """The two groups that the values fall into, if they do.

    The widest gap between neighbours in order of size, with at least a fifth of the values (and two) on each
    side, must be wider than GAP_LIMIT times the average of the other gaps. Where all other gaps are zero (two
    values, each measured many times) it must be wider than `least_percent` of the median.
    """
    n = len(values)
    if n < LEAST:
        return None
    ordered = sorted(values)
    side = max(2, -(-n // 5))
    split = max(range(side, n - side + 1), key=lambda at: ordered[at] - ordered[at - 1])
    gap = ordered[split] - ordered[split - 1]
    rest = (ordered[split - 1] - ordered[0]) + (ordered[-1] - ordered[split])
    least = GAP_LIMIT * rest / (n - 2) if rest > 0.0 else least_percent / 100.0 * abs(_median(ordered))
    if gap <= least:
        return None
    return Groups(split, n - split, ordered[split - 1], ordered[split])


def _median(values: Sequence[float]) -> float:
    ordered, n = sorted(values), len(values)
    return ordered[(n - 1) // 2] / 2.0 + ordered[n // 2] / 2.0
