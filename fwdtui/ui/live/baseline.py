"""The session that the iterations so far are compared with, again after each iteration."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue, Level, natural
from fwdtui.core.model import Case, Fact, Session
from fwdtui.core.units import counted

if TYPE_CHECKING:
    from textual.app import App

    from fwdtui.monitor.live.snapshot import Snapshot


class Baseline:
    """The baseline of a run; there is none until one is chosen.

    The store and the statistics are loaded on first use.
    """

    def __init__(self, case: str) -> None:
        self.session: Session | None = None
        """The baseline as it was when it was chosen; `judge` reads it again."""
        self.median: float | None = None
        """The baseline's median in pps; None before `judge`, or if it has none."""
        self._case = case
        self._judged: object = None

    def concerns(self, case: str) -> None:
        """From now on compare iterations of this case, with the baseline that was chosen."""
        self._case, self._judged = case, None

    async def choose(
        self, app: "App[None]", folder: Path | None, own: Path | None = None, case: str = ""
    ) -> bool:
        """Let the user choose one of the folder's sessions, except `own`, which is being measured.

        Each is listed with the number of its iterations of `case` ("": the case that is compared), and those
        without the case last. Returns False if the user cancelled. Raises FwdtuiError or OSError.
        """
        from fwdtui.store import Damaged, list_sessions, read_session
        from fwdtui.ui.common import choosers

        if folder is None:
            raise FwdtuiError("There is no folder of sessions to choose from.")
        sessions = await asyncio.to_thread(lambda: list(list_sessions(folder)))
        others = [s for s in sessions if not isinstance(s, Damaged) and not _same(Path(s.path), own)]
        choices = _choices(others, case or self._case)
        if not choices:
            other = " other" if own is not None else ""
            raise FwdtuiError(f"There are no{other} sessions in {folder} yet.")
        answer = await app.push_screen_wait(choosers.ChooseBaseline(choices))
        if answer is None:
            return False
        self.session = await asyncio.to_thread(read_session, Path(answer)) if answer else None
        self._judged = None
        return True

    def due(self, snapshot: "Snapshot") -> bool:
        """Whether there is something new to judge; True only once for each change."""
        if self.session is None:
            return False
        counting = sum(one.saved and not one.dropped for one in snapshot.iterations)
        changed = _changed(Path(self.session.path))
        wanted = self.session.path, changed, len(snapshot.iterations), counting
        due, self._judged = wanted != self._judged, wanted
        return due

    async def judge(self, snapshot: "Snapshot", own: Path | None = None) -> str:
        """The difference so far, for the newest iteration's case, in one line; "" without a baseline.

        `own` is the session that the iterations belong to.
        """
        from fwdtui.report.interim import baseline_median, interim_difference
        from fwdtui.store import read_session

        chosen, self.median = self.session, None
        if chosen is None:
            return ""
        try:  # some of its iterations may have been dropped since
            base = await asyncio.to_thread(read_session, Path(chosen.path))
        except (FwdtuiError, OSError) as error:
            return f"{chosen.label} can no longer be read, so the difference to it is not shown: {error}"
        try:
            case = snapshot.case or self._case
            stated = await asyncio.to_thread(_stated, own, case)
            self.median = await asyncio.to_thread(baseline_median, base, case, snapshot.of_case, *stated)
            return await asyncio.to_thread(
                interim_difference, base, case, snapshot.of_case, snapshot.last_line_rate, *stated
            )
        except FwdtuiError as error:
            return str(error)


def _stated(own: Path | None, case: str) -> tuple[Mapping[str, FactorValue], Mapping[str, Fact]]:
    """The factors of the case being measured, and the facts of its session `own`. Raises FwdtuiError."""
    from fwdtui.store.reader import read_header, recorded_factors

    if own is None or not own.is_dir():
        return {}, {}
    return recorded_factors(own, case), read_header(own).facts


def _changed(session: Path) -> object:
    """A value that changes when iterations were dropped or restored, or the session is gone."""
    from fwdtui.store.names import ANNOTATIONS_FILE

    try:
        return (session / ANNOTATIONS_FILE).stat().st_mtime_ns
    except OSError:
        return session.is_dir()


def _same(session: Path, own: Path | None) -> bool:
    return own is not None and session.resolve() == own.resolve()


def _choices(sessions: Iterable[Session], case: str) -> list[tuple[str, str]]:
    """The path and the text of each: there may be hundreds, so those that can be compared come first."""

    def place(session: Session) -> tuple[object, ...]:
        return _recorded(session, case) is None, natural(Level(session.label)), session.path

    return [(one.path, _choice(one, case)) for one in sorted(sessions, key=place)]


def _recorded(session: Session, case: str) -> Case | None:
    return next((one for one in session.cases if one.name == case), None)


def _choice(session: Session, case: str) -> str:
    from fwdtui.report.iterations import counts, measured

    recorded = _recorded(session, case)
    if recorded is None:
        return f"{session.label}  (no {case})"
    meant = measured(recorded)
    count = sum(map(counts, meant))
    part = "" if count == len(meant) else f"{count} of "  # the others are dropped, or have no value
    return f"{session.label}  ({part}{counted(len(meant), 'iteration')})"
