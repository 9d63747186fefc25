"""Charts in plain characters, for terminals, mail and Markdown. The only module that imports plotext.

Points are placed in units of cells, so that two in the same cell are visible (``*``, as in ministat) and
a bar is as high as its count. plotext draws them with frame, ticks and labels. It keeps one global figure:
each chart starts from a cleared one and leaves a cleared one, so that the same values give the same text.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.units import in_digits
from fwdtui.report.cells import shorten_apart
from fwdtui.stats.figures import in_words

BOTH = "*"
MARKS = "x+"
WIDTH = 78
_NARROWEST = 40
_BINS = 12
_STRIP_ROWS = 9
_HIGHEST = 12  # rows of a histogram: above that, a row represents more than one iteration
_AROUND = 4  # rows of a chart in addition to its bars: heading, frame, axis
_TICKS = 5
_SCALES = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"))
_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)  # steps of ticks, times a power of ten
_FEWEST_TICKS, _MOST_TICKS = 3, 6  # above zero
_SMALLEST, _LARGEST = 1e-6, 1e15  # ticks of other sizes are written with an exponent

Cell = tuple[int, int]  # column, row; row 0 is the lowest


class Mean(NamedTuple):
    """A set's mean and its interval, in the unit of its values, to be drawn beside a chart with its mark."""

    mark: str
    mean: float
    interval: tuple[float, float] | None


def histogram(
    base: Sequence[float],
    other: Sequence[float],
    labels: tuple[str, str],
    width: int = WIDTH,
    high: int | None = None,
    means: Sequence[Mean] = (),
    unit: str = "",
) -> str:
    """How often each value occurs, both sets in the same bins. `width` is in columns.

    `high`: rows for the whole chart: an iteration then takes as many rows of a bar as fit, and there are more
    bins if there is room. `means`: of each set, drawn below the axis with its interval. `unit`: of the
    values, for the heading; pps goes without saying.
    """
    sets = _finite(base), _finite(other)
    heading = f"histogram{in_words(unit)}   {_legend(sets, labels, max(width, _NARROWEST) - 12)}"
    span = _span(sets)
    if span is None:
        return f"{heading}\n{_nothing(sets)}\n"
    low, top = span
    bins = _BINS if high is None else _bins(max(map(len, sets)), width)
    counts = [_counts(values, low, top, bins) for values in sets]
    tallest = max(map(max, counts))
    most = _HIGHEST if high is None else max(high - _AROUND - len(means), 1)
    each = max(most // tallest, 1) if high is not None else 1  # rows that one iteration takes
    rows = min(tallest * each, most)
    y_ticks = {rows - 1: str(tallest)} if rows < tallest else {each - 1: "1", rows - 1: str(tallest)}
    margin = max(map(len, y_ticks.values()))
    per_bin = max((max(width, _NARROWEST) - margin - 2) // bins, 3)
    bar = (per_bin - 1) // 2
    cells: dict[Cell, str] = {}
    for place, mark in enumerate(MARKS):
        for number, count in enumerate(counts[place]):
            height = count * each if rows == tallest * each else math.ceil(count * rows / tallest)
            alone = not counts[1 - place][number]  # its bar is as wide as the bin, so that values lie in it
            left = number * per_bin + (0 if alone else place * bar)
            right = left + bar * (2 if alone else 1)
            cells |= {(column, row): mark for column in range(left, right) for row in range(height)}
    columns = bins * per_bin
    x_ticks = value_ticks(low, top, columns, max(columns // 14, 2))
    below = "".join(_mean_line(mean, low, top, columns, margin + 1) for mean in means)
    return f"{heading}\n{draw(cells, columns, rows, x_ticks, y_ticks)}{below}"


def _bins(longest: int, width: int) -> int:
    """Rice's rule, 2 n^(1/3), for large sets; never fewer than usual, and no more than fit."""
    return min(max(_BINS, math.ceil(2 * math.cbrt(longest))), max((width - 8) // 5, _BINS))


def _mean_line(mean: Mean, low: float, top: float, columns: int, margin: int) -> str:
    """``x      ├──●──┤``: the mean and its interval on the scale above; an arrow if it goes beyond that."""

    def column(value: float) -> int:
        place = (value - low) / (top - low) * (columns - 1)
        return min(max(round(place), 0), columns - 1)

    line = [" "] * columns
    if mean.interval is not None:
        left, right = mean.interval
        first, last = column(left), column(right)
        line[first : last + 1] = ["─"] * (last - first + 1)
        line[first] = "◂" if left < low else "├"
        line[last] = "▸" if right > top else "┤"
    line[column(mean.mean)] = "●"
    return f"{mean.mark}{' ' * (margin - 1)}{''.join(line).rstrip()}\n"


def strip(
    base: Sequence[float],
    other: Sequence[float],
    labels: tuple[str, str],
    width: int = WIDTH,
    high: int | None = None,
    unit: str = "",
    means: Sequence[Mean] = (),
) -> str:
    """The iterations in the order in which they were measured: drift, steps and outliers show here.

    `high`: rows for the whole chart, if they are more than usual. `unit`: of the values, as for `histogram`.
    `means`: of each set, in a column of its own beside the frame, with its interval.
    """
    sets = _finite(base), _finite(other)
    heading = f"iterations{in_words(unit)}  {_legend(sets, labels, max(width, _NARROWEST) - 21)}"
    span = _span(sets)
    if span is None:
        return f"{heading}\n{_nothing(sets)}\n"
    low, top = span
    rows = max(_STRIP_ROWS, (high or 0) - _AROUND)
    y_ticks = value_ticks(low, top, rows, _TICKS)
    longest = max(len(base), len(other))
    beside = len(MARKS) + 1 if means else 0
    columns = max(width, _NARROWEST) - 2 - max(map(len, y_ticks.values())) - beside
    slot = columns / longest
    apart = min(slot / 4, 1.0)  # side by side while there is room
    cells: dict[Cell, str] = {}
    for place, (values, mark) in enumerate(zip((base, other), MARKS, strict=True)):
        for number, value in enumerate(values):
            if math.isfinite(value):
                column = math.floor((number + 0.5) * slot + (apart if place else -apart))
                cell = column, round((value - low) / (top - low) * (rows - 1))
                cells[cell] = mark if cells.get(cell, mark) == mark else BOTH
    step = max(math.ceil(longest / 20), 1)
    x_ticks = {math.floor((n + 0.5) * slot): str(n + 1) for n in range(0, longest, step)}
    if BOTH in cells.values():
        heading += f"   {BOTH} both"
    drawn = draw(cells, columns, rows, x_ticks, y_ticks).splitlines()
    for place, text in _means_beside(means, low, top, rows).items():
        drawn[rows - place] += f" {text}".rstrip()  # below the frame's upper side
    return "\n".join([heading, *drawn, ""])


def _means_beside(means: Sequence[Mean], low: float, top: float, rows: int) -> dict[int, str]:
    """Row -> the text beside it: the means and their intervals, with a column for each set."""

    def row(value: float) -> int:
        inside = min(max(value, low), top)  # an interval may be infinite, beside values near a double's limit
        return round((inside - low) / (top - low) * (rows - 1))

    marks: dict[tuple[int, int], str] = {}
    for mean in means:
        column = MARKS.index(mean.mark)
        if mean.interval is not None:
            first, last = map(row, mean.interval)
            marks |= {(place, column): "│" for place in range(first, last + 1)}
            marks[first, column] = "▾" if mean.interval[0] < low else "┴"
            marks[last, column] = "▴" if mean.interval[1] > top else "┬"
        marks[row(mean.mean), column] = "●"
    places = range(len(MARKS))
    return {place: "".join(marks.get((place, column), " ") for column in places) for place, _ in marks}


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]


def _span(sets: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """The range of all values; None if it has no width on any scale that could be drawn."""
    values = [value for one in sets for value in one]
    if not values:
        return None
    low, high = min(values), max(values)
    drawable = math.isfinite(high - low) and (high - low) > 1e-12 * max(abs(low), abs(high))
    return (low, high) if drawable else None


def _nothing(sets: Sequence[Sequence[float]]) -> str:
    values = [value for one in sets for value in one]
    if not values:
        return "  no values to draw"
    if math.isfinite(max(values) - min(values)):
        return f"  all at {in_digits(values[0], 9)}: no chart"
    return "  the values are too far apart to draw"


def _legend(sets: Sequence[Sequence[float]], labels: tuple[str, str], columns: int) -> str:
    counts = [f" ({len(values)})" for values in sets]
    room = columns // 2 - 4 - max(map(len, counts))
    parts = []
    for mark, values, label, count in zip(MARKS, sets, shorten_apart(labels, room), counts, strict=True):
        if not values and not label:  # there is only one set
            continue
        parts.append(f"{mark} {label}{count}")
    return "   ".join(parts)


def _counts(values: Sequence[float], low: float, high: float, bins: int) -> list[int]:
    counts = [0] * bins
    for value in values:
        counts[min(int((value - low) / (high - low) * bins), bins - 1)] += 1
    return counts


def value_ticks(low: float, high: float, cells: int, wanted: int) -> dict[int, str]:
    """Cell -> the value there, with enough decimals to distinguish neighbours.

    `cells` is the length of the axis; `wanted` is how many cells get a tick, 2 or more.
    """
    places = sorted({round(i * (cells - 1) / (wanted - 1)) for i in range(wanted)})
    values = [low + place / (cells - 1) * (high - low) for place in places]
    largest = max(abs(low), abs(high))
    if not _SMALLEST <= largest < _LARGEST:
        return {place: f"{value:.3g}" for place, value in zip(places, values, strict=True)}
    scale, unit = next((s for s in _SCALES if largest >= s[0]), (1.0, ""))
    step = (high - low) / (wanted - 1) / scale
    decimals = min(max(math.ceil(-math.log10(step)) + 1, 0), 15)
    return {place: f"{value / scale:.{decimals}f}{unit}" for place, value in zip(places, values, strict=True)}


def round_ticks(highest: float, rows: int) -> tuple[float, dict[int, str]]:
    """The top of an axis from zero that holds `highest` (above 0), and row -> a round value there.

    The distance between ticks, in rows, is the one that wastes least room. `rows` are 4 or more.
    """
    tops: list[tuple[float, int, float]] = []
    for apart in range(1, rows):
        if not _FEWEST_TICKS <= (rows - 1) // apart <= _MOST_TICKS:
            continue
        least = highest / (rows - 1) * apart
        decade = 10.0 ** math.floor(math.log10(least))
        step = next(size * decade for size in _ROUND if size * decade >= least)
        tops.append((step / apart * (rows - 1), apart, step))
    top, apart, step = min(tops)
    top = max(top, highest)  # the product of a rounded step may be less by a unit of its last digit
    scale, unit = next((s for s in _SCALES if top >= s[0]), (1.0, ""))
    if not _SMALLEST <= top < _LARGEST:
        return top, {number * apart: f"{number * step:.3g}" for number in range((rows - 1) // apart + 1)}
    ticks = {number * apart: number * step / scale for number in range((rows - 1) // apart + 1)}
    return top, {row: f"{value:.10g}{unit if value else ''}" for row, value in ticks.items()}


def draw(
    cells: Mapping[Cell, str],
    columns: int,
    rows: int,
    x_ticks: Mapping[int, str],
    y_ticks: Mapping[int, str],
    right: Mapping[int, str] | None = None,
) -> str:
    """Marks in cells, with frame and ticks, as lines of text. Row 0 is the lowest.

    `x_ticks` are by column, `y_ticks` by row. `right`: the ticks of a second axis by row, beside the frame.
    """
    import plotext

    plotext.clear_figure()
    try:
        plotext.limit_size(False, False)
        plotext.theme("clear")
        plotext.plot_size(columns + 2 + max(map(len, y_ticks.values())), rows + 3)
        plotext.xlim(0, columns - 1)
        plotext.ylim(0, rows - 1 or 1)
        plotext.xticks(list(x_ticks), list(x_ticks.values()))
        plotext.yticks(list(y_ticks), list(y_ticks.values()))
        for mark in sorted(set(cells.values())):
            places = [cell for cell in cells if cells[cell] == mark]
            plotext.scatter([c for c, _ in places], [r for _, r in places], marker=mark)
        drawn = plotext.uncolorize(plotext.build())
    finally:
        plotext.clear_figure()
    lines = [line.rstrip() for line in drawn.splitlines() if line.strip()]
    for row, text in (right or {}).items():
        place = rows - row  # below the frame's upper side
        lines[place] = f"{lines[place][:-1]}├{text}"
    return "".join(f"{line}\n" for line in lines)
