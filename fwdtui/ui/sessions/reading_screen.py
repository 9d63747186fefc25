"""Reads one session, and the iteration under the cursor, in threads; and changes them on disk."""

from pathlib import Path

from textual import work
from textual.timer import Timer

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Case, Iteration
from fwdtui.ui.common.dialogs import Prompt
from fwdtui.ui.common.threads import from_thread
from fwdtui.ui.report.since import Changed, changed_since
from fwdtui.ui.sessions import session_changes
from fwdtui.ui.sessions.edit_dialogs import note_on
from fwdtui.ui.sessions.marking import MarkingScreen
from fwdtui.ui.sessions.session_view import IterationView, SessionView, read_iteration, read_view

_STILL = 0.08  # seconds for which the cursor has to stay on an iteration before its samples are read
_LONG = 0.5  # seconds of reading after which the previous iteration's details are no longer shown


class ReadingScreen(MarkingScreen):
    """What was read of the session at `path`. A subclass draws it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._view: SessionView | None = None
        self._case: Case | None = None
        self.iteration: Iteration | None = None
        """The iteration under the cursor."""
        self.behind: IterationView | None = None
        """The details shown; for a moment after the cursor moved, still those of the previous iteration."""
        self._changed: Changed = lambda: False  # what was not read yet cannot have changed since
        self._wait: Timer | None = None
        self._long: Timer | None = None

    # of the subclass

    def _show(self, view: SessionView) -> None:
        """Draw the session."""
        raise NotImplementedError

    def _failed(self, reason: str) -> None:
        """Say why the session cannot be read."""
        raise NotImplementedError

    def _show_behind(self, shown: IterationView) -> None:
        """Draw the details of the iteration under the cursor."""
        raise NotImplementedError

    def _nothing_behind(self, reason: str) -> None:
        """Say why there are no details: they cannot be read, or reading takes long."""
        raise NotImplementedError

    # reading

    @property
    def folder(self) -> Path:
        """The folder that contains the session."""
        return self._path.parent

    def changed(self) -> None:
        """Read the session again after a change."""
        self.action_reload()

    def on_screen_resume(self) -> None:
        """Read the session again if it has changed: other screens drop iterations and record new ones."""
        recording = self._view is not None and self._view.session.recording  # may have ended without a trace
        if recording or self._changed():
            self.action_reload()

    def action_reload(self) -> None:
        """Read it again; the cursor stays where it is."""
        self._read()

    @work(thread=True, exclusive=True, group="session")
    def _read(self) -> None:
        try:
            self._changed = changed_since([self._path])  # first: what is written while reading is a change
            view = read_view(self._path)
        except (FwdtuiError, OSError) as error:
            from_thread(self, self._failed, str(error))
            return
        from_thread(self, self._show, view)

    def _choose(self, chosen: Iteration) -> None:
        """Read the details of this iteration once the cursor stays on it."""
        if chosen is self.iteration:
            return
        self.iteration = chosen
        if self._wait is not None:
            self._wait.stop()
        self._wait = self.set_timer(_STILL, self._look_behind)

    def _look_behind(self) -> None:
        if self._view is not None and self._case is not None and self.iteration is not None:
            self._read_behind(self._view, self._case, self.iteration)
            self._wait_long(self.set_timer(_LONG, self._takes_long))

    def _wait_long(self, timer: Timer | None) -> None:
        if self._long is not None:
            self._long.stop()
        self._long = timer

    def _takes_long(self) -> None:
        """Show nothing rather than what belongs to another iteration."""
        case, wanted, shown = self._case, self.iteration, self.behind
        if case is None or wanted is None:
            return
        if shown is None or (shown.case, shown.iteration.index) != (case.name, wanted.index):
            self._nothing_behind(f"reading iteration {wanted.index} of {case.name} …")

    def _read_in(self, shown: IterationView) -> None:
        self._wait_long(None)
        self._show_behind(shown)

    def _not_read(self, reason: str) -> None:
        self._wait_long(None)
        self._nothing_behind(reason)

    @work(thread=True, exclusive=True, group="iteration")
    def _read_behind(self, view: SessionView, case: Case, iteration: Iteration) -> None:
        try:
            shown = read_iteration(view, case, iteration)
        except (FwdtuiError, OSError) as error:
            from_thread(self, self._not_read, str(error))
            return
        from_thread(self, self._read_in, shown)

    # changing

    @work(group="ask")
    async def action_drop(self) -> None:
        """Drop it from the statistics, with a reason; restore a dropped one."""
        case, iteration = self._case, self.iteration
        if case is None or iteration is None:
            return
        name = f"Iteration {iteration.index} of {case.name}"
        if iteration.dropped and iteration.judged is False:
            self.notify(
                f"{name} cannot be restored: its experiment rejected it.",
                severity="warning",
                markup=False,
            )
            return
        if iteration.dropped:
            self.change(
                lambda: session_changes.restore(self._path, case.name, iteration.index),
                f"{name} counts again",
            )
            return
        ask = Prompt(
            f"Drop {name[0].lower()}{name[1:]}",
            ["It is left out of the statistics. Its data stay, and reports name it with your reason."],
            does="drop it",
            hint="the reason, such as: the cable was touched",
            needed="Type a reason: it is required.",
        )
        reason = await self.app.push_screen_wait(ask)
        if reason:
            self.change(
                lambda: session_changes.drop(self._path, case.name, iteration.index, reason),
                f"{name} does not count",
            )

    @work(group="ask")
    async def action_annotate(self) -> None:
        """Write a note on the session."""
        if self._view is None:
            return
        session = self._view.session
        note = await self.app.push_screen_wait(note_on(session.label, session.note))
        if note is not None and note != session.note:
            self.change(lambda: session_changes.annotate(self._path, note, session.note), "Note saved")
