"""Intervals: what a printed, and therefore rounded, number can have been before it was printed."""

import math
from dataclasses import dataclass

from fwdtui.core.parse.ministat_block import Printed

# ministat computes in doubles and so does this: a few units of the last place, far below what is printed
_SLACK = 1e-13


@dataclass(frozen=True, slots=True)
class Interval:
    """Every number from low to high, both included; the operations round outwards."""

    low: float
    high: float

    @classmethod
    def of(cls, printed: Printed, digits: int) -> "Interval":
        """What `printed` stands for when it was rounded to `digits` significant digits."""
        half = printed.half_unit(digits)
        return cls(printed.value - half, printed.value + half).wider(0.0)

    @classmethod
    def exactly(cls, value: float) -> "Interval":
        return cls(value, value)

    def wider(self, by: float) -> "Interval":
        """Larger by `by` and by the rounding of the arithmetic at either end."""
        slack = by + _SLACK * max(abs(self.low), abs(self.high))
        return Interval(self.low - slack, self.high + slack)

    @property
    def middle(self) -> float:
        return 0.5 * (self.low + self.high)

    @property
    def finite(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    def meets(self, other: "Interval") -> bool:
        return self.low <= other.high and other.low <= self.high

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low)

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.low + other.low, self.high + other.high).wider(0.0)

    def __sub__(self, other: "Interval") -> "Interval":
        return self + -other

    def __mul__(self, other: "Interval") -> "Interval":
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends)).wider(0.0)

    def __truediv__(self, other: "Interval") -> "Interval":
        """Only by an interval that leaves out zero."""
        return self * Interval(1.0 / other.high, 1.0 / other.low)

    def scaled(self, factor: float) -> "Interval":
        return self * Interval.exactly(factor)

    def squared(self) -> "Interval":
        size = abs(self)
        return Interval(size.low * size.low, size.high * size.high).wider(0.0)

    def root(self) -> "Interval":
        """The square root of what is not negative."""
        return Interval(math.sqrt(max(self.low, 0.0)), math.sqrt(max(self.high, 0.0))).wider(0.0)

    def __abs__(self) -> "Interval":
        low = 0.0 if self.low <= 0.0 <= self.high else min(abs(self.low), abs(self.high))
        return Interval(low, max(abs(self.low), abs(self.high)))
