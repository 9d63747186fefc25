"""n, mean and variance of a sample, exact enough for 1e9 + {0.1, 0.2, 0.3} and safe for 1e300."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fwdtui.stats.student import Elements


class Moments(NamedTuple):
    """What the tests need of a sample: floats, or arrays of one shape. `variance` divides by n - 1."""

    n: Elements
    mean: Elements
    variance: Elements

    @property
    def squared_error(self) -> Elements:
        """The squared standard error of the mean."""
        return self.variance / self.n


def moments(values: Sequence[float]) -> Moments:
    """Moments of at least one finite value; the variance of a single value is 0.

    Two passes with the correction of Chan, Golub & LeVeque (1983), sums by math.fsum: one-pass formulas lose
    every digit of a small spread on a large mean. Equal values have exactly zero variance.
    """
    n = len(values)
    low, high = min(values), max(values)
    if low == high:
        return Moments(n, low, 0.0)
    mean = min(max(math.fsum(values) / n, low), high)
    deviations = [value - mean for value in values]
    squares = math.fsum(d * d for d in deviations) - math.fsum(deviations) ** 2 / n
    return Moments(n, mean, max(squares, 0.0) / (n - 1))


def exponent_of(values: Iterable[float]) -> int:
    """e such that every value times 2**-e is at most 1: squares of such values cannot overflow."""
    return math.frexp(max(map(abs, values), default=0.0))[1]


def scaled(values: Sequence[float], exponent: int) -> list[float]:
    """The values times 2**-exponent, which loses no digit."""
    return [math.ldexp(value, -exponent) for value in values]


def unscaled(value: float, exponent: int) -> float | None:
    """value * 2**exponent; None where that is not a finite number."""
    try:
        result = math.ldexp(value, exponent)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


def finite(value: float) -> float | None:
    """The number as a plain float; None for NaN and the infinities."""
    return float(value) if math.isfinite(value) else None
