"""What is not saved, or where it is saved now: a line on every screen that stays until it is cured."""

from collections.abc import Callable

from rich.text import Text
from textual.widget import Widget

from fwdtui.core.text import clean

_LOOK = 0.5  # seconds


class StorageBanner(Widget, can_focus=False):
    """`storage` tells what is wrong with the recording; while it is empty there is no banner."""

    ALLOW_MAXIMIZE = False

    def __init__(self, storage: Callable[[], str]) -> None:
        super().__init__()
        self._storage = storage
        self.said = ""

    def on_mount(self) -> None:
        """Looks by itself: a screen that shows a list is not drawn anew while a run goes on behind it."""
        self.set_interval(_LOOK, self.look)
        self.look()

    def look(self) -> None:
        """Show what is wrong now, or nothing."""
        said = clean(self._storage())
        if said != self.said:
            self.said = said
            self.set_class(bool(said), "-shown")
            self.refresh(layout=True)

    def render(self) -> Text:
        """Readable without colour: bold and reversed, with a sign."""
        return Text(f"✕ {self.said}", no_wrap=False, overflow="fold")
