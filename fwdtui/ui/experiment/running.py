"""Runs an experiment behind its screen: begins it, asks what only the user can answer, ends it."""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment.cells import shown_lab
from fwdtui.core.lab import Lab
from fwdtui.core.model import Sample
from fwdtui.core.text import clean, slug
from fwdtui.monitor.experiment.view import ExperimentView
from fwdtui.ui.common import errors
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import AskHostKey
from fwdtui.ui.experiment.given import Given, Shown, planned
from fwdtui.ui.experiment.log_lines import MOST, NOTE, TROUBLE, LogLine, line_now, log_lines

if TYPE_CHECKING:
    from fwdtui.monitor.experiment.run import ExperimentRun
    from fwdtui.monitor.run.waiting import Waiter

_RETRY = 10.0  # seconds between attempts to reach hosts that do not answer
_VIEWED = 0.2  # seconds that a view is shown before the next one is made


class RunningExperiment:
    """One experiment. Nothing is reached before `begin`, which is called after the user has said yes."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.plan = given.subject.plan
        self.lab: Lab = shown_lab(self.plan.experiment, given.lab, self.plan.cells)
        self.started: float | None = None
        self._run: ExperimentRun | None = None
        self._waiter: Waiter | None = None
        self._task: asyncio.Task[None] | None = None
        self._aside = ""
        self._notes: list[LogLine] = []
        self._stopping = self._closed = False
        self._viewed: tuple[float, ExperimentView] | None = None
        # (number of steps, number of notes), and the lines made of them
        self._lines: tuple[tuple[int, int], tuple[LogLine, ...]] = ((-1, 0), ())

    def shown(self) -> Shown:
        """The experiment as it is now. Cheap: called four times a second."""
        run = self._run
        if run is None:
            doing = (
                "reaching the hosts" if self.going else f"not begun; {key('experiment.stop', 'g')} asks again"
            )
            return Shown(planned(self.plan, doing), tuple(self._notes), aside=self._aside)
        steps = run.book.journal.steps
        there = len(steps), len(run.notes)
        if self._lines[0] != there:
            values = {number: one.value for number, one in run.values.items()}
            self._lines = there, tuple(log_lines(steps[-MOST:], self.plan, values, run.notes))
        log = (*self._notes, *self._lines[1])[-MOST:]
        return Shown(self._view, log, True, self._stopping, self._aside)

    @property
    def _view(self) -> ExperimentView:
        """The run's view, made at most five times a second, as that counts all trials of all cells."""
        assert self._run is not None
        now = time.monotonic()
        if self._viewed is None or now - self._viewed[0] >= _VIEWED or not self.going:
            self._viewed = now, self._run.view
        return self._viewed[1]

    @property
    def going(self) -> bool:
        """Whether it was begun and is not over: hosts are being reached, measured, or restored."""
        return self._task is not None and not self._task.done()

    @property
    def folder(self) -> Path:
        """The session's folder."""
        run = self._run
        return self.given.into / slug(self.given.session) if run is None else run.recorder.folder

    @property
    def complete(self) -> bool:
        """Whether it is over, without a problem or a stop, and all trials are done or a look decided it."""
        view = self.shown().view
        ended = view.over and not view.problem and not view.stopped
        return ended and (bool(view.decided) or view.done == view.planned)

    def told(self) -> str:
        """What was measured, in a line for the terminal."""
        view = self.shown().view
        if self._run is None:
            return f"nothing was measured{f': {self._aside}' if self._aside else ''}"
        line = f"{view.done} of {view.planned} trials are recorded in {self.folder}"
        if self.in_force:
            line += f"; still in force on the hosts: {', '.join(self.in_force)}"
        if view.in_doubt:
            line += f"; in doubt whether undone: {', '.join(view.in_doubt)}"
        return line if self.complete else f"{line}; to continue: {self.given.again(self.folder)}"

    def floor(self) -> str:
        """What an A/A experiment says about its lab, in words; "" for any other experiment."""
        from fwdtui.core.experiment.order import is_aa
        from fwdtui.report.lab_floor import own_floor
        from fwdtui.store import read_session

        if self._run is None or not is_aa(self.plan):
            return ""
        return own_floor(read_session(self.folder), self.plan)[1]

    @property
    def in_force(self) -> tuple[str, ...]:
        """The levels that are set on the hosts, ``factor=level``; they are undone when it ends."""
        if self._run is None:
            return ()
        experiment, known = self.plan.experiment, self._run.book.known
        return tuple(
            f"{factor.name}={factor.levels[known.levels[factor.name].level].value}"
            for factor in experiment.factors
            if factor.name in known.levels
        )

    def begin(self, ask: AskHostKey) -> None:
        """Reach the hosts and measure. `ask` asks the user about host keys and the lab's files."""
        if not self.going and not self._closed and self._run is None:
            self._aside = ""
            self._task = asyncio.create_task(self._go(ask))

    def stop(self) -> None:
        """End the experiment: the current blast does not count, and changes on the hosts are undone."""
        if self._waiter is not None:
            self._waiter.stop.set()
        elif self._task is not None:
            self._task.cancel()
        self._stopping = True

    async def reread(self) -> None:
        """Read the values again if the experiment is over: iterations may have been dropped or restored."""
        if self._run is not None and not self.going:
            await self._run.reread()

    def hurry(self) -> None:
        """Leave little time for what is still being undone."""
        if self._run is not None:
            self._run.hands.hurry.set()

    async def _go(self, ask: AskHostKey) -> None:
        try:
            await self._opened(ask)
        except (FwdtuiError, OSError) as error:
            self._aside = clean(str(error))
        except asyncio.CancelledError:
            self._aside = "stopped before anything was changed"
            raise
        except Exception as error:
            self._aside = errors.in_place(error)
            raise
        finally:
            if self._run is None:
                self._stopping = False

    async def _opened(self, ask: AskHostKey) -> None:
        """Run it once the hosts answer and the user trusts them. Raises FwdtuiError or OSError."""
        # loaded after the first frame, in a thread, so that keys work meanwhile
        await asyncio.to_thread(_load)
        from fwdtui.collectors.lab_trust import UntrustedError, command
        from fwdtui.monitor.experiment.opening import opened
        from fwdtui.monitor.run.reaching import NotReachedError
        from fwdtui.transport.errors import ChangedHostKey, UnknownHostKey
        from fwdtui.transport.known_hosts import accept

        given = self.given
        while self._run is None:
            try:
                async with opened(
                    given.subject,
                    given.into,
                    given.session,
                    resume=given.resume,
                    looker=given.looker,
                    say=self._say,
                    watchers=[self._seen],
                ) as (run, waiter):
                    self._run, self._waiter = run, waiter
                    await run.run()
            except UntrustedError as error:
                if self._run is not None or not await ask(error):
                    raise FwdtuiError(
                        f"the lab's files are not trusted; {command(self.given.subject.lab)} shows them again"
                    ) from None
                error.allow()
            except NotReachedError as error:
                if self._run is not None or not all(one.retry for one in error.errors):
                    raise
                self._note(f"{error} (retried every {_RETRY:.0f} s)", TROUBLE)
                await asyncio.sleep(_RETRY)
            except ChangedHostKey as error:
                await ask(error)  # shown with both fingerprints; it cannot be accepted
                raise
            except UnknownHostKey as error:
                if self._run is not None or not await ask(error):
                    raise
                accept(error)

    def _say(self, text: str) -> None:
        if self._run is None:  # later the journal says it, or the run's notes do
            self._note(text, NOTE)

    def _note(self, text: str, kind: str) -> None:
        line = line_now(kind, clean(text))
        if not self._notes or self._notes[-1].text != line.text:
            self._notes = [*self._notes, line][-MOST:]

    def _seen(self, sample: Sample) -> None:
        if self.started is None and sample.at is not None:
            self.started = time.time() - sample.at


def _load() -> None:
    import fwdtui.monitor.experiment.opening  # noqa: F401
