"""Does a set rise or fall over its iterations? The Mann-Kendall test, exact.

Mann, "Nonparametric tests against trend", Econometrica 13 (1945), 245-259; Kendall, "Rank Correlation
Methods". If there are so few values that even a perfect order could hardly be significant, the t test of the
slope is used instead.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from fwdtui.stats.whole_t import t_beyond

_EXACT_UP_TO = 60  # beyond, the normal approximation with continuity correction is within 0.002 of it


def kendall_s(values: Sequence[float]) -> int:
    """Kendall's S: pairs that rise in iteration order minus pairs that fall. Ties count as neither."""
    earlier: list[float] = []
    s = 0
    for value in values:
        s += bisect_left(earlier, value) - (len(earlier) - bisect_right(earlier, value))
        insort(earlier, value)
    return s


def trend_p(values: Sequence[float]) -> float:
    """Two-sided p that an order as monotone as this one is chance. 1 for fewer than two distinct values."""
    return p_of_s(values, kendall_s(values))


def p_of_s(values: Sequence[float], s: int) -> float:
    """As `trend_p`, where Kendall's S of the values is known."""
    if s == 0:
        return 1.0
    n, s, counted = len(values), abs(s), Counter(values)
    ties = () if len(counted) == n else tuple(sorted(count for count in counted.values() if count > 1))
    if n > _EXACT_UP_TO:
        return _approximate_p(n, ties, s)
    at_most = _orders(n, ties)
    # D falling pairs among P pairs without a tie: S = P - 2 D, and D is distributed symmetrically
    most_falls = (len(at_most) - 1 - s) // 2
    return min(1.0, 2 * at_most[most_falls] / at_most[-1])


def ranks_suffice(n: int, level: float) -> bool:
    """Whether Mann and Kendall's test can reject at `level` for more than the perfect order of n values."""
    return 20.0 / math.factorial(min(n, 20)) <= level


def slope_p(values: Sequence[float]) -> float:
    """Two-sided p of the slope over the iterations: least squares, n - 2 degrees of freedom, n >= 3.

    It assumes normal values, but is not limited to the 2 / n! that orders can reach: 0.017 for five.
    """
    n = len(values)
    scale = max(map(abs, values)) or 1.0
    centre, mean = (n - 1) / 2.0, math.fsum(value / scale for value in values) / n
    rises = [(index - centre, value / scale - mean) for index, value in enumerate(values)]
    width = n * (n * n - 1) / 12.0
    slope = math.fsum(x * y for x, y in rises) / width
    left = math.fsum((y - slope * x) ** 2 for x, y in rises)
    error = math.sqrt(left / (n - 2) / width)
    if error == 0.0:
        return 0.0 if slope else 1.0
    return 2.0 * t_beyond(abs(slope) / error, n - 2)


@lru_cache(maxsize=64)
def _orders(n: int, ties: tuple[int, ...]) -> tuple[int, ...]:
    """How many distinct orders have 0, at most 1, at most 2 ... falling pairs."""
    return tuple(accumulate(_inversions(n, ties)))


def _inversions(n: int, ties: tuple[int, ...]) -> tuple[int, ...]:
    """How many distinct orders of n values with these groups of ties have 0, 1, 2 ... falling pairs.

    The Gaussian multinomial coefficient, whose coefficients count the inversions of the permutations of a
    multiset (MacMahon 1915; Stanley, "Enumerative Combinatorics" 1, proposition 1.7.1).
    """
    polynomial = [1]
    for k in range(2, n + 1):  # times (1 - q^k) / (1 - q)
        polynomial = _running_sum(_times_one_minus_power(polynomial, k), 1)[: len(polynomial) + k - 1]
    for group in ties:
        for k in range(2, group + 1):  # divided by the same
            polynomial = _running_sum(_times_one_minus_power(polynomial, 1), k)[: len(polynomial) - k + 1]
    return tuple(polynomial)


def _times_one_minus_power(polynomial: list[int], k: int) -> list[int]:
    result = polynomial + [0] * k
    for index, coefficient in enumerate(polynomial):
        result[index + k] -= coefficient
    return result


def _running_sum(polynomial: list[int], k: int) -> list[int]:
    """The series of polynomial / (1 - q^k), to the same length."""
    result = list(polynomial)
    for index in range(k, len(result)):
        result[index] += result[index - k]
    return result


def _approximate_p(n: int, ties: tuple[int, ...], s: int) -> float:
    """Normal approximation with the variance corrected for ties (Kendall; Gilbert 1987, section 16.4)."""
    variance = n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)
    return math.erfc((s - 1) / math.sqrt(variance / 18.0) / math.sqrt(2.0))
