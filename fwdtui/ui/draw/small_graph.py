"""Small graphs beside bars: one line of Braille, filled from below, for each core or queue."""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import product
from math import ceil, inf
from operator import attrgetter
from typing import cast

from fwdtui.monitor.live.load_history import LoadRow

_LEFT = (0x00, 0x40, 0x44, 0x46, 0x47)  # the lowest 0 to 4 dots of a cell's left column
_RIGHT = (0x00, 0x80, 0xA0, 0xB0, 0xB8)
_DOTS = 4
_CELLS = {
    (left, right): chr(0x2800 | _LEFT[left] | _RIGHT[right]) if left or right else " "
    for left, right in product(range(_DOTS + 1), repeat=2)
}


Graphs = dict[Hashable, str]
Values = tuple[float, ...]
Highest = Mapping[Hashable, float]
_AT = attrgetter("at")
_SECOND = 1.0
_PARTS = 25  # a dot is drawn again after each of so many parts of its time, but at most once a second
_SCALES = 8  # axes whose columns are kept: each group of queues may have an axis of its own


class SmallGraphs:
    """Small graphs, drawn again only when their axis has moved by a dot, or when other ones are shown.

    If a dot is longer than a second, the newest one is filled as time passes.
    """

    def __init__(self) -> None:
        self._drawn: dict[Hashable, tuple[object, Graphs]] = {}
        self.columns = Columns()
        """The columns to pass to `small_graphs`; all its calls must be for the same history of rows."""

    def of(
        self,
        what: Hashable,
        now: float,
        span: float,
        cells: int,
        draw: Callable[[float, float], Graphs],
        which: Hashable = None,
    ) -> Graphs:
        """The graphs called `what`, as `draw(start, end)` makes them.

        The axis is `span` seconds long and ends at `now`, rounded up to a dot. `which`: the choice of graphs,
        if not all are drawn; another choice is drawn at once.
        """
        if cells < 1:
            return {}
        dot = span / (2 * cells)
        place = ceil(now / dot)
        parts = max(min(int(dot / _SECOND), _PARTS), 1)
        key = place, ceil(now / dot * parts), span, cells, which
        known = self._drawn.get(what)
        if known is None or known[0] != key:
            known = self._drawn[what] = key, draw(place * dot - span, place * dot)
        return known[1]


class Columns:
    """The highest values in each column of dots, kept so that only new columns are computed."""

    def __init__(self) -> None:
        self._kept: dict[float, dict[int, Highest]] = {}  # by seconds of a dot, and number of dots before it
        self._newest: LoadRow | None = None  # the newest of the rows that these are computed from

    def of(self, rows: Sequence[LoadRow], start: float, dot: float, count: int) -> list[Highest]:
        """The highest values in `count` columns of `dot` seconds from `start` on.

        `start` must be a multiple of `dot`.
        """
        if not any(row is self._newest for row in reversed(rows)):  # another run, or an earlier moment of it
            self._kept.clear()
        self._newest = rows[-1] if rows else None
        # the next row begins where the newest one ends, or a little earlier, as clocks are not exact
        over = self._newest.begin if self._newest else start
        # after zooming out, there may be rows from before the first one
        began = rows[0].at if rows else inf
        if len(self._kept) > _SCALES:
            self._kept.clear()
        scale = round(dot, 9)
        kept, first = self._kept.get(scale, {}), round(start / dot)
        columns = []
        again: dict[int, Highest] = {}
        for number in range(count):
            left, right = start + number * dot, start + (number + 1) * dot
            column = kept.get(first + number)
            whole = column is not None or left >= began
            if column is None:
                column = _highest(_overlapping(rows, left, right))
            if right <= over and whole:
                again[first + number] = column
            columns.append(column)
        self._kept[scale] = again
        return columns


def small_graphs(
    rows: Sequence[LoadRow],
    tops: Mapping[Hashable, float],
    start: float,
    end: float,
    cells: int,
    columns: Columns | None = None,
) -> Graphs:
    """One line of `cells` Braille characters for each name in `tops`: its value there is four dots high.

    A column of dots shows the highest value of the rows whose interval overlaps it; zero is one dot. It is
    blank where nothing was measured. `columns` keeps columns from one call to the next.
    """
    if cells < 1:
        return dict.fromkeys(tops, "")
    drawn = (columns or Columns()).of(rows, start, (end - start) / (cells * 2), cells * 2)
    return {name: _line([_height(one.get(name), top) for one in drawn]) for name, top in tops.items()}


def _height(value: float | None, top: float) -> int:
    """The height in dots; 0 where nothing was measured."""
    if not value or top <= 0:
        return 0 if value is None else 1
    return min(max(round(value / top * _DOTS), 1), _DOTS)


def _overlapping(rows: Sequence[LoadRow], left: float, right: float) -> Sequence[LoadRow]:
    first = last = bisect_right(rows, left, key=_AT)
    while last < len(rows) and rows[last].begin < right:
        last += 1
    return rows[first:last]


def _highest(rows: Sequence[LoadRow]) -> dict[Hashable, float]:
    """The highest value of each name. A gap does not hide what was measured next to it."""
    highest: dict[Hashable, float] = {}
    if len(rows) > 1 and _alike(rows):
        # one name after the other, in C: a redraw compares a minute of every queue
        return dict(zip(rows[0].names, map(max, *(cast(Values, row.values) for row in rows)), strict=True))
    for row in rows:
        for name, value in zip(row.names, row.values, strict=True):
            if value is not None and value >= highest.get(name, value):
                highest[name] = value
    return highest


def _alike(rows: Sequence[LoadRow]) -> bool:
    """Whether all rows have the same names, and every value is known."""
    names = rows[0].names
    return all(row.names is names and None not in row.values for row in rows)


def _line(heights: Sequence[int]) -> str:
    return "".join([_CELLS[pair] for pair in zip(heights[::2], heights[1::2], strict=True)])
