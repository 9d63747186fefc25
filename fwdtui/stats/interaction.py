"""Does the effect of one factor depend on another? The ratio of two ratios of means, on the log scale.

For four independent sets (base and other at a first and at a second level) L = ln(d/c) - ln(b/a), a to d
being their means. The log of a mean has the variance s²/(n mean²) (delta method: Hedges, Gurevitch & Curtis,
"The meta-analysis of response ratios in experimental ecology", Ecology 80 (1999), 1150-1156); two effects
that are ratios are compared by their difference on this scale (Altman & Bland, "Interaction revisited: the
difference between two estimates", BMJ 326 (2003), 219). Degrees of freedom are those of Welch, Biometrika 34
(1947), 28-35, and Satterthwaite, Biometrics Bulletin 2 (1946), 110-114, for a sum of four estimated
variances.

If the sets differ in size, the test with one pooled relative variance has to agree: the larger p of the two
counts, as in contrast.py. `benchmarks/error_rates.py --table interaction` counts coverage and errors.
"""

import math
from typing import NamedTuple

from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements, critical, lower_p


class Square(NamedTuple):
    """The four sets, elementwise: the base and the other at the first level, then at the second."""

    first_base: Moments
    first_other: Moments
    second_base: Moments
    second_other: Moments


class RatioOfRatios(NamedTuple):
    """On the log scale: `value`, its standard error and its degrees of freedom, Welch's and pooled.

    `unequal`: the four sets differ in size, so that both tests count.
    """

    value: Elements
    error: Elements
    df: Elements
    pooled_error: Elements
    pooled_df: Elements
    unequal: Elements

    def p(self) -> Elements:
        """Two-sided p that the two ratios are the same."""
        return 2.0 * self._above_p(abs(self.value))

    def interval(self, alpha: float) -> tuple[Elements, Elements]:
        """Both ends at confidence 1 - alpha: the wider of the two tests' if both count.

        It leaves out zero exactly when `p` is below alpha.
        """
        import numpy as np

        half = critical(alpha, self.df) * self.error
        wider = np.maximum(half, critical(alpha, self.pooled_df) * self.pooled_error)
        half = np.where(self.unequal, wider, half)
        return self.value - half, self.value + half

    def same_p(self, margin: float) -> Elements:
        """p that the ratio of the ratios is not within a factor of 1 + margin, either way up.

        It is the larger p of two one-sided tests. `margin` is a fraction. The limits are ±ln(1 + margin), so
        that the answer does not depend on which level is called the first.
        """
        import numpy as np

        limit = math.log1p(margin)
        return np.maximum(self._above_p(self.value + limit), self._above_p(limit - self.value))

    def _above_p(self, numerator: Elements) -> Elements:
        import numpy as np

        p = lower_p(-numerator / self.error, self.df)
        pooled = lower_p(-numerator / self.pooled_error, self.pooled_df)
        return np.where(self.unequal, np.maximum(p, pooled), p)


def with_blocks(unpaired: RatioOfRatios, logs: Moments) -> RatioOfRatios:
    """`unpaired`, but paired within blocks where `logs` are not NaN.

    `logs` are the moments, over blocks that all four sets have, of ln(other / base) at the second level minus
    the same at the first: Student's t of that contrast, n - 1 degrees of freedom.
    """
    import numpy as np

    paired = ~np.isnan(np.asarray(logs.mean, dtype=float))
    error, df = logs.squared_error**0.5, logs.n - 1.0
    own = (logs.mean, error, df, error, df, False)
    return RatioOfRatios(
        *(np.where(paired, mine, theirs) for mine, theirs in zip(own, unpaired, strict=True))
    )


def ratio_of_ratios(square: Square) -> RatioOfRatios:
    """L of the four sets, whose means must be above zero; n >= 2 in each, and a spread in one of them."""
    import numpy as np

    value = np.log(square.second_other.mean / square.second_base.mean) - np.log(
        square.first_other.mean / square.first_base.mean
    )
    sizes = [np.asarray(one.n, dtype=float) for one in square]
    variances = [one.variance / (one.mean * one.mean) for one in square]  # of single values, relative
    errors = [variance / n for variance, n in zip(variances, sizes, strict=True)]
    total = sum(errors)
    shares = [error / total for error in errors]  # squares of small variances would underflow
    df = 1.0 / sum(share * share / (n - 1.0) for share, n in zip(shares, sizes, strict=True))
    pooled_df = sum(sizes) - 4.0
    pooled = sum((n - 1.0) * variance for n, variance in zip(sizes, variances, strict=True)) / pooled_df
    unequal = np.maximum.reduce(sizes) != np.minimum.reduce(sizes)
    return RatioOfRatios(
        value, total**0.5, df, (pooled * sum(1.0 / n for n in sizes)) ** 0.5, pooled_df, unequal
    )
