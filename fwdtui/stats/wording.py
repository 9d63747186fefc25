"""Numbers and verdicts in words: digits are chosen here and only here, so table, report and screen agree."""

import math
from collections.abc import Sequence

from fwdtui.core.units import si
from fwdtui.stats.model import Comparison, Difference

MINUS = "−"
NONE = "–"  # a number that does not exist

_WIDEST = 1e7  # larger figures are written with an exponent


def number(value: float, decimals: int, sign: bool = False) -> str:
    """A number with a real minus sign; `sign` also writes the plus. Beyond 1e7 with an exponent."""
    if abs(value) >= _WIDEST:
        text = f"{value:+.2e}" if sign else f"{value:.2e}"
    else:
        text = f"{value:+.{decimals}f}" if sign else f"{value:.{decimals}f}"
        if not text.strip("+-0."):
            text = text.lstrip("+-")  # a rounded zero has no sign
    return text.replace("-", MINUS)


def decimals_for(arm: float | None) -> int:
    """Decimals that show a ± with two significant digits (two decimals where there is no ±)."""
    if not arm:
        return 2
    return min(max(1 - math.floor(math.log10(float(f"{arm:.1e}"))), 0), 12)


def arm_of(value: float | None, interval: tuple[float, float] | None) -> float | None:
    """The ± of an interval: its larger arm, as an interval of a ratio is not symmetrical."""
    if value is None or interval is None:
        return None
    arm = max(interval[1] - value, value - interval[0])
    return arm if math.isfinite(arm) else None


def plus_minus(value: float, interval: tuple[float, float] | None, *, sign: bool = True) -> str:
    """A percentage with its ±: ``−45.2 % ± 1.0 %``. Without an interval: ``−45.20 %``."""
    arm = arm_of(value, interval)
    decimals = decimals_for(arm)
    text = f"{number(value, decimals, sign)} %"
    return text if arm is None else f"{text} ± {number(arm, decimals)} %"


def amount(value: float | None, sign: bool = False) -> str:
    """A value of a set for people: four digits and a decimal multiple (``883.4 k``); a dash for None."""
    if value is None:
        return NONE
    magnitude = abs(value)
    text = si(magnitude) if 1.0 <= magnitude < 1e15 or magnitude == 0.0 else f"{magnitude:.4g}"
    return (MINUS if value < 0 else "+" if sign else "") + text.replace("-", MINUS)


def amount_plus_minus(value: float, interval: tuple[float, float] | None, *, sign: bool = True) -> str:
    """A difference in the unit of the values: ``+15.60 k ± 12.50 k``."""
    arm = arm_of(value, interval)
    text = amount(value, sign)
    return text if arm is None else f"{text} ± {amount(arm)}"


def p_value(p: float | None) -> str:
    """``0.026``, ``0.0041``, ``<0.0001``; a dash for None."""
    if p is None:
        return NONE
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.3g}" if p < 0.1 else f"{p:.2f}"


def p_is(p: float | None) -> str:
    """``p = 0.026``, ``p < 0.0001``"""
    text = p_value(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def margin(percent: float) -> str:
    """``1 %``, ``0.5 %``"""
    return f"{percent:g} %"


def difference_cell(difference: Difference) -> str:
    """The difference for a table cell: ``−45.2 % ± 1.0 %``, in the values' unit where there is no percent."""
    if difference.percent is not None:
        return plus_minus(difference.percent, difference.ci_percent)
    if difference.absolute is not None:
        return amount_plus_minus(difference.absolute, difference.ci_absolute)
    return NONE


def verdict_cell(comparison: Comparison) -> str:
    """The verdict for a table cell; an open one says how many iterations more: ``inconclusive: 14 more``."""
    more = iterations_more(comparison)
    return f"{comparison.verdict}: {more} more" if more else comparison.verdict


def iterations_more(comparison: Comparison) -> int | None:
    """Iterations that the smaller set of an inconclusive comparison lacks; None where no number helps."""
    if comparison.verdict != "inconclusive" or comparison.iterations_needed is None:
        return None
    lacking = comparison.iterations_needed - min(comparison.base.n, comparison.other.n)
    return lacking if lacking > 0 else None


def sentence(comparison: Comparison, *, cannot_say: str | None, limit: str, shown: int) -> str:
    """The verdict in words.

    `cannot_say`: the sentence that stands instead of a verdict. `limit`: which set is capped by what ("new
    is at line rate"), empty where none is: the truth is then at least this far apart. `shown`: comparisons
    that share the error rate.
    """
    difference = comparison.difference
    if cannot_say is not None:
        return cannot_say
    if comparison.verdict == "capped":
        return f"capped: {limit}, so the DUT may be able to do more"
    if comparison.verdict in ("faster", "slower"):
        word = "improved by" if comparison.verdict == "faster" else "slowed down by"
        if limit:
            return f"{word} at least {_unsigned(difference)}: {limit}"
        return f"{word} {_unsigned(difference)}"
    if comparison.verdict == "equivalent":
        inside = f"inside the {margin(comparison.margin_percent)} margin"
        real = _below(difference.p_adjusted, difference)
        return f"equivalent: {difference_cell(difference)}, " + ("real, but " if real else "") + inside
    return f"inconclusive: {difference_cell(difference)}; {_what_would_decide(comparison, shown)}"


def _unsigned(difference: Difference) -> str:
    if difference.percent is not None:
        interval = difference.ci_percent
        if difference.percent < 0 and interval is not None:
            interval = (-interval[1], -interval[0])
        return plus_minus(abs(difference.percent), interval, sign=False)
    if difference.absolute is None:
        return "an amount beyond any number"
    interval = difference.ci_absolute
    if difference.absolute < 0 and interval is not None:
        interval = (-interval[1], -interval[0])
    return amount_plus_minus(abs(difference.absolute), interval, sign=False)


def _below(p: float | None, difference: Difference) -> bool:
    return p is not None and p < (100.0 - difference.confidence) / 100.0


def _what_would_decide(comparison: Comparison, shown: int) -> str:
    difference, limit = comparison.difference, margin(comparison.margin_percent)
    prefix = ""
    if _below(difference.p, difference):
        prefix = f"alone it would be a difference, among {shown} comparisons it may be chance; "
    if difference.percent is None:
        return prefix + "no percentage exists, so no margin can decide"
    more, needed = iterations_more(comparison), comparison.iterations_needed
    if more is not None:
        if comparison.base.n == comparison.other.n:
            word = "iteration" if more == 1 else "iterations"
            return f"{prefix}about {more} more {word} per set would show {limit} with 80 % power"
        return f"{prefix}about {needed} iterations per set would show {limit} with 80 % power"
    if comparison.margin_percent == 0.0:
        return prefix + "with a margin of 0 % no number of iterations can prove equivalence"
    if needed is None:
        return f"{prefix}no sensible number of iterations would show {limit}: steady the bench first"
    likely = f"a difference of {limit} would probably have shown"
    return f"{prefix}{likely}, but equivalence is not proven: add iterations"


def listing(texts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
