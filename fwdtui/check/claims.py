"""Sentences that claim a percentage, a factor or a direction, and what exactly they claim.

Only what can be read in one way becomes a claim: a clause with two percentages, a question, a hope, a
quotation of another measurement or a percentage of the CPU gives none.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fwdtui.check import directions, margins, words
from fwdtui.check.percentages import (
    OWN_INTERVAL,
    PERCENT,
    as_written,
    bounds,
    denied,
    is_range,
    least,
    limit,
    own_arm,
    size_of,
)
from fwdtui.check.ratios import ratio_claimed

_CLAUSE = re.compile(
    r";|(?<![\d%])\s(?:--|-|–|—)\s|\s(?:--|-|–|—)\s(?![+-]?\d)|, (?:and|so)\b"
    r"|,? \b(?:but|whereas|however|yet)\b"
    r"|,? \b(?:while|although|though|because|since)\b"
    r"(?! (?:[\w-]+ ){0,4}(?:on|off|enabled|disabled|removed|inactive)(?:[.,;:!)]|$))"
)
_ENDINGS = "!?. )\"'"
_POOLED = re.compile(r"\b(?:pooled|ministat's) (?:pooled )?(?:error|±) (?:is|of|was) $")
_MINISTAT = re.compile(r"\bministat\b[^:]*: $")
_INSIDE = re.compile(r"\b(?:inside|within) (?:the |a |its )?$")
_WITHIN = re.compile(r"\b(?:within|inside) (?:the |a )?±? ?$")
# an interval in brackets explains a figure; its ends claim nothing by themselves
_INTERVAL = re.compile(r"\([^()]*\b(?:ci|interval)\b[^()]*\)|\[[^\[\]]*%[^\[\]]*\]")
# nor does an aside on what was before, or on the whole, give the figure of the claim beside it
_ASIDE = re.compile(
    r"\((?:it |this |that )?(?:was|were|had been|out of|instead of|up from|down from)\b[^()]*\)"
)
_BEFORE_ITS_ERROR = re.compile(r"[+-]?(?<![\d.,])\d[\d.,]{0,20} ?± ?$")
"""A percentage whose "%" comes only after its error: "12 ± 0.3 %"."""
_AND = re.compile(r"\band (.*)")
_NO_CHANGE = (
    (directions.SAYS_NOT_DOWN, "not", -1),
    (directions.SAYS_NOT_UP, "not", 1),
    (directions.SAYS_SAME, "same", 0),
)
_NEAR = 8  # words before a number in which its direction is looked for
LONGEST = 1000
"""Characters of a sentence; a longer one is not read."""


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
    shown: str  # what is claimed, in the sentence's own words
    sign: int = 0
    low: float = 0.0
    high: float = math.inf
    in_words: bool = False  # a direction word, not just a sign
    judging: bool = False  # better or worse, which is reversed if less is better
    precise: bool = False  # has a ± of its own
    hedged: bool = False
    split: int = 0  # where the claim ends in the clause: what it is compared with follows
    statistical: bool = False  # says "statistically" or "proven"
    tentative: bool = False  # "it seems", "inconclusive"
    margin: float | None = None  # percent, up to which its sentence calls a difference none
    limit: float | None = None  # percent: "at most 1 % slower", "less than 1 % slower"
    at_most: bool = False  # the limit is of the first kind, which says only that it is not more
    least: float | None = None  # "at least 3 % faster", "more than 3 %": percent; "more than 2x": the factor
    of_two: tuple[str, str] | None = None  # "r1 and r2 are the same": the words for each; empty: the only two


def claims_in(line: int, sentence: str) -> Iterator[Claim]:
    """The claims of a sentence (as `inline.readable` gives it) at `line`."""
    text = _claiming(sentence)
    hedged = words.HEDGED.search(text) is not None
    welch = "welch" in sentence.lower()
    for clause in _clauses(_ASIDE.sub(_blank, _INTERVAL.sub(_blank_unless_named, text))):
        yield from _of_clause(line, sentence, clause, hedged, welch)


def unread_in(sentence: str) -> Iterator[str]:
    """What a sentence claims in its clauses and asides, but `claims_in` does not read.

    That is percentages with a direction, factors in asides, and a direction after "and" if the clause claims
    a figure before it.
    """
    for clause, bare in clauses_of(sentence):
        read = [one for one in _of_clause(0, sentence, bare, False, False) if one.kind in ("number", "ratio")]
        asides = [match.span() for match in _ASIDE.finditer(clause)]
        for match in PERCENT.finditer(clause):
            aside = any(start <= match.start() < end for start, end in asides)
            # an aside may say the direction itself: "(it was 7 % faster)"
            if (aside or not read) and _of_a_change(clause if aside else bare, match):
                figure = _BEFORE_ITS_ERROR.search(clause[: match.start()])
                yield clause[figure.start() if figure else match.start() : match.end()].strip()
        for start, end in asides:
            if (ratio := ratio_claimed(clause[start:end])) is not None:
                yield ratio.shown
        further = _AND.search(bare, read[-1].split) if read else None
        says = (directions.SAYS_UP, directions.SAYS_DOWN, directions.SAYS_SAME)
        for pattern in says if further else ():
            if further and (found := pattern.search(further[1])):
                yield found[0].strip()


def clauses_of(sentence: str) -> Iterator[tuple[str, str]]:
    """The clauses of a sentence that may claim something: as they are, and with blanks for their asides."""
    for clause in _clauses(_INTERVAL.sub(_blank_unless_named, _claiming(sentence))):
        yield clause, _ASIDE.sub(_blank, clause)


def _of_a_change(clause: str, percent: re.Match[str]) -> bool:
    """Whether a percentage is that of a change, and not of a test, a margin or something but forwarding."""
    before, after = percent.string[: percent.start()], percent.string[percent.end() :]
    if before.rstrip().endswith("±"):
        return _BEFORE_ITS_ERROR.search(before) is not None
    if _POOLED.search(before) or denied(before):
        return False
    if of_a_test(before, after):
        return False
    if directions.PERHAPS_AFTER.match(after):
        return True
    if words.OTHER_AFTER.match(after):
        return False
    if words.OTHER_BEFORE.search(_last_words(before, 6)):
        # "queues 4: 7 % faster" and "queues 4: 7 % higher", but not "CPU usage is 7 % lower"
        changed = directions.AFTER_NUMBER.match(after) is not None
        return changed and (directions.says_speed(after) or not words.OTHER_METRIC.search(clause))
    said = (
        directions.BETTER, directions.WORSE, directions.MORE, directions.LESS, directions.PERHAPS_CHANGED,
    )  # fmt: skip
    ahead = directions.AHEAD_AFTER.match(after) or directions.AHEAD_BEFORE.search(before)
    return percent["sign"] is not None or ahead is not None or any(one.search(clause) for one in said)


def of_a_test(before: str, after: str) -> bool:
    """Whether the words around a percentage say that it is a margin or a confidence."""
    around = words.MARGIN_AFTER.match(after) or words.CONFIDENCE_AFTER.match(after)
    return around is not None or words.MARGIN_BEFORE.search(before) is not None


def _claiming(sentence: str) -> str:
    """A sentence in lower case, as far as it can claim something; "" where it does not."""
    text = sentence.lower()
    if len(text) > LONGEST:
        return ""
    if (
        "?" in text[len(text.rstrip(_ENDINGS)) :]
        or words.ELSEWHERE.search(text)
        or words.ALL_OF_THEM.search(text)
        or words.EXPLAINED.search(text)
    ):
        return ""
    if tags := [*words.NOT_OF_ITERATIONS.finditer(text)]:
        # what ministat says may follow, after a full stop; it begins with a small letter
        text = text[tags[-1].end() :].partition(". ")[2]
    return text


def _clauses(text: str) -> Iterator[str]:
    """The clauses of a sentence that state a fact."""
    start = 0
    for divider in [*_CLAUSE.finditer(text), None]:
        clause = text[start : divider.start() if divider else len(text)]
        start = divider.end() if divider else start
        if not words.UNREAL.search(clause):
            yield clause.strip()


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _blank_unless_named(match: re.Match[str]) -> str:
    """Blanks for an interval in brackets, but not if it has a ± or names ministat's error."""
    return (
        match[0] if "±" in match[0] or "ministat" in match[0] or "pooled" in match[0] else " " * len(match[0])
    )


def _of_clause(line: int, sentence: str, clause: str, hedged: bool, welch: bool) -> Iterator[Claim]:
    candidates: list[re.Match[str]] = []
    some_denied = False
    for match in PERCENT.finditer(clause):
        before, after = clause[: match.start()], clause[match.end() :]
        size = size_of(match["number"])
        if size is None:
            return
        if before.rstrip().endswith("±"):
            if candidates:
                low, high = as_written(*size)
                kind = "welch error" if welch else "own error"
                yield Claim(line, sentence, clause, kind, f"± {match['number']} %", 0, low, high)
        elif _POOLED.search(before):
            low, high = as_written(*size)
            yield Claim(line, sentence, clause, "pooled error", f"{match['number']} %", 0, low, high)
        elif words.MARGIN_AFTER.match(after):
            if _INSIDE.search(before):
                yield Claim(line, sentence, clause, "margin", f"{match['number']} %", 0, 0.0, size[0])
        elif words.CONFIDENCE_AFTER.match(after):
            continue
        elif words.MARGIN_BEFORE.search(before):
            continue  # "no impact within a margin of 5 %"
        elif _WITHIN.search(before) and any(says.search(clause) for says, _, _ in _NO_CHANGE):
            continue  # "the same within 2 %": what it calls the same, or how far iterations are apart
        elif words.OTHER_AFTER.match(after) or _of_something_else(clause, match):
            return
        elif denied(before):
            some_denied = True  # "not 10 % but 3 %" claims the second alone
        else:
            candidates.append(match)
            if own := own_arm(match, after):
                yield Claim(line, sentence, clause, "welch error" if welch else "own error", *own)
    if not candidates and some_denied:
        return
    if not candidates:
        claim = ratio_claimed(clause)
        if claim is not None:
            yield Claim(
                line, sentence, clause, "ratio", claim.shown, claim.sign, claim.low, claim.high,
                in_words=True, judging=True, hedged=hedged, split=claim.end, least=claim.least,
            )  # fmt: skip
        else:
            yield from _without_number(line, sentence, clause, hedged)
    elif len(candidates) == 1 or (len(candidates) == 2 and is_range(clause, *candidates)):
        yield from _number(line, sentence, clause, candidates, hedged)


def _of_something_else(clause: str, percent: re.Match[str]) -> bool:
    """Whether words before a percentage say that it is one of something else: "CPU load: 7 %".

    What it was measured under ("under load, r2 is 7 % faster") does not say so if the words after the
    percentage speak of speed.
    """
    before, after = clause[: percent.start()], clause[percent.end() :]
    if directions.says_speed(after) and not words.OTHER_METRIC.search(clause):
        before = words.CONDITION.sub(" ", before)
    return words.OTHER_BEFORE.search(_last_words(before, 6)) is not None


def _number(
    line: int, sentence: str, clause: str, percents: list[re.Match[str]], hedged: bool
) -> Iterator[Claim]:
    size = bounds(clause, percents)
    if size is None:
        return
    sign, low, high, before = size
    after = clause[percents[-1].end() :]
    direction = _direction(before, after)
    if direction is None or (not sign and directions.OVER.search(clause) and not directions.says_how(after)):
        return  # of a change that is over or excluded, nobody says that it is there
    word_sign, judging = direction
    if sign > 0 and _is_plus_of_a_loss(before, after):
        sign, word_sign, judging = 0, -1, True
    precise = after.lstrip(" )").startswith("±") or OWN_INTERVAL.match(after) is not None
    if precise and not sign and not word_sign and _MINISTAT.search(before):
        sign = 1  # as ministat prints it
    if not sign and not word_sign and not _is_size(before, after):
        return
    shown = clause[percents[0].start() : percents[-1].end()].replace("-", "−")
    most, at_most = limit(clause, percents) or (None, False)
    if most is not None and not precise:
        high = most  # a bound is no rounded figure: "less than 1 %" is not 1.9 %
    fewest = None if precise else least(clause, percents)
    if fewest is not None:
        low = fewest  # and "at least 3 %" is not 2.6 %
    yield Claim(
        line, sentence, clause, "number", shown, sign or word_sign, low, high,
        in_words=bool(word_sign) and sign in (0, word_sign), judging=judging and not sign,
        precise=precise, hedged=hedged, split=percents[-1].end(), limit=most, at_most=at_most,
        least=fewest,
    )  # fmt: skip
    if sign and not precise:
        # the words before "(+2.9%)" are a claim of their own
        yield from _without_number(line, sentence, clause[: percents[0].start()].rstrip(" ("), hedged)


def _is_plus_of_a_loss(before: str, after: str) -> bool:
    """Whether a percentage with a plus is the size of a loss: "overhead: +10 %", "+10 % slower"."""
    if behind := directions.AFTER_NUMBER.match(after):
        return behind.lastgroup == "worse"
    near = _last_words(before, _NEAR)
    losses = list(directions.LOSS.finditer(near))
    if not losses:
        return False
    first, rest = near[: losses[-1].start()], near[losses[-1].end() :]
    if rest.strip() and directions.LINKED.search(before) is None:
        return False
    righted = directions.RIGHTED.search(near) or words.NEGATED.search(first)
    others = (directions.BETTER, directions.MORE, directions.LESS)
    return not righted and not any(one.search(f"{first} {rest}") for one in others)


def _direction(before: str, after: str) -> tuple[int, bool] | None:
    """The direction that words give a number (0: none) and whether it judges; None where it is denied."""
    behind = directions.AFTER_NUMBER.match(after)
    if behind:
        kind = behind.lastgroup or ""
        return (1 if kind in ("better", "more") else -1), kind in ("better", "worse")
    near = _last_words(before, _NEAR)
    directions_said: list[tuple[int, int, bool]] = []
    for pattern, sign, judging in (
        (directions.BETTER, 1, True),
        (directions.WORSE, -1, True),
        (directions.MORE, 1, False),
        (directions.LESS, -1, False),
    ):
        for match in pattern.finditer(near):
            if words.NEGATED.search(near[: match.start()]):
                return None
            directions_said.append((match.end(), sign, judging))
    if not directions_said:
        return 0, False
    end, sign, judging = max(directions_said)
    between = near[end:]
    linked = directions.LINKED.search(near) or not between.strip()
    if not linked or (near.rstrip().endswith("(") and len({one[1] for one in directions_said}) > 1):
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
    lower = sentence.lower()
    statistical = "statistical" in lower or "proven" in lower
    tentative = words.TENTATIVE.search(lower) is not None
    named = margins.of_sentence(lower)

    def claim(kind: str, match: re.Match[str], sign: int = 0) -> Claim:
        beside = directions.WITHIN_AFTER.match(clause, match.end()) or directions.WITHIN_BEFORE.search(
            clause[: match.start()]
        )
        margin = float(next(filter(None, beside.groups()))) if named is None and beside else named
        return Claim(
            line, sentence, clause, kind, match[0].strip(), sign,
            in_words=True, judging=True, hedged=hedged, split=match.end(), statistical=statistical,
            tentative=tentative, margin=margin,
        )  # fmt: skip

    if not other and (match := directions.SAYS_SAME_OF_TWO.search(clause)):
        if not words.NEGATED.search(clause[: match.start()]):
            of_two = (match["one"] or match["first"] or "", match["two"] or match["second"] or "")
            yield replace(claim("same", match), of_two=of_two)
        return
    if not other and (match := directions.SAYS_NOT_SIGNIFICANT.search(clause)):
        yield replace(claim("same", match), statistical=True)
        return
    for pattern, kind, sign in _NO_CHANGE:
        match = pattern.search(clause)
        if match:
            if not other and not words.NEGATED.search(clause[: match.start()]):
                yield claim(kind, match, sign)
            return
    if other or (up and down) or (directions.BETTER.search(clause) and directions.WORSE.search(clause)):
        return
    match = up or down
    if match and directions.EXCLUDED.search(clause[: match.start()]):
        return
    if match and not words.NEGATED.search(clause[: match.start()]) and not re.search(r"\bn[o']t\b", match[0]):
        yield claim("direction", match, 1 if up else -1)


def _last_words(text: str, count: int) -> str:
    """The last words of a text, with the blanks at its end."""
    word_matches = list(re.finditer(r"\S+", text))
    return text[word_matches[-count].start() :] if len(word_matches) > count else text
