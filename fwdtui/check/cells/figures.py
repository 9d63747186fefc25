"""Numbers in cells: "874,254", "594 944.6", "~870 K", "≥ 0.96 Mpps", "< 1 M", and what each stands for."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fwdtui.check.interval import Interval
from fwdtui.core.metrics import is_unit

_SCALES = {"k": 1e3, "m": 1e6, "g": 1e9, "thousand": 1e3, "million": 1e6}
_RATE = r"(?:pps|p/s|packets?(?:/s| per second)?|b/s|bps|bits?/s)"
_FIGURE = re.compile(
    r"(?:(?P<bound>[≥>≤<])=? ?)?(?P<about>~ ?)?(?P<sign>[+-])?"
    r"(?P<number>[0-9]{1,3}(?:[, '][0-9]{3}){1,5}(?![0-9])(?:\.[0-9]{1,9})?"
    r"|[0-9]{1,18}(?:\.[0-9]{1,9})?(?:e[+-]?[0-9]{1,2})?)"
    rf" ?(?P<scale>[kmg]|thousand|million)?(?: ?(?P<unit>{_RATE}))?(?![a-z0-9])",
    re.I,
)
_SPREAD = re.compile(r" ?(?:± ?[0-9][0-9,. ]{0,20}[kmg]?|\((?:± ?)?[0-9.]{1,9} ?%?\)) ?$", re.I)
_UNIT = re.compile(rf"(?<![a-z])(?:(?P<scale>[kmg]|thousand|million) ?)?{_RATE}(?![a-z])", re.I)
_ONE_COMMA = re.compile(r"[0-9]{1,3},[0-9]{3}")
_DOTTED = r"(?<![\w.,])[1-9][0-9]{0,2}(?:\.[0-9]{3})"
_MANY_DOTS = re.compile(rf"{_DOTTED}{{2,5}}(?![\w.,]| ?%)")
_DOTS = re.compile(rf"{_DOTTED}{{1,5}}(?![\w.,]| ?%)")
_ANY_SCALE = (1.0, 1e3, 1e6)
_ROUND = 2  # with so many zeros at its end, a whole number counts as rounded there
_ABOUT = 0.05
_OTHER_SIZE = 10.0  # times: a number that differs by more is of another magnitude


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as a cell has it.

    - `readings`: what it may stand for, one for each possible unit; as it is written, first
    - `bound`: it is a lower bound (1), "≥ 870 K" or "> 870 K", or an upper one (-1), "≤ 870 K"; 0: it is none
    - `unit_said`: whether the cell or its context says the unit
    """

    readings: tuple[Interval, ...]
    bound: int = 0
    unit_said: bool = True

    def near(self, other: float) -> bool:
        """Whether a reading is of the magnitude of `other`."""
        return any(_apart(one, other) <= _OTHER_SIZE for one in self.readings)

    def fits(self, value: Interval) -> bool | None:
        """Whether the cell can be right about `value`; None if that cannot be told.

        A lower bound is right up to the value, an upper one from it on. One of another magnitude also holds
        where another unit was meant: it is never said to be right.
        """
        if not self.bound:
            return any(value.meets(one) for one in self.readings)
        if self.near(value.middle):
            nearest = min(self.readings, key=lambda one: _apart(one, value.middle))
            return self._leaves(value, nearest)
        return False if self.unit_said and not self._leaves(value, self.readings[0]) else None

    def _leaves(self, value: Interval, reading: Interval) -> bool:
        """Whether the value is on the right side of a bound that is read like this."""
        return value.high >= reading.low if self.bound > 0 else value.low <= reading.high


def _apart(one: Interval, other: float) -> float:
    """The factor between a reading and a value; infinite if only one of them is zero."""
    small, large = sorted((abs(one.middle), abs(other)))
    if not large:
        return 1.0
    return large / small if small else math.inf


def figure(text: str, context: str) -> Figure | None:
    """The one number of a readable cell; None if it has none, or several, or words beside it.

    `context` is the heading and what else may give the unit: "Mpps". Without any, thousands and millions are
    possible, too.
    """
    text = _SPREAD.sub("", text.strip().replace("\\", ""))
    match = _FIGURE.fullmatch(text)
    if match is None:
        return None
    readings: tuple[Interval, ...] = ()
    scales = _scales(match, context)
    if match["bound"] == "<" and match["number"].startswith("0") and not (match["scale"] or match["unit"]):
        return None  # a p: "<0.0001"
    bound = 0 if match["bound"] is None else 1 if match["bound"] in "≥>" else -1
    for digits in _numbers(match["number"]):
        around = _around(digits, about=match["about"] is not None, most=bound < 0)
        around = -around if match["sign"] == "-" else around
        readings += tuple(around.scaled(scale) for scale in scales)
    return Figure(readings, bound, unit_said=scales is not _ANY_SCALE)


def _numbers(text: str) -> tuple[str, ...]:
    """The digits of a number: a comma before three of them divides thousands, or begins the decimals."""
    plain = re.sub("[, ']", "", text)
    if _ONE_COMMA.fullmatch(text) is None:
        return (plain,)
    decimal = text.replace(",", ".")
    return (decimal,) if text.startswith("0") else (plain, decimal)


def _around(digits: str, *, about: bool, most: bool) -> Interval:
    """The values that people write like this: rounded, or cut off, but not as the `most` that it is."""
    value = float(digits)
    mantissa, _, exponent = digits.lower().partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    zeros = len(digits) - len(digits.rstrip("0")) if digits.isdigit() else 0
    if _ROUND <= zeros < len(digits):
        unit = 10.0**zeros
    low, high = value - 0.5 * unit, value + (0.5 if most else 1.0) * unit
    if about:
        low, high = min(low, value * (1 - _ABOUT)), max(high, value * (1 + _ABOUT))
    return Interval(low, high)


def without_unit(text: str) -> tuple[str, str]:
    """A readable cell without the unit of a time or a cost at its end, and that unit; "" if it has none."""
    rest, _, unit = text.strip().rpartition(" ")
    if rest and unit != "%" and is_unit(unit) and not _UNIT.fullmatch(unit):
        return rest, unit
    return text, ""


def with_commas(rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The cells of a table, with commas for dots that divide thousands.

    They do so in the whole table if a number in it has several: beside "1.000.000", "900.000" is no 900.
    """
    divided = any(_MANY_DOTS.search(cell) for row in rows for cell in row)
    return [tuple(_DOTS.sub(_comma, cell) if divided else cell for cell in row) for row in rows]


def _comma(match: re.Match[str]) -> str:
    return match[0].replace(".", ",")


def numbers_in(text: str) -> int:
    """How many numbers a readable cell has."""
    return sum(1 for _ in _FIGURE.finditer(text))


def in_words(text: str) -> str:
    """A readable cell without its numbers and their units: empty for a figure."""
    return re.sub(r"[\W_]+", " ", _FIGURE.sub(" ", text)).strip()


def _scales(match: re.Match[str], context: str) -> tuple[float, ...]:
    if match["scale"]:
        return (_SCALES[match["scale"].lower()], 1.0)
    if match["unit"]:
        return (1.0,)
    units = _units(context)
    if len(units) != 1:
        return _ANY_SCALE
    [unit] = units
    return (_SCALES[unit], 1.0) if unit else (1.0,)


@lru_cache(maxsize=64)  # a heading is asked again for each cell below it
def _units(context: str) -> frozenset[str]:
    return frozenset((unit["scale"] or "").lower() for unit in _UNIT.finditer(context))
