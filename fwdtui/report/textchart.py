"""Charts in plain characters, for terminals, mail and Markdown. The only module that imports plotext.

Points are placed in units of cells, so that two in the same cell are visible (``*``, as in ministat) and
a bar is as high as its count. plotext draws them with frame, ticks and labels. It keeps one global figure:
each chart starts from a cleared one and leaves a cleared one, so that the same values give the same text.
"""

import math
from collections.abc import Mapping, Sequence

from fwdtui.report.cells import shorten_apart

BOTH = "*"
MARKS = "x+"
WIDTH = 78
_NARROWEST = 40
_BINS = 12
_STRIP_ROWS = 9
_HIGHEST = 12  # rows of a histogram: above that, a row represents more than one iteration
_TICKS = 5
_SMALLEST, _LARGEST = 1e-6, 1e15  # ticks of other sizes are written with an exponent

Cell = tuple[int, int]  # column, row; row 0 is the lowest


def histogram(
    base: Sequence[float], other: Sequence[float], labels: tuple[str, str], width: int = WIDTH
) -> str:
    """How often each value occurs, both sets in the same bins. Values in pps; `width` in columns."""
    sets = _finite(base), _finite(other)
    heading = f"histogram   {_legend(sets, labels, max(width, _NARROWEST) - 12)}"
    span = _span(sets)
    if span is None:
        return f"{heading}\n{_nothing(sets)}\n"
    low, high = span
    counts = [_counts(values, low, high) for values in sets]
    tallest = max(map(max, counts))
    rows = min(tallest, _HIGHEST)
    y_ticks = {0: "1", rows - 1: str(tallest)} if rows == tallest else {rows - 1: str(tallest)}
    margin = max(map(len, y_ticks.values()))
    per_bin = max((max(width, _NARROWEST) - margin - 2) // _BINS, 3)
    bar = (per_bin - 1) // 2
    cells: dict[Cell, str] = {}
    for place, mark in enumerate(MARKS):
        for number, count in enumerate(counts[place]):
            height = count if rows == tallest else math.ceil(count * rows / tallest)
            left = number * per_bin + place * bar
            cells |= {(column, row): mark for column in range(left, left + bar) for row in range(height)}
    columns = _BINS * per_bin
    x_ticks = _value_ticks(low, high, columns, max(columns // 14, 2))
    return f"{heading}\n{_draw(cells, columns, rows, x_ticks, y_ticks)}"


def strip(base: Sequence[float], other: Sequence[float], labels: tuple[str, str], width: int = WIDTH) -> str:
    """The iterations in the order in which they were measured: drift, steps and outliers show here."""
    sets = _finite(base), _finite(other)
    heading = f"iterations  {_legend(sets, labels, max(width, _NARROWEST) - 21)}"
    span = _span(sets)
    if span is None:
        return f"{heading}\n{_nothing(sets)}\n"
    low, high = span
    y_ticks = _value_ticks(low, high, _STRIP_ROWS, _TICKS)
    longest = max(len(base), len(other))
    columns = max(width, _NARROWEST) - 2 - max(map(len, y_ticks.values()))
    slot = columns / longest
    apart = min(slot / 4, 1.0)  # side by side while there is room
    cells: dict[Cell, str] = {}
    for place, (values, mark) in enumerate(zip((base, other), MARKS, strict=True)):
        for number, value in enumerate(values):
            if math.isfinite(value):
                column = math.floor((number + 0.5) * slot + (apart if place else -apart))
                cell = column, round((value - low) / (high - low) * (_STRIP_ROWS - 1))
                cells[cell] = mark if cells.get(cell, mark) == mark else BOTH
    step = max(math.ceil(longest / 20), 1)
    x_ticks = {math.floor((n + 0.5) * slot): str(n + 1) for n in range(0, longest, step)}
    if BOTH in cells.values():
        heading += f"   {BOTH} both"
    return f"{heading}\n{_draw(cells, columns, _STRIP_ROWS, x_ticks, y_ticks)}"


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]


def _span(sets: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """The range of all values; None when it has no width on any scale that could be drawn."""
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
        return f"  all at {values[0]:.8g}: no chart"
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


def _counts(values: Sequence[float], low: float, high: float) -> list[int]:
    counts = [0] * _BINS
    for value in values:
        counts[min(int((value - low) / (high - low) * _BINS), _BINS - 1)] += 1
    return counts


def _value_ticks(low: float, high: float, cells: int, wanted: int) -> dict[int, str]:
    """Cell -> the value there, with enough decimals to distinguish neighbours."""
    places = sorted({round(i * (cells - 1) / (wanted - 1)) for i in range(wanted)})
    values = [low + place / (cells - 1) * (high - low) for place in places]
    largest = max(abs(low), abs(high))
    if not _SMALLEST <= largest < _LARGEST:
        return {place: f"{value:.3g}" for place, value in zip(places, values, strict=True)}
    scale, unit = next(
        (s for s in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")) if largest >= s[0]), (1, "")
    )
    step = (high - low) / (wanted - 1) / scale
    decimals = min(max(math.ceil(-math.log10(step)) + 1, 0), 15)
    return {place: f"{value / scale:.{decimals}f}{unit}" for place, value in zip(places, values, strict=True)}


def _draw(
    cells: Mapping[Cell, str], columns: int, rows: int, x_ticks: Mapping[int, str], y_ticks: Mapping[int, str]
) -> str:
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
    return "".join(f"{line.rstrip()}\n" for line in drawn.splitlines() if line.strip())
