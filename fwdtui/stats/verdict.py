"""From pairs of sets to verdicts that can be trusted."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.metrics import LESS, MORE, one_unit
from fwdtui.core.model import Caution
from fwdtui.stats import cautions, ministat
from fwdtui.stats.block_cautions import block_cautions, not_together, otherwise
from fwdtui.stats.caps import TOLERANCE, Cap, cap_of, reach
from fwdtui.stats.describe import describe
from fwdtui.stats.design_wording import analysis_of
from fwdtui.stats.explain import Explanation, Steps
from fwdtui.stats.figures import in_percent, margin, p_is
from fwdtui.stats.interaction_verdict import Cross, interaction, why_not
from fwdtui.stats.looks import looks_of, unplanned_look
from fwdtui.stats.moments import finite
from fwdtui.stats.pair_cautions import pair_cautions
from fwdtui.stats.pair_tests import PairTests, run_tests
from fwdtui.stats.pairs import Pair, prepare
from fwdtui.stats.planning import spread_in_words
from fwdtui.stats.results import (
    Comparison,
    Description,
    Difference,
    Factors,
    Interaction,
    Judged,
    Look,
    NotSlower,
    ResultSet,
)
from fwdtui.stats.values import digest_all
from fwdtui.stats.wording import difference_cell, iterations_more, of_what, sentence


class Verdicts(NamedTuple):
    """All verdicts that are shown together, in the order in which they were asked for."""

    judged: list[Judged]
    interactions: list[Interaction]


class _Shown(NamedTuple):
    """How many tests share the error rate, and how many of them are interactions."""

    tests: int
    interactions: int

    @property
    def comparisons(self) -> int:
        return self.tests - self.interactions


class _Sets:
    """What is to be said of each set by itself, found once: the base is in a comparison with each candidate.

    Sets are told apart by identity: the pairs hold them meanwhile.
    """

    def __init__(self, margin_percent: float, shown: int) -> None:
        self._margin_percent, self._shown = margin_percent, shown
        self._described: dict[int, Description] = {}
        self._caps: dict[int, Cap | None] = {}
        self._cautions: dict[tuple[int, bool, str, bool], list[Caution]] = {}

    def described(self, results: ResultSet) -> Description:
        if id(results) not in self._described:
            self._described[id(results)] = describe(results)
        return self._described[id(results)]

    def cap(self, results: ResultSet) -> Cap | None:
        if id(results) not in self._caps:
            self._caps[id(results)] = cap_of(results)
        return self._caps[id(results)]

    def cautions(
        self, results: ResultSet, tested: ResultSet, *, planned: bool, unit: str, paired: bool
    ) -> list[Caution]:
        """As set_cautions; `tested` is the set itself, or made for one comparison."""
        key = id(results), planned, unit, paired
        if tested is results and key in self._cautions:
            return self._cautions[key]
        warnings = cautions.set_cautions(
            *(results, self.described(results), self._margin_percent, self._shown),
            planned=planned,
            tested=tested,
            unit=unit,
            paired=paired,
        )
        if tested is results:
            self._cautions[key] = warnings
        return warnings


def judge(
    pairs: Sequence[tuple[str, ResultSet, ResultSet]],
    *,
    margin_percent: float = 1.0,
    confidence: float = 95.0,
) -> list[Judged]:
    """The verdicts of `judge_all` where no interaction is shown."""
    return judge_all(pairs, margin_percent=margin_percent, confidence=confidence).judged


def judge_all(
    pairs: Sequence[tuple[str, ResultSet, ResultSet]],
    crosses: Sequence[Cross] = (),
    *,
    margin_percent: float = 1.0,
    confidence: float = 95.0,
) -> Verdicts:
    """A verdict on each (case, base, other), and on each interaction of two of them.

    Which values are better follows from their unit (core/metrics.py); a set without a unit has the other's.
    All of it together is "everything shown": Holm's correction runs over it, once for differences and once
    for equivalence. `margin_percent` (of the base's mean) is the smallest difference that matters,
    0 <= margin < 100; `confidence` is in percent, between 0 and 100. Raises FwdtuiError for any other, and
    for pairs in different units. No number of the result is NaN or infinite, whatever the values (but
    `Judged.base` and `.other` are as they came). `confidence` is that of all looks together: if an experiment
    has planned looks, all is judged at the confidence of the current one (looks.py), the strictest of
    several.
    """
    if not 0.0 <= margin_percent < 100.0:
        raise FwdtuiError(
            f"a margin of {margin(margin_percent)} makes no sense: give 0 or more, and less than 100"
        )
    if not 0.0 < confidence < 100.0:
        raise FwdtuiError(
            f"a confidence of {in_percent(confidence)} makes no sense: give more than 0 and less than 100"
        )
    for case, *sides in pairs:
        one_unit((f"{side.label} {case}", side.unit) for side in sides)
    looks = looks_of(pairs, confidence)
    confidence = max((look.confidence for look in looks if look is not None), default=confidence)
    looks = [None if look is None else replace(look, confidence=confidence) for look in looks]
    digest_all(side.values for _, *sides in pairs for side in sides)
    prepared = [prepare(*pair) for pair in pairs]
    testable = [place for place, pair in enumerate(prepared) if pair.impossible is None]
    reasons = [why_not(prepared[cross.first], prepared[cross.second]) for cross in crosses]
    squares = [
        (testable.index(cross.first), testable.index(cross.second))
        for cross, reason in zip(crosses, reasons, strict=True)
        if reason is None
    ]
    results = run_tests([prepared[place] for place in testable], margin_percent, confidence, squares)
    shown, tested = _Shown(len(testable) + len(squares), len(squares)), iter(results.pairs)
    sets = _Sets(margin_percent, shown.comparisons)
    judged = [
        _judged(
            *(pair, next(tested) if pair.impossible is None else None, shown, margin_percent, confidence),
            *(look, sets),
        )
        for pair, look in zip(prepared, looks, strict=True)
    ]
    of_squares = iter(results.squares)
    return Verdicts(
        judged,
        [
            interaction(cross, judged, None if reason else next(of_squares), reason, shown)
            for cross, reason in zip(crosses, reasons, strict=True)
        ],
    )


def verdict_of(
    different: bool, equivalent: bool, better: bool, base: Cap | None, other: Cap | None, alike: bool = True
) -> str:
    """The verdict from what is proven; `better`: whether the other has the better mean.

    Equivalence wins over a difference that is proven too: it is real, but smaller than the margin.

    The mean of a set with a capped value is a lower bound of what the DUT can do. Below such a base, `other`
    is still slower; such an `other` above the base is still faster. If both are lower bounds, a difference
    counts only if one set is at its limit in every iteration and the other is not, although it could have
    been (`alike`: it was offered as much): one then forwarded a load that the other did not. Equivalence with
    a lower bound means nothing, so a difference counts however small it is.
    """
    if base is None and other is None:
        if equivalent or not different:
            return "equivalent" if equivalent else "inconclusive"
        return "faster" if better else "slower"
    claim = ("faster" if better else "slower") if different else ""
    if base is None or other is None:
        possible = "slower" if other is None else "faster"
    else:
        of_two = {(True, False): "slower", (False, True): "faster"}
        possible = of_two.get((base.whole, other.whole), "") if alike else ""
    if claim and claim == possible:
        return claim
    only = base or other
    open_still = (base is None or other is None) and only is not None and not only.whole
    return "inconclusive" if open_still and not different and not equivalent else "capped"


def _judged(
    pair: Pair,
    tested: PairTests | None,
    shown: _Shown,
    margin_percent: float,
    confidence: float,
    look: Look | None,
    sets: _Sets,
) -> Judged:
    base, other = sets.described(pair.base), sets.described(pair.other)
    # what was offered bounds a rate, and nothing else
    base_cap, other_cap = (None, None) if pair.less else (sets.cap(pair.base), sets.cap(pair.other))
    silent = pair.impossible or pair.doubtful
    if base_cap and other_cap and base_cap.whole and other_cap.whole and min(base.n, other.n) > 1:
        silent = None  # both sets are at a limit, often without any spread: the limit is the better reason
    silent = pair.unlike or silent
    result = tested or PairTests(_untested(base, other, confidence), Steps(shown.tests))
    analysis = analysis_of(pair.design, result.plan, (base.label, other.label), look)
    gain = _gain(result.difference) if pair.logs is not None else _is_less(pair)
    better = gain != pair.less
    if silent is not None:
        verdict = "inconclusive"
    else:
        alike = _could_reach(pair.other, base) and _could_reach(pair.base, other)
        verdict = verdict_of(result.different, result.equivalent, better, base_cap, other_cap, alike)
    # nothing is proven equal to a lower bound: with more values of the same load the verdict is "capped"
    no_plan = verdict == "capped" or (verdict == "inconclusive" and (base_cap or other_cap) is not None)
    steps = result.steps._replace(
        base_cap=_why_capped(base_cap), other_cap=_why_capped(other_cap), spread=spread_in_words(pair)
    )
    comparison = Comparison(
        case=pair.case,
        base=base,
        other=other,
        difference=result.difference,
        ministat=ministat.pair(pair.base.values, pair.other.values, confidence),
        verdict=verdict,
        margin_percent=float(margin_percent),
        # the spread of capped values is the generator's, so it says nothing about what could be found
        detectable_percent=None if verdict == "capped" else result.detectable_percent,
        iterations_needed=None if verdict == "capped" else result.iterations_needed,
        to_decide=None if no_plan else result.to_decide,
        warnings=(),
        not_slower=_not_slower(
            result, silent, base, base_cap is not None, verdict, margin_percent, pair.less
        ),
        cannot_say=silent.text if silent else None,
        unit=pair.unit or None,
        better=LESS if pair.less else MORE,
        factors=Factors(pair.base.factors, pair.other.factors),
        analysis=replace(analysis, to_decide=None) if no_plan else analysis,
    )
    warnings = _warnings(pair, silent, comparison, result, shown.comparisons, sets)
    comparison = replace(comparison, warnings=warnings)
    text = sentence(
        comparison,
        cannot_say=silent.text if silent else None,
        limit=_limit_clause(base.label, base_cap, other.label, other_cap),
        at_least=base_cap is None or other_cap is None,
        shown=shown.tests,
        interactions=shown.interactions,
    )
    return Judged(comparison, pair.base, pair.other, text, Explanation(comparison, steps, text))


def _not_slower(
    result: PairTests,
    silent: Caution | None,
    base: Description,
    base_capped: bool,
    verdict: str,
    margin_percent: float,
    less: bool,
) -> NotSlower:
    """Whether a loss as large as the margin is ruled out; never if the verdict is a loss."""
    if silent is not None:
        return NotSlower(why_not=silent.text.removeprefix("cannot say, because ").rstrip("."))
    if base_capped:
        return NotSlower(why_not=f"the values of {base.label} are lower bounds: offer more")
    p, p_adjusted = result.not_slower_p, result.not_slower_p_adjusted
    if p is None:
        return NotSlower(why_not=f"the mean of {base.label} is not above zero")
    if result.not_slower and verdict != "slower":
        return NotSlower(True, p, p_adjusted)
    loss = "an increase" if less else "a loss"
    why_not = f"{loss} of {margin(margin_percent)} or more is not ruled out ({p_is(p_adjusted)})"
    return NotSlower(False, p, p_adjusted, f"{loss} is proven" if verdict == "slower" else why_not)


def _is_less(pair: Pair) -> bool:
    """Whether the base has the smaller mean, of the values that are tested.

    If boots have unequal numbers of iterations, the means of all iterations may be the other way round. The
    difference is not computed, as it may be larger than any double.
    """
    return bool(pair.base_moments.mean < pair.other_moments.mean)


def _gain(difference: Difference) -> bool:
    """Whether the other is larger according to the blocks' ratios; the means of all values may differ."""
    return difference.percent is not None and difference.percent > 0.0


def _untested(base: Description, other: Description, confidence: float) -> Difference:
    """What can be said of the difference without any test: the plain numbers, where there are any."""
    absolute = percent = None
    if base.mean is not None and other.mean is not None:
        absolute = finite(other.mean - base.mean)
        if base.mean > 0.0:
            percent = finite(100.0 * (other.mean / base.mean - 1.0))
    return Difference(absolute, percent, None, None, float(confidence), None, None, "no test is possible")


def _why_capped(cap: Cap | None) -> str | None:
    return None if cap is None else cautions.cap_reason(cap)


def _could_reach(results: ResultSet, beside: Description) -> bool:
    """Whether the set was offered enough to reach the mean of the other one, `beside`."""
    return beside.mean is not None and reach(results) >= (1.0 - TOLERANCE) * beside.mean


def _limit_clause(base: str, base_cap: Cap | None, other: str, other_cap: Cap | None) -> str:
    """Which set is at which limit, for the sentence: ``new is at line rate``."""
    return " and ".join(cap.clause(label) for label, cap in ((base, base_cap), (other, other_cap)) if cap)


def _warnings(
    pair: Pair,
    silent: Caution | None,
    comparison: Comparison,
    result: PairTests,
    shown: int,
    sets: _Sets,
) -> tuple[Caution, ...]:
    warnings = [silent] if silent else []
    base, other, margin_percent = comparison.base, comparison.other, comparison.margin_percent
    planned = silent is None and iterations_more(comparison) is not None
    if comparison.verdict == "equivalent" and result.different:
        warnings.append(
            cautions.small_but_real(
                difference_cell(result.difference, pair.unit) + of_what(comparison),
                margin_percent,
                base.label,
                other.label,
            )
        )
    look = comparison.analysis.look
    if look is not None and not look.on_time:
        warnings.append(unplanned_look(look))
    if result.steps.no_percent:
        warnings.append(
            Caution("no-percent-interval", f"percent of the base's mean: {result.steps.no_percent}.")
        )
    seen, design = pair.tested, pair.design
    units = design.unit_of(design.base), design.unit_of(design.other)
    for results, tested, unit in zip((pair.base, pair.other), seen, units, strict=True):
        warnings += sets.cautions(results, tested, planned=planned, unit=unit, paired=design.paired)
    if pair.logs is not None:
        warnings += block_cautions(pair, margin_percent, shown)
    else:
        ends = (base, other) if design.by_iteration else (describe(seen[0]), describe(seen[1]))
        warnings += cautions.unequal_spread(*ends, shown, pair.unit)
    warnings += [*not_together(pair), *otherwise(pair, comparison)]
    warnings += pair_cautions(pair.base, pair.other, shown, seen)
    return tuple(dict.fromkeys(warnings))
