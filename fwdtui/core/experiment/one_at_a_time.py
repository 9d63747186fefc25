"""Lists of cells that vary one factor at a time: all of their factors are compared together."""

from fwdtui.core.experiment.model import Plan


def varies_jointly(plan: Plan) -> bool:
    """Whether comparing by the first factor that varies would leave out a cell of the list.

    A cell is left out if it has no counterpart (a cell with the first cell's level of that factor, and
    otherwise the same levels), and is not the counterpart of another cell.
    """
    names = [factor.name for factor in plan.experiment.factors]
    # levels, not values: a traffic profile may have variables that change along with it
    rows = [(*(cell.levels.get(name) for name in names), cell.traffic) for cell in plan.cells]
    place = next((n for n, first in enumerate(rows[0]) if any(row[n] != first for row in rows)), 0)
    base_of = {row: (*row[:place], rows[0][place], *row[place + 1 :]) for row in rows}
    compared = {row for row, base in base_of.items() if base != row and base in base_of}
    bases = {base_of[row] for row in compared}
    return any(row not in compared and row not in bases for row in rows)
