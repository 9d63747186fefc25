"""The graph with a second recording in it, and the line with that recording's numbers."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

import msgspec
from textual.geometry import Size
from textual.strip import Strip

from fwdtui.core.arrived import QUIET
from fwdtui.core.units import pps, si
from fwdtui.monitor.live.evidence import RECENT
from fwdtui.monitor.live.moment import covering
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.stats import figures
from fwdtui.ui.draw.braille import Axes, Layer, polyline
from fwdtui.ui.draw.graph import BESIDE, Graph
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel, length
from fwdtui.ui.draw.reading import rate_text
from fwdtui.ui.draw.view import NONE, View
from fwdtui.ui.replay.beside import Beside, Numbers, mean
from fwdtui.ui.replay.view import ReplayView

SIGN = "┉"
"""The sign of the second recording's line, whose dashes are longer than any other line's."""
_DASH = 8, 10


class ReplayGraph(Graph):
    """Draws the second recording's received rate beneath the first one's lines."""

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn: as in every graph, and the second recording."""
        return super().part(snapshot, view), _beside(view)

    def highest(self, view: View, start: float, end: float) -> float:
        """The highest rate of the second recording, so that both recordings fit."""
        other = _beside(view)
        if other is None:
            return 0.0
        counted, points = view.counted, _alike(other.series(start, end), other, view)
        rates = [point.bps if counted else point.value for point in points]
        return max((rate for rate in rates if rate is not None), default=0.0)

    def all_layers(self, snapshot: Snapshot, view: View, axes: Axes) -> list[Layer]:
        """All layers; that of the second recording comes first, beneath the others."""
        other = _beside(view)
        if other is None:
            return super().all_layers(snapshot, view, axes)
        points = _alike(other.series(axes.start, snapshot.now), other, view)
        masks = polyline(points, axes, _DASH, view.counted)[0]
        return [Layer(masks, BESIDE), *super().all_layers(snapshot, view, axes)]

    def more_values(self, at: float, view: View, colors: Palette) -> Line:
        """The second recording's rate in the sample drawn at this moment."""
        other = _beside(view)
        if other is None:
            return []
        return [(f"  {SIGN} B ", colors["accent"]), (_rate_at(at, other, view), colors.bold("accent"))]

    def more_copied(self, at: float, view: View) -> str:
        """The second recording's name and rate."""
        other = _beside(view)
        return "" if other is None else f"  {other.name} {_rate_at(at, other, view)}"

    def more_names(self, snapshot: Snapshot, view: View, colors: Palette) -> list[tuple[float, Line]]:
        """The second recording's sign and rate, at the end of its line."""
        other = _beside(view)
        if other is None:
            return []
        rate = _rate(other.at(snapshot.now).arrived, other.arrived_bps(snapshot.now), other, view)
        text = f" {SIGN} B {NONE if rate is None else si(rate)}"
        return [(-2.0 if rate is None else rate / view.scale, [(text, colors["accent"])])]


class BesideLine(Panel, can_focus=False):
    """A line on the second recording: its name, its rates at the same moment of its blast, the difference."""

    ALLOW_MAXIMIZE: ClassVar[bool] = False

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn: it depends on the second recording, the moment, and this recording's rates."""
        return _beside(view), snapshot.now, snapshot.blast, snapshot.received.now, snapshot.forwarded.now

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Draw the line. The received rate and the difference are the most important; the rest if it fits."""
        other = _beside(view)
        if other is None:
            return
        now = other.at(snapshot.now)
        head: Line = [(f" {SIGN} B ", colors.bold("accent"))]
        number = other.iteration(snapshot.now)
        named = other.name if not number or other.name.endswith(f" {number}") else f"{other.name} ▸ {number}"
        name: Line = [(named, colors["bold"])]
        parts: dict[str, Line] = {}
        for flow in ("offered", "forwarded", "received"):
            rate = getattr(now, flow)
            if rate is not None or other.flows[flow]:
                text = NONE if rate is None else pps(rate)
                parts[flow] = [(f"  {flow} ", colors["dim"]), (text, colors["text"])]
        if (lost := lost_text(now)) is not None:
            parts["loss"] = [("  loss ", colors["dim"]), (lost, colors["text"])]
        compared = _compared(snapshot, view, other)
        if compared is not None:
            difference, seconds, flow = compared
            told = "" if bool(snapshot.received.points) == bool(other.flows["received"]) else f" {flow}"
            parts["than"] = [
                (f"  {figures.number(difference * 100, 1, sign=True)} %", colors["bold"]),
                (f"{told} against this, last {seconds:.0f} s", colors["dim"]),
            ]
            parts["whom"] = [] if told else [(f" ({flow})", colors["dim"])]
        shown = ["offered", "forwarded", "received", "loss", "than", "whom"]
        for gone in ("", "offered", "loss", "forwarded" if "received" in parts else "", "whom", "received"):
            shown = [part for part in shown if part != gone]
            line = [piece for part in shown for piece in parts.get(part, [])]
            if length(head) + length(name) + length(line) <= size.width:
                break
        room = max(size.width - length(head) - length(line), 0)
        if length(name) > room:
            name = [(f"{named[: room - 1]}…" if room > 4 else "", colors["bold"])]
        yield [*head, *name, *line]


def lost_text(now: Numbers) -> str | None:
    """The loss as text: ``31.4 %``, ``≥ 31.4 %`` under attack; None if it is not known."""
    share = now.loss_share
    if share is None:
        return None
    return f"{'≥ ' * now.attacked}{round(share * 100, 1) + 0.0:.1f} %".replace("-", "−")


def _compared(snapshot: Snapshot, view: View, other: Beside) -> tuple[float, float, str] | None:
    """How much more the second recording received than this one (0.1: a tenth more), in the same seconds.

    Returns this share, the seconds, and the flow that is compared: if only one has a receiver, that is what
    the two DUTs forwarded. Both are averaged over the same span of their blasts, without the first two
    intervals, since a beginning is only known to within an interval. None if one of them is quiet or over, or
    the blast has just begun.
    """
    if snapshot.blast is None or other.over(snapshot.now) or _over(snapshot, view):
        return None
    interval = max(view.lab.interval, other.interval)
    start = max(snapshot.now - RECENT, snapshot.blast.began + 2 * interval)
    both = {"received": snapshot.received.points, "forwarded": snapshot.forwarded.points}
    flow = next((name for name, points in both.items() if points and other.flows[name]), "")
    if not flow:
        return None
    ours, its = mean(both[flow], start, snapshot.now), mean(other.flows[flow], start, snapshot.now)
    if snapshot.now - start < interval or ours is None or its is None or min(ours, its) < QUIET:
        return None
    return its / ours - 1, max(snapshot.now - start, 1.0), flow


def _over(snapshot: Snapshot, view: View) -> bool:
    """Whether the blast has already ended: the monitor notices the end only a while later.

    Where the recording ends with its blast, as tools' logs do, the last sample is a part of a second, too.
    """
    began = None if snapshot.blast is None else snapshot.blast.began
    if not isinstance(view, ReplayView):
        return False
    end = next((view.end if ended is None else ended for at, ended in view.blasts if at == began), None)
    return end is not None and snapshot.now > end - view.lab.interval


def _factor(other: Beside, view: View) -> float:
    """How many packets of this recording have the bits of one of the second: frame lengths may differ."""
    if not view.bits or view.frame is None or other.frame is None:
        return 1.0
    return other.frame / view.frame


def _rate(pps: float | None, bps: float | None, other: Beside, view: View) -> float | None:
    """A rate of the second recording in the unit shown."""
    return view.rate(None if pps is None else pps * _factor(other, view), bps)


def _rate_at(at: float, other: Beside, view: View) -> str:
    """The second recording's rate in the sample that is drawn at this moment."""
    point = covering(other.flows["received"] or other.flows["forwarded"], at)
    return rate_text(None if point is None else _rate(point.value, point.bps, other, view), view.bits)


def _alike(points: Sequence[Point], other: Beside, view: View) -> Sequence[Point]:
    """The second recording's points, scaled so that they can be drawn on this recording's axis."""
    factor = _factor(other, view)
    if factor == 1.0:
        return points
    return [
        point if point.value is None else msgspec.structs.replace(point, value=point.value * factor)
        for point in points
    ]


def _beside(view: View) -> Beside | None:
    return view.beside if isinstance(view, ReplayView) else None
