"""Verdicts and differences in words, the same in table, report and screen; figures.py chooses the digits."""

import math
from collections.abc import Sequence

from fwdtui.core.metrics import LESS
from fwdtui.core.units import counted
from fwdtui.stats.figures import NONE, Shown, amount_and_interval, in_percent, listing, margin, percentage
from fwdtui.stats.power import TOO_MANY
from fwdtui.stats.results import BLOCK, ITERATION, Comparison, Difference, Plan

ENOUGH_ITERATIONS = 5
"""Fewer say little about the spread."""

_MOST_CONFIDENT = 99.9999  # percent: what --confidence takes


def values_of(comparison: Comparison) -> tuple[int, int]:
    """How many values of both sides the tests see: iterations, boots or blocks."""
    analysis = comparison.analysis
    return (
        (len(analysis.base), len(analysis.other))
        if analysis.base
        else (comparison.base.n, comparison.other.n)
    )


def counted_in(comparison: Comparison) -> str:
    """What is to be measured more of: ``iteration``, ``boot`` or ``block``."""
    analysis = comparison.analysis
    return "boot" if analysis.rebooted and analysis.unit == BLOCK else analysis.unit


def plan_of(comparison: Comparison) -> Plan | None:
    """What would decide, in `counted_in`."""
    analysis = comparison.analysis
    return comparison.to_decide if analysis.unit == ITERATION else analysis.to_decide


def look_again(confidence: float, what: str = ITERATION) -> str:
    """The advice printed once wherever iterations (`what`: or boots, or blocks) are missing.

    `confidence`: in percent.

    Two looks share the error rate that was asked for (Bonferroni): a fifth at the first, the rest at the
    second.
    """
    error = 100.0 - confidence
    first, second = 100.0 - error / 5.0, 100.0 - error * 4.0 / 5.0
    fresh = (
        f"More {what}s: adding them to a set and testing again raises the rate of false claims. "
        "Record new sets of that size"
    )
    if first > _MOST_CONFIDENT + 1e-9:  # --confidence takes no such level
        return f"{fresh}."
    levels = f"--confidence {first:g} at the first, {second:g} at the second"
    return f"{fresh}, or plan two looks beforehand: {levels}."


def of_what(comparison: Comparison) -> str:
    """`` (by boot)``, `` (paired by block)``: what follows a difference that is not one of iterations.

    ``fwdtui check`` knows it: no ministat block has these figures (check/words.py).
    """
    analysis = comparison.analysis
    if analysis.unit == ITERATION:
        return ""
    return f" ({'paired ' if analysis.paired else ''}by {analysis.unit})"


def difference_parts(difference: Difference, unit: str | None = None) -> Shown:
    """The difference and its interval, in the values' `unit` if there is no percentage; a dash for none."""
    if difference.percent is not None:
        return percentage(difference.percent, difference.ci_percent)
    if difference.absolute is not None:
        return amount_and_interval(difference.absolute, difference.ci_absolute, unit=unit or "")
    return Shown(NONE, "")


def difference_cell(difference: Difference, unit: str | None = None) -> str:
    """The difference for a table cell: ``−45.2 % ± 1.0 %``, ``+88 % [+2, +239]``."""
    return str(difference_parts(difference, unit))


def verdict_word(comparison: Comparison, *, short: bool = False) -> str:
    """The verdict, with an addition where it would seem to contradict its own row.

    ``inconclusive among 7``: its interval excludes zero, but the verdict allows for all comparisons.
    ``inconclusive: cannot say``: no verdict is possible, whatever the interval is (`short`: only "cannot
    say").
    """
    if comparison.cannot_say:
        return "cannot say" if short else f"{comparison.verdict}: cannot say"
    if proven_alone(comparison):
        return f"{comparison.verdict} among {comparison.difference.family}"
    return comparison.verdict


def verdict_cell(comparison: Comparison, *, in_full: bool = False) -> str:
    """The verdict for a table cell; an open one says how many iterations are missing.

    ``inconclusive: 9 to 30 more``, or `in_full` ``inconclusive: about 9 to 30 more iterations``; boots and
    blocks are always named.
    """
    word = verdict_word(comparison)
    if comparison.cannot_say:
        return word
    if too_noisy(comparison):
        return f"{word}: too noisy"
    more = iterations_more(comparison)
    if more is None:
        return word
    what = counted_in(comparison)
    if in_full or what != ITERATION:
        return f"{word}: {'about ' if in_full else ''}{_more(more, what)}"
    return f"{word}: {_range(more)} more"


def proven_alone(comparison: Comparison) -> bool:
    """Whether an inconclusive difference would be proven if it were the only one shown."""
    difference = comparison.difference
    return (
        comparison.verdict == "inconclusive"
        and difference.family > 1
        and _below(difference.p, difference)
        and not _below(difference.p_adjusted, difference)
    )


def footnotes(comparisons: Sequence[Comparison], interactions: int = 0) -> list[str]:
    """Notes on verdicts that seem to contradict their intervals, and on missing iterations; mostly none.

    `interactions`: how many are shown with the comparisons, and share their error rate.
    """
    notes = designs(comparisons)
    alone = [one for one in comparisons if proven_alone(one) and not one.cannot_say]
    if alone:
        family = alone[0].difference.family
        all_of_them = f"{family} {'comparisons and interactions' if interactions else 'comparisons'}"
        notes.append(
            f"among {family}: on its own the difference would be proven, as its interval shows. The verdict "
            f"is corrected for all {all_of_them} (Holm); each interval is for one comparison only."
        )
    wide = [one for one in comparisons if _beyond_margin(one)]
    if wide:
        confidence = wide[0].difference.confidence
        inner = 100.0 - 2.0 * (100.0 - confidence)
        notes.append(
            f"equivalent ({listing(list(dict.fromkeys(one.case for one in wide)))}): the "
            f"{in_percent(confidence)} interval reaches beyond the margin; equivalence is proven by two "
            f"one-sided tests, which correspond to the {in_percent(inner)} interval."
        )
    missing = [one for one in comparisons if iterations_more(one) and not one.cannot_say]
    if missing and not any(one.analysis.look for one in comparisons):
        notes.append(look_again(comparisons[0].difference.confidence, counted_in(missing[0])))
    return notes


def designs(comparisons: Sequence[Comparison]) -> list[str]:
    """What was compared with what, where it is not simply iterations: each design once, with its cases."""
    cases: dict[str, list[str]] = {}
    for one in comparisons:
        if one.analysis.text:
            cases.setdefault(one.analysis.text, []).append(one.case)
    everything = len(cases) == 1 and all(one.analysis.text for one in comparisons)
    return [
        f"{text}." if everything else f"{listing(list(dict.fromkeys(of)))}: {text}."
        for text, of in cases.items()
    ]


def _beyond_margin(comparison: Comparison) -> bool:
    ends = comparison.difference.ci_percent
    return (
        comparison.verdict == "equivalent"
        and ends is not None
        and max(map(abs, ends)) > comparison.margin_percent
    )


def too_noisy(comparison: Comparison) -> bool:
    """Whether an inconclusive comparison would need more than power.TOO_MANY iterations.

    Beyond power.MOST_ITERATIONS they are not counted at all, though what the sets can show is known.
    """
    plan, detecting = comparison.to_decide, comparison.iterations_needed
    if comparison.verdict != "inconclusive":
        return False
    if plan is None:
        known = comparison.detectable_percent is not None and comparison.margin_percent > 0.0
        return known and (detecting is None or detecting > TOO_MANY)
    return plan.needed > TOO_MANY


def iterations_more(comparison: Comparison) -> tuple[int, int] | None:
    """The range of iterations that the smaller set of an inconclusive comparison still needs.

    Of boots or blocks, if these are what is compared (`counted_in`). None if it has enough already, or if no
    number helps. Never so few that the set stays below ENOUGH_ITERATIONS.
    """
    plan, n = plan_of(comparison), min(values_of(comparison))
    if comparison.verdict != "inconclusive" or plan is None or plan.needed <= n or too_noisy(comparison):
        return None
    low = max(plan.low - n, ENOUGH_ITERATIONS - n, 1)
    return low, max(plan.high - n, low)


def _range(ends: tuple[int, int]) -> str:
    """``9 to 30``; beyond a hundred in two digits."""
    low, high = (end if end < 100 else round(end, 1 - math.floor(math.log10(end))) for end in ends)
    return f"{low}" if low == high else f"{low} to {high}"


def _more(ends: tuple[int, int], what: str) -> str:
    return f"{_range(ends)} more {what}{'' if ends == (1, 1) else 's'}"


def sentence(
    comparison: Comparison,
    *,
    cannot_say: str | None,
    limit: str,
    shown: int,
    interactions: int = 0,
    at_least: bool = True,
) -> str:
    """The verdict in words.

    `cannot_say`: the sentence that replaces a verdict. `limit`: which set is capped by what ("new is at line
    rate"), empty if none is. The true difference is then at least this large (`at_least`); if both sides are
    lower bounds, it holds only at this offered load. An open verdict can then not become "equivalent".
    `shown`: tests that share the error rate, with the `interactions` among them.
    """
    difference, unit = comparison.difference, comparison.unit
    if cannot_say is not None:
        return cannot_say
    size, shown_as = f"{_unsigned(difference, unit)}{of_what(comparison)}", difference_cell(difference, unit)
    shown_as += of_what(comparison)
    if comparison.verdict == "capped":
        return f"capped: {limit}, so the DUT may be able to do more"
    if comparison.verdict in ("faster", "slower"):
        word = "improved by" if comparison.verdict == "faster" else "slowed down by"
        if comparison.better == LESS:
            which = "less, better" if comparison.verdict == "faster" else "more, worse"
            return f"{size} {which}"
        if limit and not at_least:
            return f"{word} {size} at this offered load: {limit}"
        if limit:
            return f"{word} at least {size}: {limit}"
        return f"{word} {size}"
    if comparison.verdict == "equivalent":
        inside = f"inside the {margin(comparison.margin_percent)} margin"
        if _below(difference.p_adjusted, difference):
            gain = ((difference.absolute or 0.0) > 0) != (comparison.better == LESS)
            proven = "a proven gain" if gain else "a proven loss"
            return f"equivalent: {shown_as}, {proven}, but {inside}"
        return f"equivalent: {shown_as}, {inside}"
    family = family_in_words(shown, interactions)
    return f"inconclusive: {shown_as}; {_what_would_decide(comparison, family, limit)}"


def family_in_words(shown: int, interactions: int) -> str:
    """What shares the error rate: ``4 comparisons and 2 interactions``. `shown`: all of them."""
    text = counted(shown - interactions, "comparison")
    return f"{text} and {counted(interactions, 'interaction')}" if interactions else text


def remark(text: str, comparison: Comparison) -> str:
    """What a `sentence` says besides the verdict's word and the difference, which are shown beside it."""
    verdict = comparison.verdict
    if comparison.cannot_say is not None:
        return text
    text = text.removeprefix(f"{verdict}: ")
    if verdict in ("faster", "slower"):
        said, _, limit = text.partition(": ")
        if limit:
            return f"at {'this offered load' if said.endswith('load') else 'least this much'}: {limit}"
        return " ".join(said.split()[-2:]) if comparison.better == LESS else ""
    cell = str(difference_cell(comparison.difference, comparison.unit))
    return text.removeprefix(cell).removeprefix(";").removeprefix(",").strip()


def _unsigned(difference: Difference, unit: str | None) -> str:
    if difference.percent is not None:
        interval = difference.ci_percent
        if difference.percent < 0 and interval is not None:
            interval = (-interval[1], -interval[0])
        return str(percentage(abs(difference.percent), interval, sign=False))
    if difference.absolute is None:
        return "an amount too large for a number"
    interval = difference.ci_absolute
    if difference.absolute < 0 and interval is not None:
        interval = (-interval[1], -interval[0])
    return str(amount_and_interval(abs(difference.absolute), interval, sign=False, unit=unit or ""))


def _below(p: float | None, difference: Difference) -> bool:
    return p is not None and p < (100.0 - difference.confidence) / 100.0


def _what_would_decide(comparison: Comparison, family: str, capped: str) -> str:
    difference, limit = comparison.difference, margin(comparison.margin_percent)
    prefix = ""
    if _below(difference.p, difference):
        prefix = f"on its own the difference would be proven, among {family} it may be chance; "
    if difference.percent is None:
        return prefix + "there is no percentage to compare with a margin"
    more, plan = iterations_more(comparison), plan_of(comparison)
    what, (base_n, other_n) = counted_in(comparison), values_of(comparison)
    per_set = "" if what == BLOCK else " per set"  # a block has both
    if more is not None and plan is not None:
        if base_n == other_n:
            how_many = _more(more, what)
        else:
            low = min(base_n, other_n) + more[0]
            how_many = f"{_range((low, max(plan.high, low)))} {what}s"
        return f"{prefix}about {how_many}{per_set} would decide at the {limit} margin with 80 % power"
    if capped and not too_noisy(comparison):
        return f"{prefix}{capped}, so more {what}s cannot prove the two equal"
    if comparison.margin_percent == 0.0:
        return prefix + "with a margin of 0 % no number of iterations can prove equivalence"
    if plan is None or too_noisy(comparison):
        return f"{prefix}too noisy for a margin of {limit}: reduce the spread or widen the margin"
    likely = f"{min(base_n, other_n)} {what}s{per_set} usually decide at the {limit} margin"
    return f"{prefix}{likely}, so the difference may be close to it: record a larger set"
