"""Sentences that claim a percentage, a factor or a direction, and what exactly they claim.

A claim is made only of what can be read in one way: a clause with two percentages, a question, a hope, a
quotation of another measurement or a percentage of the CPU gives none.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from fwdtui.check import directions, words
from fwdtui.check.ratios import ratio_claimed

_PERCENT = re.compile(
    r"(?<![\w.,])(?P<sign>[+-](?=[~\d]))?~?(?P<number>\d{1,6}(?:[.,]\d{1,8})?)"
    r"\s?(?:%|percents?\b|per cent\b|pct\b)"
)
_RANGE = re.compile(
    r"(?<![\w.,])(?P<sign>[+-])?~?(?P<low>\d{1,4}(?:[.,]\d{1,8})?)\s?%?\s?(?:-|–|to|and)\s?[+-]?$"
)
_BETWEEN = re.compile(r"\bbetween [+-]?[\d.,]+\s?%? and $")
_CLAUSE = re.compile(
    r";|(?<![\d%])\s(?:--|-|–|—)\s|\s(?:--|-|–|—)\s(?![+-]?\d)|, (?:and|so)\b"
    r"|,? \b(?:but|while|whereas|although|though|however|yet|because|since)\b"
)
_ENDINGS = "!?. )\"'"
_POOLED = re.compile(r"\b(?:pooled|ministat's) (?:pooled )?(?:error|±) (?:is|of|was) $")
_MINISTAT = re.compile(r"\bministat\b[^:]*: $")
_INSIDE = re.compile(r"\b(?:inside|within) (?:the |a |its )?$")
_INTERVAL = re.compile(r"\([^()]*\b(?:ci|interval)\b[^()]*\)|\[[^\[\]]*%[^\[\]]*\]")
_OWN_INTERVAL = re.compile(
    r"\s?\\?\[(?P<low>[+-]?\d{1,6}(?:\.\d{1,8})?|[<>]0), (?P<high>[+-]?\d{1,6}(?:\.\d{1,8})?|[<>]0)\\?\]"
)
"""Behind a percentage, as our own sentences write it where the arms differ: "3.0 % [2.7, 3.4]"."""
_SIGNS = {"+": 1, "-": -1, None: 0}
_NEAR = 8  # words before a number in which its direction is looked for
_LONGEST = 1000  # characters: no sentence, but something else


@dataclass(frozen=True, slots=True)
class Claim:
    """What one clause says of a result.

    `kind`: "number" (percent; `low` and `high` bound its size, both >= 0), "ratio" (the same, other / base),
    "direction", "same", "not" (not in the direction `sign`), "margin", or a ±: "pooled error", "welch error",
    "own error" (of no named method).
    `sign` is +1, -1 or 0 (a size without a direction).
    """

    line: int
    text: str  # the sentence
    clause: str  # the clause in lower case, for what it is compared with
    kind: str
    shown: str  # the claimed thing in the sentence's own words
    sign: int = 0
    low: float = 0.0
    high: float = math.inf
    in_words: bool = False  # a direction word, not just a sign
    judging: bool = False  # better or worse, which turns round where less is better
    precise: bool = False  # has a ± of its own
    hedged: bool = False
    split: int = 0  # where the claim ends in the clause: what it is compared with stands behind
    statistical: bool = False  # says "statistically" or "proven"


def claims_in(line: int, sentence: str) -> Iterator[Claim]:
    """The claims of a sentence (as `inline.readable` gives it) at `line`."""
    text = sentence.lower()
    if len(text) > _LONGEST:
        return
    if (
        "?" in text[len(text.rstrip(_ENDINGS)) :]
        or words.ELSEWHERE.search(text)
        or words.ALL_OF_THEM.search(text)
    ):
        return
    hedged = words.HEDGED.search(text) is not None
    # an interval in brackets explains a figure; its ends claim nothing by themselves
    text = _INTERVAL.sub(_blank_unless_named, text)
    welch = "welch" in sentence.lower()
    start = 0
    for cut in [*_CLAUSE.finditer(text), None]:
        clause = text[start : cut.start() if cut else len(text)]
        start = cut.end() if cut else start
        if not words.UNREAL.search(clause):
            yield from _of_clause(line, sentence, clause.strip(), hedged, welch)


def _blank_unless_named(match: re.Match[str]) -> str:
    """Blanks for an interval in brackets, but not where a ± or ministat's error is among it."""
    return (
        match[0] if "±" in match[0] or "ministat" in match[0] or "pooled" in match[0] else " " * len(match[0])
    )


def _of_clause(line: int, sentence: str, clause: str, hedged: bool, welch: bool) -> Iterator[Claim]:
    candidates: list[re.Match[str]] = []
    for match in _PERCENT.finditer(clause):
        before, after = clause[: match.start()], clause[match.end() :]
        size = _size(match["number"])
        if size is None:
            return
        if before.rstrip().endswith("±"):
            if candidates:
                low, high = _rounded(*size)
                kind = "welch error" if welch else "own error"
                yield Claim(line, sentence, clause, kind, f"± {match['number']} %", 0, low, high)
        elif _POOLED.search(before):
            low, high = _rounded(*size)
            yield Claim(line, sentence, clause, "pooled error", f"{match['number']} %", 0, low, high)
        elif words.MARGIN_AFTER.match(after):
            if _INSIDE.search(before):
                yield Claim(line, sentence, clause, "margin", f"{match['number']} %", 0, 0.0, size[0])
        elif words.CONFIDENCE_AFTER.match(after):
            continue
        elif words.OTHER_AFTER.match(after) or words.OTHER_BEFORE.search(_last_words(before, 6)):
            return
        else:
            candidates.append(match)
            if own := _own_arm(match, after):
                yield Claim(line, sentence, clause, "welch error" if welch else "own error", *own)
    if not candidates:
        claim = ratio_claimed(clause)
        if claim is not None:
            sign, low, high, shown, at = claim
            yield Claim(
                line, sentence, clause, "ratio", shown, sign, low, high,
                in_words=True, judging=True, hedged=hedged, split=at,
            )  # fmt: skip
        else:
            yield from _without_number(line, sentence, clause, hedged)
    elif len(candidates) == 1 or (len(candidates) == 2 and _joined(clause, *candidates)):
        yield from _number(line, sentence, clause, candidates, hedged)


def _own_arm(percent: re.Match[str], after: str) -> tuple[str, int, float, float] | None:
    """The larger arm of the interval right behind a percentage: how it is shown, no sign, its bounds."""
    found = _OWN_INTERVAL.match(after)
    size = _size(percent["number"])
    if not found or size is None or {found["low"][0], found["high"][0]} & {"<", ">"}:
        return None
    value = -size[0] if percent["sign"] == "-" else size[0]
    arm = max(value - float(found["low"]), float(found["high"]) - value)
    slack = 1.5 * 10.0 ** -size[1]  # the figure and the end are rounded, or cut off
    return found[0].strip(), 0, max(arm - slack, 0.0), arm + slack


def _number(
    line: int, sentence: str, clause: str, found: list[re.Match[str]], hedged: bool
) -> Iterator[Claim]:
    size = _bounds(clause, found)
    if size is None:
        return
    sign, low, high, before = size
    after = clause[found[-1].end() :]
    direction = _direction(before, after)
    if direction is None:
        return
    word_sign, judging = direction
    precise = after.lstrip(" )").startswith("±") or _OWN_INTERVAL.match(after) is not None
    if precise and not sign and not word_sign and _MINISTAT.search(before):
        sign = 1  # as ministat prints it
    if not sign and not word_sign and not _is_size(before, after):
        return
    shown = clause[found[0].start() : found[-1].end()].replace("-", "−")
    yield Claim(
        line, sentence, clause, "number", shown, sign or word_sign, low, high,
        in_words=bool(word_sign) and sign in (0, word_sign), judging=judging and not sign,
        precise=precise, hedged=hedged, split=found[-1].end(),
    )  # fmt: skip
    if sign and not precise:
        # the words before "(+2.9%)" are a claim of their own
        yield from _without_number(line, sentence, clause[: found[0].start()].rstrip(" ("), hedged)


def _bounds(clause: str, found: list[re.Match[str]]) -> tuple[int, float, float, str] | None:
    """Sign, lowest and highest size of a percentage (or of a range of two), and the clause before it."""
    first, last = found[0], found[-1]
    before, size = clause[: first.start()], _size(last["number"])
    if size is None or before.endswith("from ") or re.match(r"\s*to [+-]?~?\d", clause[last.end() :]):
        return None
    sign = _SIGNS[first["sign"]]
    low, high = _rounded(*size)
    spread = _RANGE.search(before)
    lower: tuple[float, int] | None = None
    if first is not last:
        lower = _size(first["number"])
    elif spread and (before.rstrip().endswith(("-", "–", "to")) or _BETWEEN.search(before)):
        lower, before = _size(spread["low"]), before[: spread.start()]
        sign = sign or _SIGNS[spread["sign"]]
    if lower is not None:
        if lower[0] > size[0] or before.endswith("from "):
            return None
        low = _rounded(*lower)[0]
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
    return sign, low, high, before


def _direction(before: str, after: str) -> tuple[int, bool] | None:
    """The direction that words give a number (0: none) and whether it judges; None where it is denied."""
    behind = directions.AFTER_NUMBER.match(after)
    if behind:
        kind = behind.lastgroup or ""
        return (1 if kind in ("better", "more") else -1), kind in ("better", "worse")
    near = _last_words(before, _NEAR)
    found: list[tuple[int, int, bool]] = []
    for pattern, sign, judging in (
        (directions.BETTER, 1, True),
        (directions.WORSE, -1, True),
        (directions.MORE, 1, False),
        (directions.LESS, -1, False),
    ):
        for match in pattern.finditer(near):
            if words.NEGATED.search(near[: match.start()]):
                return None
            found.append((match.end(), sign, judging))
    if not found:
        return 0, False
    end, sign, judging = max(found)
    between = near[end:]
    linked = directions.LINKED.search(near) or not between.strip()
    if not linked or (near.rstrip().endswith("(") and len({one[1] for one in found}) > 1):
        return 0, False
    return sign, judging


def _is_size(before: str, after: str) -> bool:
    """Whether a percentage without a direction is the size of a difference: "24% difference"."""
    if words.LEVEL.search(before) or words.NEGATED.search(before):
        return False
    behind = " ".join(after.split()[:3])
    near = _last_words(before, 5)
    return directions.SIZE.search(behind) is not None or (
        directions.SIZE.search(near) is not None and directions.LINKED.search(near) is not None
    )


def _without_number(line: int, sentence: str, clause: str, hedged: bool) -> Iterator[Claim]:
    up, down = directions.SAYS_UP.search(clause), directions.SAYS_DOWN.search(clause)
    other = words.OTHER_METRIC.search(clause)
    statistical = "statistical" in sentence.lower() or "proven" in sentence.lower()

    def claim(kind: str, match: re.Match[str], sign: int = 0) -> Claim:
        return Claim(
            line, sentence, clause, kind, match[0].strip(), sign,
            in_words=True, judging=True, hedged=hedged, split=match.end(), statistical=statistical,
        )  # fmt: skip

    for pattern, kind, sign in (
        (directions.SAYS_NOT_DOWN, "not", -1),
        (directions.SAYS_NOT_UP, "not", 1),
        (directions.SAYS_SAME, "same", 0),
    ):
        match = pattern.search(clause)
        if match:
            if not other and not words.NEGATED.search(clause[: match.start()]):
                yield claim(kind, match, sign)
            return
    if other or (up and down) or (directions.BETTER.search(clause) and directions.WORSE.search(clause)):
        return
    match = up or down
    if match and not words.NEGATED.search(clause[: match.start()]) and not re.search(r"\bn[o']t\b", match[0]):
        yield claim("direction", match, 1 if up else -1)


def _joined(clause: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """Two percentages that are the ends of one range: "2% to 3%", "between 2% and 3%"."""
    between = clause[first.end() : second.start()].strip()
    return between in ("-", "–", "to") or (between == "and" and clause[: first.start()].endswith("between "))


def _size(text: str) -> tuple[float, int] | None:
    """A number and its decimals; None where a comma may mean thousands."""
    whole, _, fraction = text.replace(",", ".").partition(".")
    if "," in text and len(fraction) == 3:
        return None
    return float(f"{whole}.{fraction or 0}"), len(fraction)


def _rounded(value: float, decimals: int) -> tuple[float, float]:
    """What people write as `value`: rounded to its decimals or cut off there; full tens are taken roughly."""
    unit = 10.0**-decimals
    low, high = value - 0.5 * unit, value + unit
    if not decimals and value >= 10 and value % 10 == 0:
        low, high = min(low, 0.9 * value), max(high, 1.1 * value)
    return max(low, 0.0) - 1e-9, high + 1e-9


def _last_words(text: str, count: int) -> str:
    """The last words of a text, blanks kept at the end."""
    found = list(re.finditer(r"\S+", text))
    return text[found[-count].start() :] if len(found) > count else text
