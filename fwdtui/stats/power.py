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
from fwdtui.stats.student import FAR, OTHER_TAIL, critical, is_beyond, noncentral_beyond, special

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

_ROUNDING = 1e-9  # far more than what sums of powers are rounded by

_LARGE_LIMIT = 50.0  # of |t|: from about the double on the library is slow
_DENSITY = 0.28  # of the normal distribution at its 80 % quantile

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
    """The same probability as `power`, without its approximation.

    Given the share B ~ Beta(f1/2, f2/2) that the base has in the sum of squares, Welch's statistic is a
    multiple of noncentral t with f1 + f2 degrees of freedom; what is left is one integral over B: Jan &
    Shieh, "Optimal sample sizes for Welch's test under various allocation and cost considerations",
    Behavior Research Methods 43 (2011), 1014-1022. Here over the quantiles of B, by Gauss-Legendre.
    """
    noncentrality, total, limits = _drawn(difference, base, other, alpha)
    powers = [noncentral_beyond(float(limit), total, noncentrality) for limit in limits]
    return float(_nodes()[1] @ powers) / 2.0


def _drawn(
    difference: float, base: Moments, other: Moments, alpha: float
) -> "tuple[float, float, NDArray[np.float64]]":
    """The noncentrality, the degrees of freedom f1 + f2, and what |t| has to exceed at each point."""
    df1, df2 = base.n - 1, other.n - 1
    share = _shares(df1, df2)
    total = df1 + df2
    drawn_base = base._replace(variance=base.variance * share * total / df1)
    drawn_other = other._replace(variance=other.variance * (1.0 - share) * total / df2)
    error = float(standard_error(base, other))
    limits = critical(alpha, degrees_of_freedom(drawn_base, drawn_other))
    limits = limits * standard_error(drawn_base, drawn_other) / error
    return abs(difference) / error, total, limits


def _is_powerful(difference: float, base: Moments, other: Moments, alpha: float) -> bool:
    """Whether `exact_power` is POWER or more, mostly from one call of the library for all points.

    That call leaves out the other tails, which are at most P(Z <= -noncentrality) each.
    """
    noncentrality, total, limits = _drawn(difference, base, other, alpha)
    if noncentrality <= FAR and limits.min() > 0.0:
        upper = float(_nodes()[1] @ special().nctdtr(total, -noncentrality, -limits)) / 2.0
        other_tails = float(special().ndtr(-noncentrality)) if noncentrality < OTHER_TAIL else 0.0
        if upper > POWER + _ROUNDING:
            return True
        if upper + other_tails < POWER - _ROUNDING:
            return False
    return exact_power(difference, base, other, alpha) >= POWER


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
    not_yet, surely = 0.0, math.inf  # the ends of what is known: more is detected the larger it is

    def is_detected(noncentrality: float) -> bool:
        nonlocal not_yet, surely
        if not_yet < noncentrality < surely:
            if all(is_beyond(limit, df, noncentrality, POWER) for limit, df in limits):
                surely = noncentrality
            else:
                not_yet = noncentrality
        return noncentrality >= surely

    low, high = 0.0, max(limit for limit, _ in limits) + 1.0
    for near in _near(*max(limits)):
        is_detected(near)
    while not is_detected(high):
        low, high = high, 2.0 * high
    while high - low > 1e-6 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if is_detected(middle) else (middle, high)
    return high * float(standard_error(base, other))


def _near(limit: float, df: float) -> list[float]:
    """Just below and just above the noncentrality of a t that exceeds `limit` with 80 % power.

    With both known, halving needs no further calls of the library. Found by one step of Newton's method and
    two of the secant method. Only a guess, and none where the library is slow.
    """
    if not 0.0 < limit < _LARGE_LIMIT:
        return []

    def short(noncentrality: float) -> float:
        return POWER - float(special().nctdtr(df, -noncentrality, -limit))

    before = _noncentrality(limit, df, POWER)
    lack = short(before)
    at = before + lack * _spread(limit, df) / _DENSITY
    for _ in range(2):
        left = short(at)
        if left == lack or not math.isfinite(left):
            break
        before, at, lack = at, at - left * (at - before) / (left - lack), left
    if not 0.0 < at < math.inf:
        return []
    other_tail = float(special().ndtr(-at)) * _spread(limit, df) / _DENSITY  # at most, if the library errs
    return [at * (1.0 - 1e-7) - 1.5 * other_tail, at * (1.0 + 1e-7)]


def _noncentrality(limit: float, df: float, chance: float) -> float:
    """About the noncentrality of a t that exceeds `limit` with `chance` (Johnson & Welch 1940)."""
    return limit * (1.0 - 0.25 / df) + float(special().ndtri(chance)) * _spread(limit, df)


def _spread(limit: float, df: float) -> float:
    return math.sqrt(1.0 + limit * limit / (2.0 * df))


def iterations_needed(difference: float, base: Moments, other: Moments, alpha: float) -> int | None:
    """The smallest n, equal in both sets, that finds a true `difference` with 80 % power at these spreads.

    Degrees of freedom are those of that n. At least FEWEST_VALUES, None beyond MOST_ITERATIONS. The search
    follows the approximate power; its end is then moved to where the exact power passes 80 %, for at n = 3
    the approximation promises 86 % and the test delivers 76 %.
    """

    def sized(n: int) -> tuple[Moments, Moments]:
        return base._replace(n=n), other._replace(n=n)

    def truly_enough(n: int) -> bool:
        return _is_powerful(difference, *sized(n), alpha)

    if difference == 0.0:
        return None
    high = _fewest_beyond(abs(difference), base, other, alpha, POWER)
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

    if margin == 0.0:
        return None
    return _fewest_beyond(margin, base, other, 2.0 * alpha, (1.0 + POWER) / 2.0, least)


def _fewest_beyond(
    difference: float, base: Moments, other: Moments, alpha: float, chance: float, least: int = FEWEST_VALUES
) -> int | None:
    """The smallest n from `least` on at which the noncentral t is beyond its limits with `chance`.

    None beyond MOST_ITERATIONS.
    """

    def enough(n: int) -> bool:
        sized = base._replace(n=n), other._replace(n=n)
        noncentrality = difference / float(standard_error(*sized))
        return all(is_beyond(limit, df, noncentrality, chance) for limit, df in _limits(*sized, alpha))

    def about(limit: float, df: float) -> int:
        each = _noncentrality(limit, df, chance) / difference
        n = each * each * (base.variance + other.variance)
        return max(math.ceil(n), least) if n < MOST_ITERATIONS else MOST_ITERATIONS

    near = about(-float(special().ndtri(alpha / 2.0)), math.inf)  # as if the spreads were known
    of_near = _limits(base._replace(n=near), other._replace(n=near), alpha)
    return fewest(enough, least, about(*of_near[0]))


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


def fewest(enough: Callable[[int], bool], least: int = FEWEST_VALUES, near: int = 0) -> int | None:
    """The smallest n from `least` on that is enough, None beyond MOST_ITERATIONS.

    Any n above one that is enough must be enough too. `near`: where to begin, in steps of 1, 2, 4 ...
    """
    low, high, step = least - 1, max(near, least), 1
    if enough(high):
        while high > least and enough(below := max(high - step, least)):
            high, step = below, 2 * step
        if high > least:
            low = below
    else:
        while True:
            if high >= MOST_ITERATIONS:
                return None
            low, high, step = high, min(high + step, MOST_ITERATIONS), 2 * step
            if enough(high):
                break
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high
