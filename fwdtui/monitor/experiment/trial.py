"""One attempt at one trial, from the check of the lab to the judgement of what was measured."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fwdtui.core.errors import FwdtuiError, reason
from fwdtui.core.experiment import AFTER, DURING, Cell, Plan, Trial
from fwdtui.core.experiment.cells import lab_of
from fwdtui.core.model import Fact, Iteration, Planned, Sample
from fwdtui.monitor.experiment.actions import Hands, Interrupted
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.boots import Boots, Rebooting
from fwdtui.monitor.experiment.cell_profiles import CellProfiles
from fwdtui.monitor.experiment.hooks import Hooks
from fwdtui.monitor.experiment.judging import flaw
from fwdtui.monitor.experiment.levels import Levels
from fwdtui.monitor.experiment.links import Links
from fwdtui.monitor.experiment.own_facts import own_facts
from fwdtui.monitor.experiment.preparing import STOPPED, Preparing
from fwdtui.monitor.experiment.tools import Tools
from fwdtui.monitor.experiment.traffic import wanted_rate
from fwdtui.monitor.run.blasting import Blasting, Enter
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.monitor.run.soundness import discard, spoilt
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.stats.looks import planned_looks
from fwdtui.store import drop
from fwdtui.store.experiment_journal import JUDGED, SAVED
from fwdtui.transport.errors import HostError

_LATE = "The attempt was over before this blast became an iteration."


@dataclass(frozen=True)
class Judged:
    """The outcome of an attempt. `why`: why it does not count; empty if it does."""

    why: str
    iteration: Iteration | None = None


class Attempts:
    """Makes attempts at trials, one after another. It raises only errors that end the experiment."""

    def __init__(
        self,
        plan: Plan,
        waiter: Waiter,
        recorder: Recorder,
        book: Book,
        hands: Hands,
        levels: Levels,
        rebooting: Rebooting,
        enter: Enter,
        say: Callable[[str], None],
        session_facts: Mapping[str, Fact],
        links: Links,
        boots: Boots,
        note: Callable[[str], None],
    ) -> None:
        """`note` is called with what no step of the journal says."""
        self._plan = plan
        self._waiter = waiter
        self._bench = waiter.bench
        self._recorder = recorder
        self._book = book
        self._hands = hands
        self._levels = levels
        self._enter = enter
        self._note = note
        self._session_facts = dict(session_facts)
        self._lab = self._bench.lab  # as lab.toml has it
        self._blasting = blasting = Blasting(waiter, enter, say)
        self.tools = Tools(waiter, book)
        self.hooks = Hooks(plan.experiment, self._bench, book, hands)
        self._preparing = Preparing(
            plan, waiter, book, self.hooks, levels, rebooting, self.tools, blasting, enter, links, boots
        )
        self.profiles = CellProfiles(
            plan, waiter, recorder, book, levels, self._preparing, self.tools, blasting, enter, say,
            session_facts,
        )  # fmt: skip
        self._wanted: float | None = None
        self._sending = False  # whether an attempt's blast is going on: no other one may give a value
        self._bench.judge = self._judge
        self._bench.monitor.between = True

    async def attempt(self, trial: Trial, number: int) -> Judged:
        """Measure the trial once. Raises StepFailed for what ends the experiment, Interrupted if stopped."""
        cell = self._plan.cells[trial.cell]
        where = {"trial": trial.number, "attempt": number}
        try:
            judged = await self._attempt(trial, cell, number, where)
        except HostError as error:  # another attempt may reach the host
            self._levels.doubt(cell)
            judged = Judged(f"{error}.")
            self._drop_unjudged(where, judged.why)
        except (FwdtuiError, OSError) as error:
            stopped = isinstance(error, Interrupted)
            self._drop_unjudged(where, STOPPED if stopped else f"It could not be checked: {reason(error)}.")
            raise
        finally:
            with contextlib.suppress(HostError):
                await self.tools.stop(**where)
        if self._waiter.stop.is_set():
            if not judged.why:
                self._drop(judged.iteration, STOPPED)
            raise Interrupted(STOPPED)
        self._book.write(JUDGED, done=True, sound=not judged.why, text=judged.why, **where)
        return judged

    async def _attempt(self, trial: Trial, cell: Cell, number: int, where: Mapping[str, int]) -> Judged:
        experiment, blasting = self._plan.experiment, self._blasting
        self._bench.lab = lab_of(experiment, self._lab, cell)
        self._wanted = wanted_rate(self._lab, experiment, cell)
        self._preparing.goes_on(await self._preparing.sampled() and await blasting.can_save())
        self._enter("checking the lab")
        await self._preparing.linked()
        await self.tools.none_stray()
        with self._bench.changing():
            if problem := await self._preparing.prepare(trial, cell, where):
                return Judged(problem)
        self._recorder.go_on(cell.name, cell.factors)
        self._recorder.planned = Planned(
            experiment=self._plan.digest[:16],
            trial=trial.number,
            block=trial.block,
            attempt=number,
            order=experiment.order,
            look=len(self._book.known.looks),
            looks=planned_looks(self._plan),
        )
        bench = self._bench
        self._recorder.facts = own_facts(bench.lab, bench.facts, self._session_facts, bench.absent)
        await self._preparing.settled()
        await self._waiter.wait(2 * self._lab.interval)  # the quiet that packets are counted from
        return await self._blast(cell, where)

    async def _blast(self, cell: Cell, where: Mapping[str, int]) -> Judged:
        during: list[asyncio.Task[list[str]]] = []

        async def measuring() -> None:
            during.append(asyncio.ensure_future(self.hooks.run(DURING, where)))

        await self._preparing.begin()
        self._sending = True
        try:
            blasted = await self._blasting.one(
                lambda: self.tools.start(**where), measuring, lambda: self.tools.stop(**where)
            )
        except FwdtuiError as error:
            if isinstance(error, Interrupted | HostError):
                raise
            return Judged(f"{error}.")
        finally:
            self._sending = False
            problems = [problem for task in during for problem in await task]
        self._preparing.goes_on(await self._blasting.saved())
        self._bench.monitor.between = True
        iteration, why = blasted.iteration, blasted.problem or self._blasting.lost()
        if iteration is not None:
            iteration = next(
                (one for one in reversed(self._waiter.seen.iterations) if one.planned == iteration.planned),
                iteration,
            )
            if iteration.saved:
                self._book.write(SAVED, done=True, case=self._recorder.case, index=iteration.index, **where)
        if not why:
            problems += await self._blasting.away()
        try:
            with self._bench.changing():
                problems += await self.hooks.run(AFTER, where)
            problems += await self._levels.differences(cell.levels, cell)
            problems += self._preparing.rebooted()
        except HostError as error:  # whether its levels still held is not known
            problems.append(str(error))
        if problems:  # even if it does not count for another reason: the next attempt must not rely on them
            self._levels.doubt(cell)
        if problems and not why:
            why = f"{'; '.join(problems)}."
            self._drop(iteration, why)
        return Judged(why, iteration)

    def _drop(self, iteration: Iteration | None, why: str) -> None:
        if iteration is not None and iteration.value is not None:
            discard(self._recorder, iteration, why)

    def _drop_unjudged(self, where: Mapping[str, int], why: str) -> None:
        """Drop the iterations of an attempt that ended before it was judged: they do not count."""
        for one in self._waiter.seen.iterations:
            planned = one.planned
            if planned is None or {"trial": planned.trial, "attempt": planned.attempt} != where:
                continue
            try:
                self._drop(one, why)
            except (FwdtuiError, OSError) as error:  # only noted: what ended the attempt is reported, too
                self._note(
                    f"could not save the reason why iteration {one.index} does not count: {reason(error)}"
                )

    def _judge(self, iteration: Iteration, samples: tuple[Sample, ...]) -> Iteration:
        """See `Bench.judge`: saves the iteration with what is wrong with it, if anything is."""
        # a blast that becomes an iteration while everything is undone will not be judged any more
        why = STOPPED if self._waiter.stop.is_set() or self._hands.undoing else ""
        why = why or ("" if self._sending else _LATE)
        why = why or flaw(self._bench.lab, iteration, samples, self._bench.tools.running, self._wanted)
        return spoilt(iteration, why) if why else iteration

    def unjudged(self, case: str, trial: int, attempt: int, iteration: Iteration, why: str) -> None:
        """Drop an iteration that an earlier run saved but did not judge. `why`: the reason, in a sentence."""
        drop(self._recorder.folder, case, iteration.index, why)
        self._book.write(JUDGED, done=True, text=why, trial=trial, attempt=attempt)
