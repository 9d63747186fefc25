"""Runs a whole experiment: trials in order, bad ones repeated, until all are done or a look decides."""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import AFTER, BEFORE, Trial
from fwdtui.core.experiment.cells import doubtful_frames
from fwdtui.core.experiment.model import FIXED
from fwdtui.core.model import Session
from fwdtui.core.sentences import after_colon
from fwdtui.core.text import clean
from fwdtui.monitor.experiment.actions import Hands, Interrupted, StepFailed
from fwdtui.monitor.experiment.book import Book, said
from fwdtui.monitor.experiment.boots import Boots, Rebooting
from fwdtui.monitor.experiment.duration import Durations
from fwdtui.monitor.experiment.levels import MAY_RUN, Levels
from fwdtui.monitor.experiment.links import Links
from fwdtui.monitor.experiment.looks import Looker, Measured, is_due
from fwdtui.monitor.experiment.progress import Progress
from fwdtui.monitor.experiment.recorded import planned_by, profiled, so_far
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.monitor.experiment.traffic import check
from fwdtui.monitor.experiment.trial import Attempts
from fwdtui.monitor.experiment.values import Values
from fwdtui.monitor.experiment.view import ExperimentView
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import read_session
from fwdtui.store.experiment_journal import BEGUN, ENDED, LOOK, RESUMED, Journal, in_doubt
from fwdtui.store.experiment_verdicts import UNJUDGED

_AT_END = 15.0  # seconds to wait for a host on which something must be undone
_LOOK = 0.2
_LOOKS, _AGAIN = 5, 2.0  # attempts to read the data for a look, and seconds between two


class ExperimentRun:
    """`run` it once, on a bench that records and samples. `view` is what a screen draws."""

    def __init__(
        self,
        subject: Subject,
        waiter: Waiter,
        boots: Boots,
        links: Links,
        journal: Journal,
        recorded: Session,
        *,
        looker: Looker | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        """`recorded` is the session as it is on disk before anything is measured.

        Raises FwdtuiError if the plan cannot be carried out in this lab.
        """
        bench, plan = waiter.bench, subject.plan
        assert bench.recorder is not None
        for cell in plan.cells:
            check(bench.lab, plan.experiment, cell)
        if plan.experiment.stop.rule != FIXED and looker is None:
            raise FwdtuiError(f"the stop rule {plan.experiment.stop.rule!r} is not available here")
        self.problem = ""
        """What went wrong, such as why it ended before its last trial; "" if it was stopped or decided."""
        self.plan = plan
        self._waiter = waiter
        self._bench = bench
        self._looker = looker
        self._recorded = recorded
        self.book = Book(journal)
        self.hands = Hands(bench.host, waiter.stop)
        dut = bench.lab.dut.host
        self._values = Values(plan, self.book.known, recorded)
        # the trials that are left as this run begins, each with a boot if it needs one then
        ahead = so_far(plan, recorded, self.book.known, bool(journal.steps), dut).left(plan)
        self._progress = progress = Progress(
            plan, self.book, self._values, Durations(plan, dut, journal.steps),
            {one.number: one for one in ahead}, say,
        )  # fmt: skip
        self._levels = Levels(
            plan.experiment, dut, self.book, self.hands, subject.uploads, progress.say, boots.now,
            progress.note, lambda hosts: boots.after_now(hosts, self._in_vain),
        )  # fmt: skip
        self._rebooting = Rebooting(waiter, boots, self.book, progress.enter, plan.experiment)
        self._attempts = Attempts(
            plan, waiter, bench.recorder, self.book, self.hands, self._levels, self._rebooting,
            progress.enter, progress.say, recorded.facts, links, boots, progress.note,
        )  # fmt: skip
        self._dut = dut
        self._stopped = False  # whether it was told to stop before everything was done
        self._over = False
        self._before = len(journal.steps)  # the steps of earlier runs

    # what it does

    async def run(self) -> bool:
        """Run the experiment, and undo everything that it changed on the hosts, as far as they answer.

        Returns whether it is complete: all trials have a sound value, or, if a look decided, those by which
        it decided. It is not complete if it was told to stop before the profiles or the hooks after them. If
        the waiter is told to stop, it ends early without a `problem`.
        """
        why = "stopped"
        try:
            self.book.write(RESUMED if self.book.journal.steps else BEGUN, done=True)
            for text in doubtful_frames(self.plan.experiment, self._bench.lab, self.plan.cells):
                self._progress.note(text)
            await self._prepare()
            await self._measure()
            await self._profiles_left()
            await self._take_dropped()
            self.problem = self.problem or self._values.gone
            why = self.problem or self._values.decided or "all trials are done"
            await self._attempts.hooks.whole(AFTER)
        except Interrupted:
            self._stopped = True
            if self._waiter.samples_ended:
                self.problem = "the hosts send no more samples"
        except FwdtuiError as error:
            self.problem = self.problem or str(error)
        except OSError as error:
            self.problem = self.problem or said(error, self.recorder.folder)
        finally:
            await self._undo(self.problem or why)
        if self._stopped or self.problem:
            await self._take_dropped()
        return self._values.complete and not self.problem and not self._stopped

    def _in_vain(self) -> bool:
        """Whether waiting for a sample is pointless: we are in a hurry, or no more samples will come."""
        return self.hands.hurry.is_set() or self._waiter.samples_ended

    async def _prepare(self) -> None:
        """Take up what exists of an earlier run, end what it left running, and run the hooks before all."""
        await self._waiter.quiet()
        if self._waiter.stop.is_set():
            raise Interrupted("stopped")
        if any(trial.boot for trial in self.plan.trials):
            self._rebooting.check()
        await self._attempts.tools.end_left()
        self._take_recorded()
        if self.plan.experiment.profile is not None:
            await self._attempts.profiles.check()
        await self._attempts.hooks.whole(BEFORE)

    def _take_recorded(self) -> None:
        """Take the iterations of earlier runs; those that were saved but not judged do not count."""
        known, plan, session = self.book.known, self.plan, self._recorded
        for case, iteration in planned_by(plan, session):
            planned = iteration.planned
            assert planned is not None
            key = (planned.trial, planned.attempt)
            known.attempts[planned.trial] = max(planned.attempt, known.attempts.get(planned.trial, 0))
            unjudged = iteration.value is not None and iteration.dropped in ("", UNJUDGED)
            if unjudged and known.sound.get(planned.trial) != planned.attempt and not self._is_judged(key):
                why = "fwdtui ended before it had verified that the levels were still in force."
                self._attempts.unjudged(case, *key, iteration, why)
        self._take_values(session, known.sound)
        there = profiled(plan, session, known)
        if lost := sorted(known.profiled - there):
            known.profiled.intersection_update(there)
            names = ", ".join(plan.cells[plan.trials[number - 1].cell].name for number in lost)
            self._progress.note(f"profiles that no longer exist: {names}")

    def _take_values(self, session: Session, before: Collection[int]) -> None:
        """Take the values that count in the session as it is now. `before`: the trials that had one."""
        if lost := self._values.reread(session, before):
            self._progress.note(f"trials whose value no longer counts: {', '.join(map(str, lost))}")

    async def _take_dropped(self) -> None:
        """Read the session again: iterations may have been dropped by annotations meanwhile."""
        try:
            # in a thread, because samples of the hosts arrive meanwhile
            session = await asyncio.to_thread(read_session, self.recorder.folder)
        except (FwdtuiError, OSError) as error:
            if not self.problem:
                self._progress.note(f"cannot check whether a value was dropped meanwhile: {error}")
        else:
            self._take_values(session, [*self._values.of])

    async def reread(self) -> None:
        """For use once it is over: take account of iterations that were dropped or restored since."""
        await self._take_dropped()

    def _is_judged(self, key: tuple[int, int]) -> bool:
        return any(
            step.what == "judged" and (step.trial, step.attempt) == key for step in self.book.journal.steps
        )

    async def _measure(self) -> None:
        abort, without = self.plan.experiment.abort, 0
        decided, lost = bool(self._values.decided), self._values.lost
        for place, trial in enumerate(self.plan.trials):
            if decided and trial.number not in lost:
                continue
            if trial.number not in self._values.of:
                if await self._trial_done(trial, abort.attempts):
                    without = 0
                else:
                    without += 1
                    self._progress.given_up.add(trial.number)
                if without >= abort.failed:
                    raise StepFailed(
                        f"{without} trial{'s' * (without > 1)} in a row without a sound value, the last one: "
                        f"{self._last_why}"
                    )
            if self.plan.is_profiled(trial):
                await self._profile(trial)
            last = place + 1 == len(self.plan.trials) or self.plan.trials[place + 1].block != trial.block
            if last and not decided and await self._looked(trial.block):
                return
        self._progress.trial = None
        if count := len(self._progress.given_up):
            self.problem = f"{count} trial{'s' * (count > 1)} without a sound value: {self._last_why}"

    async def _profile(self, trial: Trial) -> None:
        """Take the profile of the trial's cell, unless it exists or this process has tried to take it."""
        if trial.number in self.book.known.profiled | self._progress.unprofiled:
            return
        self._progress.say(f"profile of {self.plan.cells[trial.cell].name}")
        self._progress.profiles(trial)
        try:
            await self._attempts.profiles.take(trial)
        finally:
            self._progress.profiles(None)

    async def _profiles_left(self) -> None:
        """Take the profiles of cells that were not measured to their last trial, because a look decided."""
        for trial in filter(self.plan.is_profiled, self.plan.trials):
            if any(one.cell == trial.cell for one in self._values.of.values()):
                await self._profile(trial)

    _last_why = ""

    async def _trial_done(self, trial: Trial, attempts: int) -> bool:
        """Attempt the trial, at most `attempts` times, until it has a sound value; returns whether it has."""
        cell = self.plan.cells[trial.cell]
        for left in reversed(range(attempts)):
            number = self.book.known.attempts.get(trial.number, 0) + 1
            self._progress.attempt(trial, number)
            self._progress.say(
                f"trial {trial.number} of {len(self.plan.trials)}, block {trial.block}: {cell.name}"
                + (f", attempt {number}" if number > 1 else "")
            )
            judged = await self._attempts.attempt(trial, number)
            self._progress.attempted()
            if not judged.why:
                assert judged.iteration is not None
                self._values.take(trial.number, judged.iteration)
                return True
            self._last_why = judged.why
            times = "time" if left == 1 else "times"
            again = f"It is repeated, at most {left} more {times}." if left else "It is given up."
            why = after_colon(judged.why.removesuffix("."))
            self._progress.say(f"trial {trial.number} has no sound value: {why}. {again}")
        return False

    async def _looked(self, block: int) -> bool:
        """Look at the data if a look is due after this block; returns whether a look has decided."""
        looks = self.book.known.looks
        if self._looker is None or not is_due(self.plan, block) or any(one.index == block for one in looks):
            return False
        await self._take_dropped()
        number, left = len(looks) + 1, _LOOKS
        while True:
            # in a thread, because it reads the session while samples of the hosts arrive
            look = await asyncio.to_thread(self._looker, self.plan, self.recorder.folder, block, number)
            left -= 1
            if not look.failed or not left:
                break
            await self._waiter.wait(_AGAIN)
            if self._waiter.stop.is_set():
                raise Interrupted("stopped before the data could be read")
        without = tuple(sorted(self.book.known.sound.keys() - self._values.of.keys()))
        text = clean(look.text)
        self.book.write(LOOK, done=True, decided=look.decided, text=text, index=block, without=without)
        self._progress.say(f"look {number} after block {block}: {look.text}")
        if look.decided:
            self._values.decided = look.text
        return look.decided

    async def _undo(self, why: str) -> None:
        """Undo what is in force, even after an error; only briefly if told to hurry. `why`: why it ended."""
        stopped = self._waiter.stop.is_set()
        self.hands.undoing = self.book.lenient = True
        self._progress.trial = None
        runs = ""
        if self.book.known.levels or self._levels.booting:
            self._progress.enter("undoing")
            try:
                gone = await self._await_hosts()
            except FwdtuiError as error:  # what can be undone is undone all the same
                gone = []
                self._progress.note(f"cannot wait for the hosts: {error}")
            runs = await self._levels.runs_on(gone)  # before undoing, which the checks would notice
            with self._bench.changing():
                problems = await self._levels.undo_all(gone)
                await self.hands.tidy(gone)
            if problems:
                text = f"not undone: {'; '.join(problems)}"
                self.problem = f"{self.problem}; {text}" if self.problem else text
                self._progress.say(text)
            if runs and (stopped or self.problem):
                self._progress.note(
                    f"{self._dut} {runs} the system that the last level booted, until it reboots"
                )
            elif runs:
                await self._boot_back()
        if left := self._attempts.hooks.left:
            them = "it" if len(left) == 1 else "them"
            self._progress.note(f"not run at the end: {'; '.join(left)}; --resume runs {them}")
        self._over = True
        self._progress.enter("over")
        boot = "" if runs == MAY_RUN else self._rebooting.boot
        self.book.write(ENDED, done=True, text=clean(self.problem or why), boot=boot)
        if self.book.problem:
            self.problem = "; ".join(filter(None, (self.problem, self.book.problem)))

    async def _boot_back(self) -> None:
        """Boot the DUT once more, which ends what its last level had chosen."""
        try:
            await self._rebooting.back()
        except FwdtuiError as error:
            self.problem = f"not booted again after the last level was undone: {error}"

    async def _await_hosts(self) -> list[str]:
        """Wait a little for hosts that are about to come back: the DUT may be booting.

        Returns the DUT if it did not come back from its reboot, as waiting for commands there would be in
        vain.
        """
        limit = self.plan.experiment.abort.boot if self.book.known.rebooting is not None else _AT_END
        gave_up = bool(self.problem) and self.book.known.rebooting is not None
        end = time.monotonic() + (_AT_END if gave_up else limit)
        hosts = [await self._bench.host(name) for name in self._bench.lab.hosts()]
        while time.monotonic() < end and not self.hands.hurry.is_set():
            if all(host.state.phase in ("up", "stale") for host in hosts):
                return []
            await asyncio.sleep(_LOOK)
        dut = await self._bench.host(self._dut)
        return [self._dut] if gave_up and dut.state.phase not in ("up", "stale") else []

    # what it tells

    @property
    def recorder(self) -> Recorder:
        """The recorder of the experiment."""
        assert self._bench.recorder is not None
        return self._bench.recorder

    @property
    def notes(self) -> Sequence[tuple[int, float, str]]:
        """What was said that no step says: after which step, when (seconds since 1970), and the text."""
        return self._progress.notes

    @property
    def doing(self) -> str:
        """What is done at the moment: ``measuring 12 s left``."""
        return self._progress.doing

    @property
    def values(self) -> Mapping[int, Measured]:
        """The sound values so far, by trial number."""
        return self._values.of

    @property
    def in_doubt(self) -> tuple[str, ...]:
        """``factor=value`` of each level that this run may have left set on a host."""
        levels = {factor.name: factor.levels for factor in self.plan.experiment.factors}
        found = in_doubt(self.plan, self.book.journal.steps[self._before :])
        return tuple(clean(f"{factor}={levels[factor][number].value}") for factor, number in found)

    @property
    def view(self) -> ExperimentView:
        """The experiment as it is now."""
        return self._progress.view(
            ending=self._over or self.hands.undoing or self._waiter.stop.is_set(),
            over=self._over,
            stopped=self._stopped,
            problem=self.problem or (self._values.gone if self._over and not self._stopped else ""),
            in_doubt=self.in_doubt if self._over else (),
        )
