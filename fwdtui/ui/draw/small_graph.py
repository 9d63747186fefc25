"""Small graphs beside bars: one line of Braille, filled from below, for each core or queue."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import ceil
from typing import cast

from fwdtui.monitor.live.load_history import LoadRow

_LEFT = (0x00, 0x40, 0x44, 0x46, 0x47)  # the lowest 0 to 4 dots of a cell's left column
_RIGHT = (0x00, 0x80, 0xA0, 0xB0, 0xB8)
_DOTS = 4


Graphs = dict[Hashable, str]
Values = tuple[float, ...]


class SmallGraphs:
    """Small graphs that are drawn again only when their axis has moved by a dot, or when they are others."""

    def __init__(self) -> None:
        self._drawn: dict[Hashable, tuple[object, Graphs]] = {}

    def of(
        self,
        what: Hashable,
        now: float,
        span: float,
        cells: int,
        draw: Callable[[float, float], Graphs],
        which: Hashable = None,
    ) -> Graphs:
        """`draw(start, end)` makes the graphs called `what`; the axis ends at `now`, rounded up to a dot.

        `which` of them, where not all are drawn: others are drawn at once.
        """
        if cells < 1:
            return {}
        dot = span / (2 * cells)
        place = ceil(now / dot)
        key = place, span, cells, which
        known = self._drawn.get(what)
        if known is None or known[0] != key:
            known = self._drawn[what] = key, draw(place * dot - span, place * dot)
        return known[1]


def small_graphs(
    rows: Sequence[LoadRow], tops: Mapping[Hashable, float], start: float, end: float, cells: int
) -> Graphs:
    """One line of `cells` Braille characters for each name in `tops`, whose value there is four dots.

    A column of dots shows the highest value of the rows whose interval overlaps it, zero as its lowest dot.
    It is blank where nothing was measured.
    """
    heights: dict[Hashable, list[int]] = {name: [] for name in tops}
    for column in _columns(rows, start, end, cells * 2):
        highest = _highest(column)
        for name, top in tops.items():
            value = highest.get(name)
            if value is None:
                heights[name].append(0)
            else:
                heights[name].append(min(max(round(value / top * _DOTS), 1), _DOTS) if top > 0 else 1)
    return {name: _line(columns) for name, columns in heights.items()}


def _columns(rows: Sequence[LoadRow], start: float, end: float, columns: int) -> list[Sequence[LoadRow]]:
    dot = (end - start) / columns if columns else 0.0
    by_column = []
    first = 0
    for column in range(columns):
        left, right = start + column * dot, start + (column + 1) * dot
        while first < len(rows) and rows[first].at <= left:
            first += 1
        last = first
        while last < len(rows) and rows[last].at - rows[last].seconds < right:
            last += 1
        by_column.append(rows[first:last])
    return by_column


def _highest(rows: Sequence[LoadRow]) -> dict[Hashable, float]:
    """The highest value of each name: a gap does not hide what was measured beside it."""
    highest: dict[Hashable, float] = {}
    if len(rows) > 1 and _alike(rows):
        # one name after the other, in C: a redraw looks at a minute of every queue
        return dict(zip(rows[0].names, map(max, *(cast(Values, row.values) for row in rows)), strict=True))
    for row in rows:
        for name, value in zip(row.names, row.values, strict=True):
            if value is not None and value >= highest.get(name, value):
                highest[name] = value
    return highest


def _alike(rows: Sequence[LoadRow]) -> bool:
    """Whether all rows are of the same names, and every value is known."""
    names = rows[0].names
    return all(row.names is names and None not in row.values for row in rows)


def _line(heights: Sequence[int]) -> str:
    dots = (_LEFT[left] | _RIGHT[right] for left, right in zip(heights[::2], heights[1::2], strict=True))
    return "".join(chr(0x2800 + bits) if bits else " " for bits in dots)
