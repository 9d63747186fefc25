"""Reproducible randomness: it depends only on a name, not on when or how often it is drawn."""

import random
from functools import lru_cache

_WORST = 3.0  # standard deviations


@lru_cache(maxsize=4096)
def draw(*name: object) -> float:
    """A standard normal number for `name`, limited to three standard deviations."""
    value = random.Random("/".join(map(str, name))).gauss(0.0, 1.0)
    return max(-_WORST, min(_WORST, value))


def factor(variation: float, *name: object) -> float:
    """A number around 1 with this coefficient of variation (slightly less, because of the limit)."""
    return 1.0 + variation * draw(*name)
