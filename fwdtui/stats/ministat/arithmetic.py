"""C's double arithmetic where Python raises an exception instead."""

import math


def divide(dividend: float, divisor: float) -> float:
    """The quotient of IEEE 754: by zero it is an infinity or NaN."""
    if divisor:
        return dividend / divisor
    if not dividend or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def root(value: float) -> float:
    """sqrt(3): NaN for what is below zero."""
    return math.sqrt(value) if value >= 0.0 else math.nan
