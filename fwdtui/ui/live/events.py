"""The event log, newest first."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import events as ui_events
from textual.geometry import Size
from textual.strip import Strip

from fwdtui.core.event_text import told
from fwdtui.core.model import EventSample
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel, length, wrapped
from fwdtui.ui.draw.view import NONE, OLD, View

_SIGNS = {
    "blast-began": ("▶", "accent"),
    "blast-ended": ("■", "accent"),
    "iteration": ("✓", "good"),
    "snapshot": ("✓", "good"),
    "link-down": ("!", "warning"),
    "link-up": ("·", "text"),
    "port-gone": ("✕", "error"),
    "port-back": ("●", "good"),
    "host-lost": ("✕", "error"),
    "host-back": ("●", "good"),
    "reboot": ("✕", "error"),
    "starved": ("!", "warning"),
    "held-up": ("!", "warning"),
    "silent": (OLD, "warning"),
    "sampled-again": ("●", "good"),
    "clock-step": ("!", "warning"),
    "failed": ("✕", "error"),
    "tool-failed": ("✕", "error"),
    "not-stopped": ("✕", "error"),
    "several-tools": ("!", "warning"),
    "not-saved": ("✕", "error"),
    "saved": ("✓", "good"),
    "recording-gap": ("!", "warning"),
}


class Events(Panel):
    """The event log. It scrolls by wheel and arrows; new events do not move what is being read."""

    TITLE: ClassVar[str] = "events"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._below = 0  # how many of the newest events are scrolled out of view
        self._newest: EventSample | None = None

    def show(self, snapshot: Snapshot, view: View) -> None:
        """As in every panel, but keeps its place if the user has scrolled."""
        events = snapshot.events
        if self._below and events and self._newest is not None and events[-1] is not self._newest:
            places = [n for n, event in enumerate(reversed(events)) if event is self._newest]
            self._below += places[0] if places else 0
        self._newest = events[-1] if events else None
        super().show(snapshot, view)

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn. Events are only ever added, so the last one and their number suffice."""
        return len(snapshot.events), snapshot.events[-1:], self._below, view.started

    def wanted_rows(self, snapshot: Snapshot, view: View, width: int) -> int:
        """A row for each event."""
        return max(len(snapshot.events), 1)

    def cells(self, snapshot: Snapshot, view: View) -> Iterable[Sequence[str]]:
        """All events, also those that are scrolled out of view."""
        return [(view.clock(event.at), told(event)) for event in snapshot.events[::-1]]

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """A line per event."""
        newest_first = snapshot.events[::-1]
        self._below = max(min(self._below, len(newest_first) - size.height), 0)
        if not newest_first:
            yield [(f" {NONE} no events yet", colors["dim"])]
        shown = newest_first[self._below : self._below + size.height]
        spare = size.height - len(shown)  # rows for the rest of long texts
        for event in shown:
            sign, meaning = _SIGNS.get(event.code, ("·", "text"))
            lead: Line = [(f" {view.clock(event.at)} ", colors["dim"]), (f"{sign} ", colors.bold(meaning))]
            before = length(lead)
            text = told(event)
            rows = wrapped(text, max(size.width - before, 8)) or [text]
            if len(rows) - 1 > spare:
                rows = [text]
            spare -= len(rows) - 1
            yield [*lead, (rows[0], colors["text"])]
            for row in rows[1:]:
                yield [(" " * before, colors["dim"]), (row, colors["text"])]

    def _scroll(self, by: int) -> None:
        self._below = max(self._below + by, 0)
        self._rows = None
        self.refresh()

    def on_mouse_scroll_down(self, event: ui_events.MouseScrollDown) -> None:
        """Scroll to older events."""
        self._scroll(3)
        event.stop()

    def on_mouse_scroll_up(self, event: ui_events.MouseScrollUp) -> None:
        """Scroll to newer events."""
        self._scroll(-3)
        event.stop()

    def key_down(self) -> None:
        """Scroll to older events."""
        self._scroll(1)

    def key_up(self) -> None:
        """Scroll to newer events."""
        self._scroll(-1)
