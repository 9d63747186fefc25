"""The contrast other - theta * base, on which the difference, the ratio and equivalence are all tested.

With independent normal samples of unequal variances its standard error is sqrt(s2²/n2 + theta² s1²/n1) and
its degrees of freedom follow Satterthwaite, "An approximate distribution of estimates of variance
components", Biometrics Bulletin 2 (1946), 110-114. For ratios this is the procedure of Hasler & Hothorn,
"Multiple contrast tests in the presence of heteroscedasticity", Biometrical Journal 50 (2008), 793-800.
"""

from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements


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
