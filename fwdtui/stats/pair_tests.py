"""All tests over all pairs that are shown together, and the numbers of each pair that come out."""

from collections.abc import Sequence
from typing import NamedTuple

from fwdtui.stats import power, ratio
from fwdtui.stats.explain import Steps
from fwdtui.stats.gate import Gate, gate
from fwdtui.stats.holm import factors
from fwdtui.stats.moments import Moments, finite, unscaled
from fwdtui.stats.pairs import Pair
from fwdtui.stats.results import Difference, Plan


class PairTests(NamedTuple):
    """What the tests of one pair gave, in plain floats: every number finite or None."""

    difference: Difference
    steps: Steps
    detectable_percent: float | None = None
    iterations_needed: int | None = None
    to_decide: Plan | None = None
    different: bool = False
    equivalent: bool = False
    not_slower: bool = False
    not_slower_p: float | None = None
    not_slower_p_adjusted: float | None = None


class _Family(NamedTuple):
    """Arrays over the tested pairs: the same functions on the same shapes as in the simulations."""

    gate: Gate
    percent_low: Sequence[float]
    percent_high: Sequence[float]
    factors: Sequence[int | None]
    margin: float  # fraction of the base's mean
    confidence: float  # percent

    @property
    def shown(self) -> int:
        return len(self.factors)

    @property
    def alpha(self) -> float:
        return alpha_of(self.confidence)


def alpha_of(confidence: float) -> float:
    """The error rate that a confidence in percent leaves: 95 -> 0.05."""
    return (100.0 - confidence) / 100.0


def run_tests(pairs: Sequence[Pair], margin_percent: float, confidence: float) -> list[PairTests]:
    """The tests of each pair; all of them must be testable. They share the error rate (Holm)."""
    if not pairs:
        return []
    import numpy as np

    alpha, margin = alpha_of(confidence), margin_percent / 100.0
    base, other = (
        Moments(*(np.array(part, dtype=float) for part in zip(*side, strict=True)))
        for side in ([pair.base_moments for pair in pairs], [pair.other_moments for pair in pairs])
    )
    with np.errstate(all="ignore"):  # extreme values may overflow a step: finite() turns the result into None
        result = gate(base, other, margin, alpha)
        low, high = ratio.percent_interval(base, other, alpha)
    holm = factors([finite(p) for p in result.welch.p])
    family = _Family(result, low, high, holm, margin, confidence)
    return [_of(pair, family, index) for index, pair in enumerate(pairs)]


def _of(pair: Pair, family: _Family, index: int) -> PairTests:
    detectable, needed, plan = _power(pair, family.margin, family.alpha / family.shown)
    return PairTests(
        difference := _difference(pair, family, index),
        _steps(pair, family, index, difference),
        detectable,
        needed,
        plan,
        bool(family.gate.different[index]),
        bool(family.gate.equivalent[index]),
        bool(family.gate.not_slower[index]),
        finite(family.gate.not_slower_p[index]),
        finite(family.gate.not_slower_p_adjusted[index]),
    )


def _difference(pair: Pair, family: _Family, index: int) -> Difference:
    welch, exponent, shown = family.gate.welch, pair.exponent, family.shown
    above_zero = pair.base_moments.mean > 0.0
    percent = finite(ratio.percent(pair.base_moments, pair.other_moments)) if above_zero else None
    ends = _interval(finite(family.percent_low[index]), finite(family.percent_high[index]))
    return Difference(
        absolute=unscaled(welch.difference[index], exponent),
        percent=percent,
        ci_absolute=_interval(unscaled(welch.low[index], exponent), unscaled(welch.high[index], exponent)),
        ci_percent=None if percent is None else ends,
        confidence=float(family.confidence),
        p=finite(welch.p[index]),
        p_adjusted=finite(family.gate.p_adjusted[index]),
        method=_method(pair, shown),
        family=shown,
    )


def _method(pair: Pair, shown: int) -> str:
    unequal = pair.base_moments.n != pair.other_moments.n
    test = "the larger p of Welch's and the pooled t (n differs)" if unequal else "Welch's t"
    return f"{test}, Fieller's percent interval, Holm over {shown} comparison{'s' * (shown > 1)}"


def _steps(pair: Pair, family: _Family, index: int, difference: Difference) -> Steps:
    return Steps(
        shown=family.shown,
        t=finite(family.gate.welch.t[index]),
        df=finite(family.gate.welch.df[index]),
        welch_p=finite(family.gate.welch.welch_p[index]),
        factor=family.factors[index],
        tost_p=finite(family.gate.tost_p[index]),
        tost_p_adjusted=finite(family.gate.tost_p_adjusted[index]),
        margin_absolute=unscaled(family.margin * pair.base_moments.mean, pair.exponent),
        no_percent=_no_percent(pair, difference, family.alpha),
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
    detectable = finite(100.0 * power.detectable(base, other, alpha) / base.mean)
    absolute = margin * base.mean
    needed = power.iterations_needed(absolute, base, other, alpha)
    plan = None if needed is None else power.to_decide(needed, absolute, base, other, alpha)
    return detectable, needed, None if plan is None else Plan(*plan)


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)
