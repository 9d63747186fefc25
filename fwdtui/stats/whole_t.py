"""Student's t for whole degrees of freedom, without scipy: the sessions' screen must not wait for its import.

Finite sums: Abramowitz & Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4; for many degrees of
freedom the expansion 26.7.5.
"""

import math
from functools import lru_cache

_MANY = 200  # degrees of freedom from which the expansion is good to a thousandth


@lru_cache
def t_quantile(df: int, p: float) -> float:
    """The t that Student's t exceeds with probability p <= 0.5."""
    if df > _MANY:
        from statistics import NormalDist  # late: it loads fractions and random

        z = NormalDist().inv_cdf(1.0 - p)
        return z + (z**3 + z) / (4.0 * df) + (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / (96.0 * df * df)
    low, high = 0.0, 1.0
    while t_beyond(high, df) > p and high < 1e9:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if t_beyond(middle, df) > p else (low, middle)
    return high


def t_beyond(t: float, df: int) -> float:
    """P(T > t) for t >= 0, exact to about 1e-15."""
    angle = math.atan(t / math.sqrt(df))
    cosine = math.cos(angle)
    term, total = (cosine, 0.0) if df % 2 else (1.0, 0.0)
    for k in range(1 if df % 2 else 0, df - 1, 2):
        total += term
        term *= cosine * cosine * (k + 1) / (k + 2)
    within = math.sin(angle) * total
    return 0.5 * (1.0 - ((2.0 / math.pi) * (angle + within) if df % 2 else within))
