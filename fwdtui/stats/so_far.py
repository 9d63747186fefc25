"""What an experiment has measured so far, as the comparisons that its report will show."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from fwdtui.core.experiment import Cell, Plan
from fwdtui.core.experiment.cells import TRAFFIC
from fwdtui.core.experiment.model import LOOKS
from fwdtui.stats.looks import schedule
from fwdtui.stats.results import Placed, ResultSet


class Measured(Protocol):
    """A trial with a sound value, in packets per second."""

    @property
    def block(self) -> int:
        """From 1."""

    @property
    def cell(self) -> int:
        """The number of its cell."""

    @property
    def value(self) -> float:
        """Packets per second."""

    @property
    def boot(self) -> str:
        """The DUT's, "" if it is not known."""

    @property
    def offered(self) -> float | None:
        """Packets per second; None if that is not known."""


def planned_looks(plan: Plan) -> tuple[int, ...]:
    """What each iteration's `Planned.looks` records: after how many blocks the data are looked at."""
    stop = plan.experiment.stop
    return schedule(stop.looks, plan.experiment.blocks) if stop.rule == LOOKS else ()


def pairs_of(plan: Plan, measured: Iterable[Measured]) -> list[tuple[str, ResultSet, ResultSet]]:
    """(the other cell's name, baseline, other) for each cell and the one that it is compared with.

    That is the cell with the same levels, but the first level of the first factor: what `--by` that factor
    shows, where "first" is the first that varies. Where a listed cell has no such counterpart, nor is one,
    each cell is compared with the first one: a list may vary one factor at a time (`varies_jointly`).
    """
    held: dict[int, list[Measured]] = {}
    for one in measured:
        held.setdefault(one.cell, []).append(one)
    sets = {cell.number: _set(plan, cell, held.get(cell.number, [])) for cell in plan.cells}
    bases = _counterparts(plan)
    return [
        (cell.name, sets[bases[cell.number].number], sets[cell.number])
        for cell in plan.cells
        if cell.number in bases
    ]


def varies_jointly(plan: Plan) -> bool:
    """Whether the cells are a list in which some differ from the baseline in other factors than the first."""
    base_of = _by_first_factor(plan)
    bases = {plan.cells[0].number, *(base.number for base in base_of.values())} if plan.cells else set()
    return any(cell.number not in base_of and cell.number not in bases for cell in plan.cells)


def _counterparts(plan: Plan) -> dict[int, Cell]:
    """The baseline of each cell, by the cell's number; a baseline itself has none."""
    if varies_jointly(plan):
        return {cell.number: plan.cells[0] for cell in plan.cells[1:]}
    return _by_first_factor(plan)


def _by_first_factor(plan: Plan) -> dict[int, Cell]:
    """For each cell's number the cell that has the first level of the first factor, and else the same."""
    if not plan.cells:
        return {}
    rows = [_levels(cell) for cell in plan.cells]
    names = [*(factor.name for factor in plan.experiment.factors), TRAFFIC]
    varied = next((name for name in names if any(row.get(name) != rows[0].get(name) for row in rows)), "")
    first: int | str = 0
    if varied == TRAFFIC:
        first = next((one.name for one in plan.experiment.traffic), "")
    bases: dict[int, Cell] = {}
    at = {frozenset(row.items()): cell for row, cell in zip(rows, plan.cells, strict=True)}
    for row, cell in zip(rows, plan.cells, strict=True):
        base = at.get(frozenset({**row, varied: first}.items())) if varied else None
        if base is not None and base is not cell:
            bases[cell.number] = base
    return bases


def _levels(cell: Cell) -> dict[str, int | str]:
    """Of all factors, traffic included: its profiles are levels too, and are in no other field."""
    return {**cell.levels, TRAFFIC: cell.traffic}


def _set(plan: Plan, cell: Cell, values: Sequence[Measured]) -> ResultSet:
    boots = tuple(one.boot or None for one in values)
    offered = tuple(one.offered for one in values)
    return ResultSet(
        label=cell.name,
        values=tuple(one.value for one in values),
        offered=offered if any(load is not None for load in offered) else (),
        boots=boots if any(boots) else (),
        unit="pps",
        placed=Placed(
            plan.digest[:16],
            plan.experiment.order,
            tuple(one.block for one in values),
            planned_looks(plan),
        )
        if values
        else None,
    )
