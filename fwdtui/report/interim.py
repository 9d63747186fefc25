"""The difference of the iterations so far to a session that was recorded before, in one line."""

from collections.abc import Sequence
from statistics import median

from fwdtui.core.model import Iteration, Session


def baseline_median(base: Session, case: str) -> float | None:
    """The median of the iterations that count of a case, pps; None without the case or without values."""
    from fwdtui.report.iterations import case_set

    same_case = next((one for one in base.cases if one.name == case), None)
    values = case_set(base, same_case, base.label).result.values if same_case else ()
    return median(values) if values else None


def interim_difference(
    base: Session, case: str, iterations: Sequence[Iteration], line_rate: float | None = None
) -> str:
    """``so far −45.2 % ± 1.0 %, slower; against n311215``, or why there is nothing to say yet.

    Judged as `fwdtui compare` judges it, at its margin and confidence, by boot where sides ran on several.
    Loads scipy, and reads the recordings of older sessions: call it in a thread.
    """
    from fwdtui.report.iterations import counts, units_of
    from fwdtui.report.sides import case_on_boots
    from fwdtui.stats import wording
    from fwdtui.stats.results import ResultSet
    from fwdtui.stats.verdict import judge

    same_case = next((one for one in base.cases if one.name == case), None)
    if same_case is None:
        return f"{base.label} has no case {case}, so there is no difference to show"
    used = [i for i in iterations if i.saved and counts(i)]
    if not used:
        return f"no iteration yet to compare with {base.label}"
    values = tuple(i.value for i in used if i.value is not None)
    offered = tuple(i.metrics["offered"].median if "offered" in i.metrics else None for i in used)
    units = units_of(used)
    before = case_on_boots(base, same_case, base.label)
    if len(different := dict.fromkeys([*units_of(before.used), *units])) > 1:
        return (
            f"{' and '.join(different)} cannot be compared: {base.label} and this run are in different units"
        )
    boots = tuple(i.boot or None for i in used)
    result = ResultSet("so far", values, offered, line_rate, boots=boots if any(boots) else (), unit=units[0])
    (judged,) = judge([(case, before.result, result)])
    comparison = judged.comparison
    difference = wording.difference_cell(comparison.difference, comparison.unit) + wording.of_what(comparison)
    verdict = wording.verdict_cell(comparison, in_full=True)
    return f"so far {difference}, {verdict}; against {base.label}"
