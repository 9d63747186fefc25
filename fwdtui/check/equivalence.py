"""A claim that nothing has changed: shown by the data, or what they can say instead.

The rule is that of every verdict of fwdtui (`stats.gate`): equivalent where both one-sided tests reject at
the margin, no loss where the lower one does. The interval of the ratio at twice the error rate lies inside
the margin exactly then, and its ends say what cannot be excluded. Each claim is judged alone, at its block's
confidence. "No difference proven" is not enough: few or scattered values never prove one.
"""

import math
from functools import lru_cache

from fwdtui.check.results import Result
from fwdtui.core.parse.ministat_block import Row
from fwdtui.stats.figures import in_percent, number

MARGIN = 1.0
"""Percent of the first set's mean, where neither the sentence nor the text gives another margin."""
_NO_SPREAD = 1e-250  # squared error relative to the values (as in stats.pairs)


def not_shown(result: Result, sign: int, margin: float) -> str | None:
    """Why the data do not show that nothing changed; None where they do.

    `sign`: 0 for a change in either direction, -1 for no fall and +1 for no rise of the values. `margin` is
    in percent. The reason is a clause whose subject is the data: "does not show it within 1 %: ...".
    """
    impossible = _impossible(result.base, result.other)
    if impossible:
        return f"cannot show it: {impossible}"
    low, high = _interval(result.base, result.other, result.confidence)
    falls = sign <= 0 and not low > -margin
    rises = sign >= 0 and not high < margin
    if not falls and not rises:
        return None
    if result.differs and sign * result.percent >= 0:
        return f"proves a difference: {result.shown}"
    down, up = ("a decrease", "an increase") if result.less_is_better else ("a loss", "a gain")
    ends = [(falls, down, -low), (rises, up, high)]
    beyond = " or ".join(f"{name} of {_size(end, margin)}" for is_open, name, end in ends if is_open)
    sets = f"these {result.base.n} against {result.other.n} values"
    return f"does not show it within {in_percent(margin)}: {sets} cannot exclude {beyond}"


def _impossible(base: Row, other: Row) -> str:
    """Why two sets cannot be tested; empty where they can."""
    from fwdtui.stats.gate import FEWEST_VALUES

    few = min(base.n, other.n)
    if few < FEWEST_VALUES:
        return f"{few} {'value is' if few == 1 else 'values are'} too few for a test"
    numbers = [part.value for row in (base, other) for part in (row.avg, row.stddev)]
    if not all(map(math.isfinite, numbers)) or base.avg.value <= 0.0:
        return "the first average is not a number above zero"
    if not sum((row.stddev.value / max(map(abs, numbers))) ** 2 for row in (base, other)) > _NO_SPREAD:
        return "all values within each set are equal, which a rate limit would also cause"
    return ""


@lru_cache(maxsize=256)  # a text asks again for every sentence
def _interval(base: Row, other: Row, confidence: float) -> tuple[float, float]:
    """The ends that the two one-sided tests give the ratio at `confidence`, in percent; NaN for none."""
    from fwdtui.stats.moments import Moments, exponent_of  # numpy and scipy are loaded only for such a claim
    from fwdtui.stats.ratio import percent_interval

    exponent = exponent_of([part.value for row in (base, other) for part in (row.avg, row.stddev)])
    first, later = (
        Moments(
            float(row.n), math.ldexp(row.avg.value, -exponent), math.ldexp(row.stddev.value, -exponent) ** 2
        )
        for row in (base, other)
    )
    low, high = percent_interval(first, later, 2.0 * (1.0 - confidence / 100.0))
    return float(low), float(high)


def _size(percent: float, margin: float) -> str:
    """A percentage, with as many digits as show that it is not below the margin."""
    if not math.isfinite(percent):
        return "any size"
    shown = (number(percent, decimals) for decimals in (1, 2, 3))
    return next((f"{text} %" for text in shown if float(text.replace("−", "-")) > margin), f"{percent:.4g} %")
