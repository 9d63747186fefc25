"""Figures as text: digits are chosen here and only here, so that table, report and screen agree."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fwdtui.core.units import grouped, in_full, pps, si

MINUS = "−"
NONE = "–"  # a number that does not exist
_WIDEST = 1e7  # larger figures are written with an exponent
_GIVEN = 12  # most characters of a percentage that a user gave; a longer one was computed


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


class Shown(NamedTuple):
    """A figure and the spread that follows it: ``+1.8 %`` and `` ± 1.5 %``, ``+88 %`` and `` [+2, +239]``."""

    value: str
    spread: str

    def __str__(self) -> str:
        return self.value + self.spread


def percentage(value: float, interval: tuple[float, float] | None, *, sign: bool = True) -> Shown:
    """A percentage and its interval: ``−45.2 % ± 1.0 %``, ``+88 % [+2, +239]``; without one ``−45.2 %``.

    Without an interval it is not known how exact it is: it has three digits, and no more than two decimals.

    A ± is used only if both arms are the same as shown, and if it does not hide on which side of zero the
    interval lies: an interval of a ratio (Fieller) is not symmetrical.
    """
    arm = arm_of(value, interval)
    decimals = decimals_for(arm)
    if arm is None or interval is None:
        decimals = 2 if abs(value) < 10.0 else 1 if abs(value) < 100.0 else 0
        return Shown(f"{number(value, decimals, sign)} %", "")
    low, high = interval
    left, right = number(value - low, decimals), number(high - value, decimals)
    clear = _clear_end(interval)
    if left == right and (clear is None or number(abs(value), decimals) != left):
        return Shown(f"{number(value, decimals, sign)} %", f" ± {left} %")
    decimals = _clear_decimals(clear, decimals)
    shown = [_end(end, decimals, sign, end == clear) for end in interval]
    return Shown(f"{number(value, decimals, sign)} %", f" [{shown[0]}, {shown[1]}]")


def ends(interval: tuple[float, float], decimals: int) -> tuple[str, str]:
    """The ends of an interval with their signs; with more decimals where it leaves out zero by less."""
    clear = _clear_end(interval)
    decimals = _clear_decimals(clear, decimals)
    low, high = (_end(end, decimals, True, end == clear) for end in interval)
    return low, high


def _clear_decimals(clear: float | None, decimals: int) -> int:
    """Decimals with which the end nearest to zero does not look like zero, if a few more are enough."""
    if clear is None:
        return decimals
    return next((d for d in range(decimals, decimals + 3) if not _is_zero(number(clear, d))), decimals)


def _clear_end(interval: tuple[float, float]) -> float | None:
    """The end nearest to zero of an interval that excludes zero; None if it includes zero."""
    low, high = interval
    return low if low > 0.0 else high if high < 0.0 else None


def _is_zero(text: str) -> bool:
    return not text.strip(f"+{MINUS}0.")


def _end(value: float, decimals: int, sign: bool, clear: bool) -> str:
    text = number(value, decimals, sign)
    if clear and _is_zero(text):  # it is not zero, however near
        return ">0" if value > 0.0 else "<0"
    return text


def amount(value: float | None, sign: bool = False, unit: str = "") -> str:
    """A value of a set for people: four digits and a decimal multiple (``883.4 k``); a dash for None.

    A unit other than pps, which goes without saying, follows: ``31.42 us``, ``9 412 Mb/s``.
    """
    if value is None:
        return NONE
    magnitude = abs(value)
    named = in_words(unit)
    if not (1.0 <= magnitude < 1e15 or magnitude == 0.0):
        text = f"{magnitude:.4g}"
    elif named:  # it has a multiple of its own
        text = grouped(float(f"{magnitude:.3e}")) if magnitude >= 1000.0 else f"{magnitude:.4g}"
    else:
        text = si(magnitude)
    return (MINUS if value < 0 else "+" if sign else "") + text.replace("-", MINUS) + named


def rate(value: float, unit: str = "") -> str:
    """A rate with its unit: ``1.456 Mpps``, ``941.3 Mb/s``. An unnamed unit is packets per second."""
    return amount(value, unit=unit) if in_words(unit) else pps(value)


def in_words(unit: str) -> str:
    """What follows a figure: nothing for packets per second, else a blank and the unit."""
    return "" if unit in ("", "pps") else f" {unit}"


def unit_of_difference(unit: str) -> str:
    """The unit of a difference of two values in `unit`: points for percentages, as ``+0.1 %`` is relative."""
    return "points" if unit == "%" else unit


def amount_and_interval(
    value: float, interval: tuple[float, float] | None, *, sign: bool = True, unit: str = ""
) -> Shown:
    """A difference in the unit of the values: ``+15.60 k ± 12.50 k``, ``+15.60 k [+3.000 k, +29.20 k]``."""
    unit = unit_of_difference(unit)
    text = amount(value, sign, unit)
    if interval is None or arm_of(value, interval) is None:
        return Shown(text, "")
    left, right = amount(value - interval[0], unit=unit), amount(interval[1] - value, unit=unit)
    if left == right and (_clear_end(interval) is None or amount(abs(value), unit=unit) != left):
        return Shown(text, f" ± {left}")
    return Shown(text, f" [{amount(interval[0], sign, unit)}, {amount(interval[1], sign, unit)}]")


def p_value(p: float | None) -> str:
    """``0.026``, ``0.0041``, ``<0.0001``; a dash for None.

    One just below a level that tests use, such as 0.05 or 0.2, has the digits that show it: ``0.04997``.
    """
    if p is None:
        return NONE
    if p < 0.0001:
        return "<0.0001"
    if p > 0.5:  # no test is at such a level
        return f"{p:.2f}"
    if p >= 0.1:
        texts = [f"{p:.{decimals}f}" for decimals in (2, 3, 4, 5, 6)]
    else:
        texts = [f"{p:.{digits}g}" for digits in (3, 4, 5, 6, 7)]
    return next((text for text in texts if not (p < float(text) and _is_level(text))), texts[0])


def _is_level(text: str) -> bool:
    """Whether a probability is one that people test at: 0.05, 0.2, 0.15 or 0.025, not 0.12."""
    return f"{float(text):.9e}".partition("e")[0][2:].rstrip("0") in ("", "5")


def p_is(p: float | None) -> str:
    """``p = 0.026``, ``p < 0.0001``"""
    text = p_value(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def in_percent(percent: float) -> str:
    """A percentage that a user gave, as it was given: ``95 %``, ``0.1234567 %``.

    One that was computed, such as the confidence of a look, has six digits.
    """
    text = in_full(percent)
    return f"{text if len(text) <= _GIVEN else f'{percent:g}'} %"


def margin(percent: float) -> str:
    """``1 %``, ``0.5 %``"""
    return in_percent(percent)


def listing(texts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
