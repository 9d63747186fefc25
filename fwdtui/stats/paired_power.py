"""What these blocks could have found, and how many it takes: power.py for comparisons paired by block.

Everything here takes the Moments of the logarithms of the blocks' ratios (paired.py), as floats. The
one-sample t is noncentral with n - 1 degrees of freedom, which is exact.
"""

import math
from collections.abc import Callable

from fwdtui.stats.gate import FEWEST_VALUES
from fwdtui.stats.moments import Moments
from fwdtui.stats.power import MOST_ITERATIONS, POWER, RANGE, fewest
from fwdtui.stats.student import critical, noncentral_beyond, special


def power(difference: float, logs: Moments, alpha: float) -> float:
    """Probability that the test at level `alpha` finds a true mean of the d_i of `difference`."""
    noncentrality = abs(difference) / float(logs.squared_error) ** 0.5
    return noncentral_beyond(float(critical(alpha, logs.n - 1)), float(logs.n - 1), noncentrality)


def detectable(logs: Moments, alpha: float) -> float:
    """The true mean of the d_i that is found with 80 % power at this n and spread."""
    df = float(logs.n - 1)
    limit = float(critical(alpha, logs.n - 1))
    low, high = 0.0, limit + 1.0
    while noncentral_beyond(limit, df, high) < POWER:
        low, high = high, 2.0 * high
    while high - low > 1e-6 * high:
        middle = 0.5 * (low + high)
        enough = noncentral_beyond(limit, df, middle) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    error: float = float(logs.squared_error) ** 0.5
    return high * error


def blocks_needed(margin: float, logs: Moments, alpha: float) -> int | None:
    """The fewest blocks that find a difference of the margin with 80 % power at this spread.

    `margin` is a fraction. On the log scale a gain of that size is nearer to zero than a loss, so the gain
    counts. None beyond power.MOST_ITERATIONS.
    """
    difference = math.log1p(margin)
    return None if margin == 0.0 else fewest(_sized(logs, lambda of_n: power(difference, of_n, alpha)))


def blocks_for_equivalence(margin: float, logs: Moments, alpha: float, least: int) -> int | None:
    """The fewest blocks, at least `least`, that prove equality within the margin with 80 % power."""

    def chance(of_n: Moments) -> float:
        limit = float(critical(2.0 * alpha, of_n.n - 1))
        error = float(of_n.squared_error) ** 0.5
        return noncentral_beyond(limit, of_n.n - 1, math.log1p(margin) / error) * 2.0 - 1.0

    return None if margin == 0.0 else fewest(_sized(logs, chance), least)


def to_decide(needed: int, margin: float, logs: Moments, alpha: float) -> tuple[int, int, int] | None:
    """As power.to_decide, in blocks: the larger of the two numbers, and the range that holds the true one."""
    chdtri = special().chdtri
    enough = blocks_for_equivalence(margin, logs, alpha, needed)
    if enough is None:
        return None
    df, tail = float(logs.n - 1), (1.0 - RANGE) / 2.0
    low, high = (1.0 + (enough - 1) * df / float(chdtri(df, beyond)) for beyond in (tail, 1.0 - tail))
    return enough, max(int(low), FEWEST_VALUES), min(math.ceil(high), MOST_ITERATIONS)


def _sized(logs: Moments, chance: Callable[[Moments], float]) -> Callable[[int], bool]:
    return lambda n: chance(logs._replace(n=n)) >= POWER
