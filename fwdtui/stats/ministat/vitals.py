"""A set's vital statistics, in ministat's order of operations, so that every digit is the same.

Division and square root are C's, of IEEE 754, where Python raises an exception instead.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fwdtui.core.errors import FwdtuiError
from fwdtui.stats.ministat.inputs import FEWEST_VALUES, FLAVOURS, NamedSet

BIG = 100_000
"""From this many values on, numpy does the work."""


class Vitals(NamedTuple):
    """A set's numbers; `ordered` are its values, ascending. variance and stddev can be NaN, or infinite."""

    name: str
    n: int
    ordered: Sequence[float]
    minimum: float
    maximum: float
    median: float
    mean: float
    variance: float
    stddev: float


def vitals(given: NamedSet, flavour: str = "current", *, in_place: bool = False) -> Vitals:
    """The vital statistics of a set of at least three finite values; raises FwdtuiError otherwise.

    `in_place` allows an array("d") of many values to be sorted where it is, which saves a copy.
    """
    name, values = given
    n = len(values)
    if n < FEWEST_VALUES:
        raise FwdtuiError(f"{name}: {_count(n)}, and ministat needs at least {FEWEST_VALUES}")
    kind = FLAVOURS[flavour]
    total, squares, ordered = _sums_and_order(given, not kind.two_pass, in_place)
    mean = total / n
    if kind.two_pass:
        squares = _squares(ordered, mean)
    else:
        squares -= total * total / n
    middle = float(ordered[n // 2])
    if kind.middle_two and n % 2 == 0:
        middle = (middle + float(ordered[n // 2 - 1])) / 2
    variance = squares / (n - 1.0)
    return Vitals(
        name, n, ordered, float(ordered[0]), float(ordered[-1]), middle, mean, variance, root(variance)
    )


def add(values: Iterable[float]) -> float:
    """The sum, one rounding after the other as a C loop has it; sum() would compensate for them."""
    total = 0.0
    for value in values:
        total += value
    return total


def _sums_and_order(given: NamedSet, squares: bool, in_place: bool) -> tuple[float, float, Sequence[float]]:
    """Sum and sum of squares (0 unless wanted) in file order, and the values in ascending order."""
    name, values = given
    if len(values) >= BIG:
        from fwdtui.stats import blocks
        from fwdtui.stats.ministat import large

        block = large.doubles(values, copy=not in_place)
        if not large.all_finite(block):
            raise FwdtuiError(f"{name}: holds a value that is not a finite number")
        return blocks.add(block), large.add_squares(block, 0.0) if squares else 0.0, large.ascending(block)
    numbers = [float(value) for value in values]
    if not all(map(math.isfinite, numbers)):
        raise FwdtuiError(f"{name}: holds a value that is not a finite number")
    return add(numbers), add(value * value for value in numbers) if squares else 0.0, sorted(numbers)


def _squares(ordered: Sequence[float], mean: float) -> float:
    if len(ordered) >= BIG:
        from fwdtui.stats.ministat import large

        return large.add_squares(ordered, mean)
    return add((value - mean) * (value - mean) for value in ordered)


def _count(n: int) -> str:
    return "1 value" if n == 1 else f"{n} values"


def divide(dividend: float, divisor: float) -> float:
    """The quotient of IEEE 754: by zero it is an infinity or NaN."""
    if divisor:
        return dividend / divisor
    if not dividend or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def root(value: float) -> float:
    """sqrt(3): NaN for a value below zero."""
    return math.sqrt(value) if value >= 0.0 else math.nan
