"""The lines on every screen: the modes and their keys, if there is room, and what could not be saved."""

from collections.abc import Callable

from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from fwdtui.core.text import clean
from fwdtui.report.cells import columns_of, shorten
from fwdtui.ui.common.own_keys import key

MODES = (("live", "f2", "Live"), ("sessions", "f3", "Sessions"), ("compare", "f4", "Compare"))
"""Name, key and title of each mode. Terminals reserve F1; letters and digits have other meanings on some
screens, and are text in input fields."""
_LOOK = 0.5  # seconds between checks of what is measured, and of what could not be saved


class ModeBar(Widget, can_focus=False):
    """One line with the modes; a click on one goes there.

    `elsewhere` returns what is being measured, or only open, in a mode that is not shown: ``running: NAME``
    or ``open in Live: NAME``; "" if nothing is. A narrow line shows only the name.
    """

    ALLOW_MAXIMIZE = False

    class Chosen(Message):
        """A mode was clicked on."""

        def __init__(self, mode: str) -> None:
            super().__init__()
            self.mode = mode

    def __init__(self, elsewhere: Callable[[], str]) -> None:
        super().__init__()
        self._elsewhere = elsewhere
        self._said = ""

    def on_mount(self) -> None:
        """Redraw when the mode changes, and when a run begins or ends behind this screen."""
        self.app.mode_change_signal.subscribe(self, lambda _: self.refresh())
        self.set_interval(_LOOK, self.look)

    def look(self) -> None:
        """Redraw if something else is measured now."""
        if self._elsewhere() != self._said:
            self.refresh()

    def render(self) -> Text:
        """The line. The current mode is bold and reversed, so that it can be told without colour."""
        text = Text(no_wrap=True, overflow="ellipsis")
        for name, usual, title in MODES:
            here = name == self.app.current_mode
            text.append(_named(name, usual, title), style=Style(bold=True, reverse=True) if here else Style())
            text.append(" ")
        self._said = self._elsewhere()
        if run := self._said:
            for run_text in (f" ● {run}", f" ● {run.partition(': ')[2]}"):
                if columns_of(run_text) <= self.size.width - text.cell_len:
                    break
            text.append(shorten(run_text, max(self.size.width - text.cell_len, 0)), style=Style(dim=True))
        return text

    def on_click(self, event: events.Click) -> None:
        """Go to the mode under the pointer."""
        end = 0
        for name, usual, title in MODES:
            end += columns_of(_named(name, usual, title)) + len(" ")
            if event.x < end:
                self.post_message(self.Chosen(name))
                return


def _named(mode: str, usual: str, title: str) -> str:
    """A mode with the user's key for it: `` F2 Live ``."""
    return f" {key(f'app.mode_{mode}', usual.upper())} {title} "


class StorageBanner(Widget, can_focus=False):
    """Says what could not be saved, or where it is saved instead, until that is fixed.

    `storage` returns what is wrong with the recording; while it returns "" there is no banner.
    """

    ALLOW_MAXIMIZE = False

    def __init__(self, storage: Callable[[], str]) -> None:
        super().__init__()
        self._storage = storage
        self.said = ""

    def on_mount(self) -> None:
        """Begin to poll, as a screen that shows a list is not redrawn while a run goes on behind it."""
        self.set_interval(_LOOK, self.look)
        self.look()

    def look(self) -> None:
        """Show the current problem, or nothing."""
        said = clean(self._storage())
        if said != self.said:
            self.said = said
            self.set_class(bool(said), "-shown")
            self.refresh(layout=True)

    def render(self) -> Text:
        """The banner. It is bold and reversed and has a sign, so that it can be told without colour."""
        return Text(f"✕ {self.said}", no_wrap=False, overflow="fold")
