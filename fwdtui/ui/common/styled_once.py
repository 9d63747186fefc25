"""A screen that is not styled a second time before it is first seen."""

from textual import events, on
from textual.message_pump import MessagePump
from textual.screen import Screen


class StyledOnce(MessagePump):
    """A screen whose widgets keep the styles that they were mounted with when it opens.

    Textual applies the style sheets again to every widget of a screen that comes to the top: the theme may
    have changed while others covered it. When it opens, its widgets have just been mounted. Only the screen
    itself is styled again: it was mounted before its own style sheet was read.
    """

    _seen = False

    @on(events.ScreenResume)
    def _opens(self, event: events.ScreenResume) -> None:
        if not self._seen and isinstance(self, Screen) and self.is_attached:
            self._seen = True
            event.refresh_styles = False
            self.app.stylesheet.update_nodes([self])
