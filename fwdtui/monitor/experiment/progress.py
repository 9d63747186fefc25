"""The progress of an experiment: what is done at the moment, what was said, and how long it still takes."""

import time
from collections import deque
from collections.abc import Callable, Mapping

from fwdtui.core.experiment import Cell, Plan, Trial
from fwdtui.core.text import clean
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.duration import Durations
from fwdtui.monitor.experiment.values import Values
from fwdtui.monitor.experiment.view import CellView, ExperimentView
from fwdtui.monitor.run.work_clock import WorkClock

_LOG = 200  # lines


class Progress:
    """The run reports what it does here; `view` is the picture of it."""

    def __init__(
        self,
        plan: Plan,
        book: Book,
        values: Values,
        durations: Durations,
        ahead: Mapping[int, Trial],
        say: Callable[[str], None],
    ) -> None:
        """`ahead`: number -> each trial that was left when this run began, with a boot if it needs one then.

        `say` is called with each line as it is said.
        """
        self.notes: list[tuple[int, float, str]] = []
        """What was said that no step says: after which step, when (seconds since 1970), and the text."""
        self.trial: Trial | None = None
        """The trial that is being attempted."""
        self.given_up: set[int] = set()
        self.unprofiled: set[int] = set()
        """Trials after which a profile was tried by this process."""
        self._plan = plan
        self._book = book
        self._values = values
        self._durations = durations
        self._ahead = ahead
        self._say_line = say
        self._attempt, self._began = 0, 0.0
        self._clock = WorkClock()
        self._profiling: float | None = None  # when the profile that is being taken was begun
        self._phase, self._until = "waiting for the hosts' first samples", 0.0
        self._log: deque[str] = deque(maxlen=_LOG)

    def attempt(self, trial: Trial, number: int) -> None:
        """This attempt at the trial begins."""
        self.trial, self._attempt, self._began = trial, number, self._clock.now

    def attempted(self) -> None:
        """The attempt has been judged."""
        assert self.trial is not None
        now = self._ahead.get(self.trial.number, self.trial)
        self._durations.take(now, self._taken)

    @property
    def _taken(self) -> float:
        """Seconds of this attempt so far, without those in which it had to wait for room on the disk."""
        return self._clock.now - self._began

    def profiles(self, trial: Trial | None) -> None:
        """The profile after this trial is being taken; None: it is no longer being taken."""
        if trial is not None:
            self.unprofiled.add(trial.number)
        self._profiling = None if trial is None else time.monotonic()

    def enter(self, phase: str, seconds: float | None = None) -> None:
        """Set what is done from now on, and how many seconds it takes at most (None: not known)."""
        self._clock.enter(phase)
        self._phase = phase
        self._until = 0.0 if seconds is None else time.monotonic() + seconds

    def say(self, text: str) -> None:
        """Say one more line to the user."""
        self._log.append(clean(text))
        self._say_line(text)

    def note(self, text: str) -> None:
        """Like `say`, for what no step of the journal says; it is kept to be shown along with the steps."""
        self.say(text)
        self.notes.append((len(self._book.journal.steps), time.time(), clean(text)))

    @property
    def doing(self) -> str:
        """What is done at the moment: ``measuring 12 s left``."""
        left = self._until - time.monotonic()
        return f"{self._phase} {left:.0f} s left" if self._until and left >= 0.0 else self._phase

    @property
    def left(self) -> float:
        """Seconds that the experiment will still take."""
        done, decided, lost = self._values.of, bool(self._values.decided), self._values.lost
        rest = [
            self._ahead.get(one.number, one)
            for one in self._plan.trials
            if (one.number in lost if decided else one.number not in done) and one.number not in self.given_up
        ]
        taken = self._book.known.profiled | self.unprofiled
        seconds = sum(map(self._durations.of, rest)) + self._durations.of_profiles(done, taken, decided)
        if self._profiling is not None:
            seconds += max(self._durations.profile - (time.monotonic() - self._profiling), 0.0)
        number = self.trial.number if self.trial is not None else 0
        current = next((one for one in rest if one.number == number), None)
        if current is not None:
            seconds -= min(self._taken, self._durations.of(current))
        return seconds

    def view(
        self, *, ending: bool, over: bool, stopped: bool, problem: str, in_doubt: tuple[str, ...]
    ) -> ExperimentView:
        """The experiment as it is now. `ending`: nothing more is measured, so no time is left."""
        trial = self.trial
        return ExperimentView(
            name=self._plan.experiment.name,
            cells=tuple(map(self._cell, self._plan.cells)),
            planned=len(self._plan.trials),
            done=len(self._values.of),
            trial=trial.number if trial else 0,
            attempt=self._attempt if trial else 0,
            block=trial.block if trial else 0,
            doing=self.doing,
            left=None if ending else self.left,
            looks=tuple(look.text for look in self._book.known.looks),
            log=tuple(self._log),
            decided=self._values.decided,
            problem=problem,
            stopped=stopped,
            over=over,
            profiling=self._profiling is not None,
            in_doubt=in_doubt,
        )

    def _cell(self, cell: Cell) -> CellView:
        repeated, values = self._book.known.repeated, self._values.of
        mine = [one.number for one in self._plan.trials if one.cell == cell.number]
        return CellView(
            number=cell.number,
            name=cell.name,
            planned=len(mine),
            done=sum(number in values for number in mine),
            failed=sum(number in self.given_up for number in mine),
            repeated=sum(repeated.get(number, 0) for number in mine),
            running=self.trial is not None and self.trial.cell == cell.number,
            values=tuple(values[number].value for number in mine if number in values),
        )
