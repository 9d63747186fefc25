"""Rates over time as Braille: several series on one axis, with gaps left blank. No Textual.

Each column of dots is an integer whose bit 0 is the lowest dot: a line is a few shifts, and only cells that
contain something are visited. 200x15 cells with three series of 300 points take about a millisecond.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import cycle, repeat
from operator import and_, or_

import msgspec

from fwdtui.core.interval import JOINED
from fwdtui.monitor.live.series import Point
from fwdtui.ui.draw.highest import after

Masks = list[int]
_LEFT = (0x40, 0x04, 0x02, 0x01)  # dots of the left column of a cell, from the lowest up
_RIGHT = (0x80, 0x20, 0x10, 0x08)
_BITS_LEFT = [sum(bit for place, bit in enumerate(_LEFT) if n >> place & 1) for n in range(16)]
_BITS_RIGHT = [sum(bit for place, bit in enumerate(_RIGHT) if n >> place & 1) for n in range(16)]
GRID = 256
_HIGH = 20  # rows of a graph; in a higher one only an edge of the loss is drawn
_EDGE = 8  # dots of this edge: two rows
_CHARACTERS = [" ", *(chr(0x2800 + dots) for dots in range(1, 256)), "+"]
_GRID_EVERY = 10  # cells: a line of dots or dashes would look like a series
SOLID = 1, 1
_ALIKE = re.compile(rb"(.)\1*+", re.DOTALL)  # a run of equal bytes
_TEXTURE = (0x1111111111111111, 0x4444444444444444)  # every fourth dot, shifted in every second column


class Axes(msgspec.Struct, frozen=True):
    """`start`, `end`: seconds at the edges; `top`: the rate at the upper edge; `width`, `height`: cells."""

    start: float
    end: float
    top: float
    width: int
    height: int


class Layer(msgspec.Struct, frozen=True):
    """Dots of one meaning. Lines replace a `fill`; if two lines are in a cell, the later sets the colour."""

    masks: Masks
    kind: int  # the number that the rendered runs carry, below 256; 0 is nothing
    fill: bool = False


class Trace:
    """The dots of one series, without dashes. Points may be added, and the axes may move on by whole columns.

    A rate is drawn over its whole interval. Points without a value, and time without points, are gaps: the
    line ends before and begins after them.
    """

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        columns = axes.width * 2
        self.heights = [-1] * columns
        """The series' height in each column; -1: a gap."""
        self._dots = [0] * columns
        self._rises: Masks = [0] * columns  # what joins one height to the next
        self._last_y = self._last_column = -1
        self._last_at = 0.0

    def add(self, points: Iterable[Point], bits: bool = False) -> None:
        """Add the next points. `bits`: draw their bits per second, not their packets."""
        axes, heights, drawn, rises = self.axes, self.heights, self._dots, self._rises
        columns, dots = axes.width * 2, axes.height * 4
        scale = columns / (axes.end - axes.start)
        vertical = (dots - 1) / axes.top
        start = axes.start
        last_y, last_column, last_at = self._last_y, self._last_column, self._last_at
        for point in points:
            value = point.bps if bits else point.value
            at = point.at
            if value is None:
                last_y = -1
                continue
            begin = at - point.seconds
            y = round(value * vertical)
            y = 0 if y < 0 else dots - 1 if y >= dots else y
            joined = last_y >= 0 and begin - last_at <= JOINED * point.seconds
            last_at = at
            if at <= start:
                last_y, last_column = y, -1
                continue
            # an interval that ends at a column's edge does not reach into the next one
            right = min(int((at - start) * scale - 1e-6), columns - 1)
            left = last_column + 1 if joined else int((begin - start) * scale) if begin > start else 0
            if left > right:
                left = right
            if left == 0 and last_column < 0:
                joined = False
            for column in range(left, right + 1):
                drawn[column] |= 1 << y
                heights[column] = y
            if joined and last_y != y:
                low, high = (last_y, y) if last_y < y else (y, last_y)
                rises[left] |= ((1 << (high - low + 1)) - 1) << low
            last_y, last_column = y, right
        self._last_y, self._last_column, self._last_at = last_y, last_column, last_at

    def move(self, axes: Axes) -> bool:
        """Move on to these axes. False if they are not the axes so far, moved on by whole columns."""
        before = self.axes
        span, columns = before.end - before.start, len(self.heights)
        if (axes.top, axes.width, axes.height) != (before.top, before.width, before.height):
            return False
        by = (axes.start - before.start) / span * columns
        shift = round(by)
        if (
            not 0 <= shift < columns
            or abs(by - shift) > 1e-6
            or abs(axes.end - axes.start - span) > 1e-6 * span
        ):
            return False
        if shift:
            self.heights = self.heights[shift:] + [-1] * shift
            self._dots = self._dots[shift:] + [0] * shift
            self._rises = self._rises[shift:] + [0] * shift
            self._rises[0] = 0  # the height before it is out of view
            self._last_column = max(self._last_column - shift, -1)
        self.axes = axes
        return True

    def masks(self, dash: tuple[int, int] = SOLID) -> Masks:
        """The dots, with dashes of (dots on, period) along the time axis. Joins of heights have no gaps."""
        on, period = dash
        if on == period:
            return list(map(or_, self._dots, self._rises))
        phases = cycle([-1] * on + [0] * (period - on))  # all bits, and none
        return list(map(or_, map(and_, self._dots, phases), self._rises))


def polyline(
    points: Iterable[Point], axes: Axes, dash: tuple[int, int] = SOLID, bits: bool = False
) -> tuple[Masks, list[int]]:
    """The dots of one series, and its height in each column; see `Trace`."""
    trace = Trace(axes)
    trace.add(points, bits)
    return trace.masks(dash), trace.heights


class Traces:
    """The series of a graph that moves on: only new points are drawn.

    A minute of a hundred samples a second is six thousand points, of which ten are new at each drawing.
    """

    def __init__(self) -> None:
        # the trace, where its first point begins, its last point, and whether it is in bits
        self._known: dict[str, tuple[Trace, float, Point, bool]] = {}

    def polyline(
        self, name: str, points: Sequence[Point], axes: Axes, dash: tuple[int, int], bits: bool
    ) -> tuple[Masks, list[int]]:
        """As the function `polyline`, for the series called `name`."""
        trace, new = self._go_on(name, points, axes, bits)
        began = known[1] if trace is not None and (known := self._known.get(name)) else _began(points)
        if trace is None:
            trace, new = Trace(axes), points
        trace.add(new, bits)
        if points:
            self._known[name] = trace, began, points[-1], bits
        return trace.masks(dash), trace.heights

    def _go_on(
        self, name: str, points: Sequence[Point], axes: Axes, bits: bool
    ) -> tuple[Trace | None, Sequence[Point]]:
        """What was drawn of this series, if `points` continue it, else None; and the points to add."""
        known = self._known.get(name)
        if known is None or known[3] != bits:
            return None, points
        trace, began, last, _ = known
        if began > axes.start and _began(points) < began:
            return None, points  # a longer span is asked for: earlier points come into view
        new = after(points, last)
        return (trace, new) if new is not None and trace.move(axes) else (None, points)


def _began(points: Sequence[Point]) -> float:
    return points[0].at - points[0].seconds if points else 0.0


def level(value: float, axes: Axes, dash: tuple[int, int] = SOLID) -> Masks:
    """The dots of a horizontal line at one rate."""
    dots = axes.height * 4
    bit = 1 << min(max(round(value * (dots - 1) / axes.top), 0), dots - 1)
    on, period = dash
    return [bit if column % period < on else 0 for column in range(axes.width * 2)]


def between(upper: list[int], lower: list[int], edge: int | None = None) -> Masks:
    """A texture where the upper series is above the lower: the loss.

    `edge`: fill only so many dots below the upper series. A fill grows with the graph's height, and in a high
    graph it would stand out more than the lines that it is between.
    """
    return list(map(_textured, upper, lower, cycle((0, 1)), repeat(edge)))


@lru_cache(4096)
def _textured(high: int, low: int, odd: int, edge: int | None) -> int:
    """One column of this texture. Neighbours are often the same, so columns are cached."""
    if low < 0 or high - low < 4:
        return 0
    span = ((1 << (high - low - 3)) - 1) << (low + 2)
    if edge is not None and high - low > edge:
        span = span >> (high - edge) << (high - edge)
    texture = _TEXTURE[odd]
    if high > 63:
        texture |= texture << 64 | texture << 128 | texture << 192
    return span & texture


def lost(upper: list[int], lower: list[int], axes: Axes) -> Masks:
    """What is lost between two series: the area, or in a high graph an edge below the upper series."""
    return between(upper, lower, _EDGE if axes.height > _HIGH else None)


def woven(over: Masks, heights: list[int], under: Masks, under_heights: list[int]) -> tuple[Masks, Masks]:
    """Make both of two lines visible where they coincide: two cells of one and two of the other in turns."""
    over, under = over.copy(), under.copy()
    for column, (high, low) in enumerate(zip(heights, under_heights, strict=True)):
        if high >= 0 and low >= 0 and abs(high - low) <= 1:
            if column // 4 % 2:
                over[column] = 0
                under[column] |= 1 << low
            else:
                under[column] = 0
    return over, under


def render(layers: Sequence[Layer], axes: Axes, grid: Sequence[int] = ()) -> list[list[tuple[str, int]]]:
    """Rows from the top, each as runs of (characters, kind). `grid`: rows that carry faint crosses, kind 0.

    Layers are in order of importance, the least first.
    """
    width, height = axes.width, axes.height
    cross = [GRID if column % _GRID_EVERY == _GRID_EVERY - 1 else 0 for column in range(width)]
    cells = [cross.copy() if row in grid else [0] * width for row in range(height)]
    kinds = [bytearray(width) for _ in range(height)]
    fills = {0} | {layer.kind for layer in layers if layer.fill}
    bottom = height - 1
    for layer in layers:
        kind, masks = layer.kind, layer.masks
        for column in range(width):
            left, right = masks[2 * column], masks[2 * column + 1]
            if not left and not right:
                continue
            for up, bits in _cells_of(left, right):
                row = bottom - up
                under = kinds[row]
                if under[column] in fills:
                    cells[row][column] = bits
                else:
                    cells[row][column] |= bits
                under[column] = kind
    blank = bytearray(width)  # most rows are blank while nothing is sent
    plain = {on_grid: _runs(cross if on_grid else [0] * width, blank) for on_grid in (False, True)}
    return [
        plain[number in grid] if colors == blank else _runs(row, colors)
        for number, (row, colors) in enumerate(zip(cells, kinds, strict=True))
    ]


@lru_cache(4096)
def _cells_of(left: int, right: int) -> tuple[tuple[int, int], ...]:
    """The cells of two columns of dots that are not blank: the row from the bottom, and the dots in it.

    Neighbours are often the same: a line is mostly flat, and the texture of the loss repeats.
    """
    cells = []
    both = left | right
    while both:
        shift = ((both & -both).bit_length() - 1) & ~3
        both &= ~(15 << shift)
        bits = _BITS_LEFT[left >> shift & 15] | _BITS_RIGHT[right >> shift & 15]
        cells.append((shift >> 2, bits))
    return tuple(cells)


def _runs(cells: list[int], kinds: bytearray) -> list[tuple[str, int]]:
    text = "".join(map(_CHARACTERS.__getitem__, cells))
    return [(text[run.start() : run.end()], kinds[run.start()]) for run in _ALIKE.finditer(kinds)]
