"""Offered, forwarded, received and an attack on one time axis, with what was lost between them."""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import ClassVar

from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

from fwdtui.core.arrived import QUIET
from fwdtui.monitor.live.moment import Flows, flows_of, moment_at, sample_rows, sample_times
from fwdtui.monitor.live.sample_table import UNKNOWN, SampleTable
from fwdtui.monitor.live.snapshot import Flow, Snapshot
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.draw import axis
from fwdtui.ui.draw.braille import Axes, Layer, Traces, level, lost, render, woven
from fwdtui.ui.draw.copies import reading, samples, title
from fwdtui.ui.draw.cursor import CursorChart, moment_in, upright
from fwdtui.ui.draw.highest import Highest
from fwdtui.ui.draw.line_styles import DASHES, SIGNS
from fwdtui.ui.draw.marks import marks
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel, fitted, length
from fwdtui.ui.draw.reading import reading_line
from fwdtui.ui.draw.row import Row, segments
from fwdtui.ui.draw.time_line import LEFT, RIGHT, time_line, times
from fwdtui.ui.draw.view import NONE, View, when_text

_LOST, _LINE_RATE = 1, 2
_KINDS = {"offered": 3, "forwarded": 4, "received": 5, "attack": 8}
BESIDE = 6
_CURSOR = 7
_STYLES = ("faint", "lost", "dim", "offered", "forwarded", "received", "accent", "text", "attack")
_NARROW = 50  # columns below which names do not fit
_NAMED = 6  # rows from which there is one to say which bits are drawn


class Graph(Panel, CursorChart):
    """The graph of the newest `View.time_span` seconds.

    The cursor stays at its moment while the graph moves on.
    """

    TITLE: ClassVar[str] = "packets per second"
    _plotted: Axes | None = None  # the axes of what is drawn

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._traces = Traces()
        self._highest = Highest()

    def show(self, snapshot: Snapshot, view: View) -> None:
        """As in every panel, but the border shows the unit."""
        self.name_border(_title(view), _span(view.time_span))
        if self.cursor is not None and not snapshot.now - view.time_span <= self.cursor <= snapshot.now:
            self.put_cursor(None, stays=False)  # its moment has left the graph
        super().show(snapshot, view)

    def to_copy(self) -> Copy | None:
        """The sample under the cursor; without a cursor, all samples that are drawn."""
        if self._shown is None:
            return None
        snapshot, view = self._shown
        if self.cursor is None:
            return samples([table_of(snapshot, view)], view.bits)
        at, when = self.cursor, view.clock(self.cursor)
        moment = moment_at(_flows(snapshot, view), at, unlike=snapshot.unlike)
        told = reading(moment, when, when_text(at - snapshot.now), view.bits, view.frame)
        return Copy(f"the sample at {when}", told + self.more_copied(at, view))

    # the cursor

    def sample_times(self) -> Sequence[float]:
        """The moments of the samples that are drawn."""
        if self._shown is None:
            return ()
        snapshot, view = self._shown
        return [at for at in sample_times(_flows(snapshot, view)) if at >= snapshot.now - view.time_span]

    def moment_of(self, column: int) -> float | None:
        """The moment at a column of the content, now at the latest; None: nothing is drawn there."""
        at = None if self._plotted is None else moment_in(self._plotted, column - LEFT)
        return None if at is None or self._shown is None else min(at, self._shown[0].now)

    def cursor_moved(self) -> None:
        """Draw the graph again."""
        self._rows = None
        self.refresh()

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn. Points never change, so the newest ones tell whether anything changed."""
        newest = [
            (flow.points[-1].at if flow.points else None, len(flow.points), view.now(flow))
            for flow in _drawn(snapshot).values()
        ]
        columns = max(self.content_size.width * 2, 2)
        return (
            newest,
            ceil(snapshot.now / view.time_span * columns),
            view.time_span,
            view.unit,
            snapshot.line_rate,
            snapshot.over[-1:],
            snapshot.blast is None,
            len(snapshot.iterations),
        )

    def draw(
        self, snapshot: Snapshot, view: View, size: Size, colors: Palette
    ) -> Iterable[Strip | Row | Line]:
        """Draw plot, axis and times."""
        right = RIGHT if size.width >= _NARROW else 0
        below = 2 if size.height >= 5 else 1 if size.height >= 3 else 0
        named = view.bits and not self.styles.border_top[0] and size.height >= _NAMED
        width, height = size.width - LEFT - right, size.height - below - named
        if width < 4 or height < 1:
            return
        if named:  # without a border, nothing else says which bits these are
            yield [(" " * LEFT, colors["dim"]), (_title(view), colors["text"])]
        axes = self._plotted = self._axes(snapshot, view, width, height)
        labels = dict(axis.ticks(axes.top * view.scale, height))
        if axes.top * view.scale <= axis.top_of(0.0):  # nothing is known that would give a scale
            labels = {row: label for row, label in labels.items() if label == "0"}
        layers = self.all_layers(snapshot, view, axes)
        at = self.cursor
        if at is not None and (line := upright(axes, at)):
            layers.append(Layer(line, _CURSOR))
        rows = render(layers, axes, grid=[row for row in labels if row < height - 1])
        styles = [colors[name] for name in _STYLES]
        names = {}
        unnamed = fitted([("", colors["dim"])], right)
        if right:
            more = self.more_names(snapshot, view, colors)
            lost_drawn = any(any(layer.masks) for layer in layers if layer.kind == _LOST)
            names = _apart([*_names(snapshot, view, axes, colors, lost_drawn), *more], axes)
        for row, runs in enumerate(rows):
            text = f"{labels[row]:>{LEFT - 2}} ┤" if row in labels else " " * (LEFT - 1) + "│"
            cells = Row([Segment(text, colors["dim"])])
            cells.extend(segments([(piece, styles[kind]) for piece, kind in runs]))
            if right:
                cells += fitted(names[row], right) if row in names else unnamed
            yield cells
        values = None if at is None else self._reading(at, snapshot, view, size.width, colors)
        if below > 1 or (below and values is None):
            yield time_line(marks(snapshot), axes, colors, size.width, at)
        if values is not None:
            yield values  # instead of the last line, so that nothing moves
        elif below > 1:
            yield [(times(view.time_span, axes.width), colors["dim"])]

    def _reading(self, at: float, snapshot: Snapshot, view: View, width: int, colors: Palette) -> Line:
        moment = moment_at(_flows(snapshot, view), at, unlike=snapshot.unlike)
        ago = when_text(at - snapshot.now)
        more = self.more_values(at, view, colors)
        return [
            *reading_line(
                moment,
                view.clock(at),
                ago,
                width - length(more),
                colors,
                bits=view.bits,
                frame=view.frame,
            ),
            *more,
        ]

    def _axes(self, snapshot: Snapshot, view: View, width: int, height: int) -> Axes:
        # the edges move by whole dots: otherwise every dot would flicker between its neighbours
        dot = view.time_span / (width * 2)
        end = ceil(snapshot.now / dot) * dot
        start = end - view.time_span
        largest = self.highest(view, start, end)
        counted = view.counted
        for name, flow in _drawn(snapshot).items():
            largest = max(largest, self._highest.of(name, flow.points, start, counted))
        line = snapshot.line_rate
        if largest < QUIET and not view.counted:
            # nothing to draw: keep the scale of the last blast, or take that of what the link can carry
            largest = snapshot.last.largest if snapshot.last else line or largest
        elif counted and snapshot.last is not None:
            largest = max(largest, *snapshot.last.bits.values(), 0.0)
        if line and not view.counted and 0.5 * line <= largest:
            largest = max(largest, line)
        return Axes(start, end, axis.top_of(largest * view.scale) / view.scale, width, height)

    # for subclasses that draw more than this run

    def highest(self, view: View, start: float, end: float) -> float:
        """The largest rate, in the unit of `View.drawn`, of what is drawn in addition to the flows."""
        return 0.0

    def all_layers(self, snapshot: Snapshot, view: View, axes: Axes) -> list[Layer]:
        """All layers, the least important first."""
        drawn = {
            name: self._traces.polyline(name, flow.points, axes, DASHES[name], view.counted)
            for name, flow in _drawn(snapshot).items()
        }
        last = "received" if snapshot.received.points else "forwarded"
        layers = []
        if not view.counted:
            # the line rate is in packets, and bits that two hosts count differently are no loss
            if snapshot.line_rate and snapshot.line_rate <= axes.top:
                layers.append(Layer(level(snapshot.line_rate, axes, (2, 8)), _LINE_RATE, fill=True))
            area = lost(drawn["offered"][1], drawn[last][1], axes)
            for begin, end in snapshot.unlike:  # packets that were joined or split are not lost
                first, after = (_column(at, axes) for at in (begin, end))
                area[first:after] = [0] * (after - first)
            layers.append(Layer(area, _LOST, fill=True))
        received, forwarded = woven(*drawn["received"], *drawn["forwarded"])
        lines = {"offered": drawn["offered"][0], "forwarded": forwarded, "received": received}
        if "attack" in drawn:
            layers.append(Layer(drawn["attack"][0], _KINDS["attack"]))
        layers += [Layer(lines[name], _KINDS[name]) for name in lines]
        return layers

    def more_values(self, at: float, view: View, colors: Palette) -> Line:
        """What else the cursor's line says about this moment."""
        return []

    def more_copied(self, at: float, view: View) -> str:
        """What `more_values` says, without signs, to copy."""
        return ""

    def more_names(self, snapshot: Snapshot, view: View, colors: Palette) -> list[tuple[float, Line]]:
        """(rate, name at the line's end) of what is drawn in addition to the flows.

        The rate is in the unit of `View.drawn`.
        """
        return []


def _column(at: float, axes: Axes) -> int:
    """A moment's column of dots: 0 if it is before the graph, the number of columns if it is after it."""
    columns = axes.width * 2
    return int(min(max((at - axes.start) / (axes.end - axes.start), 0.0), 1.0) * columns)


def table_of(snapshot: Snapshot, view: View) -> SampleTable:
    """The samples that a graph draws, or would draw if it had room."""
    since = snapshot.now - view.time_span
    rows = sample_rows(_flows(snapshot, view), snapshot.busiest, since, unlike=snapshot.unlike)
    clocks = [view.wall_clock(row.at) for row in rows]
    shown = tuple(clock or UNKNOWN for clock in clocks) if any(clocks) else ()
    return SampleTable(title(snapshot, view), rows, view.origin, shown, view.frame)


def _drawn(snapshot: Snapshot) -> dict[str, Flow]:
    """The flows that have a line of their own; the attack is one if a generator of the lab sends it."""
    flows = {"offered": snapshot.offered, "forwarded": snapshot.forwarded, "received": snapshot.received}
    return flows if snapshot.attack is None else {**flows, "attack": snapshot.attack}


def _flows(snapshot: Snapshot, view: View) -> Flows:
    return flows_of(snapshot, receiver=view.lab.receiver is not None)


def _title(view: View) -> str:
    return f"bits per second ({view.basis})" if view.bits else "packets per second"


def _span(span: float) -> str:
    return f"{span:g} s" if span < 120 else f"{span / 60:g} min"


def _names(
    snapshot: Snapshot, view: View, axes: Axes, colors: Palette, lost_drawn: bool
) -> list[tuple[float, Line]]:
    """Each flow's name at its line's end; a flow without a current value is at the bottom with a dash.

    `lost_drawn`: earlier losses are still in the graph, so their name stays while nothing is offered.
    """
    names: list[tuple[float, Line]] = []
    for name, flow in _drawn(snapshot).items():
        now = view.drawn(flow.now, flow.bps)
        if now is not None:
            names.append((now, [(f" {SIGNS[name]} {name}", colors[name])]))
        elif flow.points:
            names.append((-1.0, [(f" {SIGNS[name]} {name} {NONE}", colors[name])]))
    if view.counted:
        return names
    if snapshot.line_rate and snapshot.line_rate <= axes.top:
        names.append((snapshot.line_rate, [(" ╍ line rate", colors["dim"])]))
    arrived = snapshot.received.now if snapshot.received.points else snapshot.forwarded.now
    if snapshot.offered.now is not None and arrived is not None:
        missing = 0.0 if snapshot.unlike_now else snapshot.offered.now - arrived
        if missing * axes.height > 2 * axes.top:  # the name fits between the lines
            names.append(((snapshot.offered.now + arrived) / 2, [(" ⠒ lost", colors["drops"])]))
        elif not snapshot.offered.now and lost_drawn:
            names.insert(0, (0.1, [(" ⠒ lost", colors["drops"])]))  # just above the lines
    return names


def _apart(names: list[tuple[float, Line]], axes: Axes) -> dict[int, Line]:
    """A row for each label, as near to its rate as the others allow, the highest rate on top."""
    dots = axes.height * 4 - 1
    # rates in the same row of dots keep their order: otherwise it would change with every sample
    names = sorted(names, key=lambda pair: -round(pair[0] * dots / axes.top))
    placed: dict[int, Line] = {}
    free = 0
    for number, (rate, line) in enumerate(names):
        row = axes.height - 1 - min(max(round(rate * dots / axes.top), 0), dots) // 4
        row = max(free, min(row, axes.height - len(names) + number))
        if row < axes.height:
            placed[row] = line
        free = row + 1
    return placed
