"""One recorded iteration over time: offered, forwarded, received, an attack, the loss, and the window."""

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text
from textual.geometry import Region
from textual.strip import Strip

from fwdtui.core.model import Iteration
from fwdtui.core.units import si
from fwdtui.monitor.live.moment import FLOWS, moment_at, sample_rows, sample_times
from fwdtui.monitor.live.sample_table import SampleTable
from fwdtui.monitor.replay.iteration_series import IterationSeries
from fwdtui.monitor.replay.outage_places import outage_places, told
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.draw import axis
from fwdtui.ui.draw.braille import Axes, Layer, Masks, lost, polyline, render, woven
from fwdtui.ui.draw.copies import reading, samples
from fwdtui.ui.draw.cursor import CursorChart, moment_in, upright
from fwdtui.ui.draw.line_styles import DASHES, SIGNS
from fwdtui.ui.draw.palette import Palette, palette_of
from fwdtui.ui.draw.panel import Line, length, strip
from fwdtui.ui.draw.reading import reading_line
from fwdtui.ui.draw.view import NONE, when_text

_LOST, _EDGE = 1, 2
_KINDS = {"offered": 3, "forwarded": 4, "received": 5, "attack": 7}
_STYLES = ("faint", "lost", "accent", "offered", "forwarded", "received", "text", "attack")
_CURSOR = 6
_LEFT = 8  # cells for the numbers at the left
_STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)
_KEPT = "pps, medians of the window", "pps, medians", "pps"
_TICK = 12  # the fewest cells from one time to the next


class IterationGraph(CursorChart, can_focus=True):
    """Draws the series that `show` is given, or a sentence instead."""

    DEFAULT_CSS = """
    IterationGraph { height: 1fr; min-height: 4; }
    IterationGraph:focus { background: $surface; }
    """

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._series: IterationSeries | None = None
        self._iteration: Iteration | None = None
        self._instead = ""
        self._strips: list[Strip] = []
        self._drawn_for: object = None
        self._plotted: Axes | None = None  # the axes of what is drawn

    def show(self, series: IterationSeries | None, iteration: Iteration | None, instead: str = "") -> None:
        """Draw this series, or the text `instead` if there is nothing to draw."""
        if series is not self._series:
            self.put_cursor(None, stays=False)
        self._series, self._iteration, self._instead = series, iteration, instead
        self.cursor_moved()

    def table(self, title: str) -> SampleTable | None:
        """The iteration's samples; None: there are none. Seconds count from the beginning of the blast."""
        shown = self._series
        if shown is None or not shown.flows:
            return None
        return SampleTable(title, sample_rows(shown.flows, shown.cores, unlike=shown.unlike), shown.began)

    def to_copy(self) -> Copy | None:
        """The sample under the cursor; without a cursor, all samples."""
        recorded, at = self._series, self.cursor
        number = f"iteration {self._iteration.index}" if self._iteration else "iteration"
        table = self.table(number)
        if recorded is None or table is None:
            return Copy(self._instead or "There are no samples to copy.", "")
        if at is None:
            return samples([table])
        when = when_text(at - recorded.began)
        moment = moment_at(recorded.flows, at, unlike=recorded.unlike)
        return Copy(f"the sample at {when}", reading(moment, when, "since the blast began"))

    # the cursor

    def sample_times(self) -> Sequence[float]:
        """The moments of the series' samples."""
        return () if self._series is None else sample_times(self._series.flows)

    def moment_of(self, column: int) -> float | None:
        """The moment at a column of the content, on the recording's time axis; None: nothing is there."""
        return None if self._plotted is None else moment_in(self._plotted, column - _LEFT)

    def cursor_moved(self) -> None:
        """Draw the graph again."""
        self._drawn_for = None
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Redraw everything once if it is out of date, rather than line by line."""
        colors = palette_of(self.app, self.background_colors[1])
        wanted = self.content_size, colors
        if self._drawn_for != wanted:
            self._drawn_for = wanted
            self._strips = self._draw(colors)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of the content."""
        blank = Strip.blank(self.content_size.width, self.rich_style)
        return self._strips[y] if y < len(self._strips) else blank

    def plain(self) -> str:
        """What is drawn, as text."""
        return "\n".join(line.text.rstrip() for line in self._strips)

    def _draw(self, colors: Palette) -> list[Strip]:
        width, height = self.content_size
        self._plotted = None
        if width < 1 or height < 1:
            return []
        points = [] if self._series is None else [p for flow in self._series.flows.values() for p in flow]
        if self._series is None or not points:
            lines = Text(self._instead).wrap(self.app.console, max(width - 2, 1))
            return [strip([(f" {line.plain}", colors["text"])], width) for line in lines]
        at = self.cursor
        head = [strip(_legend(self._series, self._iteration, colors, width), width)]
        if at is not None:
            when = when_text(at - self._series.began)
            moment = moment_at(self._series.flows, at, unlike=self._series.unlike)
            head = [strip(reading_line(moment, when, "since the blast began", width, colors), width)]
        places = outage_places(self._series, self._iteration)
        outage = [f"! outage: {told(places)}"] if places else []
        notes = [*outage, *self._series.notes, *(f"! {problem}" for problem in self._series.problems)]
        below = 3 if height >= 8 else 1
        rows = height - len(head) - below - min(len(notes), 2)
        if rows < 2 or width < _LEFT + 8:
            return head
        axes = self._plotted = _axes(self._series, width - _LEFT - 1, rows)
        drawn = _plot(self._series, axes, colors, width, at)
        if below == 3:
            drawn.append(strip(_times(self._series.began, axes, colors), width))
        drawn.append(strip(_window(self._series, axes, colors, places), width))
        return [*head, *drawn, *(strip([(f" {note}", colors["dim"])], width) for note in notes[:2])]


def _legend(recorded: IterationSeries, iteration: Iteration | None, colors: Palette, width: int) -> Line:
    """Each flow with its sign and its median in the window, and as much of the explanation as fits."""
    line: Line = []
    for name in FLOWS:
        if name in recorded.flows:
            summary = iteration.metrics.get(name) if iteration else None
            median = NONE if summary is None else si(summary.median)
            line += [(f" {SIGNS[name] * 2} {name} ", colors[name]), (f"{median}  ", colors.bold(name))]
    room = width - length(line)
    why = next((text for text in _KEPT if len(text) <= room), "")
    return [*line, (why, colors["dim"])]


def _axes(recorded: IterationSeries, width: int, height: int) -> Axes:
    points = [point for flow in recorded.flows.values() for point in flow]
    start = min(point.at - point.seconds for point in points)
    end = max(point.at for point in points)
    top = max((point.value for point in points if point.value is not None), default=1.0)
    return Axes(start, max(end, start + 1.0), axis.top_of(top), width, height)


def _plot(
    recorded: IterationSeries, axes: Axes, colors: Palette, width: int, cursor: float | None
) -> list[Strip]:
    drawn = {name: polyline(recorded.flows.get(name, ()), axes, DASHES[name]) for name in FLOWS}
    last = next((name for name in ("received", "forwarded", "offered") if name in recorded.flows), "received")
    layers = []
    if recorded.window is not None:
        layers.append(Layer(_edges(recorded.window, axes), _EDGE, fill=True))
    if "offered" in recorded.flows and last != "offered" and not recorded.unlike:
        layers.append(Layer(lost(drawn["offered"][1], drawn[last][1], axes), _LOST, fill=True))
    received, forwarded = woven(*drawn["received"], *drawn["forwarded"])
    lines = {"attack": drawn["attack"][0], "offered": drawn["offered"][0]}
    lines |= {"forwarded": forwarded, "received": received}
    layers += [Layer(line, _KINDS[name]) for name, line in lines.items()]
    if cursor is not None and (at_cursor := upright(axes, cursor)):
        layers.append(Layer(at_cursor, _CURSOR))
    labels = dict(axis.ticks(axes.top, axes.height))
    styles: list[Style] = [colors[name] for name in _STYLES]
    strips = []
    grid = [row for row in labels if row < axes.height - 1]
    for row, runs in enumerate(render(layers, axes, grid=grid)):
        text = f"{labels[row]:>{_LEFT - 2}} ┤" if row in labels else " " * (_LEFT - 1) + "│"
        line: Line = [(text, colors["dim"]), *((piece, styles[kind]) for piece, kind in runs)]
        strips.append(strip(line, width))
    return strips


def _edges(window: tuple[float, float], axes: Axes) -> Masks:
    """The dots of two dotted lines, at the beginning and the end of the measured window."""
    masks = [0] * (axes.width * 2)
    every_other = sum(1 << dot for dot in range(0, axes.height * 4, 2))
    for at in window:
        place = int((at - axes.start) / (axes.end - axes.start) * axes.width * 2)
        masks[min(max(place, 0), len(masks) - 1)] = every_other
    return masks


def _cell(at: float, axes: Axes) -> int:
    place = int((at - axes.start) / (axes.end - axes.start) * axes.width)
    return min(max(place, 0), axes.width - 1)


def _window(
    recorded: IterationSeries, axes: Axes, colors: Palette, places: Sequence[tuple[float, float]]
) -> Line:
    """The line under the times: the measured window, with "!" at outages."""
    if recorded.window is None:
        return [(" " * _LEFT + "the measured window is not known", colors["dim"])]
    first, last = (_cell(at, axes) for at in recorded.window)
    cells = ["═"] * (last - first + 1)
    cells[0], cells[-1] = "├", "┤"
    label = f" measured window, {recorded.window[1] - recorded.window[0]:.0f} s "
    if len(label) + 2 > len(cells):
        label = f" {recorded.window[1] - recorded.window[0]:.0f} s "
    if len(label) + 2 <= len(cells):
        middle = (len(cells) - len(label)) // 2
        cells[middle : middle + len(label)] = label
    for begin, end in places:
        from_cell, to_cell = (_cell(recorded.began + at, axes) - first for at in (begin, end))
        for place in range(max(from_cell, 0), max(min(to_cell, len(cells)), from_cell + 1)):
            cells[min(place, len(cells) - 1)] = "!"
    return [(" " * (_LEFT + first), colors["dim"]), ("".join(cells), colors["accent"])]


def _times(began: float, axes: Axes, colors: Palette) -> Line:
    """The line of times, in seconds since the blast began; each label starts at its moment."""
    room = max(axes.width // _TICK, 1)
    step = next((step for step in _STEPS if (axes.end - axes.start) / step <= room), _STEPS[-1])
    cells = [" "] * axes.width
    at = float(-(int(began - axes.start) // step) * step)
    while began + at <= axes.end:
        place = _cell(began + at, axes)
        label = f"╵{at:g} s".replace("-", "−") if at else "╵0 s"
        if began + at >= axes.start and place + len(label) <= axes.width:
            cells[place : place + len(label)] = label
        at += step
    return [(" " * (_LEFT - 1) + "└" + "".join(cells), colors["dim"])]
