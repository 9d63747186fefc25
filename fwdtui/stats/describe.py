"""One set in six numbers, and sets scaled alike so that nothing overflows; large ones from their digests."""

import math
from collections.abc import Sequence
from itertools import chain

from fwdtui.stats.moments import Moments, exponent_of, moments, scaled, unscaled
from fwdtui.stats.results import Description, ResultSet
from fwdtui.stats.values import LargeValues


def describe(results: ResultSet) -> Description:
    """n, min, max, median (mean of the middle two), mean and sample standard deviation (n - 1).

    In the unit of the values. A number that does not exist is None: all but n for an empty set or one with
    a value that is not finite, the standard deviation of a single value.
    """
    values, n = results.values, len(results.values)
    if not n or first_not_finite(values) is not None:
        return Description(results.label, n, None, None, None, None, None)
    exponent = common_exponent(values)
    if isinstance(values, LargeValues):
        low, high, middle = values.digest.low, values.digest.high, values.digest.middle
    else:
        ordered = sorted(values)
        low, high, middle = min(values), max(values), (ordered[(n - 1) // 2], ordered[n // 2])
    median = sum(scaled(middle, exponent)) / 2.0
    of_scaled = scaled_moments(values, exponent)
    return Description(
        label=results.label,
        n=n,
        min=float(low),
        max=float(high),
        median=unscaled(median, exponent),
        mean=unscaled(of_scaled.mean, exponent),
        stddev=unscaled(math.sqrt(of_scaled.variance), exponent) if n > 1 else None,
    )


def mean_interval(one: Description, confidence: float) -> tuple[float, float] | None:
    """The two-sided interval of a set's own mean: mean ± t(n - 1) s / sqrt(n), at `confidence` percent.

    None without a standard deviation. It is for drawing one set; two sets are compared by their difference.
    """
    from fwdtui.stats.student import critical

    if one.mean is None or one.stddev is None:
        return None
    half = float(critical(1.0 - confidence / 100.0, one.n - 1)) * one.stddev / math.sqrt(one.n)
    return one.mean - half, one.mean + half


def first_not_finite(values: Sequence[float]) -> int | None:
    """The position, from 0, of the first NaN or infinity; None where there is none."""
    if isinstance(values, LargeValues):
        return values.digest.not_finite
    if all(map(math.isfinite, values)):
        return None
    return next((index for index, value in enumerate(values) if not math.isfinite(value)), None)


def common_exponent(*samples: Sequence[float]) -> int:
    """e such that every value of all samples times 2**-e is at most 1."""
    return exponent_of(chain.from_iterable(map(_largest, samples)))


def _largest(sample: Sequence[float]) -> Sequence[float]:
    # of many values the lowest and the highest: one of them has the greatest exponent
    return (sample.digest.low, sample.digest.high) if isinstance(sample, LargeValues) else sample


def scaled_moments(values: Sequence[float], exponent: int) -> Moments:
    """Moments of the values times 2**-exponent."""
    if not isinstance(values, LargeValues):
        return moments(scaled(values, exponent))
    known = values.digest
    n, mean, variance = known.moments
    shift = known.exponent - exponent
    return Moments(n, math.ldexp(mean, shift), math.ldexp(variance, 2 * shift))
