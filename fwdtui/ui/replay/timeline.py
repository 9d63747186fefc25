"""The whole recording in one row: its blasts, the measured windows, and the position."""

from collections.abc import Iterable
from typing import ClassVar

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel
from fwdtui.ui.draw.view import View
from fwdtui.ui.replay.view import ReplayView

_EDGE = 1  # cells at each end


class Timeline(Panel, can_focus=False):
    """The row of the whole recording. A click or a drag goes to that moment."""

    ALLOW_MAXIMIZE: ClassVar[bool] = False

    class Seek(Message):
        """The user points at this moment of the recording's time axis."""

        def __init__(self, at: float) -> None:
            super().__init__()
            self.at = at

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._range = 0.0, 0.0

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn: the cell of the position, and the recording's shape."""
        assert isinstance(view, ReplayView)
        self._range = view.start, view.end
        width = max(self.content_size.width - 2 * _EDGE, 1)
        return _cell(view.position, view, width), view.start, view.end, len(view.blasts), view.playing

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Draw the row: thin is quiet, thick a blast, double measured; bright is what has been played."""
        assert isinstance(view, ReplayView)
        width = size.width - 2 * _EDGE
        if width < 3 or view.end <= view.start:
            yield [("", colors["dim"])]
            return
        cells = ["─"] * width
        for began, ended in view.blasts:
            _fill(
                cells,
                "━",
                _cell(began, view, width),
                _cell(view.end if ended is None else ended, view, width),
            )
        for began, end, label in view.windows:
            first, last = _cell(began, view, width), _cell(end, view, width)
            _fill(cells, "═", first, last)
            if last - first >= len(label) + 1:
                middle = (first + last + 1 - len(label)) // 2
                cells[middle : middle + len(label)] = label
        for clock in view.clocks[1:]:
            cells[_cell(clock.begin, view, width)] = "┊"
        now = _cell(view.position, view, width)
        played, rest = "".join(cells[:now]), "".join(cells[now + 1 :])
        yield [
            ("├", colors["dim"]),
            (played, colors["text"]),
            ("█", colors.bold("accent" if view.playing else "warning")),
            (rest, colors["dim"]),
            ("┤", colors["dim"]),
        ]

    # the mouse

    def on_click(self, event: events.Click) -> None:
        """Ignore a double click, which enlarges other panels."""
        event.stop()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go there, and follow a drag."""
        self.capture_mouse()
        self._to(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while the button is held."""
        if self.app.mouse_captured is self:
            self._to(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End the drag."""
        self.release_mouse()
        event.stop()

    def _to(self, event: events.MouseEvent) -> None:
        event.stop()
        start, end = self._range
        width = max(self.content_size.width - 2 * _EDGE, 1)
        share = (event.x - _EDGE) / max(width - 1, 1)
        self.post_message(self.Seek(start + min(max(share, 0.0), 1.0) * (end - start)))


def _cell(at: float, view: ReplayView, width: int) -> int:
    share = (at - view.start) / (view.end - view.start) if view.end > view.start else 0.0
    return min(max(round(share * (width - 1)), 0), width - 1)


def _fill(cells: list[str], sign: str, first: int, last: int) -> None:
    cells[first : last + 1] = sign * (last + 1 - first)
