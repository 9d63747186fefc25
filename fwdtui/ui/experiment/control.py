"""An experiment as the app's run, so that modes, live screen and leaving treat it like any other run."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration
from fwdtui.core.text import clean
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.common.ports import AskHostKey
from fwdtui.ui.experiment.given import Given
from fwdtui.ui.experiment.running import RunningExperiment

_BY_ITSELF = "the experiment starts its generators and saves its iterations itself"


class ExperimentControl(RunningExperiment):
    """A LiveControl that does not let the user save an iteration or start a generator."""

    generator_command: str | None = None
    generator_stop_command: str | None = None
    only_receiver = False

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self.sessions: Path | None = given.into
        self.lab_file: Path | None = given.subject.lab.resolve()
        self._waiting = Monitor(self.lab)  # shown before the hosts are reached

    @property
    def where(self) -> str:
        """The session, and the cell being measured."""
        return " ▸ ".join(filter(None, (self.given.session, self.case)))

    @property
    def case(self) -> str:
        """The cell being measured; "" between two cells."""
        if self._run is None:
            return ""
        trial = self._view.trial
        return self.plan.cells[self.plan.trials[trial - 1].cell].name if trial else ""

    @property
    def doing(self) -> str:
        """The progress for the live screen: ``trial 3 of 20 · measuring 4 s left``."""
        run = self._run
        if run is None:
            return "reaching the hosts"
        view = self._view
        place = f"trial {view.trial} of {view.planned} · " if view.trial else ""
        return f"{place}{run.doing}"

    @property
    def own_session(self) -> Path:
        """The session being recorded."""
        return self.folder

    @property
    def recorded(self) -> Sequence[Path]:
        """The session, once its recording has begun; before that, nothing."""
        return [self.folder] if self._run is not None else []

    @property
    def measuring(self) -> bool:
        """Whether the experiment is running."""
        return self._run is not None and self.going

    @property
    def unfinished(self) -> bool:
        """Whether leaving ends the experiment early."""
        return self.going

    @property
    def storage(self) -> str:
        """What is wrong with the recording, or its new place if its folder was moved; else ""."""
        if self._run is None:
            return ""
        recorder = self._run.recorder
        return f"NOT SAVED  {recorder.problem}" if recorder.problem else recorder.elsewhere

    @property
    def unsaved(self) -> str:
        """What is not saved, in one line; "" if nothing is missing."""
        return "" if self._run is None else self._run.recorder.unsaved_text

    @property
    def left(self) -> str:
        """What may still run on the hosts after the end, in one line; "" if nothing does."""
        return "; ".join(self._waiter.bench.left) if self._waiter is not None else ""

    @property
    def generator_running(self) -> bool:
        """Whether the experiment goes on, as it starts generators itself."""
        return self.going

    def leaving(self) -> tuple[str, list[str]] | None:
        """The title and the lines of the question before the app is left; None if nothing is interrupted."""
        return question_on_stopping(self, "Leave and stop the experiment?") if self.going else None

    def snapshot(self, points: int) -> Snapshot:
        """The current state of the lab."""
        monitor = self._waiting if self._waiter is None else self._waiter.bench.monitor
        return monitor.snapshot(points)

    def set_automatic(self, on: bool) -> None:
        """Do nothing: the experiment makes its iterations itself."""

    def set_asker(self, ask: AskHostKey | None) -> None:
        """Do nothing: `begin` gets what asks the user, as the live screen may come and go."""

    async def save_iteration(self) -> Iteration:
        """Raises FwdtuiError: the experiment saves its iterations itself."""
        raise FwdtuiError(_BY_ITSELF)

    async def take_back(self) -> Iteration:
        """Raises FwdtuiError: nothing is saved by hand."""
        raise FwdtuiError(_BY_ITSELF)

    async def start_generator(self) -> None:
        """Raises FwdtuiError: the experiment starts its generators itself."""
        raise FwdtuiError(_BY_ITSELF)

    async def stop_generator(self) -> None:
        """Stop the experiment."""
        self.stop()

    async def close(self) -> None:
        """Stop the experiment: its changes on the hosts are undone, and everything is on disk on return.

        A second call leaves little time for what is still being undone.
        """
        again, self._closed = self._closed, True
        if self._task is None:
            return
        if self.going:
            self.stop()
            if again:  # the user does not want to wait
                self.hurry()
        await asyncio.wait((self._task,))  # if it raises, `_aside` says why


def question_on_stopping(control: ExperimentControl, title: str) -> tuple[str, list[str]]:
    """The title and the lines of the question before an experiment is ended."""
    shown = control.shown()
    if not shown.begun:
        return title, ["The hosts are still being reached: nothing is measured or changed yet."]
    view, lines = shown.view, []
    if shown.stopping:
        lines.append("It is being stopped already: leaving waits until that is done.")
    elif view.profiling:
        lines.append("The profile that is being taken does not count; it is taken again with --resume.")
    elif view.trial:
        lines.append(_NOT_OVER)
    if control.in_force:
        lines.append(f"These changes on the hosts are undone first: {', '.join(control.in_force)}.")
    lines.append(f"{view.done} of {view.planned} trials are done and saved:")
    lines.append(clean(str(control.folder)))
    return title, lines


_NOT_OVER = "The trial that is not over yet does not count; it is measured again with --resume."
