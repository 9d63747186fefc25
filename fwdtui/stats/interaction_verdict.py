"""From two comparisons at two levels of another factor to a verdict on whether the effect depends on it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.factors import FactorValue
from fwdtui.core.metrics import LESS
from fwdtui.stats.caps import cap_of
from fwdtui.stats.figures import MINUS, NONE, decimals_for, listing, margin, number, p_is, percentage
from fwdtui.stats.gate import FEWEST_VALUES
from fwdtui.stats.moments import moments
from fwdtui.stats.pair_tests import Effects, SquareTests, alpha_of
from fwdtui.stats.pairs import SAME_RATIO, Pair, contrast, in_one_experiment
from fwdtui.stats.results import DEPENDS, INCONCLUSIVE, SAME, Comparison, Interaction, Judged
from fwdtui.stats.wording import family_in_words, values_of

METHOD = "log of the ratio of two ratios of means, Welch and Satterthwaite's t"
_PAIRED = "log of the ratio of two ratios in each block, Student's t (paired by block)"
_UNEQUAL = "the larger p of Welch and Satterthwaite's and the pooled t (n differs)"


class Cross(NamedTuple):
    """An interaction to be shown: the places of two pairs, at the first and at the second of `levels`.

    `words`: the candidate and the two levels as a sentence calls them. `case`: what both pairs have in
    common, "" if nothing but the comparison.
    """

    first: int
    second: int
    by: tuple[str, ...]
    factor: str
    levels: tuple[str, str]
    within: Mapping[str, FactorValue | None]
    case: str
    words: tuple[str, str, str]


def why_not(first: Pair, second: Pair) -> str | None:
    """Why there is no test of this interaction, a sentence; None if there is one."""
    for pair in (first, second):
        if silent := pair.unlike or pair.impossible or pair.doubtful:
            return silent.text
        for side, of_side in ((pair.base, pair.base_moments), (pair.other, pair.other_moments)):
            where = f"{side.label}, {pair.case}"
            if of_side.mean <= 0.0:
                return f"cannot say, because the mean of {where} is not above zero."
            if cap := None if pair.less else cap_of(side):
                return f"cannot say, because {cap.clause(where)}: the ratio is only a bound."
    if in_one_experiment(first, second):
        together = contrast(first, second)
        if len(together) < FEWEST_VALUES:
            blocks = "block has" if len(together) == 1 else "blocks have"
            both = f"{first.case} and of {second.case}"
            return f"cannot say, because only {len(together)} {blocks} values of {both}."
        if moments(together).squared_error <= SAME_RATIO:
            return (
                "cannot say, because the ratio of the ratios is the same in every block, without any spread."
            )
    return None


def interaction(
    cross: Cross,
    judged: Sequence[Judged],
    tested: SquareTests | None,
    cannot_say: str | None,
    shown: tuple[int, int],
) -> Interaction:
    """The verdict. `shown`: all tests that share the error rate, and how many of them are interactions.

    `tested` None: `cannot_say` has the reason. The same within the margin wins over a proven interaction, as
    equivalence does over a proven difference.
    """
    first, second = (judged[place].comparison for place in (cross.first, cross.second))
    verdict = INCONCLUSIVE
    if tested is not None:
        verdict = SAME if tested.same else DEPENDS if tested.depends else INCONCLUSIVE
    sizes = {n for one in (first, second) for n in values_of(one)}
    how = METHOD if len(sizes) == 1 else f"{METHOD}: {_UNEQUAL}"
    if tested is not None and tested.effects.blocks:
        how = _PAIRED
    method = f"{how}, Holm over {family_in_words(*shown)}"
    return Interaction(
        by=cross.by,
        base=first.base.label,
        other=first.other.label,
        factor=cross.factor,
        levels=cross.levels,
        within=cross.within,
        case=cross.case,
        cases=(first.case, second.case),
        effects_percent=tested.effects.percent
        if tested
        else (first.difference.percent, second.difference.percent),
        ratio=tested.ratio if tested else None,
        ci_ratio=tested.ci_ratio if tested else None,
        confidence=first.difference.confidence,
        p=tested.p if tested else None,
        p_adjusted=tested.p_adjusted if tested else None,
        method=method if tested else "no test is possible",
        family=shown[0],
        verdict=verdict,
        margin_percent=first.margin_percent,
        sentence=_sentence(cross, verdict, first, second, tested.effects) if tested else str(cannot_say),
        cannot_say=cannot_say if tested is None else None,
    )


def _sentence(cross: Cross, verdict: str, first: Comparison, second: Comparison, tested: Effects) -> str:
    """``n311215-UDP2 costs 44.6 % with txabdicate_off and gains 10.2 % with txabdicate_on: it depends``

    If the effects are not those of the comparisons, it says what they are, and does not call them proven.
    """
    subject, at_first, at_second = cross.words
    effects = [_effect(one) for one in (first, second)]
    if not tested.as_compared:
        in_blocks = f"in the {tested.blocks} blocks that all four sets have"
        subject += f", {in_blocks if tested.blocks else 'as ratios of means (not paired by block)'}"
        rows = (first.difference.ci_percent, second.difference.ci_percent)
        intervals = tested.intervals if tested.blocks else rows  # they only choose the digits
        effects = [_percent(*one) for one in zip(tested.percent, intervals, strict=True)]
    elif verdict == DEPENDS:
        told = _told(effects, [_proven(one) for one in (first, second)], less=first.better == LESS)
        return f"{subject} {told[0]} with {at_first} and {told[1]} with {at_second}: it depends"
    same = f"the same within the {margin(first.margin_percent)} margin"
    end = {SAME: same, DEPENDS: "it depends"}.get(verdict, "no interaction shown")
    return f"{subject}: {effects[0]} with {at_first}, {effects[1]} with {at_second}: {end}"


def _told(effects: Sequence[str], proven: Sequence[bool], *, less: bool) -> tuple[str, str]:
    """``costs 44.6 %`` and ``gains 10.2 %``; where less is better ``is 44.6 % lower``."""
    told: list[str] = []
    for effect, certain in zip(effects, proven, strict=True):
        down, size = effect.startswith(MINUS), effect.lstrip(f"+{MINUS}")
        if not certain:
            told.append(f"has no proven effect ({effect})")
        elif less:
            told.append(f"is {size} {'lower' if down else 'higher'}")
        else:
            told.append(f"{'costs' if down else 'gains'} {size}")
    first, second = told
    verb = first.partition(" ")[0]
    return first, second.removeprefix(f"{verb} ") if all(proven) else second


def _effect(one: Comparison) -> str:
    return _percent(one.difference.percent, one.difference.ci_percent)


def _percent(value: float | None, interval: tuple[float, float] | None) -> str:
    return NONE if value is None else percentage(value, interval).value


def _proven(one: Comparison) -> bool:
    p = one.difference.p_adjusted
    return p is not None and p < alpha_of(one.difference.confidence)


def figures(one: Interaction) -> str:
    """``ratio of the ratios 1.991 [1.935, 2.049], p < 0.0001``; "" where there is no test."""
    if one.ratio is None:
        return ""
    text = f"ratio of the ratios {number(one.ratio, 3)}"
    if one.ci_ratio is not None:
        low, high = one.ci_ratio
        decimals = max(decimals_for(max(high - one.ratio, one.ratio - low)), 1)
        clear = low if low > 1.0 else high if high < 1.0 else None  # an end that must not look like 1
        more = range(decimals, decimals + 4) if clear is not None else ()
        decimals = next((d for d in more if number(clear or 1.0, d) != number(1.0, d)), decimals)
        ends = ", ".join(number(end, decimals) for end in (low, high))
        text = f"ratio of the ratios {number(one.ratio, decimals)} [{ends}]"
    return text if one.verdict == SAME else f"{text}, {p_is(one.p_adjusted)}"  # p is that of a difference


def shared(interactions: Sequence[Interaction]) -> str:
    """What several 2x2 tables of one factor are, and that they share the error rate, in a sentence.

    "" where each factor has two levels, and there is one candidate: a reader sees what is compared.
    """
    first: dict[str, str] = {}
    for one in interactions:
        alike = [other for other in interactions if other.factor == one.factor]
        if len({(other.other, other.levels[1]) for other in alike}) > 1:
            levels = dict.fromkeys(other.levels[0] for other in alike)
            first[one.factor] = f"{one.factor} {' or '.join(levels)}"
    if not first:
        return ""
    many = len({one.other for one in interactions}) > 1
    candidates = f"each candidate against {interactions[0].base}, " if many else ""
    against = listing(list(first.values()))
    return (
        f"{len(interactions)} interactions, {candidates}each level against {against}. Holm's correction is "
        f"over all {interactions[0].family} comparisons and interactions that are tested."
    )


def told_once(interactions: Sequence[Interaction]) -> list[tuple[Interaction, str]]:
    """The interactions to report, each with what to append: of several that lack a verdict for one reason the
    first, with their number.
    """
    alike: dict[object, list[Interaction]] = {}
    for place, one in enumerate(interactions):
        alike.setdefault((one.case, one.cannot_say) if one.cannot_say else place, []).append(one)
    return [(some[0], f" ({len(some)} interactions)" if len(some) > 1 else "") for some in alike.values()]
