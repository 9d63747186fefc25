"""The notices of this run, to read and copy again: each is on the screen for some seconds only."""

import time
from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fwdtui.core.text import clean_lines
from fwdtui.ui.common.copying import IN_LIST, Copy, lines
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.moving import IN_LISTS
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.styled_once import StyledOnce

_SIGNS = {"error": "✕", "warning": "!"}


Notice = tuple[float, str, str, str]
"""When (seconds since 1970), severity, title, message."""


def in_words(notice: Notice) -> str:
    """A notice as text: ``12:04:31  ✕ not saved: No space left on device``."""
    at, severity, title, message = notice
    clock = time.strftime("%H:%M:%S", time.localtime(at))
    text = f"{title}: {message}" if title else message
    return clean_lines(f"{clock}  {_SIGNS.get(severity, '·')} {text}")


class MessagesScreen(StyledOnce, ModalScreen[None]):
    """The notices of this run in a list. `notices` has the oldest first; the list begins with the newest."""

    DEFAULT_CSS = """
    MessagesScreen { background: $background; layout: vertical; }
    MessagesScreen #title {
        height: 1; padding: 0 1; background: $panel; color: $foreground; text-style: bold;
    }
    MessagesScreen OptionList { height: 1fr; border: none; background: $background; }
    MessagesScreen OptionList:focus { border: none; background-tint: $foreground 0%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("M,escape", "dismiss(None)", "close", key_display="M esc", id="messages.close"),
        IN_LIST,
        *IN_LISTS,
    ]

    def __init__(self, notices: Sequence[Notice]) -> None:
        super().__init__()
        self._notices = notices[::-1]

    def compose(self) -> ComposeResult:
        some = len(self._notices)
        told = f"{some} message{'s' * (some != 1)}, the newest first   {key('app.copy', 'y')} copies"
        closes = f"{key('messages.close', 'Esc')} closes"
        yield Static(f"{told if some else 'No messages yet'}   {closes}", id="title", markup=False)
        yield OptionList(*(Option(Text(in_words(one))) for one in self._notices))
        yield Footer()

    def to_copy(self) -> Copy:
        """The message under the cursor."""
        place = self.query_one(OptionList).highlighted
        if place is None:
            return Copy("There is no message to copy.", "")
        return lines("the message", in_words(self._notices[place]))
