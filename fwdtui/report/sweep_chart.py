"""The chart of a sweep in plain characters: medians, the range of the values, and reference lines.

A capped median has ``≥`` before its mark: a curve that bends down along line rate is not the DUT's.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fwdtui.core.imix import equity
from fwdtui.core.units import si
from fwdtui.report import bars
from fwdtui.report import sweep_words as words
from fwdtui.report.cells import columns_of, shorten_apart
from fwdtui.report.sweep import AT_LEAST, Line, Sweep, line_rate_fits
from fwdtui.report.textchart import BOTH, WIDTH, Cell, draw, round_ticks, value_ticks
from fwdtui.stats.figures import in_words

MARKS = "ox+#%@&$ABCDEFGHIJKLMNPQRSTUVWYZ"
"""The marks of the lines: enough for the twelve lines that the app offers at most to be different."""
_LINEAR, _LINE_RATE, _SPREAD = ".", "-", "¦"
_BOUND = AT_LEAST.strip()
_BEYOND = "line rate (beyond the top where not drawn)"
_ROWS = 16
_FEWEST_ROWS = 6  # the fewest that have round ticks
_SMALLEST, _LARGEST = 1e-300, 1e300  # beyond these a float has no room for a rounder one
_SECOND_AXIS = 60  # columns from which there is room for it
_LEAST_COLUMNS = 20
_LONGEST_TICK = 16
_LEAST_TICK = 8  # the fewest columns of a shortened name


@dataclass(slots=True)
class _Grid:
    """Where values are among `columns` and `rows` of cells, and what is drawn there."""

    sweep: Sweep
    columns: int
    rows: int
    low: float
    top: float
    cells: dict[Cell, str] = field(default_factory=dict)

    def column(self, at: float) -> int:
        """The column of a place on the axis; the first and the last level leave one free beside the frame."""
        first, last = self._ends
        if last == first:
            return self.columns // 2
        return 1 + round((self._scaled(at) - first) / (last - first) * (self.columns - 3))

    def at(self, column: int) -> float:
        """The place on the axis that a column stands for."""
        first, last = self._ends
        place = first + (column - 1) / (self.columns - 3) * (last - first)
        return math.exp(place) if self.sweep.axis.log else place

    def row(self, value: float) -> int | None:
        """The row of a value; None if it is beyond the chart."""
        if not self.low <= value <= self.top:
            return None
        return round((value - self.low) / (self.top - self.low) * (self.rows - 1))

    @property
    def _ends(self) -> tuple[float, float]:
        """The first and the last level; in a chart with one level, that one twice."""
        places = self.sweep.axis.places
        return self._scaled(places[0]), self._scaled(places[-1])

    def _scaled(self, at: float) -> float:
        return math.log(at) if self.sweep.axis.log else at


def chart(sweep: Sweep, width: int = WIDTH, rows: int = _ROWS) -> str:
    """The chart, or bars if few names are compared. `width` is in columns, with the frame."""
    if bars.suits(sweep):
        return bars.text(bars.of_sweep(sweep), width)
    heading = _heading(sweep, width)
    known = [point.described for point in sweep.points if point.described.max is not None]
    highest = max((one.max or 0.0 for one in known), default=0.0)
    if not 0 < highest < math.inf:
        return f"{heading}\n  no values above zero to draw\n"
    rates = [point.line_rate or 0.0 for point in sweep.points] if line_rate_fits(sweep) else []
    low, top = min(0.0, *(one.min or 0.0 for one in known)), max([highest, *rates])
    if low < 0 or rows < _FEWEST_ROWS or not _SMALLEST < top < _LARGEST:
        top *= 1.05
        y_ticks = value_ticks(low, top, rows, 5)
    else:
        top, y_ticks = round_ticks(top, rows)
    right: dict[int, str] = {}
    if sweep.has_imix and width >= _SECOND_AXIS:
        values = {row: row / (rows - 1) * (top - low) + low for row in y_ticks}
        right = {row: si(equity(value), 3) for row, value in values.items()}
    sides = max(map(len, y_ticks.values())) + max(map(len, right.values()), default=0)
    grid = _Grid(sweep, max(width - 2 - sides, _LEAST_COLUMNS), rows, low, top)
    for line in sweep.lines:
        _linear(grid, line)
        _line_rates(grid, line)
    for place, line in enumerate(sweep.lines):
        _values(grid, line, MARKS[place % len(MARKS)])
    for line in sweep.lines:
        _bounds(grid, line)
    if BOTH not in grid.cells.values():
        heading = heading.removesuffix(f"{BOTH} several").rstrip()
    if _LINE_RATE not in grid.cells.values():
        heading = heading.replace(f"{_LINE_RATE} {_BEYOND}", "line rate is beyond the top")
    return f"{heading}\n{draw(grid.cells, grid.columns, rows, _ticks(grid), y_ticks, right)}"


def _heading(sweep: Sweep, width: int) -> str:
    labels = shorten_apart([words.series_label(sweep, line) for line in sweep.lines], width - 4)
    parts = [f"{MARKS[place % len(MARKS)]} {label or 'median'}" for place, label in enumerate(labels)]
    parts.append(f"{_SPREAD} min to max")
    if any(point.cap is not None for point in sweep.points):
        parts.append(f"{_BOUND} capped, a lower bound")
    if sweep.has_linear:
        parts.append(f"{_LINEAR} linear")
    if any(point.line_rate is not None for point in sweep.points):
        parts.append(f"{_LINE_RATE} {'line rate' if line_rate_fits(sweep) else _BEYOND}")
    if unit := in_words(sweep.unit).strip():
        parts.append(f"left: {unit}")
    if sweep.has_imix and width >= _SECOND_AXIS:
        parts.append("right: IMIX, b/s")
    parts.append(f"{BOTH} several")
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]}   {part}" if lines[-1] else part
        lines = [*lines[:-1], joined] if columns_of(joined) <= width else [*lines, part]
    return "\n".join(lines)


def _linear(grid: _Grid, line: Line) -> None:
    slope = next((point.linear / point.at for point in line.points if point.linear is not None), None)
    if slope is None or len(grid.sweep.axis.places) < 2:
        return
    for column in range(1, grid.columns - 1):
        row = grid.row(slope * grid.at(column))
        if row is not None:
            grid.cells[column, row] = _LINEAR


def _line_rates(grid: _Grid, line: Line) -> None:
    for point in line.points:
        row = None if point.line_rate is None else grid.row(point.line_rate)
        if row is not None:
            column = grid.column(point.at)
            grid.cells |= {(beside, row): _LINE_RATE for beside in (column - 1, column, column + 1)}


def _values(grid: _Grid, line: Line, mark: str) -> None:
    for point in line.measured:
        column = grid.column(point.at)
        least, greatest = grid.row(point.described.min or 0.0), grid.row(point.described.max or 0.0)
        for row in range(least or 0, (greatest or 0) + 1):
            if grid.cells.get((column, row), _LINEAR) not in (*MARKS, BOTH):
                grid.cells[column, row] = _SPREAD
    for point in line.measured:
        middle = grid.row(point.described.median or 0.0)
        if middle is not None:
            cell = grid.column(point.at), middle
            grid.cells[cell] = BOTH if grid.cells.get(cell, "") in (*MARKS, BOTH) else mark


def _bounds(grid: _Grid, line: Line) -> None:
    """Write ``≥`` before the mark of each capped point, or in its place if another mark is before it."""
    for point in line.measured:
        row = grid.row(point.described.median or 0.0)
        if point.cap is not None and row is not None:
            column = grid.column(point.at)
            crowded = grid.cells.get((column - 1, row), "") in (*MARKS, BOTH)
            grid.cells[column if crowded else column - 1, row] = _BOUND


def _ticks(grid: _Grid) -> dict[int, str]:
    """Column -> label: every level if they fit, else those that do, at even steps on a linear axis."""
    axis = grid.sweep.axis
    places = [grid.column(at) for at in axis.places]
    labels: Sequence[str] = axis.labels
    if not axis.numeric:
        gap = min((after - before for before, after in pairwise(places)), default=grid.columns)
        fits = gap > _LEAST_TICK
        labels = shorten_apart(axis.labels, gap - 1 if fits else _LONGEST_TICK)
    taken: dict[int, str] = {}
    if (
        axis.log
    ):  # the last levels are close together: thinning all evenly would take names where there is room
        named = list(zip(places, labels, strict=True))
        for place, label in [*named[:1], *named[:0:-1][:1], *named[1:-1]]:  # both ends first
            if _apart(dict(sorted({**taken, place: label}.items()))):
                taken[place] = label
        return dict(sorted(taken.items()))
    for step in range(1, len(labels) + 1):
        taken = {places[number]: labels[number] for number in range(0, len(labels), step)}
        if _apart(taken):
            break
    return taken


def _apart(ticks: Mapping[int, str]) -> bool:
    """Whether there is a space between any two labels, each of which is centred at its place."""
    starts = [(place - columns_of(text) // 2, columns_of(text)) for place, text in ticks.items()]
    return all(left + width < right for (left, width), (right, _) in pairwise(starts))
