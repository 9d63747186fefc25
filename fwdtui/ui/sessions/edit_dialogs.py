"""Dialogs that rename, annotate or delete the session under the cursor."""

from pathlib import Path

from textual import work

from fwdtui.core.units import counted
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.common.dialogs import Confirm, Prompt
from fwdtui.ui.common.ports import shell
from fwdtui.ui.sessions import session_changes
from fwdtui.ui.sessions.marking import MarkingScreen
from fwdtui.ui.sessions.row import Row


def note_on(label: str, note: str) -> Prompt:
    """Asks for the note on a session."""
    hint = "what others should know about it"
    return Prompt(f"Note on {label}", value=note, many=True, does="save the note", hint=hint)


def what_goes(row: Row) -> list[str]:
    """The lines of the question before a session is deleted. A damaged one's iterations are not known."""
    path = Path(row.path)
    held = f"{counted(row.iterations, 'iteration')} in {path}"
    if not row.good:
        held = f"How many iterations are in {path} is not known: it cannot be read."
    return [held, f"It is moved to {path.parent / '.trash'}, not erased."]


class EditingScreen(MarkingScreen):
    """A screen with a session under its cursor."""

    def current(self, readable: bool = True) -> Row | None:
        """The session under the cursor, or None; an unreadable one only if `readable` is False."""
        raise NotImplementedError

    def stay(self, path: str) -> None:
        """Keep the cursor on the session at `path`."""
        raise NotImplementedError

    @work(group="ask")
    async def action_rename(self) -> None:
        """Give it another label; the recorded one stays in session.toml."""
        if row := self.current():
            lines = ["Changes the label; the folder keeps its name. Empty: as recorded."]
            hint = "the label that was recorded"
            ask = Prompt(f"Rename {row.label}", lines, row.label, does="rename", hint=hint)
            label = await self.app.push_screen_wait(ask)
            if label is not None and label != row.label:
                self.stay(row.path)
                self.change(lambda: session_changes.rename(Path(row.path), label, row.label), "Renamed")

    @work(group="ask")
    async def action_annotate(self) -> None:
        """Write a note on it."""
        if row := self.current():
            note = await self.app.push_screen_wait(note_on(row.label, row.note))
            if note is not None and note != row.note:
                self.stay(row.path)
                self.change(lambda: session_changes.annotate(Path(row.path), note, row.note), "Note saved")

    @work(group="ask")
    async def action_delete(self) -> None:
        """Move it to the trash, after asking."""
        row = self.current(readable=False)
        if row is None:
            return
        path = Path(row.path)
        copies = Copy("the path", str(path))
        ask = Confirm(f"Delete {row.label}?", what_goes(row), "y  delete it", "n  keep it", copies)
        if await self.app.push_screen_wait(ask):
            marks = shell(self).selection.marks
            marked = marks.of(row.path)  # they go with it, and come back with it
            self.change(
                lambda: session_changes.delete(path, lambda: marks.again(marked)),
                f"{row.label} is in the trash",
            )
