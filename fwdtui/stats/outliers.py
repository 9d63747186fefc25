"""Iterations that lie far from the others of their set, and sets that fall into two groups.

Both limits keep the share of clean, normal sets that get a warning at a level, at any n; the tests simulate
this.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fwdtui.stats.values import LargeValues
from fwdtui.stats.whole_t import t_quantile

LEAST = 5
"""With fewer values, the spread of the others says too little to call one of them an outlier."""

TEN = 10
"""From this many values on, the median absolute deviation is certain enough."""

LEVEL = 0.005
"""The share of clean sets that may get one kind of warning: 1 % of comparisons, of two sets each."""

GAP_LIMIT = 8.0
"""Two groups: how many times wider than the average other gap the widest must be, at 2 % of clean sets."""

GAP_GROWTH = 0.06


MOST_ITERATIONS = 2000
"""A set of more values holds samples, not iterations."""


class Outlier(NamedTuple):
    """`position` counts from 0. `score`: see score_name; None if the other values do not differ at all."""

    position: int
    score: float | None


class Groups(NamedTuple):
    """The values split in two at the widest gap: how many are on each side, and the values beside the gap."""

    low: int
    high: int
    below: float  # the highest value of the low group
    above: float  # the lowest value of the high group


def score_limit(n: int, level: float = LEVEL) -> float:
    """The score above which one of n values is called an outlier; a share `level` of clean sets has one.

    Below TEN values the score is the t of one value against the others (n - 2 degrees of freedom), with
    Bonferroni's correction for n values on two sides: Grubbs, "Procedures for detecting outlying observations
    in samples", Technometrics 11 (1969), 1-21. It finds one outlier, where the median absolute deviation of
    so few values is too uncertain to find any. From ten on it is the modified z, which several outliers do
    not hide from each other. Its usual limit of 3.5 (Iglewicz & Hoaglin, "How to Detect and Handle
    Outliers", 1993) is for large samples. In smaller ones about half of the values have to lie close together
    by chance, so that the largest score has the tail of a t with n // 2 degrees of freedom: simulated
    quantiles from 10 to 50 values and from 2 % to 0.02 % are at most 1.05 times that t's.
    """
    if n < TEN:
        return t_quantile(n - 2, level / (2.0 * n))
    return 1.05 * t_quantile(n // 2, level / (2.0 * n))


def gap_limit(n: int, level: float = LEVEL) -> float:
    """How many times wider than the average other gap the widest must be, so that it makes two groups.

    GAP_LIMIT is the simulated limit at 2 % of clean sets; the fewer the values, the more a stricter level
    costs, as the other n - 2 gaps must all be small. The formula approximates the simulated limits from
    above, for n = 5 to 50 and levels of 2 % to 0.02 %.
    """
    return float(GAP_LIMIT * (0.02 / level) ** (1.0 / (n - 2.0) + GAP_GROWTH))


def outliers(values: Sequence[float], least_percent: float, level: float = LEVEL) -> list[Outlier]:
    """The values far from the others: by a t, from TEN values on by 0.6745 * |x - median| / MAD.

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
    limit = score_limit(n, level)
    if n < TEN:
        # of so few at most one is that far out, and it is the lowest or the highest
        ends = sorted({values.index(min(values)), values.index(max(values))})
        scores = [(index, _against_others(values, index)) for index in ends]
    else:
        scores = [(index, 0.6745 * (deviation / mad)) for index, deviation in enumerate(deviations)]
    return [Outlier(index, score) for index, score in scores if limit < score < math.inf]


def score_name(n: int) -> str:
    """The name of the score of one of n values."""
    return "t against the others" if n < TEN else "modified z"


def _against_others(values: Sequence[float], index: int) -> float:
    """How far a value is from the mean of the others, in standard errors of that difference."""
    others = [value for position, value in enumerate(values) if position != index]
    centre = _median(others)
    unit = max(abs(value - centre) for value in (*others, values[index]))
    scaled = [(value - centre) / unit for value in others]
    n = len(scaled)
    mean = math.fsum(scaled) / n
    variance = math.fsum((value - mean) ** 2 for value in scaled) / (n - 1)
    error = math.sqrt(variance * (1.0 + 1.0 / n))
    return abs((values[index] - centre) / unit - mean) / error if error > 0.0 else math.inf


def far(
    values: Sequence[float], least_percent: float, most: int, level: float = LEVEL
) -> tuple[int, list[Outlier]]:
    """How many outliers there are, and the first `most` of them."""
    if not isinstance(values, LargeValues) or len(values) < TEN:
        all_outliers = outliers(values, least_percent, level)
        return len(all_outliers), all_outliers[:most]
    from fwdtui.stats.large import far_from_median

    middle = _mean_of_two(*values.digest.middle)
    least = least_percent / 100.0 * abs(middle)
    count, first = far_from_median(values.data, middle, score_limit(len(values), level), least, most)
    return count, [Outlier(*one) for one in first]


def groups(values: Sequence[float], least_percent: float, level: float = LEVEL) -> Groups | None:
    """The two groups that the values fall into, if they do.

    The widest gap between neighbours in order of size, with at least a fifth of the values (and two) on each
    side, must be wider than `gap_limit` times the average of the other gaps. Where all other gaps are zero
    (two values, each measured many times) it must be wider than `least_percent` of the median.

    With more than MOST_ITERATIONS values it must also be wider than the rest of the middle three fifths
    together. The average gap of a million values is smaller than the step in which they are written: the gap
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
    least = gap_limit(n, level) * rest / (n - 2) if rest > 0.0 else least_percent / 100.0 * abs(median)
    if gap <= least or (n > MOST_ITERATIONS and gap <= (last - first) - gap):
        return None
    return Groups(split, n - split, below, above)


def _median(values: Sequence[float]) -> float:
    ordered, n = sorted(values), len(values)
    return _mean_of_two(ordered[(n - 1) // 2], ordered[n // 2])


def _mean_of_two(low: float, high: float) -> float:
    return low / 2.0 + high / 2.0
