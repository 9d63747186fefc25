"""Planned cells of an experiment of which nothing was measured: a comparison of what is there lacks them.

So does a sweep, which would seem to end at the level before the one that the DUT did not survive.
"""

import os
from collections.abc import Iterator, Mapping, Sequence

from fwdtui.core.factors import CASE, SESSION, FactorValue, Level, level
from fwdtui.core.model import Caution
from fwdtui.core.text import clean
from fwdtui.core.units import counted
from fwdtui.report.cells_of import told_apart
from fwdtui.report.experiment_summary import CellCount, ExperimentSummary, records, summary
from fwdtui.report.factor_view import FactorView
from fwdtui.report.iterations import CaseSet
from fwdtui.report.sides import Side
from fwdtui.stats.figures import listing

MISSING = "trials-missing"
"""The code of the note on a sweep that trials of an experiment have no value that counts."""
_MOST_NAMED = 6  # the most cells in a note


def unmeasured(
    sides: Sequence[Side],
    view: FactorView,
    experiments: Sequence[ExperimentSummary],
    recorded: Sequence[Side],
) -> list[str]:
    """A line for each planned cell without a value that the comparison was to be about.

    Cells that the baseline has and a candidate lacks are not among them: gates.lacking has these. If the user
    chose a case by name, nothing is missing. `recorded`: the sides as they were read; `sides` are what `view`
    leaves of them.
    """
    if any(side.chosen for side in recorded):
        return []
    labels = _labels(recorded)
    lines = []
    for one in experiments:
        for cell, factors in _wanted_cells(one, labels[one.path], view):
            if not cell.done and not _told(sides, view, one.path, factors):
                trials = counted(cell.planned, "trial")
                label = clean(labels[one.path])
                lines.append(f"no verdict: {cell.name}: {trials} of {label} planned, none has a value")
    return lines


def concerned(
    experiments: Sequence[ExperimentSummary],
    recorded: Sequence[Side],
    sides: Sequence[Side],
    view: FactorView,
) -> tuple[ExperimentSummary, ...]:
    """The experiments of which something is among `sides`, or was to be: the filters leave a planned cell."""
    there = {session.path for side in sides for session in side.sessions}
    labels = _labels(recorded)
    return tuple(
        one for one in experiments if one.path in there or any(_wanted_cells(one, labels[one.path], view))
    )


def _labels(recorded: Sequence[Side]) -> dict[str, str]:
    """What filters call the sessions, by their paths."""
    sessions = [session for side in recorded for session in side.sessions]
    return {old.path: one.label for old, one in zip(sessions, told_apart(sessions), strict=True)}


def _wanted_cells(
    one: ExperimentSummary, label: str, view: FactorView
) -> Iterator[tuple[CellCount, Mapping[str, FactorValue]]]:
    """The cells with trials that the filters leave, each with its factors."""
    factors_of = {cell.number: cell.factors for cell in one.plan.cells}
    for cell in one.cells:
        factors = factors_of[cell.number]
        if cell.planned and _wanted({SESSION: label, CASE: cell.name, **factors}, view):
            yield cell, factors


def missing(sides: Sequence[Side], view: FactorView, labels: Mapping[str, str]) -> list[Caution]:
    """A note for each experiment in which planned trials have no value that counts.

    Only cells that the filters leave are considered, and no side of which the user chose a case by name. If a
    stop rule ended an experiment, only cells without any value are told: nothing else was to be measured.
    `labels`: what the sweep calls the sessions, by the real paths of their folders: two sessions with one
    label are told apart, and one that is named twice is told once.
    """
    notes = []
    left = dict(labels)
    for session, record in records([side for side in sides if not side.chosen])[0]:
        label = left.pop(os.path.realpath(session.path), None)
        if label is None:
            continue
        one = summary(session, record)
        cells = [cell for cell, _ in _wanted_cells(one, label, view)]
        lacking = {
            cell.name: cell.planned - cell.done
            for cell in cells
            if cell.done < cell.planned and not (one.stopped_by and cell.done)
        }
        if not lacking:
            continue
        told = [f"{count} of {name}" for name, count in lacking.items()][:_MOST_NAMED]
        if more := len(lacking) - _MOST_NAMED:
            told += [f"those of {counted(more, 'other cell')}"] * (more > 0)
        number, planned = sum(lacking.values()), sum(cell.planned for cell in cells)
        have = "has" if number == 1 else "have"
        none = f"{have} no value that counts{' yet' if one.running else ''}"
        text = f"in {clean(label)} {number} of {counted(planned, 'planned trial')} {none}: {listing(told)}"
        notes.append(Caution(MISSING, text))
    return notes


def _wanted(factors: Mapping[str, FactorValue], view: FactorView) -> bool:
    """Whether the filters leave a cell."""
    for name in {name for name, _ in view.filters if name in factors}:
        given = {level(name, value).identity for of, value in view.filters if of == name}
        if level(name, factors[name]).identity not in given:
            return False
    return True


def _told(sides: Sequence[Side], view: FactorView, session: str, factors: Mapping[str, FactorValue]) -> bool:
    """Whether the cell is compared, or another line says that it is not."""
    wanted = {name: level(name, value) for name, value in factors.items()}
    own = [side for side in sides if any(one.path == session for one in side.sessions)]
    if any(_is(case, wanted) for side in own for case in side.cases.values()):
        return True
    base, *others = sides
    if view.by:  # a level of which nothing was measured is no side
        others = [side for side in others if _agree(side.levels, wanted, view.by)]
    else:
        others = [side for side in others if side in own]
    beside = {name: one for name, one in wanted.items() if name not in view.by}
    return bool(others) and any(_is(case, beside) for case in base.cases.values())


def _is(case: CaseSet, wanted: Mapping[str, Level]) -> bool:
    return _agree(case.factors, wanted, wanted)


def _agree(
    there: Mapping[str, Level], wanted: Mapping[str, Level], names: Sequence[str] | Mapping[str, Level]
) -> bool:
    """Whether `there` has the wanted level of each of `names` that is among `wanted`."""
    return all(
        name in there and there[name].identity == wanted[name].identity for name in names if name in wanted
    )
