"""All tests over all pairs that are shown together, and the numbers of each pair that come out."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fwdtui.stats import paired, paired_power, power, ratio
from fwdtui.stats.explain import Steps
from fwdtui.stats.gate import Gate, gate
from fwdtui.stats.holm import factors
from fwdtui.stats.interaction import RatioOfRatios, Square, ratio_of_ratios, with_blocks
from fwdtui.stats.moments import Moments, finite, moments, unscaled
from fwdtui.stats.pairs import Pair, contrast, in_common_blocks, in_one_experiment
from fwdtui.stats.results import Difference, Plan
from fwdtui.stats.wording import family_in_words


class PairTests(NamedTuple):
    """What the tests of one pair gave, in plain floats: every number finite or None."""

    difference: Difference
    steps: Steps
    detectable_percent: float | None = None
    iterations_needed: int | None = None
    to_decide: Plan | None = None
    plan: Plan | None = None  # `to_decide` in the units of the tests: iterations, boots or blocks
    different: bool = False
    equivalent: bool = False
    not_slower: bool = False
    not_slower_p: float | None = None
    not_slower_p_adjusted: float | None = None


class Effects(NamedTuple):
    """The two effects whose ratio an interaction is, in percent.

    `blocks`: how many blocks all four sets have, if the interaction is paired by block; else 0.
    `as_compared`: whether the effects are those of the two comparisons, which may have more blocks, or be
    paired where the interaction is not. `intervals`: of the effects in such blocks, not adjusted.
    """

    percent: tuple[float | None, float | None]
    blocks: int = 0
    as_compared: bool = True
    intervals: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None)


class SquareTests(NamedTuple):
    """What the tests of one interaction gave: every number finite or None.

    `effects`: the two effects whose ratio it is.
    """

    ratio: float | None
    ci_ratio: tuple[float, float] | None
    p: float | None
    p_adjusted: float | None
    depends: bool
    same: bool
    effects: Effects


class Tests(NamedTuple):
    """The tests of all pairs and of all interactions that are shown together."""

    pairs: list[PairTests]
    squares: list[SquareTests]


class _Family(NamedTuple):
    """Arrays over the tested pairs: the same functions on the same shapes as in the simulations."""

    gate: Gate
    percent_low: Sequence[float]
    percent_high: Sequence[float]
    factors: Sequence[int | None]
    margin: float  # fraction of the base's mean
    confidence: float  # percent
    interactions: int  # that share the error rate

    @property
    def shown(self) -> int:
        return len(self.factors)

    @property
    def alpha(self) -> float:
        return alpha_of(self.confidence)


_LARGEST_LOG = 700.0  # its exponential is still a double


def alpha_of(confidence: float) -> float:
    """The error rate that a confidence in percent leaves: 95 -> 0.05."""
    return (100.0 - confidence) / 100.0


def run_tests(
    pairs: Sequence[Pair],
    margin_percent: float,
    confidence: float,
    squares: Sequence[tuple[int, int]] = (),
) -> Tests:
    """The tests of each pair; all of them must be testable. They share the error rate (Holm).

    `squares`: interactions, each by the places of its two pairs, whose means must be above zero. They are
    shown too, so they share it.
    """
    if not pairs:
        return Tests([], [])
    import numpy as np

    alpha, margin = alpha_of(confidence), margin_percent / 100.0
    base, other = _arrays([pair.base_moments for pair in pairs]), _arrays([p.other_moments for p in pairs])
    less = np.array([pair.less for pair in pairs])
    with np.errstate(all="ignore"):  # extreme values may overflow a step: finite() turns the result into None
        among = _interactions(pairs, squares) if squares else None
        logs = _logs([pair.logs for pair in pairs])
        result = gate(base, other, margin, alpha, less, among, logs)
        low, high = ratio.percent_interval(base, other, alpha)
        if logs is not None:
            in_blocks, ends_in_blocks = ~np.isnan(logs.mean), paired.percent_interval(logs, alpha)
            low, high = (
                np.where(in_blocks, own, end) for own, end in zip(ends_in_blocks, (low, high), strict=True)
            )
        ends = among.interval(alpha) if among is not None else ()
    ps = [finite(p) for p in result.welch.p]
    holm = factors([*ps, *([] if result.interactions is None else map(finite, result.interactions.p))])
    family = _Family(result, low, high, holm, margin, confidence, len(squares))
    return Tests(
        [_of(pair, family, index) for index, pair in enumerate(pairs)],
        [
            _square(result, among, ends, index, (pairs[one], pairs[two]), alpha)
            for index, (one, two) in enumerate(squares)
        ]
        if among is not None
        else [],
    )


def _arrays(moments: Sequence[Moments]) -> Moments:
    import numpy as np

    return Moments(*(np.array(part, dtype=float) for part in zip(*moments, strict=True)))


_NOT_PAIRED = Moments(math.nan, math.nan, math.nan)


def _logs(of_each: Sequence[Moments | None]) -> Moments | None:
    """Arrays of the moments of the blocks' log ratios; None if nothing is paired."""
    return _arrays([one or _NOT_PAIRED for one in of_each]) if any(of_each) else None


def _interactions(pairs: Sequence[Pair], squares: Sequence[tuple[int, int]]) -> RatioOfRatios:
    """Arrays over the interactions. Each pair has a scale of its own, which its ratio does not depend on."""
    first, second = ([pairs[square[place]] for square in squares] for place in (0, 1))
    sets = [[pair.base_moments for pair in first], [pair.other_moments for pair in first]]
    sets += [[pair.base_moments for pair in second], [pair.other_moments for pair in second]]
    ratios = ratio_of_ratios(Square(*map(_arrays, sets)))
    contrasts = [contrast(pairs[one], pairs[two]) for one, two in squares]
    logs = _logs([moments(one) if one else None for one in contrasts])
    return ratios if logs is None else with_blocks(ratios, logs)


def _square(
    gate: Gate,
    among: RatioOfRatios,
    ends: Sequence[Sequence[float]],
    index: int,
    pairs: tuple[Pair, Pair],
    alpha: float,
) -> SquareTests:
    claims = gate.interactions
    assert claims is not None
    low, high = (finite(math.exp(end[index])) if end[index] < _LARGEST_LOG else None for end in ends)
    return SquareTests(
        finite(math.exp(among.value[index])),
        _interval(low, high),
        finite(claims.p[index]),
        finite(claims.p_adjusted[index]),
        bool(claims.depends[index]),
        bool(claims.same[index]),
        _effects(*pairs, alpha),
    )


def _effects(first: Pair, second: Pair, alpha: float) -> Effects:
    import numpy as np

    with np.errstate(all="ignore"):  # as in run_tests
        if not in_one_experiment(first, second):
            a, b = (finite(ratio.percent(pair.base_moments, pair.other_moments)) for pair in (first, second))
            return Effects((a, b), as_compared=first.logs is None and second.logs is None)
        one, two = map(moments, in_common_blocks(first, second))
        ends = [paired.percent_interval(logs, alpha) for logs in (one, two)]
        of_one, of_two = (_interval(finite(low), finite(high)) for low, high in ends)
        return Effects(
            (finite(paired.percent(one)), finite(paired.percent(two))),
            one.n,
            one.n == len(first.design.blocks) == len(second.design.blocks),
            (of_one, of_two),
        )


def _of(pair: Pair, family: _Family, index: int) -> PairTests:
    detectable, needed, plan = _power(pair, family.margin, family.alpha / family.shown)
    each = _iterations_in_each(pair)
    return PairTests(
        difference := _difference(pair, family, index),
        _steps(pair, family, index, difference),
        detectable,
        None if needed is None else needed * each,
        None if plan is None else Plan(plan.needed * each, plan.low * each, plan.high * each),
        plan,
        bool(family.gate.different[index]),
        bool(family.gate.equivalent[index]),
        bool(family.gate.not_slower[index]),
        finite(family.gate.not_slower_p[index]),
        finite(family.gate.not_slower_p_adjusted[index]),
    )


def _iterations_in_each(pair: Pair) -> int:
    """Iterations in each boot or block that is still to be measured: as many as there were, on average."""
    sizes = pair.design.base.sizes, pair.design.other.sizes
    return max((math.ceil(sum(some) / len(some)) for some in sizes if some), default=1)


def _difference(pair: Pair, family: _Family, index: int) -> Difference:
    welch, exponent, shown = family.gate.welch, pair.exponent, family.shown
    above_zero = pair.base_moments.mean > 0.0
    percent = finite(ratio.percent(pair.base_moments, pair.other_moments)) if above_zero else None
    if pair.logs is not None:
        percent = finite(paired.percent(pair.logs))
    ends = _interval(finite(family.percent_low[index]), finite(family.percent_high[index]))
    return Difference(
        absolute=unscaled(welch.difference[index], exponent),
        percent=percent,
        ci_absolute=_interval(unscaled(welch.low[index], exponent), unscaled(welch.high[index], exponent)),
        ci_percent=None if percent is None else ends,
        confidence=float(family.confidence),
        p=finite(welch.p[index]),
        p_adjusted=finite(family.gate.p_adjusted[index]),
        method=_method(pair, shown, family.interactions),
        family=shown,
    )


def _method(pair: Pair, shown: int, interactions: int) -> str:
    holm = f"Holm over {family_in_words(shown, interactions)}"
    if pair.logs is not None:
        return f"Student's t of the log ratios of {pair.logs.n} blocks (paired by block), {holm}"
    unequal = pair.base_moments.n != pair.other_moments.n
    test = "the larger p of Welch's and the pooled t (n differs)" if unequal else "Welch's t"
    means = "" if pair.design.by_iteration else f" on the means of {pair.design.unit}s"
    return f"{test}{means}, Fieller's percent interval, {holm}"


def _steps(pair: Pair, family: _Family, index: int, difference: Difference) -> Steps:
    return Steps(
        shown=family.shown,
        interactions=family.interactions,
        t=finite(family.gate.welch.t[index]),
        df=finite(family.gate.welch.df[index]),
        welch_p=finite(family.gate.welch.welch_p[index]),
        factor=family.factors[index],
        tost_p=finite(family.gate.tost_p[index]),
        tost_p_adjusted=finite(family.gate.tost_p_adjusted[index]),
        margin_absolute=unscaled(family.margin * pair.base_moments.mean, pair.exponent),
        no_percent=_no_percent(pair, difference, family.alpha),
        logs=pair.logs,
    )


def _no_percent(pair: Pair, difference: Difference, alpha: float) -> str | None:
    """Why there is no percentage, or no interval of it; None where there are both."""
    if pair.base_moments.mean <= 0.0:
        return f"none, because the mean of {pair.base.label} is not above zero"
    if difference.percent is not None and difference.ci_percent is not None:
        return None
    if pair.base_moments.variance > 0.0 and not ratio.bounded(pair.base_moments, pair.other_moments, alpha):
        return f"no interval, because the mean of {pair.base.label} is not clearly above zero"
    return "no interval, because these few values spread too much for one"


def _power(pair: Pair, margin: float, alpha: float) -> tuple[float | None, int | None, Plan | None]:
    """The detectable difference in percent, the iterations that find the margin, and those that decide at it.

    None where undefined.
    """
    base, other = pair.base_moments, pair.other_moments
    if base.mean <= 0.0:
        return None, None, None
    if pair.logs is not None:
        return _power_in_blocks(pair.logs, margin, alpha)
    detectable = finite(100.0 * power.detectable(base, other, alpha) / base.mean)
    absolute = margin * base.mean
    needed = power.iterations_needed(absolute, base, other, alpha)
    plan = None if needed is None else power.to_decide(needed, absolute, base, other, alpha)
    return detectable, needed, None if plan is None else Plan(*plan)


def _power_in_blocks(
    logs: Moments, margin: float, alpha: float
) -> tuple[float | None, int | None, Plan | None]:
    smallest = paired_power.detectable(logs, alpha)
    needed = paired_power.blocks_needed(margin, logs, alpha)
    plan = None if needed is None else paired_power.to_decide(needed, margin, logs, alpha)
    percent = finite(100.0 * math.expm1(smallest)) if smallest < _LARGEST_LOG else None
    return percent, needed, None if plan is None else Plan(*plan)


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)
