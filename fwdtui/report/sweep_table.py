"""A sweep as a table of texts: a row for each point of each line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fwdtui.core.imix import equity
from fwdtui.core.units import si
from fwdtui.report import sweep_words as words
from fwdtui.report.sweep import Point, Sweep
from fwdtui.report.table import number
from fwdtui.stats.figures import NONE


@dataclass(frozen=True, slots=True)
class Table:
    """`head` and the rows of each line have the same columns; `texts`: the columns that are not figures."""

    head: tuple[str, ...]
    lines: tuple[tuple[tuple[str, ...], ...], ...]
    texts: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Column:
    head: str
    text: Callable[[Point], str]
    figure: bool = True


def table(sweep: Sweep) -> Table:
    """Level, n, median, min and max; if they exist, also efficiency, line rate, equity on IMIX and caps."""
    columns = _columns(sweep)
    lines = tuple(
        tuple(tuple(column.text(point) for column in columns) for point in line.points)
        for line in sweep.lines
    )
    texts = frozenset(place for place, column in enumerate(columns) if not column.figure)
    return Table(tuple(column.head for column in columns), lines, texts)


def _columns(sweep: Sweep) -> Sequence[_Column]:
    axis, points = sweep.axis, sweep.points
    columns = [_Column(axis.title, lambda point: axis.label(point.level), axis.numeric)]
    unit = f", {sweep.unit}" if sweep.unit else ""
    columns += [
        _Column("n", lambda point: str(point.described.n)),
        _Column(f"median{unit}", lambda point: words.at_least(point) + number(point.described.median)),
        _Column("min", lambda point: number(point.described.min)),
        _Column("max", lambda point: number(point.described.max)),
    ]
    if sweep.has_linear:
        columns.append(_Column("of linear", lambda point: words.efficiency(point)))
    if any(point.line_rate is not None for point in points):
        columns.append(_Column("of line rate", lambda point: _of_line_rate(point)))
    if sweep.has_imix:
        columns.append(_Column("IMIX, b/s", lambda point: _imix(point)))
    if any(point.cap is not None for point in points):
        columns.append(_Column("capped", lambda point: words.cap(point), figure=False))
    return columns


def _of_line_rate(point: Point) -> str:
    median = point.described.median
    if median is None or point.line_rate is None:
        return NONE
    return f"{100 * median / point.line_rate:.1f} %"


def _imix(point: Point) -> str:
    median = point.described.median
    return NONE if median is None else words.at_least(point) + si(equity(median), 3)
