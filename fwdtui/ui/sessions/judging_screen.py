"""Judges the sessions in view against the baseline, in a thread, while the list is used."""

from collections.abc import Iterable, Sequence

from rich.text import Text
from textual import on, work
from textual.timer import Timer
from textual.worker import get_current_worker

from fwdtui.core.model import Session
from fwdtui.report.against import Against, against
from fwdtui.store import Damaged
from fwdtui.ui.common import errors
from fwdtui.ui.common.ports import shell
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions.edit_dialogs import EditingScreen
from fwdtui.ui.sessions.judging import Verdicts
from fwdtui.ui.sessions.session_table import SessionTable
from fwdtui.ui.sessions.verdict_text import verdict_lines

_STILL = 0.05  # seconds without scrolling before what is in view is judged

Entry = Session | Damaged


class JudgingScreen(EditingScreen):
    """A list of sessions with the verdicts of those that have been in view."""

    def __init__(self) -> None:
        super().__init__()
        self._verdicts = Verdicts()
        self._still: Timer | None = None

    @property
    def table(self) -> SessionTable:
        """The list."""
        raise NotImplementedError

    def entry(self, path: str) -> Entry | None:
        """The session at this path, as it was read last."""
        raise NotImplementedError

    def judged(self, path: str) -> None:
        """Called when the verdict on this session is known, after the list shows it."""
        raise NotImplementedError

    def follow(self, table: SessionTable) -> None:
        """Judge what scrolls into view."""
        self.watch(table, "scroll_y", self.judge_soon, init=False)

    def verdicts(self, entries: Iterable[Entry]) -> dict[str, Against]:
        """The verdicts that are known of these, by path."""
        found = ((one.path, self._verdict(one)) for one in entries)
        return {path: verdict for path, verdict in found if verdict is not None}

    def verdict_text(self, entry: Entry) -> Text:
        """The verdict on a session in words; nothing if there is none yet."""
        found = self._verdict(entry)
        return Text() if found is None else verdict_lines(found, Styles(self.app.theme_variables))

    def _verdict(self, entry: Entry) -> Against | None:
        base = self._baseline
        return self._verdicts.find(base, entry) if base is not None and isinstance(entry, Session) else None

    @property
    def _baseline(self) -> Session | None:
        """The session that the others are judged against; None: none is marked, or it is not read yet."""
        marked = shell(self).selection.marks.base
        entry = None if marked is None else self.entry(marked)
        return entry if isinstance(entry, Session) else None

    @on(SessionTable.Resized)
    def judge_soon(self) -> None:
        """Judge the sessions in view, once the list stands still."""
        if self._still is not None:
            self._still.stop()
        if self._baseline is not None:
            self._still = self.set_timer(_STILL, self._judge_in_view)

    def _judge_in_view(self) -> None:
        base = self._baseline
        if base is None or not self.there:
            return
        entries = [self.entry(path) for path in self.table.in_view() if path != base.path]
        sessions = [one for one in entries if isinstance(one, Session)]
        missing = [one for one in sessions if self._verdicts.find(base, one) is None]
        if missing:
            self._judge(base, missing)

    @work(thread=True, exclusive=True, group="judge")
    def _judge(self, base: Session, others: Sequence[Session]) -> None:
        worker = get_current_worker()
        for other in others:
            if worker.is_cancelled:
                return
            try:
                found = against(base, other)
            except Exception as error:  # else the list would wait for it for ever
                found = Against(base.label, reason=errors.in_place(error))
            if not worker.is_cancelled:
                self.app.call_from_thread(self._keep, base, other, found)

    def _keep(self, base: Session, other: Session, found: Against) -> None:
        self._verdicts.keep(base, other, found)
        now = self.entry(other.path)
        if self.there and now is not None and self._verdict(now) is found:
            self.table.tell(other.path, found)
            self.judged(other.path)
