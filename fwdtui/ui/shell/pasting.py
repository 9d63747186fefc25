"""Pastes: text goes into widgets that take text, and nowhere else."""

from textual import events
from textual.widget import Widget

from fwdtui.core.text import clean, clean_lines


def takes_text(widget: Widget | None) -> bool:
    """Whether text can be typed into this widget."""
    return widget is not None and not widget.disabled and bool({"Input", "TextArea"} & _kinds(widget))


def fit(widget: Widget | None, event: events.Paste) -> bool:
    """Make a paste fit the focused widget; returns False if that takes no text.

    In a one-line widget all lines become one, joined by spaces: Textual would silently drop all but the
    first. Control characters are removed.
    """
    if widget is None or not takes_text(widget):
        return False
    lines = clean_lines(event.text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
    several = bool({"TextArea", "Answer"} & _kinds(widget))
    event.text = lines if several else " ".join(clean(lines.replace("\n", " ")).split())
    return True


def _kinds(widget: Widget) -> set[str]:
    # by name: the first frame does not wait for widgets that it does not show
    return {kind.__name__ for kind in type(widget).__mro__}
