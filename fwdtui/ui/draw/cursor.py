"""The cursor of a time chart: a moment that the mouse points at, or that keys move from sample to sample."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widget import Widget

from fwdtui.monitor.live.moment import stepped
from fwdtui.ui.draw.braille import Axes, Masks


class CursorChart(Widget):
    """A chart with a cursor. It follows the mouse; a click or a key makes it stay where it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left",
            "cursor_step(-1)",
            "cursor",
            key_display="←/→",
            id="cursor.back",
            tooltip="The cursor: a sample back",
        ),
        Binding("right", "cursor_step(1)", "cursor: a sample forward", show=False, id="cursor.forward"),
        Binding("shift+left", "cursor_step(-10)", "ten samples back", show=False, id="cursor.back_far"),
        Binding("shift+right", "cursor_step(10)", "ten samples forward", show=False, id="cursor.forward_far"),
        Binding("home", "cursor_end(False)", "cursor: the first sample", show=False, id="cursor.first"),
        Binding("end", "cursor_end(True)", "cursor: the last sample", show=False, id="cursor.last"),
        Binding("escape,enter", "cursor_away", "hide the cursor", show=False, id="cursor.away"),
    ]

    cursor: float | None = None
    """The cursor's moment in seconds, on the axis of the chart's samples; None: there is no cursor."""
    _stays = False  # whether it stays when the mouse leaves

    # what a chart defines

    def sample_times(self) -> Sequence[float]:
        """The moments of the chart's samples, in order: where keys put the cursor."""
        raise NotImplementedError

    def moment_of(self, column: int) -> float | None:
        """The moment at a column of the content; None: nothing is drawn there."""
        raise NotImplementedError

    def cursor_moved(self) -> None:
        """Called after the cursor was moved: draw it where it is now."""
        raise NotImplementedError

    # where it is

    def put_cursor(self, at: float | None, stays: bool) -> None:
        """Move the cursor to `at`, or hide it (None). `stays`: it does not follow the mouse from now on."""
        self._stays = stays and at is not None
        if at != self.cursor:
            self.cursor = at
            self.cursor_moved()

    def action_cursor_step(self, by: int) -> None:
        """Go a sample, or ten, forward or back; at first to the last sample."""
        self.put_cursor(stepped(self.sample_times(), self.cursor, by), stays=True)

    def action_cursor_end(self, last: bool) -> None:
        """Go to the first or the last sample."""
        if times := self.sample_times():
            self.put_cursor(times[-1 if last else 0], stays=True)

    def action_cursor_away(self) -> None:
        """Put the cursor away."""
        self.put_cursor(None, stays=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a cursor, leave the keys that hide it to the screen."""
        return action != "cursor_away" or self.cursor is not None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse."""
        if not self._stays:
            self.put_cursor(self._under(event), stays=False)

    def on_leave(self) -> None:
        """Hide the cursor with the mouse, unless it stays."""
        if not self._stays:
            self.put_cursor(None, stays=False)

    def on_click(self, event: events.Click) -> None:
        """Let the cursor stay here. Beside the plot, hide it."""
        if event.chain == 1:
            self.put_cursor(self._under(event), stays=True)

    def _under(self, event: events.MouseEvent) -> float | None:
        place = event.get_content_offset(self)
        return None if place is None else self.moment_of(place.x)


def moment_in(axes: Axes, column: int) -> float | None:
    """The moment in the middle of a column of cells of the plot; None: it is beside the plot."""
    if not 0 <= column < axes.width:
        return None
    return axes.start + (column + 0.5) / axes.width * (axes.end - axes.start)


def column_of(axes: Axes, at: float, columns: int) -> int | None:
    """The column of a moment, if the axis has `columns` of them; None: it is beyond the axis."""
    if not axes.start <= at <= axes.end:
        return None
    return min(int((at - axes.start) / (axes.end - axes.start) * columns), columns - 1)


def upright(axes: Axes, at: float) -> Masks | None:
    """The dots of a vertical line at this moment; None: it is beyond the axis."""
    column = column_of(axes, at, axes.width * 2)
    if column is None:
        return None
    masks = [0] * (axes.width * 2)
    masks[column] = (1 << axes.height * 4) - 1
    return masks
