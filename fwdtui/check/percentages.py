"""Percentages in a sentence: how large a difference each can mean, given how people round."""

import math
import re

from fwdtui.check import words

PERCENT = re.compile(
    r"(?<![\w.,])(?P<sign>[+-](?=[~\d.]))?~?(?P<number>\d{1,6}(?:[.,]\d{1,8})?|\.\d{1,8})"
    r"\s?(?:%|percents?\b|per cent\b|pct\b)"
)
_RANGE = re.compile(
    r"(?<![\w.,])(?P<sign>[+-])?~?(?P<low>\d{1,4}(?:[.,]\d{1,8})?)\s?%?\s?(?:-|–|to|and)\s?[+-]?$"
)
_BETWEEN = re.compile(r"\bbetween [+-]?[\d.,]+\s?%? and $")
OWN_INTERVAL = re.compile(
    r"\s?\\?\[(?P<low>[+-]?\d{1,6}(?:\.\d{1,8})?|[<>]0), (?P<high>[+-]?\d{1,6}(?:\.\d{1,8})?|[<>]0)\\?\]"
)
"""After a percentage, as our own sentences write it where the arms differ: "3.0 % [2.7, 3.4]"."""
_SIGNS = {"+": 1, "-": -1, None: 0}


def own_arm(percent: re.Match[str], after: str) -> tuple[str, int, float, float] | None:
    """The larger arm of the interval right after a percentage: its text, 0 (it has no sign), its bounds."""
    interval = OWN_INTERVAL.match(after)
    size = size_of(percent["number"])
    if not interval or size is None or {interval["low"][0], interval["high"][0]} & {"<", ">"}:
        return None
    value = -size[0] if percent["sign"] == "-" else size[0]
    arm = max(value - float(interval["low"]), float(interval["high"]) - value)
    slack = 1.5 * 10.0 ** -size[1]  # the figure and the end are rounded, or cut off
    return interval[0].strip(), 0, max(arm - slack, 0.0), arm + slack


def bounds(clause: str, percents: list[re.Match[str]]) -> tuple[int, float, float, str] | None:
    """Sign, lowest and highest size of a percentage (or of a range of two), and the clause before it.

    None for "from 2 to 3 %", for a range across zero, and after a denied bound: "not more than 2 %".
    """
    first, last = percents[0], percents[-1]
    before, size = clause[: first.start()], size_of(last["number"])
    if size is None or before.endswith("from ") or re.match(r"\s*to [+-]?~?\d", clause[last.end() :]):
        return None
    sign = _SIGNS[first["sign"]]
    low, high = as_written(*size)
    spread = _RANGE.search(before)
    lower: tuple[float, int] | None = None
    if first is not last:
        lower = size_of(first["number"])
        if _across_zero(first["sign"], last["sign"], clause[first.end() : last.start()].strip()):
            return None
    elif spread and (before.rstrip().endswith(("-", "–", "to")) or _BETWEEN.search(before)):
        if _across_zero(spread["sign"], first["sign"], before.rstrip()[-1]):
            return None
        lower, before = size_of(spread["low"]), before[: spread.start()]
        sign = sign or _SIGNS[spread["sign"]]
    if lower is not None:
        if lower[0] > size[0] or before.endswith("from "):
            return None
        low = as_written(*lower)[0]
    elif before.endswith(("-", "–")):
        return None
    about = words.ABOUT.search(before)
    if about or "~" in first[0]:
        slack = max(0.5 * 10.0 ** -size[1], 0.25 * size[0])
        low, high = max(min(low, size[0] - slack), 0.0), max(high, size[0] + slack)
        before = before[: about.start()] if about else before
    if bound := words.MORE_THAN.search(before):
        high, before = math.inf, before[: bound.start()]
    elif bound := words.LESS_THAN.search(before):
        low, before = 0.0, before[: bound.start()]
    if bound and words.NO_BOUND.search(before):
        return None
    return sign, low, high, before


def limit(clause: str, percents: list[re.Match[str]]) -> tuple[float, bool] | None:
    """The most that a percentage may be after "at most", "less than" and the like; whether it was "at most".

    None after other words: "up to 3 %" is the largest of several figures.
    """
    before, size = clause[: percents[0].start()], size_of(percents[-1]["number"])
    if size is None or not words.LESS_THAN.search(before) or words.UP_TO.search(before):
        return None
    return size[0], words.AT_MOST.search(before) is not None


def least(clause: str, percents: list[re.Match[str]]) -> float | None:
    """The least that a percentage may be, after "at least", "more than" and the like.

    None for a range, and after "about" or "~", which leave it open how much less it may be.
    """
    first, size = percents[0], size_of(percents[0]["number"])
    if len(percents) > 1 or size is None or "~" in first[0]:
        return None
    return size[0] if words.MORE_THAN.search(clause[: first.start()]) else None


def denied(before: str) -> bool:
    """Whether the words right before a percentage, or before the range that it ends, deny it: "not 10 %"."""
    spread = _RANGE.search(before)
    return words.DENIED.search(before[: spread.start()] if spread else before) is not None


def _across_zero(low: str | None, high: str | None, joint: str) -> bool:
    """Whether a range may go from minus to plus: "-1 to +2 %", "between -1 and 2 %"; not "-1–2 %"."""
    if high is None:
        return low == "-" and joint not in ("-", "–")
    return high != (low or "+")


def is_range(clause: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """Two percentages that are the ends of one range: "2% to 3%", "between 2% and 3%"."""
    between = clause[first.end() : second.start()].strip()
    return between in ("-", "–", "to") or (between == "and" and clause[: first.start()].endswith("between "))


def size_of(text: str) -> tuple[float, int] | None:
    """A number and its decimals; None where a comma may mean thousands."""
    whole, _, fraction = text.replace(",", ".").partition(".")
    if "," in text and len(fraction) == 3:
        return None
    return float(f"{whole}.{fraction or 0}"), len(fraction)


def as_written(value: float, decimals: int, *, round_tens: bool = True) -> tuple[float, float]:
    """What people write as `value`: rounded or cut off; in sentences, round tens are approximate."""
    unit = 10.0**-decimals
    low, high = value - 0.5 * unit, value + unit
    if round_tens and not decimals and value >= 10 and value % 10 == 0:
        low, high = min(low, 0.9 * value), max(high, 1.1 * value)
    return max(low, 0.0) - 1e-9, high + 1e-9
