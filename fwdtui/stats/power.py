"""What these iterations could have found, and how many it takes.

Power of the two-sided Welch test at a true difference: the statistic is taken as noncentral t with
Satterthwaite's degrees of freedom at the spreads given (Jan & Shieh, "Optimal sample sizes for Welch's test
under various allocation and cost considerations", Behavior Research Methods 43 (2011), 1014-1022, find this
close enough for design work). The level is that of the gate at its strictest: Holm's first step, alpha /
number of comparisons.
"""

from fwdtui.stats.contrast import degrees_of_freedom, standard_error
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import critical, noncentral_lower_p

POWER = 0.8
"""The chance of finding a true difference that the product plans for (Cohen 1988: the usual choice)."""

MOST_ITERATIONS = 100_000
"""Where the search for the iterations needed gives up: longer than anybody's bench will run."""


def power(difference: float, base: Moments, other: Moments, alpha: float) -> float:
    """Probability that the two-sided test at level `alpha` finds a true `difference` of the means.

    The moments' means do not matter; their variances are taken as the true ones.
    """
    df = float(degrees_of_freedom(base, other))
    noncentrality = abs(difference) / float(standard_error(base, other))
    return _power(noncentrality, df, float(critical(alpha, df)))


def _power(noncentrality: float, df: float, limit: float) -> float:
    above = noncentral_lower_p(-limit, df, -noncentrality)  # by symmetry P(T' >= limit), without cancellation
    return above + noncentral_lower_p(-limit, df, noncentrality)


def detectable(base: Moments, other: Moments, alpha: float) -> float:
    """The true difference of the means, in their unit, found with 80 % power at these n and spreads."""
    df = float(degrees_of_freedom(base, other))
    limit = float(critical(alpha, df))
    low, high = 0.0, limit + 1.0
    while _power(high, df, limit) < POWER:
        low, high = high, 2.0 * high
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        if _power(middle, df, limit) < POWER:
            low = middle
        else:
            high = middle
    return high * float(standard_error(base, other))


def iterations_needed(difference: float, base: Moments, other: Moments, alpha: float) -> int | None:
    """The smallest n, equal in both sets, that finds a true `difference` with 80 % power at these spreads.

    Degrees of freedom are those of that n. At least 2; None beyond MOST_ITERATIONS.
    """

    def enough(n: int) -> bool:
        return power(difference, base._replace(n=n), other._replace(n=n), alpha) >= POWER

    if difference == 0.0 or not enough(MOST_ITERATIONS):
        return None
    low, high = 1, 2
    while not enough(high):
        low, high = high, min(2 * high, MOST_ITERATIONS)
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high
