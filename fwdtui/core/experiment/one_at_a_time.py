"""Lists of cells that vary one factor at a time: all of their factors are compared together."""

from fwdtui.core.experiment.model import Plan


def varies_jointly(plan: Plan) -> bool:
    """Whether comparing by the first factor that varies would leave out a cell of the list.

    That is one that has no counterpart (the first cell's level of that factor, and else the same levels), and
    is that of no other.
    """
    names = [factor.name for factor in plan.experiment.factors]
    # not the values: a profile of the traffic may have variables that change along with it
    rows = [(*(cell.levels.get(name) for name in names), cell.traffic) for cell in plan.cells]
    place = next((n for n, first in enumerate(rows[0]) if any(row[n] != first for row in rows)), 0)
    base_of = {row: (*row[:place], rows[0][place], *row[place + 1 :]) for row in rows}
    compared = {row for row, base in base_of.items() if base != row and base in base_of}
    bases = {base_of[row] for row in compared}
    return any(row not in compared and row not in bases for row in rows)
