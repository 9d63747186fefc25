"""Changes of recorded sessions from a screen: done off the event loop, told, and undone with one key."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.screen import Screen

from fwdtui.core.errors import FwdtuiError
from fwdtui.ui.common.ports import shell
from fwdtui.ui.common.selection import Change

_BACK = "; u takes it back."
UNDO: BindingType = Binding(
    "u,ctrl+z",
    "undo",
    "undo",
    show=False,
    key_display="u",
    id="sessions.undo",
    tooltip="take back the last rename, note, drop or delete",
)


class Changing(Screen[None]):
    """A screen that changes sessions; `changed` is called when something on disk is another."""

    BINDINGS: ClassVar[list[BindingType]] = [UNDO]

    @property
    def there(self) -> bool:
        """Whether there is anything to draw on: what a thread read may come while the screen leaves."""
        return self.is_attached and bool(self.query("#where"))

    @property
    def folder(self) -> Path:
        """The folder of the sessions that would be changed."""
        raise NotImplementedError

    def changed(self) -> None:
        """Read again what is shown."""
        raise NotImplementedError

    @work(group="change")
    async def change(self, make: Callable[[], Change], told: str) -> None:
        """Do it, say so in one line, and keep the way back. `make` may read files: a thread calls it."""
        try:
            if self.folder == shell(self).selection.originals:
                raise FwdtuiError("these are the examples as they were shipped: they stay as they are")
            done = await asyncio.to_thread(_do, make)
        except (FwdtuiError, OSError) as error:
            self._refused(error)
            return
        shell(self).selection.remember(done)
        self.notify(f"{told}{_BACK}", markup=False)
        self.changed()

    @work(group="change")
    async def action_undo(self) -> None:
        """Take back the last change, whichever screen it was made on."""
        selection = shell(self).selection
        if not selection.done:
            self.notify("There is nothing to undo.", markup=False)
            return
        last = selection.done.pop()
        try:
            await asyncio.to_thread(last.undo)
        except (FwdtuiError, OSError) as error:
            self._refused(error)
        else:
            self.notify(f"{last.undone}.", markup=False)
        self.changed()

    def on_screen_suspend(self) -> None:
        """Elsewhere the key may do nothing: what offers it goes with the screen that has it."""
        for note in [note for note in self.app._notifications if note.message.endswith(_BACK)]:
            self.app._unnotify(note)

    def _refused(self, error: Exception) -> None:
        self.notify(str(error), title="not changed", severity="error", timeout=15, markup=False)


def _do(make: Callable[[], Change]) -> Change:
    change = make()
    change.do()
    return change
