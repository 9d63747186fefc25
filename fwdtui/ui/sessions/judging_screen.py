"""Judges sessions against the baseline in a thread, while the list is used; those in view come first."""

import time
from collections.abc import Collection, Iterable, Sequence

from rich.text import Text
from textual import on, work
from textual.timer import Timer
from textual.worker import get_current_worker

from fwdtui.core.model import Session
from fwdtui.report.against import Against, against
from fwdtui.store import Damaged
from fwdtui.ui.common import errors
from fwdtui.ui.common.ports import BACKGROUND, shell
from fwdtui.ui.common.threads import from_thread
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions.edit_dialogs import EditingScreen
from fwdtui.ui.sessions.judging import Verdicts
from fwdtui.ui.sessions.session_table import SessionTable
from fwdtui.ui.sessions.verdict_text import verdict_lines

_STILL = 0.05  # seconds without scrolling before the sessions in view are judged
_BATCH = 0.1  # seconds of judging before verdicts are shown
_BREATH = 0.001  # seconds after each session in which the screen gets the interpreter

Entry = Session | Damaged


class JudgingScreen(EditingScreen):
    """A list of sessions with verdicts on those that have been in view, or on all if all are needed."""

    def __init__(self) -> None:
        super().__init__()
        self._verdicts = Verdicts()
        self._still: Timer | None = None
        self._judging: Session | None = None  # the baseline that sessions are being judged against

    @property
    def table(self) -> SessionTable:
        """The list."""
        raise NotImplementedError

    def entry(self, path: str) -> Entry | None:
        """The session at this path, as it was read last."""
        raise NotImplementedError

    def entries(self) -> Collection[Entry]:
        """All sessions, as they were read last."""
        raise NotImplementedError

    @property
    def judges_all(self) -> bool:
        """Whether the verdicts on sessions out of view are needed, too."""
        raise NotImplementedError

    def judged(self, paths: Collection[str]) -> None:
        """Called when the verdicts on these sessions are known, after their rows show them."""
        raise NotImplementedError

    def follow(self, table: SessionTable) -> None:
        """From now on, judge sessions that scroll into view."""
        self.watch(table, "scroll_y", self.judge_soon, init=False)

    def verdicts(self, entries: Iterable[Entry]) -> dict[str, Against]:
        """The verdicts on these entries that are known, by path."""
        known = ((one.path, self._verdict(one)) for one in entries)
        return {path: verdict for path, verdict in known if verdict is not None}

    def verdict_text(self, entry: Entry) -> Text:
        """The verdict on a session in words; nothing if there is none yet."""
        verdict = self._verdict(entry)
        return Text() if verdict is None else verdict_lines(verdict, Styles(self.app.theme_variables))

    def _verdict(self, entry: Entry) -> Against | None:
        base = self.baseline
        return self._verdicts.find(base, entry) if base is not None and isinstance(entry, Session) else None

    @property
    def baseline(self) -> Session | None:
        """The session that the others are judged against; None: none is marked, or it is not read yet."""
        marked = shell(self).selection.marks.base
        entry = None if marked is None else self.entry(marked)
        return entry if isinstance(entry, Session) else None

    @on(SessionTable.Resized)
    def judge_soon(self) -> None:
        """Judge the sessions whose verdicts are needed, once the list is not scrolled any more."""
        if self._still is not None:
            self._still.stop()
        if self.baseline is not None:
            self._still = self.set_timer(_STILL, self._judge_missing)
        else:
            self._stop()

    def on_screen_suspend(self) -> None:
        """Stop judging until the list is shown again: what is shown or recorded now needs the processor."""
        self._stop()

    def _stop(self) -> None:
        if self._judging is not None:
            self._judging = None
            self.workers.cancel_group(self, BACKGROUND)

    def _judge_missing(self) -> None:
        base = self.baseline
        if base is None or not self.there or not self.is_current:
            return
        seen = self._missing(base, map(self.entry, self.table.in_view()))
        others = self._missing(base, self.entries()) if self.judges_all else {}
        if seen or (others and self._judging is not base):  # otherwise they are being judged already
            self._verdicts.expect(len(self.entries()))
            self._judging = base
            self._judge(base, [*(seen | others).values()])

    def _missing(self, base: Session, entries: Iterable[Entry | None]) -> dict[str, Session]:
        """The sessions that are not judged yet, by path."""
        sessions = (one for one in entries if isinstance(one, Session) and one.path != base.path)
        return {one.path: one for one in sessions if self._verdicts.find(base, one) is None}

    @work(thread=True, exclusive=True, group=BACKGROUND)
    def _judge(self, base: Session, others: Sequence[Session]) -> None:
        worker = get_current_worker()
        batch: list[tuple[Session, Against]] = []
        due = time.monotonic()  # the first one at once
        for other in others:
            if worker.is_cancelled:
                return
            time.sleep(_BREATH)
            try:
                verdict = against(base, other)
            except Exception as error:  # without any verdict, the list would wait for it for ever
                verdict = Against(base.label, reason=errors.in_place(error))
            batch.append((other, verdict))
            if time.monotonic() >= due:
                from_thread(self, self._keep, base, batch)
                batch, due = [], time.monotonic() + _BATCH
        from_thread(self, self._keep, base, batch)
        from_thread(self, self._finished)

    def _keep(self, base: Session, batch: Sequence[tuple[Session, Against]]) -> None:
        for other, verdict in batch:
            self._verdicts.keep(base, other, verdict)
        if not self.there:
            return
        shown = {}
        for other, verdict in batch:
            now = self.entry(other.path)
            if now is not None and self._verdict(now) is verdict:
                shown[other.path] = verdict
        if shown:
            self.table.tell(shown)
            self.judged(shown)

    def _finished(self) -> None:
        """Judge the sessions that have been added or changed meanwhile."""
        self._judging = None
        if self.there:
            self.judge_soon()
