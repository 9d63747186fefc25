"""How an experiment's session is compared by default: by its first factor, or by all for a list of cells."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import CASE, FactorValue, level
from fwdtui.report.comparison import MARGIN
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.sides import Side

if TYPE_CHECKING:
    from fwdtui.core.experiment import Plan


def plan_of(sides: Sequence[Side]) -> "Plan | None":
    """The plan, if what is compared is one whole session, and that of an experiment; else None."""
    if len(sides) != 1 or sides[0].chosen or len(sides[0].sessions) != 1:
        return None
    from fwdtui.store.experiment_record import Record, recorded  # late: most comparisons have no plan

    record = recorded(sides[0].sessions[0])
    return record.plan if isinstance(record, Record) else None


def asked(sides: Sequence[Side], view: FactorView | None, margin: float | None) -> tuple[FactorView, float]:
    """What is compared, and the margin in percent: as given, else the experiment's, else the defaults."""
    plan = plan_of(sides)
    if plan is None:
        return view or AS_GIVEN, MARGIN if margin is None else margin
    return by_design(plan, view or AS_GIVEN), margin_of(plan) if margin is None else margin


def nothing_beside(sides: Sequence[Side], command: str, more: str = "") -> FwdtuiError:
    """The error that `command` has nothing to compare BASE with. `more`: what else it would take.

    If BASE is the session of an experiment, it says why it does not help.
    """
    from fwdtui.report.experiment_summary import unreadable  # late: as above

    reasons = [one.text.removesuffix(".") for one in unreadable(sides) if not sides[0].chosen]
    if plan_of(sides) is not None:
        reasons = [f"the experiment of {sides[0].label} has a single cell"]
    why = f": {'; '.join(reasons)}" if reasons else ""
    return FwdtuiError(
        f"{command} needs a BASE and at least one OTHER, or --by FACTOR, {more}or the session of an "
        f"experiment{why}"
    )


def with_baseline(sides: Sequence[Side], view: FactorView) -> FactorView:
    """`view` with the baseline that the command line would give it if these sides are one experiment."""
    if not view.by or view.baseline or view.order:
        return view
    plan = plan_of(sides)
    return view if plan is None else by_design(plan, view)


def margin_of(plan: "Plan") -> float:
    """The experiment's own margin in percent; the default one if that is not from 0 to below 100."""
    own = plan.experiment.margin
    return own if 0.0 <= own < 100.0 else MARGIN


def by_design(plan: "Plan", view: FactorView) -> FactorView:
    """`view` with what it leaves open filled in from the design: what is compared, and with which baseline.

    A factor with one level is not compared. The baseline is that of the first cell that the filters leave,
    with the first level of each factor unless cells are listed. A list of cells that varies one factor at a
    time is compared by all of them together: by the first one alone it would leave cells out.
    """
    from fwdtui.core.experiment.one_at_a_time import varies_jointly  # late: as above

    varying = factors_of(plan)
    by = view.by or tuple(varying if varies_jointly(plan) else varying[:1])
    if not by or any(name not in varying for name in by):
        return replace(view, by=by)
    baseline = view.baseline
    if not baseline and not view.order:
        first = _first_left(plan, view, by)
        baseline = tuple((name, _written(first[name])) for name in by)
    return replace(view, by=by, baseline=baseline)


def _first_left(plan: "Plan", view: FactorView, by: Sequence[str]) -> Mapping[str, FactorValue]:
    """The factors of the first cell that the filters leave, or else of the first whose `by` they leave."""
    wanted: dict[str, set[tuple[str, float | str]]] = {}
    for name, value in view.filters:
        wanted.setdefault(name, set()).add(level(name, value).identity)
    for names in ([*wanted], [name for name in wanted if name in by]):
        for cell in plan.cells:
            own = {CASE: cell.name, **cell.factors}
            if all(level(name, own[name]).identity in wanted[name] for name in names if name in own):
                return cell.factors
    return plan.cells[0].factors


def factors_of(plan: "Plan") -> list[str]:
    """The factors that all cells have and that vary between them, in the design's order."""
    names = [one.name for one in plan.experiment.factors]
    names += [name for name in plan.cells[0].factors if name not in names]
    return [
        name
        for name in names
        if all(name in cell.factors for cell in plan.cells)
        and len({level(name, cell.factors[name]).identity for cell in plan.cells}) > 1
    ]


def _written(value: FactorValue) -> str:
    return value if isinstance(value, str) else repr(value).removesuffix(".0")
