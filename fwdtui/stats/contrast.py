"""The contrast other - theta * base, on which the difference, the ratio and equivalence are all tested.

With independent normal samples of unequal variances its standard error is sqrt(s2²/n2 + theta² s1²/n1) and
its degrees of freedom follow Satterthwaite, "An approximate distribution of estimates of variance
components", Biometrics Bulletin 2 (1946), 110-114. For ratios this is the procedure of Hasler & Hothorn,
"Multiple contrast tests in the presence of heteroscedasticity", Biometrical Journal 50 (2008), 793-800.

Where the two sets differ in size the classical test with one pooled variance has to agree: the larger p of
the two counts. Satterthwaite's degrees of freedom are themselves estimated, and with three values on one side
far too often too many of them: at 3 against 20 values and seven comparisons without a difference Welch's test
alone makes a false claim in 16 % of the reports, both together in 1.4 % (benchmarks/error_rates.py counts).
"""

from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements, critical, lower_p


def standard_error(base: Moments, other: Moments, theta: Elements = 1.0) -> Elements:
    """Standard error of mean(other) - theta * mean(base), in the unit of the means."""
    return (other.squared_error + theta * theta * base.squared_error) ** 0.5


def degrees_of_freedom(base: Moments, other: Moments, theta: Elements = 1.0) -> Elements:
    """Satterthwaite's degrees of freedom: between min(n) - 1 and n1 + n2 - 2.

    Written with each set's share of the variance, so that squares of small variances do not underflow.
    """
    of_base = theta * theta * base.squared_error
    share = of_base / (of_base + other.squared_error)
    return 1.0 / (share * share / (base.n - 1) + (1.0 - share) * (1.0 - share) / (other.n - 1))


def pooled_error(base: Moments, other: Moments, theta: Elements = 1.0) -> Elements:
    """Standard error of mean(other) - theta * mean(base) if both sets had one variance (Student 1908)."""
    freedom = pooled_freedom(base, other)
    pooled = ((base.n - 1) * base.variance + (other.n - 1) * other.variance) / freedom
    return (pooled / other.n + theta * theta * (pooled / base.n)) ** 0.5


def pooled_freedom(base: Moments, other: Moments) -> Elements:
    """Degrees of freedom of the pooled variance."""
    return base.n + other.n - 2


def unequal(base: Moments, other: Moments) -> bool:
    """Whether any of the comparisons has sets of different size."""
    import numpy as np

    return bool(np.any(np.asarray(base.n) != np.asarray(other.n)))


def above_p(numerator: Elements, base: Moments, other: Moments, theta: Elements = 1.0) -> Elements:
    """One-sided p that other - theta * base is above zero, `numerator` being its observed value.

    The larger of Welch's and the pooled test's where the sets differ in size. For values below zero give
    -numerator. Twice the p of abs(numerator) is the two-sided one. Needs n >= 2 and a spread somewhere.
    """
    p = lower_p(-numerator / standard_error(base, other, theta), degrees_of_freedom(base, other, theta))
    return with_pooled(p, numerator, base, other, theta)


def with_pooled(
    p: Elements, numerator: Elements, base: Moments, other: Moments, theta: Elements = 1.0
) -> Elements:
    """Welch's one-sided p, or the pooled test's where the sets differ in size and it is larger.

    `p` is Welch's. The pooled test's also counts where it is the only one: at theta = 0 an `other` without
    spread has no standard error in Welch's test.
    """
    import numpy as np

    if not unequal(base, other):
        return p
    pooled = lower_p(-numerator / pooled_error(base, other, theta), pooled_freedom(base, other))
    return np.where(np.asarray(base.n) == np.asarray(other.n), p, np.fmax(p, pooled))


def arm(base: Moments, other: Moments, alpha: float) -> Elements:
    """Half the width of the interval of the difference at confidence 1 - alpha: the wider of the two tests'.

    It leaves out zero exactly when twice `above_p` of the difference is below alpha.
    """
    import numpy as np

    half_width = critical(alpha, degrees_of_freedom(base, other)) * standard_error(base, other)
    if not unequal(base, other):
        return half_width
    pooled = critical(alpha, pooled_freedom(base, other)) * pooled_error(base, other)
    return np.where(np.asarray(base.n) == np.asarray(other.n), half_width, np.maximum(half_width, pooled))
