"""How the cells of an experiment are laid out: a table of two factors, or a list of combinations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fwdtui.core.experiment import Cell, Plan
from fwdtui.core.experiment.cells import TRAFFIC
from fwdtui.core.experiment.one_at_a_time import varies_jointly
from fwdtui.core.experiment.order import AA
from fwdtui.core.factors import level


@dataclass(frozen=True, slots=True)
class Design:
    """A layout of cells. `cells` has the number of the cell at (row, column); a list has one column.

    `heads` and `rows` name the rows: in a table the factor down and its levels, in a list each factor and the
    levels of each row. `across` is the factor across ("" in a list), and `columns` are its levels. `factors`
    are those that vary, the compared one (`by`) first. `base`: cell -> the cell whose mean its own mean is
    compared with, and `against` says in words which that is.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    across: str
    columns: tuple[str, ...]
    cells: Mapping[tuple[int, int], int]
    factors: tuple[str, ...]
    base: Mapping[int, int]
    against: str

    @property
    def is_table(self) -> bool:
        """Whether it has a factor across."""
        return bool(self.across)

    @property
    def by(self) -> str:
        """The factor that is compared; "" if none varies."""
        return self.factors[0] if self.factors else ""

    def place(self, cell: int) -> tuple[int, int]:
        """The row and the column of a cell."""
        return next(place for place, number in self.cells.items() if number == cell)


def design(plan: Plan, *, table: bool = True) -> Design:
    """The layout of a plan's cells: a table if two factors vary, unless `table` is False; else a list."""
    varying = _varying(plan)
    if len(varying) > 1 and varies_jointly(plan):  # as in its comparison, all cells have one baseline
        first = plan.cells[0]
        base, against = {one.number: first.number for one in plan.cells[1:]}, first.name
    else:
        base = _bases(plan.cells, varying)
        against = _against(plan.cells, varying, base)
    if table and len(varying) == 2:
        by, second = varying
        counts = {name: len(_levels(plan.cells, name)) for name in varying}
        # fewer columns than rows, as a screen scrolls down more easily; if equal, the compared factor across
        across = second if counts[second] < counts[by] else by
        down = by if across is second else second
        rows, columns = _levels(plan.cells, down), _levels(plan.cells, across)
        cells = {
            (rows.index(_shown(cell, down)), columns.index(_shown(cell, across))): cell.number
            for cell in plan.cells
        }
        named = tuple((row,) for row in rows)
        return Design((down,), named, across, tuple(columns), cells, varying, base, against)
    cells = {(row, 0): cell.number for row, cell in enumerate(plan.cells)}
    if not varying:
        return Design(("cell",), tuple((one.name,) for one in plan.cells), "", (), cells, (), base, against)
    names = tuple(tuple(_shown(cell, name) for name in varying) for cell in plan.cells)
    return Design(varying, names, "", (), cells, varying, base, against)


def _varying(plan: Plan) -> tuple[str, ...]:
    """The factors with several levels, in the order of the file."""
    named = [factor.name for factor in plan.experiment.factors]
    more = [name for name in (TRAFFIC, AA) if any(name in cell.factors for cell in plan.cells)]
    names = dict.fromkeys([*named, *more])
    return tuple(name for name in names if len(_levels(plan.cells, name)) > 1)


def _levels(cells: Sequence[Cell], name: str) -> list[str]:
    return list(dict.fromkeys(_shown(cell, name) for cell in cells if name in cell.factors))


def _shown(cell: Cell, name: str) -> str:
    return level(name, cell.factors[name]).shown if name in cell.factors else ""


def _bases(cells: Sequence[Cell], varying: Sequence[str]) -> dict[int, int]:
    """Cell -> its baseline: the cell with the first level of the compared factor and the same other levels.

    If that cell is not measured, the baseline is the first cell of all.
    """
    if not varying:
        return {}
    by, *others = varying
    first = _shown(cells[0], by)
    at = {
        tuple(_shown(cell, name) for name in others): cell.number
        for cell in reversed(cells)
        if _shown(cell, by) == first
    }
    bases = {}
    for cell in cells:
        base = at.get(tuple(_shown(cell, name) for name in others), cells[0].number)
        if base != cell.number:
            bases[cell.number] = base
    return bases


def _against(cells: Sequence[Cell], varying: Sequence[str], base: Mapping[int, int]) -> str:
    if not varying or not base:
        return ""
    by, *others = varying
    first = f"{by}={_shown(cells[0], by)}"
    for number, other in base.items():
        if any(_shown(cells[number], name) != _shown(cells[other], name) for name in others):
            return f"{first} at the same levels, or {cells[0].name} if that is not measured"
    return f"{first} at the same {' and '.join(others)}" if others else first
