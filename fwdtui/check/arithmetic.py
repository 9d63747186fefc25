"""ministat's verdict recomputed from the printed rows, as intervals: rows are rounded to eight digits.

Formulas of usr.bin/ministat/ministat.c, set 2 being the first one (the reference):
    s² = ((n1-1)s1² + (n2-1)s2²) / (n1+n2-2)          d = A1 - A2          e = t s sqrt(1/n1 + 1/n2)
    percent = 100 d / A2; its error is 100 e / A2 in classic and debian, and in current
    100 t sqrt(((n1-1)s1² + (n2-1)s2² A1²/A2²) (n1+n2) / (n1 n2 (n1+n2-2))) / A2
"""

import math
from dataclasses import dataclass

from fwdtui.check.interval import Interval
from fwdtui.core.parse.ministat_block import ROW_DIGITS, Row
from fwdtui.stats.ministat.tables import CONFIDENCES, student


@dataclass(frozen=True, slots=True)
class Again:
    """What the rows give. Percentages are None where the reference's average may be zero."""

    difference: Interval
    error: Interval
    pooled_s: Interval
    percent: Interval | None
    percent_error_classic: Interval | None
    percent_error_current: Interval | None

    @property
    def differs(self) -> bool | None:
        """|d| > e; None where the rounding of the rows cannot decide."""
        size = abs(self.difference)
        if size.low > self.error.high:
            return True
        return False if size.high <= self.error.low else None


def again(base: Row, other: Row, confidence: float) -> Again | None:
    """What the rows say of `other` against `base`; `confidence` is in percent.

    None if they have no numbers to decide on: a set of fewer than two values, nan or inf.
    """
    numbers = [Interval.of(printed, ROW_DIGITS) for row in (base, other) for printed in (row.avg, row.stddev)]
    if base.n < 2 or other.n < 2 or not all(number.finite for number in numbers):
        return None
    average2, s2, average1, s1 = numbers
    n1, n2 = other.n, base.n
    df = n1 + n2 - 2
    sum1, sum2 = s1.squared().scaled(n1 - 1), s2.squared().scaled(n2 - 1)
    if not all(number.finite for number in (sum1, sum2)):
        return None
    t = quantile(df, confidence)
    pooled = (sum1 + sum2).scaled(1.0 / df).root()
    difference = average1 - average2
    error = pooled.scaled(t * math.sqrt(1.0 / n1 + 1.0 / n2))
    if average2.holds(0.0):
        return Again(difference, error, pooled, None, None, None)
    ratio = average1 / average2
    spread = (sum1 + sum2 * ratio.squared()).scaled((n1 + n2) / (n1 * n2 * df)).root()
    return Again(
        difference,
        error,
        pooled,
        (difference / average2).scaled(100.0),
        (error / average2).scaled(100.0),
        (spread / average2).scaled(100.0 * t),
    )


def quantile(df: int, confidence: float) -> float:
    """Two-sided t: from ministat's own table at its levels, else the exact one (other programs' levels)."""
    if confidence in CONFIDENCES:
        return student(confidence, df)
    from fwdtui.stats.student import critical

    return float(critical(1.0 - confidence / 100.0, df))
