"""The time axis of the live graph: its line with blasts and measured windows, and the moments under it."""

from collections.abc import Sequence
from functools import lru_cache

from rich.segment import Segment
from textual.strip import Strip

from fwdtui.ui.draw import axis
from fwdtui.ui.draw.braille import Axes
from fwdtui.ui.draw.cursor import column_of
from fwdtui.ui.draw.marks import Mark
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, strip

LEFT = 7  # cells for the numbers at the left
RIGHT = 14  # cells for the names at the line's end


def time_line(
    marks: Sequence[Mark], axes: Axes, colors: Palette, width: int, cursor: float | None = None
) -> Strip:
    """The axis: thin while quiet, thick in a blast, double and numbered where an iteration was measured."""
    cells = ["─"] * axes.width
    kinds = ["dim"] * axes.width
    scale = axes.width / (axes.end - axes.start)
    for mark in marks:
        last = axes.end if mark.end is None else mark.end
        first, stop = int((mark.start - axes.start) * scale), int((last - axes.start) * scale)
        if stop < 0:
            continue
        sign, style = ("━", "text") if mark.kind == "blast" else ("═", "accent")
        for cell in range(max(first, 0), min(stop + 1, axes.width)):
            cells[cell], kinds[cell] = sign, style
        label = f" {mark.label} " if mark.label else ""
        if label and first >= 0 and stop < axes.width and stop - first > len(label) + 2:
            middle = (first + stop + 1 - len(label)) // 2
            cells[middle : middle + len(label)] = label
        elif mark.kind == "blast" and 0 <= first < axes.width:
            cells[first] = "┣"
    under = None if cursor is None else column_of(axes, cursor, axes.width)
    if under is not None:
        cells[under], kinds[under] = "┴", "text"
    segments = [Segment(" " * (LEFT - 1) + "└", colors["dim"])]
    place = 0
    for end in range(1, axes.width + 1):
        if end == axes.width or kinds[end] != kinds[place]:
            segments.append(Segment("".join(cells[place:end]), colors[kinds[place]]))
            place = end
    legend: Line = [("", colors["dim"])]
    if width - axes.width - LEFT >= RIGHT:
        kinds_found = {mark.kind for mark in marks}
        if "window" in kinds_found:
            legend = [(" ═", colors["accent"]), (" measured", colors["dim"])]
        elif "blast" in kinds_found:
            legend = [(" ━", colors["text"]), (" blast", colors["dim"])]
    return Strip([*segments, *strip(legend, width - axes.width - LEFT)], width)


@lru_cache(4)
def times(span: float, width: int) -> str:
    """The moments under an axis of `width` cells."""
    line = [" "] * (LEFT + width)
    for ago, text in axis.time_ticks(span, width):
        # a label ends under its moment, so that "now" is at the edge
        end = LEFT + round(width * (1 - ago / span))
        start = max(end - len(text), 0)
        line[start:end] = text[: end - start]
    return "".join(line)
