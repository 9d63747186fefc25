"""The ± of Welch's interval, for sentences that quote one beside a ministat block."""

import math
from typing import TYPE_CHECKING

from fwdtui.check.interval import Interval
from fwdtui.check.results import Result
from fwdtui.core.parse.ministat_block import Row

if TYPE_CHECKING:
    from fwdtui.stats.moments import Moments


def welch_errors(result: Result) -> tuple[Interval, ...]:
    """From the smallest to the largest ± in percent that is called Welch's at the block's confidence.

    The interval of the difference divided by the first average, or Fieller's interval of the ratio, which has
    two arms; Satterthwaite's degrees of freedom as they are or as a whole number. Empty where none exists.
    """
    # numpy and scipy are loaded only for a sentence that names Welch
    from fwdtui.stats.ratio import percent, percent_interval
    from fwdtui.stats.student import critical
    from fwdtui.stats.welch import welch

    base, other = (_moments(row) for row in (result.base, result.other))
    if not all(math.isfinite(part) for one in (base, other) for part in (one.mean, one.variance)):
        return ()
    alpha = 1.0 - result.confidence / 100.0
    if min(base.n, other.n) < 2 or base.mean <= 0.0 or base.variance + other.variance <= 0.0:
        return ()
    test = welch(base, other, alpha)
    low, high = (float(end) for end in percent_interval(base, other, alpha))
    middle = float(percent(base, other))
    arms = [
        float(critical(alpha, df)) * float(test.error) / base.mean * 100.0
        for df in (test.df, math.floor(test.df), math.ceil(test.df))
    ]
    arms += [arm for arm in (high - middle, middle - low) if math.isfinite(arm)]
    return (Interval(min(arms), max(arms)),)


def _moments(row: Row) -> "Moments":
    from fwdtui.stats.moments import Moments

    return Moments(row.n, row.avg.value, row.stddev.value * row.stddev.value)
