"""How an experiment's session is compared if nobody says it: by its first factor, or by all for a list."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fwdtui.core.factors import FactorValue, level
from fwdtui.report.comparison import MARGIN
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.sides import Side

if TYPE_CHECKING:
    from fwdtui.core.experiment import Plan


def plan_of(sides: Sequence[Side]) -> "Plan | None":
    """The plan, if what is compared is one whole session that is an experiment's."""
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
    own = plan.experiment.margin
    usable = MARGIN if not 0.0 <= own < 100.0 else own
    return by_design(plan, view or AS_GIVEN), usable if margin is None else margin


def by_design(plan: "Plan", view: FactorView) -> FactorView:
    """`view` with what it leaves open filled in from the design: what is compared, and with which baseline.

    A factor with one level is not compared. The baseline is the first level of each factor. A list of cells
    that varies one factor at a time is compared by all of them together: by the first one alone it would
    leave cells out.
    """
    from fwdtui.stats.so_far import varies_jointly

    varying = factors_of(plan)
    by = view.by or tuple(varying if varies_jointly(plan) else varying[:1])
    if not by or any(name not in varying for name in by):
        return replace(view, by=by)
    baseline = view.baseline
    if not baseline and not view.order:
        baseline = tuple((name, _written(varying_level(plan, name))) for name in by)
        first = {name: level(name, varying_level(plan, name)).identity for name in by}
        if not any(
            all(level(name, cell.factors[name]).identity == first[name] for name in by) for cell in plan.cells
        ):
            baseline = ()
    return replace(view, by=by, baseline=baseline)


def factors_of(plan: "Plan") -> list[str]:
    """What varies between the cells and all of them have, in the design's order."""
    names = [one.name for one in plan.experiment.factors]
    names += [name for name in plan.cells[0].factors if name not in names]
    return [
        name
        for name in names
        if all(name in cell.factors for cell in plan.cells)
        and len({level(name, cell.factors[name]).identity for cell in plan.cells}) > 1
    ]


def varying_level(plan: "Plan", name: str) -> FactorValue:
    """The first level of a factor: that of the first cell."""
    own = next((one.levels for one in plan.experiment.factors if one.name == name), ())
    return own[0].value if own else plan.cells[0].factors[name]


def _written(value: FactorValue) -> str:
    return value if isinstance(value, str) else repr(value).removesuffix(".0")
