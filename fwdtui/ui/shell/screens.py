"""Which screen is shown: the first screen of each mode, and how to reach the others.

A screen is imported and made when it is first shown.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from fwdtui.ui.common.compared_how import AS_USUAL, ComparedHow
from fwdtui.ui.common.ports import FirstComparison, MakeLiveScreen, MayLeaveRunning
from fwdtui.ui.common.selection import Marks, Selection
from fwdtui.ui.shell.modes import Modes
from fwdtui.ui.shell.settings import Settings

if TYPE_CHECKING:
    from fwdtui.report.comparison import Compared
    from fwdtui.report.factor_view import FactorView
    from fwdtui.ui.common.ports import LiveControl

Make = Callable[[], Screen[Any]]


def first_screens(app: "Screens", live_screen: MakeLiveScreen | None) -> dict[str, Make]:
    """The first screens by mode. Without a run, Live is the welcome, and Compare explains how to compare."""

    def live() -> Screen[Any]:
        if app.live is None:
            from fwdtui.ui.shell.welcome import WelcomeScreen

            lab = app.settings.memory.state.lab
            return app.with_bar(WelcomeScreen(app.sessions, app.note, last=Path(lab) if lab else None))
        from fwdtui.ui.live.screen import LiveScreen

        return app.with_bar((live_screen or LiveScreen)(app.live))

    def sessions() -> Screen[Any]:
        from fwdtui.ui.sessions.sessions_screen import SessionsScreen

        return app.with_bar(SessionsScreen(app.sessions, app.note))

    def compare() -> Screen[Any]:
        if app.first_comparison is not None:
            return app.with_bar(app.first_comparison.make())
        from fwdtui.report.comparison import session_folder
        from fwdtui.ui.compare.no_comparison import NoComparison

        there = all(session_folder(path).is_dir() for path in app.comparison)
        return app.with_bar(NoComparison(app.comparison if there else [], app.compared_how))

    return {"live": live, "sessions": sessions, "compare": compare}


class Screens(Modes):
    """One app's run, folder of sessions and comparison, and the ways between their screens."""

    def __init__(
        self,
        first: str,
        no_color: bool,
        sessions: Path,
        note: str,
        live: "LiveControl | None",
        live_screen: MakeLiveScreen | None,
        comparison: FirstComparison | None,
    ) -> None:
        """`first`: the mode shown first."""
        super().__init__(first, no_color)
        self.settings = Settings()
        self.memory, self.selection = self.settings.memory, Selection()
        self.sessions, self.note = sessions, note
        self.live = live
        self._runs = [] if live is None else [live]
        self._ending: list[asyncio.Task[None]] = []
        self.comparison = [Path(path) for path in self.memory.state.comparison]
        self.compared_how = self.memory.state.compared_how
        self.compared: list[Path] = []
        """What was compared last, the baseline first, unless the app was opened with it."""
        self.first_comparison = comparison
        if comparison is not None:
            base, *others = map(str, comparison.sessions)
            self.selection.marks = Marks(base, others, own=True)
            self.comparison, self.compared_how = list(comparison.specs), AS_USUAL
        for mode, make in first_screens(self, live_screen).items():
            self.add_mode(mode, make)

    def open(
        self,
        sessions: Path,
        note: str = "",
        live: "LiveControl | None" = None,
        live_screen: MakeLiveScreen | None = None,
    ) -> None:
        """Show the run if one is given, else the folder of sessions. A previous run is closed."""
        if live is not None and self.live is not None:
            self._ending.append(asyncio.create_task(self.live.close()))
        if live is not None:
            self._runs.append(live)
        self.live, self.sessions, self.note = live or self.live, sessions, note
        screens = first_screens(self, live_screen)
        self.renew("sessions", screens["sessions"])
        if live is not None:
            self.renew("live", screens["live"])
        self.switch_mode("sessions" if live is None else "live")
        self.remember_places()

    def remember_places(self) -> None:
        """Remember this folder of sessions and this lab for the next start."""
        self.settings.remember(sessions=str(self.sessions.resolve()))
        if self.live is not None and (lab := self.live.lab_file):
            self.settings.remember(lab=str(lab))

    def remember_comparison(self) -> None:
        """Remember what is compared for the next start."""
        paths = tuple(str(path.resolve()) for path in self.comparison)
        self.settings.remember(comparison=paths, compared_how=self.compared_how)

    def elsewhere(self) -> str:
        """What is being measured, or only open, in a mode that is not shown."""
        live = self.live
        if live is None or self.current_mode == "live":
            return ""
        # a generator may still run although no more samples arrive
        if not live.measuring and not (live.generator_running and live.recorded):
            return ""
        runs = (live.generator_running and not live.only_receiver) or live.unfinished
        return f"{'running' if runs else 'open in Live'}: {live.where}"

    @property
    def unsaved(self) -> str:
        """What the runs of this app could not save, in one line; "" if everything is saved."""
        texts = [run.unsaved for run in self._runs]
        return "; ".join(text for text in texts if text)

    @property
    def left(self) -> str:
        """What may still run on the hosts of runs that were closed, in one line; "" if nothing does."""
        texts = [run.left for run in self._runs if isinstance(run, MayLeaveRunning)]
        return "; ".join(text for text in texts if text)

    @property
    def recorded(self) -> list[Path]:
        """The sessions that the runs of this app recorded, the latest last."""
        return [path for run in self._runs for path in run.recorded]

    def storage(self) -> str:
        """What is wrong with the recording, for the storage banner of every screen."""
        return "" if self.live is None else self.live.storage

    def action_sessions(self) -> None:
        """Show the folder of sessions; a run goes on in the background."""
        self.action_mode("sessions")

    def action_live(self) -> None:
        """Back to the run."""
        self.switch_mode("live")

    def open_session(self, path: Path, case: str = "") -> None:
        """Open a session: its facts, cases and iterations, those of `case` first if it is given."""
        from fwdtui.ui.sessions.session_screen import SessionScreen

        self.push_screen(self.with_bar(SessionScreen(path, case)))

    def compare(self, base: Path, others: Sequence[Path], how: ComparedHow = AS_USUAL) -> None:
        """Compare the candidates with the baseline, in the mode Compare."""
        from fwdtui.ui.compare.screen import CompareScreen

        self.compared = [base, *others]
        self.has_compared(self.compared, how)
        self.renew("compare", lambda: self.with_bar(CompareScreen.again(base, list(others), how)))
        self.switch_mode("compare")

    def has_compared(self, paths: Sequence[Path], how: ComparedHow) -> None:
        """Remember what is compared and how: settings and baseline can be changed on the compare screen."""
        self.comparison, self.compared_how = list(paths), how
        if self.compared:
            self.compared = list(paths)
        self.remember_comparison()

    def compare_by(self, session: Path, view: "FactorView", margin: float) -> None:
        """Compare levels of a factor in one session. `margin` is in percent."""
        from fwdtui.ui.compare.screen import CompareScreen

        self.renew("compare", lambda: self.with_bar(CompareScreen(session, [], margin, view=view)))
        self.switch_mode("compare")

    def replay(self, target: Path, beside: Path | None = None) -> None:
        """Replay a session, a case or an iteration on the live screen; `beside` is a second one beside it."""
        from fwdtui.ui.replay.screen import ReplayScreen

        self.push_screen(self.with_bar(ReplayScreen.of(target, beside)))

    def preview(self, compared: "Compared", changed: Callable[[], bool] | None = None) -> None:
        """Preview the report on a comparison.

        `changed` says whether the sessions have changed since they were read for it.
        """
        from fwdtui.ui.report.preview import PreviewScreen

        self.push_screen(self.with_bar(PreviewScreen(compared, changed)))

    def sweep(
        self, paths: Sequence[str], view: "FactorView | None" = None, instead: Sequence[str] = ()
    ) -> None:
        """Show medians over a factor of these sessions, or cases of sessions (``PATH:CASE``).

        The filters and the metric of `view` are kept. `instead`: the sessions if these offer no sweep.
        """
        from fwdtui.report.factor_view import AS_GIVEN
        from fwdtui.ui.sessions.sweep_screen import SweepScreen

        self.push_screen(SweepScreen(paths, AS_GIVEN if view is None else view, instead))

    async def close_live(self) -> None:
        """Close the runs: the recordings are on disk when this returns. May be called again."""
        if self.live is not None:
            await self.live.close()
        await asyncio.gather(*self._ending, return_exceptions=True)
