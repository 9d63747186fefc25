"""Marks what is compared, on the list of sessions and on the screen of one."""

from pathlib import Path

from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import shell
from fwdtui.ui.sessions.session_changes import UndoableScreen


class MarkingScreen(UndoableScreen):
    """A screen with a session that can be marked as the baseline or as a candidate."""

    def to_mark(self) -> str | None:
        """The path of the session to mark, or PATH:CASE for one of its cases; None: there is none."""
        raise NotImplementedError

    def marked(self) -> None:
        """Called after marks have changed: redraw them."""
        raise NotImplementedError

    def action_baseline(self) -> None:
        """Compare the others with this one."""
        if (path := self.to_mark()) is not None:
            shell(self).selection.marks.baseline(path)
            self.marked()

    def action_candidate(self) -> None:
        """Add this session to the comparison, or remove it."""
        if (path := self.to_mark()) is not None:
            marks = shell(self).selection.marks
            if marks.base == path:
                unmark = f"press {key('sessions.baseline', 'b')} to unmark it, then it can be a candidate."
                self.notify(f"This is the baseline: {unmark}", severity="warning", markup=False)
            marks.candidate(path)
            self.marked()

    def action_unmark(self) -> None:
        """Remove all marks: the baseline, the candidates, and those of single cases."""
        count = shell(self).selection.marks.none()
        self.notify(
            f"{count} mark{'s' * (count != 1)} removed." if count else "Nothing is marked.", markup=False
        )
        self.marked()

    def action_compare(self) -> None:
        """Open the comparison of what is marked, or say what has to be marked first.

        With a baseline alone, it is compared with what is under the cursor.
        """
        marks = shell(self).selection.marks
        if marks.base and not marks.candidates and self.to_mark() not in (None, marks.base):
            self.action_candidate()
        if marks.base is None or marks.missing():
            self.notify(f"Mark {marks.missing()} first.", severity="warning", markup=False)
            return
        shell(self).compare(Path(marks.base), [Path(path) for path in marks.candidates])
