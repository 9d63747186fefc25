"""The difference between the iterations so far and a session that was recorded before, in one line."""

from collections.abc import Mapping, Sequence
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Case, Fact, Iteration, Session

if TYPE_CHECKING:
    from fwdtui.report.iterations import CaseSet


def baseline_median(
    base: Session,
    case: str,
    iterations: Sequence[Iteration] = (),
    factors: Mapping[str, FactorValue] = MappingProxyType({}),
    facts: Mapping[str, Fact] = MappingProxyType({}),
) -> float | None:
    """The median, in pps, of a case's iterations in `base` that count; None if none do, or in another unit.

    Also None if `interim_difference`, which takes these arguments, too, gives no verdict because of what the
    two sides are.
    """
    from fwdtui.report.factor_cautions import unlike
    from fwdtui.report.iterations import case_set

    same_case = next((one for one in base.cases if one.name == case), None)
    if same_case is None:
        return None
    before, after = case_set(base, same_case, base.label), _so_far(case, iterations, factors, facts)
    if before.unit != "pps" or before.mixed or after.mixed or unlike(before, after, ()):
        return None
    return median(before.result.values)


def _so_far(
    case: str,
    iterations: Sequence[Iteration],
    factors: Mapping[str, FactorValue],
    facts: Mapping[str, Fact],
) -> "CaseSet":
    from fwdtui.report.iterations import case_set

    saved = tuple(one for one in iterations if one.saved)
    now = Session("", "this run", "", facts, cases=(Case(case, saved),), factors=factors)
    return case_set(now, now.cases[0], "so far")


def interim_difference(
    base: Session,
    case: str,
    iterations: Sequence[Iteration],
    line_rate: float | None = None,
    factors: Mapping[str, FactorValue] = MappingProxyType({}),
    facts: Mapping[str, Fact] = MappingProxyType({}),
) -> str:
    """``so far −45.2 % ± 1.0 %, slower ! (loads-differ); against n311215``, or why there is nothing to say.

    Judged as `fwdtui compare` judges it, at its margin and confidence, by boot if the sides ran on several,
    with the warnings that bear on the verdict. `line_rate` is in pps. `factors`: what session and case of
    this run state; `facts`: those of its session.

    Loads scipy, and reads the recordings of older sessions: call it in a thread. Raises FwdtuiError if one
    side's iterations differ in a factor.
    """
    from fwdtui.report import bearing
    from fwdtui.report.factor_cautions import refuse_mixed
    from fwdtui.report.iterations import units_of
    from fwdtui.report.pairing import qualified
    from fwdtui.report.sides import case_on_boots
    from fwdtui.stats import wording
    from fwdtui.stats.verdict import judge

    same_case = next((one for one in base.cases if one.name == case), None)
    if same_case is None:
        return f"{base.label} has no case {case}, so there is no difference to show"
    after = _so_far(case, iterations, factors, facts)
    if not after.used:
        return f"no iteration yet to compare with {base.label}"
    units = units_of(after.used)
    before = case_on_boots(base, same_case, base.label)
    if len(different := dict.fromkeys([*units_of(before.used), *units])) > 1:
        return (
            f"{' and '.join(different)} cannot be compared: {base.label} and this run are in different units"
        )
    for one, label in ((before, base.label), (after, "this run")):
        refuse_mixed(one, f"{label} {case}")
    boots = tuple(i.boot or None for i in after.used)
    result = msgspec.structs.replace(
        qualified(before, after, ()), line_rate=line_rate, boots=boots if any(boots) else ()
    )
    if result.unlike:
        return f"the difference to {base.label} is not shown: {result.unlike}"
    (judged,) = judge([(case, before.result, result)])
    comparison = judged.comparison
    difference = wording.difference_cell(comparison.difference, comparison.unit) + wording.of_what(comparison)
    verdict = wording.verdict_cell(comparison, in_full=True)
    if codes := bearing.codes(comparison):
        verdict += f" {bearing.MARK} ({', '.join(codes)})"
    return f"so far {difference}, {verdict}; against {base.label}"
