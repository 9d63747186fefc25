"""Randomness that depends on nothing but a name and a number: the same whenever and however often asked."""

import random
from functools import lru_cache

_WORST = 3.0  # standard deviations


@lru_cache(maxsize=4096)
def draw(*name: object) -> float:
    """A standard normal number that belongs to `name`, cut off at three."""
    value = random.Random("/".join(map(str, name))).gauss(0.0, 1.0)
    return max(-_WORST, min(_WORST, value))


def factor(variation: float, *name: object) -> float:
    """A number around 1 with this coefficient of variation (a bit less, for the cut)."""
    return 1.0 + variation * draw(*name)
