"""A line to type a filter in, visible only while it is in use."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class Filter(Input):
    """Filters with every letter typed. Enter and the arrows keep the text, Esc restores the previous one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "to the list", id="filter.enter"),
        Binding("escape", "leave", "cancel", id="filter.forget"),
        Binding("down,up", "keep", "to the list", show=False, id="filter.keep"),
    ]
    DEFAULT_CSS = """
    Filter { display: none; border: none; height: 1; padding: 0 1; }
    Filter.-used { display: block; }
    """

    class Narrowed(Message):
        """The filter is `text` now."""

        def __init__(self, line: "Filter", text: str) -> None:
            super().__init__()
            self.filter, self.text = line, text

        @property
        def control(self) -> "Filter":
            """The widget that ``@on`` matches its selector with."""
            return self.filter

    class Left(Message):
        """The user goes back to the list; `unused`: the previous text was restored."""

        def __init__(self, line: "Filter", unused: bool) -> None:
            super().__init__()
            self.filter, self.unused = line, unused

        @property
        def control(self) -> "Filter":
            """The widget that ``@on`` matches its selector with."""
            return self.filter

    def __init__(self, hint: str, id: str) -> None:
        super().__init__(placeholder=hint, id=id, compact=True)
        self._before = ""

    def allow_focus(self) -> bool:
        """Refuse the focus while hidden: a screen without a focus gives it to the first that allows it."""
        return super().allow_focus() and self.has_class("-used")

    def use(self) -> None:
        """Show the line and focus it."""
        self._before = self.value
        self.add_class("-used")
        self.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while the user types."""
        event.stop()
        self.post_message(self.Narrowed(self, self.value.strip()))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go back to the list, with this filter."""
        event.stop()
        self.action_keep()

    def action_keep(self) -> None:
        """Go back to the list; an empty filter is hidden."""
        self._close(unused=False)

    def action_leave(self) -> None:
        """Go back to the list as it was before typing."""
        self.value = self._before
        self._close(unused=True)

    def forget(self) -> None:
        """Show everything again."""
        self.value = ""
        self._close(unused=False)

    def _close(self, unused: bool) -> None:
        if self.has_focus:
            self.screen.set_focus(None)  # else the focus would move on to the next widget when this one hides
        self.set_class(bool(self.value.strip()), "-used")
        self.post_message(self.Left(self, unused))
