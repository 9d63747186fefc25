"""Two iterations overlaid, aligned at the start of their blasts: the baseline dashed, the candidate solid."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import msgspec
from rich.style import Style
from rich.text import Text

from fwdtui.core.units import si
from fwdtui.monitor.live.moment import Moment, moment_at
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.replay.iteration_series import IterationSeries
from fwdtui.report.cells import shorten, shorten_apart
from fwdtui.report.table import number
from fwdtui.ui.draw import axis
from fwdtui.ui.draw.braille import SOLID, Axes, Layer, polyline, render
from fwdtui.ui.draw.cursor import upright
from fwdtui.ui.draw.line_styles import DASHES, SIGNS
from fwdtui.ui.draw.reading import reading_line
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.draw.view import when_text

BASE, OTHER = "base", "other"
_DASH = {BASE: DASHES["forwarded"], OTHER: SOLID, "offered": DASHES["offered"]}
_SIGN = {BASE: SIGNS["forwarded"], OTHER: SIGNS["received"], "offered": SIGNS["offered"]}
_KINDS = ("faint", BASE, OTHER, "bold")  # the styles of the grid, the lines and the cursor
_CURSOR = 3
_LEFT = 8  # the fewest cells before the plot, for the numbers of the axis
_SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_ROOM_FOR_LOAD = 16  # rows; with fewer, four lines would run into each other
_BEFORE = 3.0  # seconds before a blast that are drawn
_STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600)


@dataclass(frozen=True, slots=True)
class Trace:
    """One side's iteration: its number `place` (from 0) of `of`, its value in `unit` and its series."""

    label: str
    index: int
    place: int
    of: int
    value: float | None
    series: IterationSeries
    unit: str | None = "pps"

    @property
    def flow(self) -> str:
        """The flow that is drawn: received, else forwarded, else offered; "" if there is none."""
        flows = self.series.flows
        return next((name for name in ("received", "forwarded", "offered") if name in flows), "")

    def points(self, flow: str) -> tuple[Point, ...]:
        """The points of a flow, in seconds since the blast began."""
        began = self.series.began
        return tuple(msgspec.structs.replace(p, at=p.at - began) for p in self.series.flows.get(flow, ()))

    def moment(self, at: float) -> Moment:
        """What the flows were `at` seconds after the blast began."""
        return moment_at(self.series.flows, self.series.began + at, unlike=self.series.unlike)

    def window(self) -> tuple[float, float] | None:
        """The measured window, in seconds since the blast began; None: not known."""
        measured = self.series.window
        return (
            None if measured is None else (measured[0] - self.series.began, measured[1] - self.series.began)
        )


class Plotted(NamedTuple):
    """The axes, in seconds since the blasts began, and how many cells are to the left of the plot."""

    axes: Axes
    left: int


class _Layout(NamedTuple):
    """What is drawn, and where.

    `labels`: those of the rates, by row. `bottom`: the rate at the lower edge. `offered`: whether each side's
    offered load is drawn, too.
    """

    axes: Axes
    left: int
    labels: Mapping[int, str]
    bottom: float
    offered: bool
    notes: Sequence[str]


def _layout(traces: Sequence[Trace], width: int, height: int, close: bool) -> _Layout | None:
    """The layout for `width` columns and about `height` rows; None if there is nothing to draw."""
    drawn = [trace for trace in traces if trace.flow]
    if not drawn:
        return None
    offered = (
        not close
        and height >= _ROOM_FOR_LOAD
        and any("offered" in trace.series.flows and trace.flow != "offered" for trace in drawn)
    )
    notes = list(dict.fromkeys(note for trace in traces for note in trace.series.notes if offered))
    notes += [f"! {problem}" for trace in traces for problem in trace.series.problems[:2]]
    rows = max(height - 6 - offered - len(notes), 4)
    bottom = _bottom(drawn) if close else 0.0
    axes = _axes(drawn, bottom, width, rows, offered=offered)
    labels = _labels(bottom, axes.top, rows)
    left = max(_LEFT, *(len(label) + 2 for label in labels.values()))
    axes = msgspec.structs.replace(axes, width=max(width - left - 1, 4))
    return _Layout(axes, left, labels, bottom, offered, notes)


def plotted(traces: Sequence[Trace], width: int, height: int, *, close: bool = False) -> Plotted | None:
    """Where `overlay` draws; None if there is nothing to draw."""
    layout = _layout(traces, width, height, close)
    return None if layout is None else Plotted(layout.axes, layout.left)


def overlay(
    traces: Sequence[Trace],
    width: int,
    height: int,
    styles: Styles,
    *,
    close: bool = False,
    cursor: float | None = None,
) -> Text:
    """The graph in at most `width` columns and about `height` rows.

    `traces`: the baseline's and the candidate's. `close`: the axis begins near the lowest rate of the
    windows, not at zero, so that small differences show. `cursor`: seconds since the blasts began; the values
    of this moment replace the lines of the windows.
    """
    text = Text(no_wrap=True)
    for legend in _legends(traces, width, styles):
        text.append_text(legend)
    layout = _layout(traces, width, height, close)
    if layout is None:
        return text.append("\nNeither of the two has recorded samples: only their values are known.")
    axes, left, labels, bottom, offered, notes = layout
    rows = axes.height
    layers = []
    for name, trace in zip((BASE, OTHER), traces, strict=True):
        if offered and trace.flow != "offered":
            masks, _ = polyline(trace.points("offered"), axes, _DASH["offered"])
            layers.append(Layer(masks, _KINDS.index(name)))
    for name, trace in zip((BASE, OTHER), traces, strict=True):
        masks, _ = polyline(_raised(trace.points(trace.flow), bottom), axes, _DASH[name])
        layers.append(Layer(masks, _KINDS.index(name)))
    if cursor is not None and (line := upright(axes, cursor)):
        layers.append(Layer(line, _CURSOR))
    for row, runs in enumerate(render(layers, axes, grid=[at for at in labels if at < rows - 1])):
        label = f"{labels[row]:>{left - 2}} ┤" if row in labels else " " * (left - 1) + "│"
        text.append(label, style=styles["dim"])
        for piece, kind in runs:
            text.append(piece, style=styles[_KINDS[kind]])
        text.append("\n")
    text.append_text(_times(axes, left, styles))
    for name, trace in zip((BASE, OTHER), traces, strict=True):
        if cursor is None:
            text.append_text(_window(name, trace, axes, left, styles))
        else:
            text.append_text(_values(name, trace, cursor, width, left, styles))
    if offered:
        text.append(
            f"{_SIGN['offered']:>{left - 1}} offered to each, packets per second", style=styles["dim"]
        )
        text.append("\n")
    for note in notes:
        text.append(shorten(note, width) + "\n", style=styles["dim"])
    text.rstrip()
    return text


def _values(name: str, trace: Trace, at: float, width: int, left: int, styles: Styles) -> Text:
    """A line under the axis: what this side's flows were at the cursor."""
    text = Text().append(f"{_SIGN[name]:>{left - 1}} ", style=styles[name])
    line = reading_line(
        trace.moment(at), when_text(at), "since the blast began", width - left, styles, signs=False
    )
    for piece, style in line if trace.flow else [(" no samples", styles["dim"])]:
        text.append(piece, style=style)
    text.truncate(width, overflow="ellipsis")
    return text.append("\n")


def _legends(traces: Sequence[Trace], width: int, styles: Styles) -> Iterator[Text]:
    """A line for each side, ``╌ n311215  iteration 3 (2 of 5)  received, median 883 374``.

    It has arrows to click.
    """
    which = [f"  iteration {trace.index} ({trace.place + 1} of {trace.of})" for trace in traces]
    values = [f"  {trace.flow or 'no samples'}, median {number(trace.value, trace.unit)}" for trace in traces]
    taken = max(len(one) + len(value) for one, value in zip(which, values, strict=True))
    labels = shorten_apart([trace.label for trace in traces], max(width - taken - 12, 10))
    for name, label, one, value in zip((BASE, OTHER), labels, which, values, strict=True):
        style = styles.bold(name)
        text = Text(no_wrap=True).append(f"{_SIGN[name] * 2} ", style=style)
        text.append(label, style=style).append(one)
        for sign, step in ((" ‹", -1), (" › ", 1)):
            meta = {"@click": f"screen.iteration('{name}', {step})"}
            text.append(sign, style=styles["accent"] + Style(meta=meta))
        yield text.append(f"{value}\n", style=styles["dim"])


def _bottom(traces: Sequence[Trace]) -> float:
    """The rate at the axis' lower end: a little below the lowest rate in the known windows."""
    rates = [p.value for trace in traces for p in trace.series.inside(trace.flow) if p.value is not None]
    return max(min(rates) - 0.05 * (max(rates) - min(rates)) - 1.0, 0.0) if rates else 0.0


def _raised(points: Sequence[Point], bottom: float) -> tuple[Point, ...]:
    """The points relative to the bottom of the axis; points below it get no value."""
    if not bottom:
        return tuple(points)
    return tuple(
        msgspec.structs.replace(p, value=None if p.value is None or p.value < bottom else p.value - bottom)
        for p in points
    )


def _labels(bottom: float, top: float, rows: int) -> dict[int, str]:
    """Row -> label of its rate.

    If the axis does not begin at zero, all labels have the same multiple (k, M), and digits enough to differ.
    """
    labels = dict(axis.ticks(top, rows))
    if not bottom or len(labels) < 2:
        return labels
    rates = {row: bottom + (rows - 1 - row + 0.5) / rows * top for row in labels}
    apart = min(one - other for one, other in pairwise(sorted(rates.values(), reverse=True)))
    unit = si(max(rates.values())).partition(" ")[2]
    decimals = max(1 - math.floor(math.log10(apart / _SCALES[unit])), 0)
    return {row: f"{rate / _SCALES[unit]:.{decimals}f} {unit}".rstrip() for row, rate in rates.items()}


def _axes(traces: Sequence[Trace], bottom: float, width: int, height: int, *, offered: bool) -> Axes:
    """Axes from a little before the blasts to the later end, and up to above the highest rate drawn."""
    every = [point for trace in traces for flow in trace.series.flows for point in trace.points(flow)]
    start = max(min(point.at - point.seconds for point in every), -_BEFORE)
    end = max(point.at for point in every)
    if not offered:
        every = [point for trace in traces for point in trace.points(trace.flow)]
    top = max((point.value for point in every if point.value is not None), default=1.0) - bottom
    return Axes(start, max(end, start + 1.0), axis.top_of(top), max(width, 4), height)


def _place(at: float, axes: Axes) -> int:
    """The cell of a moment, rounded as in the plot and by the cursor."""
    cell = int((at - axes.start) / (axes.end - axes.start) * axes.width)
    return min(max(cell, 0), axes.width - 1)


def _times(axes: Axes, left: int, styles: Styles) -> Text:
    """The line of the time axis, and below it the seconds since the blast began."""
    span = axes.end - axes.start
    step = next((step for step in _STEPS if span / step <= max(axes.width // 10, 1)), _STEPS[-1])
    line, under = ["─"] * axes.width, [" "] * axes.width
    at = 0.0
    while at <= axes.end:
        place = _place(at, axes)
        line[place] = "┴"
        label = f"{at:g} s" if at else "0 = start"
        if place + len(label) <= axes.width:
            under[place : place + len(label)] = label
        at += step
    text = Text(" " * (left - 1) + "└" + "".join(line) + "\n", style=styles["dim"])
    return text.append(" " * left + "".join(under).rstrip() + "\n", style=styles["dim"])


def _window(name: str, trace: Trace, axes: Axes, left: int, styles: Styles) -> Text:
    """A line under the axis: this side's measured window."""
    measured = trace.window()
    text = Text().append(f"{_SIGN[name]:>{left - 1}} ", style=styles[name])
    if measured is None:
        return text.append("window not known\n", style=styles["dim"])
    first, last = _place(measured[0], axes), _place(measured[1], axes)
    cells = [" "] * axes.width
    for place in range(first, last + 1):
        cells[place] = "═"
    cells[first], cells[last] = "├", "┤"
    label = f" measured {measured[1] - measured[0]:.0f} s "
    if last - first > len(label) + 2:
        middle = (first + last + 1 - len(label)) // 2
        cells[middle : middle + len(label)] = label
    return text.append("".join(cells).rstrip() + "\n", style=styles[name])
