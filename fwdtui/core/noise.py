"""How far apart two parts of one run may be by chance: neighbouring seconds of a run are correlated."""

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from statistics import fmean

MAD_TO_SIGMA = 1.4826
"""Scales the median absolute deviation of normal data; Rousseeuw & Croux, JASA 88 (1993)."""

_MEDIAN_ERROR = 1.2533  # standard error of a median of normal data, in sigma / sqrt(n): sqrt(pi / 2)
_MOST_ALIKE = 0.95  # above this, a short series cannot distinguish noise from a change


def median_error(rest: Sequence[float], one: int, other: int) -> float:
    """Standard error of the difference of the medians of `one` and of `other` samples.

    `rest` is the series without the effect being tested; its variance and its autocorrelation at lag one (an
    AR(1) process) are those of the noise.
    """
    n, middle = len(rest), fmean(rest)
    squares = sum((value - middle) ** 2 for value in rest)
    if squares <= 0.0 or n < 3:
        return 0.0
    alike = sum((a - middle) * (b - middle) for a, b in pairwise(rest)) / squares
    # a short series looks less correlated than it is: Marriott and Pope, Biometrika 41 (1954)
    alike = min(max(alike + (1 + 3 * alike) / n, 0.0), _MOST_ALIKE)
    sigma = sqrt(squares / (n - 2) * (1 + alike) / (1 - alike))
    return _MEDIAN_ERROR * sigma * sqrt(1 / one + 1 / other)


def around_line(values: Sequence[float]) -> list[float]:
    """The residuals of a series around its straight line (least squares over its index)."""
    n, middle, mean = len(values), (len(values) - 1) / 2, fmean(values)
    squares = n * (n * n - 1) / 12
    slope = sum((i - middle) * (v - mean) for i, v in enumerate(values)) / squares if squares else 0.0
    return [v - mean - slope * (i - middle) for i, v in enumerate(values)]
