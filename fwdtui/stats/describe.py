"""One set in seven numbers."""

import math

from fwdtui.stats.model import Description, ResultSet
from fwdtui.stats.moments import exponent_of, moments, scaled, unscaled


def describe(results: ResultSet) -> Description:
    """n, min, max, median (mean of the middle two), mean and sample standard deviation (n - 1).

    In the unit of the values. A number that does not exist is None: all but n for an empty set or one with
    a value that is not finite, the standard deviation of a single value.
    """
    values, n = results.values, len(results.values)
    if not n or not all(map(math.isfinite, values)):
        return Description(results.label, n, None, None, None, None, None)
    exponent = exponent_of(values)
    sample = sorted(scaled(values, exponent))
    median = (sample[(n - 1) // 2] + sample[n // 2]) / 2.0
    found = moments(sample)
    return Description(
        label=results.label,
        n=n,
        min=float(min(values)),
        max=float(max(values)),
        median=unscaled(median, exponent),
        mean=unscaled(found.mean, exponent),
        stddev=unscaled(math.sqrt(found.variance), exponent) if n > 1 else None,
    )
