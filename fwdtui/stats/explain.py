"""How a verdict came about, a line per step with its numbers: what --explain prints."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, overload

from fwdtui.core.metrics import LESS
from fwdtui.stats.figures import (
    NONE,
    amount,
    arm_of,
    decimals_for,
    ends,
    in_percent,
    margin,
    number,
    p_is,
    p_value,
    unit_of_difference,
)
from fwdtui.stats.moments import Moments, finite
from fwdtui.stats.power import MOST_ITERATIONS
from fwdtui.stats.results import BLOCK, ITERATION, Comparison, Description, Difference
from fwdtui.stats.wording import counted_in, iterations_more, look_again, plan_of, values_of


class Steps(NamedTuple):
    """The intermediate numbers that a Comparison does not carry. None: the step was not taken."""

    shown: int  # tests: the family that Holm adjusts over
    t: float | None = None
    df: float | None = None
    welch_p: float | None = None  # Welch's own, where the pooled test has to agree
    factor: int | None = None  # Holm's factor for the p of the difference
    tost_p: float | None = None
    tost_p_adjusted: float | None = None
    margin_absolute: float | None = None  # the margin in the unit of the values
    base_cap: str | None = None  # why the set is censored, a clause; None if it is not
    other_cap: str | None = None
    no_percent: str | None = None  # why there is no percentage or no interval of it
    interactions: int = 0  # how many of the tests are interactions
    logs: Moments | None = None  # of the log ratios of the blocks, if these were compared
    spread: str = ""  # how iterations spread within a boot and boots among themselves, a sentence


class Explanation(Sequence[str]):
    """The lines, in the order of the decision. They are written when they are first read."""

    def __init__(self, comparison: Comparison, steps: Steps, sentence: str) -> None:
        self._of = comparison, steps, sentence

    @cached_property
    def _lines(self) -> list[str]:
        return explanation(*self._of)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._lines[index]

    def __len__(self) -> int:
        return len(self._lines)

    def __eq__(self, other: object) -> bool:
        return self._lines == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


def explanation(comparison: Comparison, steps: Steps, sentence: str) -> list[str]:
    """The lines, in the order of the decision."""
    unit = comparison.unit or ""
    lines = [_set_line("base", comparison.base, unit), _set_line("other", comparison.other, unit)]
    difference = comparison.difference
    if comparison.analysis.text:
        lines.append(f"Design: {comparison.analysis.text}")
    if steps.spread:
        lines.append(steps.spread)
    base_n, other_n = values_of(comparison)
    if difference.p is not None:
        means = "" if comparison.analysis.unit == ITERATION else f" (of {comparison.analysis.unit}s)"
        lines += [
            _paired_line(difference, steps.logs, steps)
            if steps.logs is not None
            else _difference_line(difference, steps, base_n != other_n, means, unit),
            *_percent_line(difference, steps),
            _holm_line(difference, steps),
        ]
        lines += [_equivalence_line(comparison, steps), _power_line(comparison, steps)]
    for label, cap in ((comparison.base.label, steps.base_cap), (comparison.other.label, steps.other_cap)):
        if cap is not None:
            lines.append(f"Censored: {label}: {cap}. Its mean is a lower bound.")
    advised = comparison.cannot_say is None and iterations_more(comparison) is not None
    if advised and comparison.analysis.look is None:
        lines.append(look_again(difference.confidence, counted_in(comparison)))
    return [*lines, f"Verdict: {comparison.verdict}. {_why(comparison, steps)}", f"In words: {sentence}"]


def _set_line(role: str, side: Description, unit: str) -> str:
    figures = f"mean {amount(side.mean, unit=unit)}, SD {amount(side.stddev, unit=unit)}"
    text = f"{role} {side.label}: n = {side.n}, {figures}"
    variation = (
        finite(100.0 * (side.stddev / abs(side.mean))) if side.stddev is not None and side.mean else None
    )
    return text if variation is None else f"{text} (CV {number(variation, 2)} %)"


def _interval(interval: tuple[float, float] | None, unit: str) -> str:
    if interval is None:
        return NONE
    return " to ".join(amount(end, sign=True, unit=unit) for end in interval)


def _paired_line(difference: Difference, logs: Moments, steps: Steps) -> str:
    t = NONE if steps.t is None else number(steps.t, 3)
    figures = ", ".join(
        f"{name} {number(value, max(decimals_of(value), 4), sign)}"
        for name, value, sign in (
            ("mean", float(logs.mean), True),
            ("SD", float(logs.variance) ** 0.5, False),
        )
    )
    return (
        f"Paired by block: ln(other / base) of {logs.n} blocks: {figures}, t = {t}, "
        f"df = {logs.n - 1}, {p_is(difference.p)}"
    )


def _difference_line(difference: Difference, steps: Steps, unequal: bool, means: str, unit: str) -> str:
    unit = unit_of_difference(unit)
    t = NONE if steps.t is None else number(steps.t, 3)
    df = NONE if steps.df is None else number(steps.df, 2)
    absolute = NONE if difference.absolute is None else amount(difference.absolute, sign=True, unit=unit)
    p = p_is(steps.welch_p if unequal else difference.p)
    if unequal:
        p += f"; n differs, so the pooled test must agree: the larger {p_is(difference.p)}"
    return (
        f"Welch: difference of the means{means} {absolute}, t = {t}, df = {df} (Satterthwaite), {p}, "
        f"{in_percent(difference.confidence)} interval {_interval(difference.ci_absolute, unit)}"
    )


def _percent_line(difference: Difference, steps: Steps) -> list[str]:
    if difference.percent is not None and difference.ci_percent is not None:
        decimals = decimals_for(arm_of(difference.percent, difference.ci_percent)) + 1
        low, high = ends(difference.ci_percent, decimals)
        figures = f"{number(difference.percent, decimals, sign=True)} %, interval {low} % to {high} %"
        if steps.logs is not None:
            level = in_percent(difference.confidence)
            return [f"In percent, exp(mean ± t s / √n) − 1: {figures} at {level} confidence"]
        return [f"Percent of the base's mean: {figures} (Fieller, agrees with Welch at 0 %)"]
    return [f"Percent of the base's mean: {steps.no_percent}"] if steps.no_percent else []


def _holm_line(difference: Difference, steps: Steps) -> str:
    if steps.shown == 1:
        return f"Holm: one comparison shown, so {p_is(difference.p_adjusted)} stays as it is"
    return (
        f"Holm: {_family(steps)} share the error rate; this p times {steps.factor}, and at least "
        f"as much as for any smaller p: adjusted {p_is(difference.p_adjusted)}"
    )


def _family(steps: Steps) -> str:
    if not steps.interactions:
        return f"{steps.shown} comparisons"
    return f"{steps.shown} tests, {steps.interactions} of them of interactions,"


def _equivalence_line(comparison: Comparison, steps: Steps) -> str:
    limit = margin(comparison.margin_percent)
    if steps.tost_p is None:
        return f"Equivalence within ±{limit}: not tested, the base's mean is not above zero"
    loss = comparison.not_slower
    loss_is = f"not tested, {loss.why_not}"
    if loss.p is not None:
        loss_is = f"{p_is(loss.p)}, adjusted {p_is(loss.p_adjusted)}"
    loss_of = "increase" if comparison.better == LESS else "loss"
    absolute = amount(steps.margin_absolute, unit=unit_of_difference(comparison.unit or ""))
    return (
        f"Equivalence within ±{limit} (±{absolute}): two one-sided tests, {p_is(steps.tost_p)}, "
        f"adjusted {p_is(steps.tost_p_adjusted)}; no {loss_of} of {limit} or more: {loss_is}"
    )


def _power_line(comparison: Comparison, steps: Steps) -> str:
    level = (100.0 - comparison.difference.confidence) / 100.0
    at = f"at level {level:.3g}" + (f"/{steps.shown}" if steps.shown > 1 else "")
    detectable, needed = comparison.detectable_percent, comparison.iterations_needed
    limit = margin(comparison.margin_percent)
    if comparison.verdict == "capped":
        return f"Power: no figure {at}, because the spread of capped values says nothing of the DUT's"
    if detectable is None:
        return f"Power: no figure {at}, because the spreads or the base's mean do not allow one"
    units = f"{comparison.analysis.unit}s"
    per_set = "" if comparison.analysis.unit == BLOCK else " per set"
    finds = (
        f"Power: these {units} detect {number(detectable, decimals_of(detectable))} % with 80 % power {at}"
    )
    if needed is None:
        return f"{finds}; detecting {limit} would take more than {MOST_ITERATIONS} {units}{per_set}"
    plan = plan_of(comparison)
    text = f"{finds}; detecting {limit} takes {needed} iterations per set"
    if plan is None and (steps.base_cap is not None or steps.other_cap is not None):
        return text  # equivalence against a lower bound means nothing
    if plan is None:
        return f"{text}, proving equivalence more than {MOST_ITERATIONS}"
    about = f"{plan.low} to {plan.high}, because the spread is itself estimated"
    counted = "" if comparison.analysis.unit == ITERATION else f" {units}"
    return f"{text}, either verdict {plan.needed}{counted} ({about})"


def decimals_of(value: float) -> int:
    """Decimals that show two or three significant digits of a percentage."""
    size = abs(value)
    if size >= 0.1 or not size:
        return 1 if size >= 10 else 2 if size else 4
    return min(max(1 - math.floor(math.log10(size)), 4), 12)


def _why(comparison: Comparison, steps: Steps) -> str:
    difference, verdict = comparison.difference, comparison.verdict
    level = (100.0 - difference.confidence) / 100.0
    if verdict == "capped":
        return "A lower bound may really be higher, so it cannot be shown to be equal to or below anything."
    if difference.p_adjusted is None:
        return "No test is possible."
    proven, inside = difference.p_adjusted, steps.tost_p_adjusted
    text = f"The difference: adjusted {held_against(proven, level)}"
    if inside is None:
        return f"{text}."
    text += f"; equivalence: adjusted {held_against(inside, level)}."
    if steps.base_cap is not None or steps.other_cap is not None:
        return f"{text} Equivalence against a lower bound means nothing."
    return text + (" Equivalence wins where both are proven." if proven < level and inside < level else "")


def held_against(p: float, level: float) -> str:
    """``p = 0.062 is not below 0.05``, with as many digits as it takes to tell the two apart."""
    shown, limit = p_is(p), f"{level:.3g}"
    if p < 0.0001:
        if level < 0.0001:
            shown, seen = f"p = {p:.3g}", float(f"{p:.3g}")
        else:
            seen = 0.0
    else:
        seen = float(p_value(p))
    as_seen = (seen > float(limit)) - (seen < float(limit))
    if as_seen != (p > level) - (p < level):
        digits = next((some for some in range(4, 17) if f"{p:.{some}g}" != f"{level:.{some}g}"), 17)
        shown, limit = f"p = {p:.{digits}g}", f"{level:.{digits}g}"
    return f"{shown} is {'' if p < level else 'not '}below {limit}"
