"""One set in seven numbers."""

import math
from collections.abc import Sequence

from fwdtui.stats.moments import common_exponent, scaled, scaled_moments, unscaled
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
    found = scaled_moments(values, exponent)
    return Description(
        label=results.label,
        n=n,
        min=float(low),
        max=float(high),
        median=unscaled(median, exponent),
        mean=unscaled(found.mean, exponent),
        stddev=unscaled(math.sqrt(found.variance), exponent) if n > 1 else None,
    )


def first_not_finite(values: Sequence[float]) -> int | None:
    """The position, from 0, of the first NaN or infinity; None where there is none."""
    if isinstance(values, LargeValues):
        return values.digest.not_finite
    return next((index for index, value in enumerate(values) if not math.isfinite(value)), None)
