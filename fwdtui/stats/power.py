"""What these iterations could have found, and how many it takes.

The level is that of the gate at its strictest, Holm's first step: alpha / number of comparisons shown.
"""

import math
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from fwdtui.stats.contrast import degrees_of_freedom, pooled_error, pooled_freedom, standard_error
from fwdtui.stats.gate import FEWEST_VALUES
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import critical, noncentral_beyond, special

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POWER = 0.8
"""The chance of finding a true difference that the product plans for (Cohen 1988: the usual choice)."""

MOST_ITERATIONS = 100_000
"""Where the search for the iterations needed gives up: more than any bench will run."""

RANGE = 0.8
"""How often the reported range contains the true need."""

TOO_MANY = 300
"""Iterations per set beyond which a bench is too noisy for the margin: at a minute each, ten hours a case."""

_NODES = 24  # of the quadrature: five digits of the power


def power(difference: float, base: Moments, other: Moments, alpha: float) -> float:
    """Probability that the two-sided Welch test at level `alpha` finds a true `difference` of the means.

    The variances are taken as the true ones, the means do not matter. The statistic is taken as noncentral t
    with Satterthwaite's degrees of freedom at these variances: the usual figure, two percent points too high
    for five values on each side, since the test does not know the degrees of freedom but estimates them.
    """
    noncentrality = abs(difference) / float(standard_error(base, other))
    return min(noncentral_beyond(limit, df, noncentrality) for limit, df in _limits(base, other, alpha))


def _limits(base: Moments, other: Moments, alpha: float) -> list[tuple[float, float]]:
    """What |t| has to exceed, and its degrees of freedom; of two tests where the sets differ in size."""
    df = float(degrees_of_freedom(base, other))
    limits = [(float(critical(alpha, df)), df)]
    if base.n != other.n:
        df = float(pooled_freedom(base, other))
        wider = float(pooled_error(base, other)) / float(standard_error(base, other))
        limits.append((float(critical(alpha, df)) * wider, df))
    return limits


def exact_power(difference: float, base: Moments, other: Moments, alpha: float) -> float:
    """The same probability without that approximation.

    Given the share B ~ Beta(f1/2, f2/2) that the base has in the sum of squares, Welch's statistic is a
    multiple of noncentral t with f1 + f2 degrees of freedom; what is left is one integral over B: Jan &
    Shieh, "Optimal sample sizes for Welch's test under various allocation and cost considerations",
    Behavior Research Methods 43 (2011), 1014-1022. Here over the quantiles of B, by Gauss-Legendre.
    """
    df1, df2 = base.n - 1, other.n - 1
    share = _shares(df1, df2)
    total = df1 + df2
    drawn_base = base._replace(variance=base.variance * share * total / df1)
    drawn_other = other._replace(variance=other.variance * (1.0 - share) * total / df2)
    error = float(standard_error(base, other))
    limits = critical(alpha, degrees_of_freedom(drawn_base, drawn_other))
    limits = limits * standard_error(drawn_base, drawn_other) / error
    powers = [noncentral_beyond(float(limit), total, abs(difference) / error) for limit in limits]
    return float(_nodes()[1] @ powers) / 2.0


@cache
def _nodes() -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Points in -1 to 1 and weights of the quadrature: they took a third of the time of a comparison."""
    from numpy.polynomial.legendre import leggauss  # scipy's own nodes would import scipy.linalg, 50 ms

    return leggauss(_NODES)


@lru_cache(maxsize=1024)
def _shares(df1: float, df2: float) -> "NDArray[np.float64]":
    """The quantiles of B at the points."""
    quantiles: NDArray[np.float64] = special().betaincinv(df1 / 2.0, df2 / 2.0, (_nodes()[0] + 1.0) / 2.0)
    return quantiles


def detectable(base: Moments, other: Moments, alpha: float) -> float:
    """The true difference of the means, in their unit, found with 80 % power at these n and spreads."""
    limits = _limits(base, other, alpha)

    def is_detected(noncentrality: float) -> bool:
        return all(noncentral_beyond(limit, df, noncentrality) >= POWER for limit, df in limits)

    low, high = 0.0, max(limit for limit, _ in limits) + 1.0
    while not is_detected(high):
        low, high = high, 2.0 * high
    while high - low > 1e-6 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if is_detected(middle) else (middle, high)
    return high * float(standard_error(base, other))


def iterations_needed(difference: float, base: Moments, other: Moments, alpha: float) -> int | None:
    """The smallest n, equal in both sets, that finds a true `difference` with 80 % power at these spreads.

    Degrees of freedom are those of that n. At least FEWEST_VALUES, None beyond MOST_ITERATIONS. The search
    follows the approximate power; its end is then moved to where the exact power passes 80 %, for at n = 3
    the approximation promises 86 % and the test delivers 76 %.
    """

    def sized(n: int) -> tuple[Moments, Moments]:
        return base._replace(n=n), other._replace(n=n)

    def enough(n: int) -> bool:
        return power(difference, *sized(n), alpha) >= POWER

    def truly_enough(n: int) -> bool:
        return exact_power(difference, *sized(n), alpha) >= POWER

    high = None if difference == 0.0 else fewest(enough)
    if high is None:
        return None
    while high < MOST_ITERATIONS and not truly_enough(high):
        high += 1
    while high > FEWEST_VALUES and truly_enough(high - 1):
        high -= 1
    return high


def equivalence_power(margin: float, base: Moments, other: Moments, alpha: float) -> float:
    """Probability that two one-sided tests at level `alpha` prove equal means equal within `margin`.

    `margin` is absolute. By the noncentral t, the spreads taken as the true ones: Julious, "Sample sizes for
    clinical trials with Normal data", Statistics in Medicine 23 (2004), 1921-1986, section 5.
    """
    noncentrality = margin / float(standard_error(base, other))
    limits = _limits(base, other, 2.0 * alpha)
    return max(0.0, min(2.0 * noncentral_beyond(limit, df, noncentrality) - 1.0 for limit, df in limits))


def iterations_for_equivalence(
    margin: float, base: Moments, other: Moments, alpha: float, least: int = FEWEST_VALUES
) -> int | None:
    """The smallest n, equal in both sets, that proves equal means equal within `margin` with 80 % power.

    At least `least`, None beyond MOST_ITERATIONS.
    """

    def enough(n: int) -> bool:
        return equivalence_power(margin, base._replace(n=n), other._replace(n=n), alpha) >= POWER

    return None if margin == 0.0 else fewest(enough, least)


def to_decide(
    needed: int, margin: float, base: Moments, other: Moments, alpha: float
) -> tuple[int, int, int] | None:
    """Iterations per set that decide at `margin` (absolute) with 80 % power, and the range of that number.

    The larger of what finding a difference of the margin takes (`needed`) and what proving equality takes.
    The spreads are those of samples: with five values on each side, a true need of 64 is estimated at 25 to
    126.
    So the range follows chi-square's interval for the variance, RANGE wide, the number growing with the
    variance (Browne, "On the use of a pilot sample for sample size determination", Statistics in Medicine 14
    (1995), 1933-1940). None beyond MOST_ITERATIONS.
    """
    needed_at_least = iterations_for_equivalence(margin, base, other, alpha, needed)
    if needed_at_least is None:
        return None
    df, tail = _freedom_of_spread(base, other), (1.0 - RANGE) / 2.0
    low, high = (
        1.0 + (needed_at_least - 1) * df / float(special().chdtri(df, beyond))
        for beyond in (tail, 1.0 - tail)
    )
    return needed_at_least, max(int(low), FEWEST_VALUES), min(math.ceil(high), MOST_ITERATIONS)


def _freedom_of_spread(base: Moments, other: Moments) -> float:
    """Degrees of freedom of the sum of the two variances, which is what equal n will need (Satterthwaite)."""
    share = base.variance / (base.variance + other.variance)
    return float(1.0 / (share**2 / (base.n - 1) + (1.0 - share) ** 2 / (other.n - 1)))


def fewest(enough: Callable[[int], bool], least: int = FEWEST_VALUES) -> int | None:
    """The smallest n from `least` on that is enough, None beyond MOST_ITERATIONS."""
    if not enough(MOST_ITERATIONS):
        return None
    low, high = least - 1, least
    while not enough(high):
        low, high = high, min(2 * high, MOST_ITERATIONS)
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high
