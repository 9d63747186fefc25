"""Claims of a factor: "1.5x faster", "slower by a factor of 2.3", "doubles the throughput"."""

import math
import re
from typing import NamedTuple

from fwdtui.check import words

_THING = r"(?:performances?|throughput|forwarding(?: rate)?|speed|pps|packet rate|packets[- ]per[- ]second)"
_VALUE = r"~?(?<![\w.,])(?P<value>\d{1,3}(?:\.\d{1,3})?)"
_TIMES = re.compile(
    rf"(?:\bfactor of )?{_VALUE} ?(?:x|times) "
    r"(?:(?P<up>faster|quicker|better|higher|more (?=packets|pps|throughput))|(?P<down>slower|lower))\b"
)
_BY = re.compile(
    r"\b(?:(?P<up>improve[sd]?|increase[sd]?|faster|higher)|"
    r"(?P<down>slower|drops?|dropped|reduce[sd]?|lower)) "
    rf"by (?:about |around |nearly |almost )?(?:a factor of {_VALUE}(?![\w.,]| ?%)|"
    rf"{_VALUE.replace('value', 'times')} ?x\b)"
)
_CHANGED = (
    rf"\b(?:{{0}}s|{{0}}d) (?:the |its |our )?(?:\w+ )?{_THING}\b"
    rf"|\b{_THING} (?:\w+ )?(?:is |was |has |almost |nearly |roughly |about )*(?:{{0}}s|{{0}}d)\b"
)
_SIGN = re.compile(
    rf"\b{_THING}(?: \w+)? x(?P<plain>\d{{1,2}}(?:\.\d{{1,3}})?)(?=\s*[:;,.)]|\s*$)"
    r"|\(x(?P<round>\d{1,2}\.\d{1,3})\)"
)
_TO_HALF = re.compile(
    r"\b(?:drops?|dropped|reduced|cut|falls?|fell) (?:by|to|in) (?:about |nearly |almost )?half(?! an?\b)"
    rf"|\bloses? half (?:of )?(?:the |its )?{_THING}\b"
)
_DOUBLE = re.compile(_CHANGED.format("double") + rf"|\btwice (?:as fast|the (?:\w+ )?{_THING})\b")
_HALF = re.compile(_CHANGED.format("halve"))
_ROUGHLY = 0.15  # "doubles" is said of 1.8 and of 2.2
_LEAST = 1e-9  # a ratio that is as good as none, and has an inverse


class Ratio(NamedTuple):
    """`sign` +1 or -1; the ratio other / base is claimed to be low to high; `end`: where the claim ends.

    `factor`: as it is written, 1.5 in "1.5x slower". `least`: the factor, if "more than" is before it.
    """

    sign: int
    low: float
    high: float
    shown: str
    end: int
    factor: float
    least: float | None = None


def ratio_claimed(clause: str) -> Ratio | None:
    """The factor that a clause in lower case claims, or None.

    "k times faster" is said of a ratio of k and of 1 + k: both are allowed. A factor that is denied is none.
    """
    found = _read(clause)
    return None if found is None else _bounded(found, clause[: found.end - len(found.shown)])


def _bounded(ratio: Ratio, before: str) -> Ratio | None:
    """The ratio as the words before it bound it: "more than doubles", "up to 4x slower"; None: "not 2x"."""
    more, less = words.MORE_THAN.search(before), words.LESS_THAN.search(before)
    bound = more or less
    if words.NO_BOUND.search(before[: bound.start()] if bound else before):
        return None
    if bound is None:
        return ratio
    if more is None:
        return ratio._replace(low=1.0) if ratio.sign > 0 else ratio._replace(high=1.0)
    least = ratio.factor  # a bound is no rounded figure: 1.8 is not "more than twice"
    if ratio.sign > 0:
        return ratio._replace(low=least, high=math.inf, least=least)
    return ratio._replace(low=_LEAST, high=1.0 / least, least=least)


def _read(clause: str) -> Ratio | None:
    if match := _TIMES.search(clause):
        return _ratio(float(match["value"]), float(match["value"]) + 1.0, match)
    if match := _BY.search(clause):
        value = float(match["value"] or match["times"])
        return _ratio(value, value, match)
    if match := _SIGN.search(clause):
        value = float(match["plain"] or match["round"])
        span = (1.0 - _ROUGHLY) * value, (1.0 + _ROUGHLY) * value
        return Ratio(1, *span, match[0], match.end(), value) if value > 1.0 else None
    if match := _DOUBLE.search(clause):
        return Ratio(1, 2.0 * (1.0 - _ROUGHLY), 2.0 * (1.0 + _ROUGHLY), match[0], match.end(), 2.0)
    if match := _HALF.search(clause) or _TO_HALF.search(clause):
        return Ratio(-1, 0.5 * (1.0 - _ROUGHLY), 0.5 * (1.0 + _ROUGHLY), match[0], match.end(), 2.0)
    return None


def _ratio(low: float, high: float, match: re.Match[str]) -> Ratio | None:
    if low <= 1.0:
        return None
    factor, low, high = low, low * (1.0 - _ROUGHLY), high * (1.0 + _ROUGHLY)
    if match["up"] is not None:
        return Ratio(1, low, high, match[0], match.end(), factor)
    return Ratio(-1, 1.0 / high, 1.0 / low, match[0], match.end(), factor)
