"""ministat's plot: stacked points, then bars for mean, median and standard deviation.

ministat keeps a grid of cells that grows and shrinks from set to set (PlotSet() in ministat.c); the outcome
is computed here without the grid:

- in a column each set has a stack, as high as it has values there;
- after each set the plot is as high as that set's highest stack, even if an earlier one was higher, and rows
  above are lost for good: a later, higher set finds them empty. So a set shows no more of its stacks than the
  lowest height from its own turn on;
- a cell shows the symbol of the bitwise or of the set numbers there.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fwdtui.core.errors import FwdtuiError
from fwdtui.stats.ministat.inputs import SYMBOLS
from fwdtui.stats.ministat.vitals import BIG, Vitals

ZERO_SPAN = "[no plot, span is zero width]\n"
_FAR = 999e99  # where ministat starts to look for the least value; its negative for the greatest
_CHUNK = 1 << 18  # characters written at once


class _Scale(NamedTuple):
    x0: float
    dx: float
    width: int

    def column(self, value: float) -> int:
        place = (value - self.x0) / self.dx if self.dx else -1.0
        # `width` is one too many: rounding gets there when the span is a hundred or so units in the last
        # place; ministat then writes on the next row (see _points)
        if not 0.0 <= place < self.width + 1:
            raise FwdtuiError("the range of the values is too wide or too narrow to plot; -A leaves it out")
        return int(place)


def plot(sets: Sequence[Vitals], width: int, *, separate_bars: bool) -> Iterator[str]:
    """The plot in chunks of text, for `width` columns (2 or more). Raises FwdtuiError if it cannot be."""
    low, high = _FAR, -_FAR
    for one in sets:
        for value in (one.minimum, one.maximum, one.mean - one.stddev, one.mean + one.stddev):
            # a NaN is neither lower nor higher, in C as here
            low = value if value < low else low
            high = value if value > high else high
    span = high - low
    if span == 0.0:
        yield ZERO_SPAN
        return
    dx = span / (width - 1.0)
    scale = _Scale(low - 0.5 * dx, dx, width)
    stacks = [_counts(one, scale) for one in sets]
    bars = _bars(sets, scale, separate_bars)
    frame = f"+{'-' * width}+\n"
    yield frame
    yield from _points(stacks, width)
    for bar in bars:
        yield f"|{bar}|\n"
    yield frame


def _counts(one: Vitals, scale: _Scale) -> dict[int, int]:
    """Column -> how many values."""
    first, last = scale.column(one.minimum), scale.column(one.maximum)
    if one.n >= BIG:
        from fwdtui.stats.ministat import large

        counts = large.column_counts(one.ordered, scale.x0, scale.dx, last + 1)
        return {first + place: count for place, count in enumerate(counts[first:]) if count}
    by_column: dict[int, int] = {}
    x0, dx, _ = scale
    for value in one.ordered:
        place = int((value - x0) / dx)
        by_column[place] = by_column.get(place, 0) + 1
    return by_column


def _points(stacks: Sequence[dict[int, int]], width: int) -> Iterator[str]:
    """The rows of points, the highest first."""
    steps: list[tuple[int, int, int]] = []
    lowest = bytearray(width)
    limit = max(stacks[-1].values())
    for number in range(len(stacks), 0, -1):
        counts = stacks[number - 1]
        limit = min(limit, max(counts.values()))
        for column, count in counts.items():
            if column < width:
                steps.append((min(count, limit), column, number))
                lowest[column] |= number
            else:  # beyond the end of a row of ministat's grid is the beginning of the next row up
                steps.append((min(count + 1, limit), 0, number))
    steps.sort(reverse=True)
    row = bytearray(width)
    for place, (height, column, number) in enumerate(steps):
        row[column] |= number
        below = steps[place + 1][0] if place + 1 < len(steps) else 1
        if below < height:
            yield from _rows(row, height - below)
    yield from _rows(lowest, 1)


def _rows(row: bytearray, count: int) -> Iterator[str]:
    """A row of set numbers as text, `count` times."""
    line = f"|{row.translate(_TO_SYMBOLS).decode('ascii')}|\n"
    at_once = max(_CHUNK // len(line), 1)
    if count >= at_once:
        chunk = line * at_once
        for _ in range(count // at_once):
            yield chunk
    yield line * (count % at_once)


_TO_SYMBOLS = SYMBOLS.encode("ascii") + b"?" * (256 - len(SYMBOLS))


def _bars(sets: Sequence[Vitals], scale: _Scale, separate: bool) -> list[str]:
    """The bars: a row for each set, or one on which they are all drawn, the later over the earlier."""
    rows = [bytearray(b" " * (scale.width + 1)) for _ in (sets if separate else "1")]
    for place, vitals in enumerate(sets):
        row = rows[place if separate else 0]
        if vitals.stddev == vitals.stddev:
            left, right = scale.column(vitals.mean - vitals.stddev), scale.column(vitals.mean + vitals.stddev)
            row[right] = row[left] = ord("|")
            for column in range(left + 1, right):
                if row[column] == ord(" "):
                    row[column] = ord("_")
        row[scale.column(vitals.median)] = ord("M")
        row[scale.column(vitals.mean)] = ord("A")
    return [row[: scale.width].decode("ascii") for row in rows]
