"""Changes to a recorded session from a screen, each undone with one key.

Recorded data are never rewritten. Changes run off the event loop and are reported in one line.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.screen import Screen

from fwdtui.core.errors import FwdtuiError
from fwdtui.report.cells import shorten
from fwdtui.store import annotations, trash
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import shell
from fwdtui.ui.common.selection import Change
from fwdtui.ui.common.styled_once import StyledOnce

_SHOWN = 40  # columns shown of a note or label that was replaced
UNDO: BindingType = Binding(
    "u,ctrl+z",
    "undo",
    "undo",
    key_display="u",
    id="sessions.undo",
    tooltip="take back the last rename, note, drop or delete",
)


def _back() -> str:
    return f"; {key('sessions.undo', 'u')} takes it back."


class ReplacedError(FwdtuiError):
    """The session that was changed is gone, or another one has its name: there is nothing left to undo."""


def rename(session: Path, label: str, shown: str | None = None) -> Change:
    """Change the label; "" restores the recorded one. `shown`: the label that the user saw."""
    before = annotations.read_annotations(session).label
    return Change(
        f"Undone: {session.name} has its previous label",
        lambda: annotations.rename(session, label),
        _of_same(session, lambda: annotations.rename(session, before)),
        _meanwhile(before, shown),
    )


def annotate(session: Path, note: str, shown: str | None = None) -> Change:
    """Write a note on the session; "" removes it. `shown`: the note that the user saw."""
    before = annotations.read_annotations(session).note
    return Change(
        f"Undone: {session.name} has its previous note" if before else "Undone: the note is removed",
        lambda: annotations.annotate(session, note),
        _of_same(session, lambda: annotations.annotate(session, before)),
        _meanwhile(before, shown),
    )


def _meanwhile(before: str, shown: str | None) -> str:
    """A remark if the change replaces a text that the user has not seen, as it was written meanwhile.

    "" if it does not. `shown`: the text that the user saw.
    """
    unseen = before and shown is not None and before != shown
    if not unseen:
        return ""
    return f"; it replaces “{shorten(' '.join(before.split()), _SHOWN)}”, which was written in the meantime"


def drop(session: Path, case: str, index: int, reason: str) -> Change:
    """Leave an iteration out of the statistics."""
    before = annotations.entry_of(session, case, index)  # by the disk: what a screen shows may be older
    has = "has its previous reason" if before else "counts again"
    return Change(
        f"Undone: iteration {index} of {case} {has}",
        lambda: annotations.drop(session, case, index, reason),
        _of_same(session, lambda: _as_before(session, case, index, before)),
    )


def restore(session: Path, case: str, index: int) -> Change:
    """Count a dropped iteration again."""
    before = annotations.entry_of(session, case, index)  # by the disk: what a screen shows may be older
    has = "is dropped again" if before else "counts as before"
    return Change(
        f"Undone: iteration {index} of {case} {has}",
        lambda: annotations.restore(session, case, index),
        _of_same(session, lambda: _as_before(session, case, index, before)),
    )


def _as_before(session: Path, case: str, index: int, before: Mapping[str, Any] | None) -> None:
    """Drop the iteration as it was dropped before; None: it was not."""
    if before is not None:
        annotations.drop_again(session, before)
    else:
        annotations.restore(session, case, index)


def delete(session: Path, mark_again: Callable[[], None] = lambda: None) -> Change:
    """Move the session to the trash beside it. `mark_again` is called when it is back under its own name."""
    trashed: list[Path] = []
    back = f"Undone: {session.name} is back from the trash"

    def bring_back() -> str:
        if not trashed[-1].is_dir():
            raise ReplacedError(f"{trashed[-1]}: no longer in the trash")
        name = trash.bring_back(trashed[-1]).name
        trashed.pop()  # not before: it may have failed
        if name != session.name:
            return f"{back} as {name}: another session has its name now"
        mark_again()
        return back

    return Change(back, lambda: trashed.append(trash.discard(session)), bring_back)


def _of_same(session: Path, undo: Callable[[], object]) -> Callable[[], object]:
    """`undo`, which raises ReplacedError if another session has been recorded under this name meanwhile."""
    before = _identity(session)

    def of_same() -> None:
        if _identity(session) != before:
            raise ReplacedError(f"{session}: another session now has this name, so nothing was undone")
        undo()

    return of_same


def _identity(session: Path) -> tuple[int, int]:
    """Device and inode of a folder, which it keeps when it is moved to the trash and back.

    Raises ReplacedError if there is no such folder.
    """
    try:
        there = session.stat()
    except FileNotFoundError as error:
        raise ReplacedError(f"{session}: {error.strerror or error}") from None
    except OSError as error:
        raise FwdtuiError(f"{session}: {error.strerror or error}") from None
    return there.st_dev, there.st_ino


class UndoableScreen(StyledOnce, Screen[None]):
    """A screen that changes sessions and can undo the last change.

    `changed` is called when something on disk has changed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [UNDO]

    @property
    def there(self) -> bool:
        """Whether the screen can still be drawn: a thread's result may arrive while it closes."""
        return self.is_attached and bool(self.query("#where"))

    @property
    def folder(self) -> Path:
        """The folder of the sessions that would be changed."""
        raise NotImplementedError

    def changed(self) -> None:
        """Called after a change on disk: read again what is shown."""
        raise NotImplementedError

    @work(group="change")
    async def change(self, make: Callable[[], Change], told: str) -> None:
        """Make a change, report it in one line, and remember how to undo it.

        `make` is called in a thread. `told`: the report, such as "Renamed".
        """
        try:
            if self.folder == shell(self).selection.originals:
                raise FwdtuiError("these are the examples as shipped; they cannot be changed")
            done = await asyncio.to_thread(_do, make)
        except (FwdtuiError, OSError) as error:
            self._refused(error)
            return
        shell(self).selection.remember(done)
        self.notify(f"{told}{done.remark}{_back()}", markup=False)
        self.changed()

    @work(group="change")
    async def action_undo(self) -> None:
        """Undo the last change, whichever screen it was made on."""
        selection = shell(self).selection
        if not selection.done:
            self.notify("There is nothing to undo.", markup=False)
            return
        last = selection.done.pop()
        place = len(selection.done)
        try:
            told = await asyncio.to_thread(last.undo)
        except (FwdtuiError, OSError) as error:
            if not isinstance(error, ReplacedError):  # the next u tries it again, and undoes nothing else
                selection.done.insert(place, last)
            self._refused(error)
        else:
            self.notify(f"{told if isinstance(told, str) else last.undone}.", markup=False)
        self.changed()

    def on_screen_suspend(self) -> None:
        """Remove notices that offer `u`, which may do nothing on another screen."""
        for note in [note for note in self.app._notifications if note.message.endswith(_back())]:
            self.app._unnotify(note)

    def _refused(self, error: Exception) -> None:
        self.notify(str(error), title="not changed", severity="error", timeout=15, markup=False)


def _do(make: Callable[[], Change]) -> Change:
    change = make()
    change.do()
    return change
