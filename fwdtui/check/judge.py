"""One claim against one block: the reason why they cannot both be right, or None.

A claim is accepted if any reading of it fits any of the block's results. Sizes that are no bounds may be
rounded or cut off as people do, may be anything within the block's own ± (unless the claim has a ± of its
own), and may be taken from the medians instead of the averages. A claim that is true of one set against the
other and false of the reverse is neither accepted nor refused unless it says which of them it means:
`undecided`.
"""

import math

from fwdtui.check.claims import Claim
from fwdtui.check.equivalence import MARGIN, not_shown
from fwdtui.check.interval import Interval
from fwdtui.check.meant import meant
from fwdtui.check.orientation import BACKWARD, EITHER, ELSEWHERE, FORWARD, REVERSED, orientation
from fwdtui.check.results import Result, results
from fwdtui.check.welch import welch_errors
from fwdtui.core.parse.ministat_block import Block
from fwdtui.stats.figures import in_percent
from fwdtui.stats.ministat.inputs import FEWEST_VALUES

_ANY_ERROR = 4.0  # times: between the error and the standard deviation of sets of some hundred values
_SLACK = 1e-9
_ORIENTED = ("number", "ratio", "direction", "not")
"""The kinds of claims that compare one set with the other."""
_SHOWN = 0.005  # percent: with the two decimals of a finding nothing smaller beyond a bound could be shown
UNDECIDED = "it is not clear which of the two sets is the baseline, and the claim holds only one way round"
NEITHER = "it compares with neither set of the block"
OF_SEVERAL = "it names several sets of the block, and the claim does not hold for all of them"


def contradiction(claim: Claim, block: Block, margin: float = MARGIN) -> str | None:
    """What the block says instead ("the block at lines 3–9 gives …"), or None where the claim may be true.

    `margin` (percent) is what the text calls no difference; a claim's own margin takes precedence.
    """
    asked = [result for result in meant(claim, block)[0] if not about_another(claim, result)]
    reasons = [against(claim, result, margin) for result in asked]
    if not reasons or None in reasons:
        return None
    place = f"the block at lines {block.first_line}–{block.last_line}"
    if any(result.block != block for result in asked):  # of two later sets
        named = (
            f"{one.names[1]} against {one.names[0]} {why}" for one, why in zip(asked, reasons, strict=True)
        )
        return f"in {place}, {', '.join(named)}"
    return f"{place} {', '.join(dict.fromkeys(reason for reason in reasons if reason))}"


def left_open(claim: Claim, block: Block, margin: float = MARGIN) -> str:
    """Why a claim that a block does not contradict is not borne out either; "" if it is."""
    results_meant, each = meant(claim, block)
    asked = [result for result in results_meant if not about_another(claim, result)]
    if not asked:
        return NEITHER
    fitting = [result for result in asked if against(claim, result, margin) is None]
    if each and len(fitting) < len(asked):
        return OF_SEVERAL
    return UNDECIDED if fitting and all(undecided(claim, result, margin) for result in fitting) else ""


def comparable(block: Block) -> bool:
    """Whether a block has a result that a claim can be checked against."""
    return bool(results(block))


def against(claim: Claim, result: Result, margin: float = MARGIN, *, way: str = "") -> str | None:
    """Why a claim is not true of one result: "gives +2.99 % ± 0.26 %"; None where it may be true.

    `way`: FORWARD or REVERSED, if it is known which set it compares with which; "": its own words say so.
    """
    margin = margin if claim.margin is None else claim.margin
    if claim.kind == "same":
        return _against_same(claim, result, margin)
    if claim.kind == "pooled error":
        return _against_error(claim, result, result.errors, "ministat's error")
    if claim.kind == "welch error":
        return _against_error(claim, result, welch_errors(result), "Welch's error")
    if claim.kind == "own error":
        return _against_any_error(claim, result)
    if claim.kind == "margin":
        return f"gives {result.shown}" if abs(result.percent) > claim.high + _SLACK else None
    turned = way or orientation(claim, result)
    if turned == ELSEWHERE:
        return None
    if turned != EITHER:
        return _against_turned(claim, result, turned, margin)
    reasons = [_against_turned(claim, result, one, margin) for one in (FORWARD, BACKWARD)]
    return None if None in reasons else reasons[0]


def undecided(claim: Claim, result: Result, margin: float = MARGIN) -> bool:
    """Whether a claim is true of one set against the other, false of the reverse, and does not say which."""
    if claim.kind not in _ORIENTED or not claim.sign or orientation(claim, result) != EITHER:
        return False
    margin = margin if claim.margin is None else claim.margin
    reasons = [_against_turned(claim, result, one, margin) for one in (FORWARD, BACKWARD)]
    return (reasons[0] is None) != (reasons[1] is None)


def supported(claim: Claim, result: Result, margin: float = MARGIN) -> str:
    """What a result says for a claim that it bears out: "r2 against r1 gives +0.15 % ± 0.80 %".

    With the margin, if the claim is one of no change and the margin is not the usual one.
    """
    margin = margin if claim.margin is None else claim.margin
    told = f" (margin {in_percent(margin)})" if claim.kind in ("same", "not") and margin != MARGIN else ""
    return f"{result.where} gives {result.shown}{told}"


def about_another(claim: Claim, result: Result) -> bool:
    """Whether a claim compares with something that is neither set, so that `against` cannot refute it."""
    return claim.kind in _ORIENTED and orientation(claim, result) == ELSEWHERE


def _against_turned(claim: Claim, result: Result, turned: str, margin: float) -> str | None:
    sign = -claim.sign if claim.judging and result.less_is_better else claim.sign
    if claim.kind == "direction":
        return _against_direction(claim, result, sign, turned)
    if claim.kind == "not":
        return _against_not(claim, result, sign, turned, margin)
    if claim.limit is not None and _bounds_only(claim, result, sign, turned):
        return _against_not(claim, result, sign, turned, claim.limit)
    low, high = claim.low, claim.high
    if claim.kind == "ratio":
        if sign != claim.sign:
            low, high = 1.0 / high, 1.0 / low
        error, slack = (result.error, 0.0) if claim.least is None else (0.0, _SHOWN / 100)
        fits = any(
            Interval(point.low / 100 + 1, point.high / 100 + 1).meets(Interval(low - slack, high + slack))
            for point in _points(result, turned, error)
        )
        return None if fits else f"gives {result.shown}"
    bounded = claim.limit is not None and result.differs is True and not claim.precise
    if bounded:
        high += _SHOWN
    if claim.least is not None:
        low -= _SHOWN
    exact = claim.precise or bounded or claim.least is not None
    if not _fits(result, turned, sign, low, high, 0.0 if exact else result.error):
        return f"gives {result.shown}"
    if claim.in_words and result.differs is False and not claim.precise and not claim.hedged:
        return f"proves no difference at {result.confidence:g} %"
    return None


def _against_same(claim: Claim, result: Result, margin: float) -> str | None:
    if claim.statistical or claim.tentative:
        # what a test said, or no more than a guess: false only where the opposite is proven
        small = abs(result.percent) < margin and not claim.statistical
        return f"proves a difference: {result.shown}" if result.differs and not small else None
    return not_shown(result, 0, margin)


def _against_not(claim: Claim, result: Result, sign: int, turned: str, margin: float) -> str | None:
    """No regression, no improvement: the values did not go in the direction `sign`."""
    if claim.statistical or claim.tentative:
        proven = result.differs and _signs(result, turned) == {sign}
        small = abs(result.percent) < margin
        return f"proves it: {result.shown}" if proven and not small else None
    return not_shown(result, sign if turned == FORWARD else -sign, margin)


def _bounds_only(claim: Claim, result: Result, sign: int, turned: str) -> bool:
    """Whether a claim with a limit ("at most 1 % slower") has to be judged as a bound on a loss or a gain.

    Where no difference is proven there is no size that could be too large: the data show the bound, or they
    cannot exclude more. "At most" is also right where the values went the other way.
    """
    if not claim.in_words or claim.precise or claim.hedged:
        return False
    if result.differs is False:
        return True
    other_way = sign not in _signs(result, turned)
    return claim.at_most and result.differs is True and other_way


def _against_direction(claim: Claim, result: Result, sign: int, turned: str) -> str | None:
    if result.differs is False and not claim.hedged:
        return f"proves no difference at {result.confidence:g} %"
    if result.differs and sign not in _signs(result, turned):
        return f"gives {result.shown}"
    return None


def _against_error(claim: Claim, result: Result, errors: tuple[Interval, ...], name: str) -> str | None:
    claimed = Interval(claim.low, claim.high)
    if not errors or any(abs(error).meets(claimed) for error in errors):
        return None
    options = " or ".join(dict.fromkeys(f"{abs(error).middle:.3g} %" for error in errors))
    return f"gives {options} as {name}"


def _against_any_error(claim: Claim, result: Result) -> str | None:
    """A ± of no named method may be of another level, or a standard deviation: reported if neither fits."""

    def possible(errors: tuple[Interval, ...]) -> bool:
        claimed = Interval(claim.low, claim.high)
        return any(
            Interval(size.low / _ANY_ERROR, size.high * _ANY_ERROR).meets(claimed)
            for size in map(abs, errors)
        )

    if min(result.base.n, result.other.n) < FEWEST_VALUES:
        return None  # of two values the interval at 99 % is five times as wide as that at 95 %
    if not result.errors or possible(result.errors) or possible(welch_errors(result)):
        return None
    return f"gives {result.shown}"


def _fits(result: Result, turned: str, sign: int, low: float, high: float, error: float) -> bool:
    """Whether a size from `low` to `high` in direction `sign` (0: either) is among the results."""
    sizes = [Interval(low, high)] if sign >= 0 else []
    sizes += [Interval(-high, -low)] if sign <= 0 else []
    return any(point.meets(size) for point in _points(result, turned, error) for size in sizes)


def _points(result: Result, turned: str, error: float) -> list[Interval]:
    """What may be quoted as the difference: within `error` of the averages, but on the same side of zero."""
    if turned == REVERSED:
        return [*result.backward]
    points, around = [*result.points], [result.points[0]]
    if turned == BACKWARD:
        # people also reverse the sentence and keep the number
        points = [*result.backward, *(-point for point in result.points)]
        around = [-result.points[0]]
    for point in around:
        wide = point.wider(error)
        points.append(
            Interval(max(wide.low, 0.0), wide.high)
            if point.middle >= 0
            else Interval(wide.low, min(wide.high, 0.0))
        )
    return points


def _signs(result: Result, turned: str) -> set[int]:
    sign = 1 if turned == FORWARD else -1
    return {sign * int(math.copysign(1, point.middle)) for point in result.points if point.middle}
