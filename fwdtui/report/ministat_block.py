"""ministat's own table and figure beside fwdtui's verdict, labelled as published reports are."""

import math
from collections.abc import Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.report.grouping import sets_of
from fwdtui.stats.figures import arm_of, decimals_for, number
from fwdtui.stats.ministat import CONFIDENCES, MinistatOptions, NamedSet, block
from fwdtui.stats.ministat.inputs import FEWEST_VALUES, MOST_SETS
from fwdtui.stats.results import Comparison, Judged, ResultSet
from fwdtui.stats.wording import difference_parts

FLAVOUR = "current"
DEFAULT_CONFIDENCE = 95.0
NO_TABLE = "no ministat table"
"""`fwdtui check` knows the two sentences that begin so (check/check.py)."""


def confidence_for(wanted: float) -> float:
    """The confidence that ministat is asked for, in percent: `wanted` if it has that, else its default."""
    return wanted if wanted in CONFIDENCES else DEFAULT_CONFIDENCE


def of_case(results: Sequence[Judged], unit: str | None = None) -> str:
    """ministat's text on one case; candidates beyond its seven sets come in further blocks."""
    sets = sets_of(results)
    return blocks(sets, results[0].comparison.case, unit, level(results), separate_bars=True)


def blocks(
    sets: Sequence[ResultSet], case: str, unit: str | None, confidence: float, *, separate_bars: bool = False
) -> str:
    """ministat's text on these sets, or a sentence that says why there is none.

    `separate_bars` is ministat's -s: sets that overlap stay distinguishable.
    """
    if poor := [one.label for one in sets if not _takes(one)]:
        needs = f"it needs {FEWEST_VALUES} or more finite values per set"
        return f"{NO_TABLE}: {needs}; too few in {', '.join(poor)}\n"
    options = MinistatOptions(flavour=FLAVOUR, confidence=confidence, separate_bars=separate_bars)
    try:
        return "\n".join(
            block([NamedSet(name(one.label, case, unit), one.values) for one in part], options)
            for part in at_once(sets)
        )
    except FwdtuiError:  # one absurd value must not keep all other cases from being shown
        return f"{NO_TABLE}: ministat cannot plot these values, as their range is too wide or too narrow\n"


def level(results: Sequence[Judged]) -> float:
    """The confidence of a case's block, in percent."""
    return confidence_for(results[0].comparison.difference.confidence)


def at_once(sets: Sequence[ResultSet]) -> list[list[ResultSet]]:
    """`sets` in parts that ministat takes, each with the baseline, which is the first of them."""
    base, *others = sets
    size = MOST_SETS - 1
    return [[base, *others[start : start + size]] for start in range(0, len(others), size)]


def name(label: str, case: str, unit: str | None) -> str:
    """The name of a set: ``r368287: inet4 packets-per-second``."""
    unit_text = {None: "", "": "", "pps": " packets-per-second"}.get(unit, f" {unit}")
    return f"{label}: {case}{unit_text}"


def figure(comparison: Comparison) -> str:
    """ministat's result, if its interval or its answer differs from fwdtui's; else ""."""
    result = comparison.ministat
    if result.differs is None:
        return ""
    claims = comparison.verdict in ("faster", "slower")
    if not result.differs:
        return "ministat (pooled Student's t): no difference proven." if claims else ""
    if result.percent is None or result.percent_error is None:
        return ""
    difference = comparison.difference
    decimals = decimals_for(arm_of(difference.percent, difference.ci_percent))
    spread = difference_parts(difference).spread
    if claims and spread == f" ± {number(result.percent_error, decimals)} %":
        return ""
    return f"ministat (pooled Student's t): {result.percent:g}% +/- {result.percent_error:g}%."


def _takes(one: ResultSet) -> bool:
    return len(one.values) >= FEWEST_VALUES and all(map(math.isfinite, one.values))
