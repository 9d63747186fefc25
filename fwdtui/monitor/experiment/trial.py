"""One attempt at one trial: from the check of the lab to the judgement of what was measured."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from fwdtui.core.at_rate import RATE, of_cell
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import AFTER, BEFORE, DURING, Cell, CellProfile, Hook, Plan, Trial
from fwdtui.core.experiment.cells import lab_of
from fwdtui.core.experiment.visits import boots_before
from fwdtui.core.model import Fact, Iteration, Planned, Sample
from fwdtui.core.profile.capture import Asked
from fwdtui.core.text import clean
from fwdtui.monitor.experiment.actions import Hands, Interrupted, StepFailed
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.boots import Boots, Rebooting
from fwdtui.monitor.experiment.judging import flaw, spoilt
from fwdtui.monitor.experiment.levels import Levels
from fwdtui.monitor.experiment.links import Links
from fwdtui.monitor.experiment.tools import Tools
from fwdtui.monitor.experiment.traffic import wanted_rate
from fwdtui.monitor.run.blasting import DRAIN, Blasting, Enter
from fwdtui.monitor.run.profiling import Profiling, around
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.stats.looks import planned_looks
from fwdtui.store import drop
from fwdtui.store.experiment_journal import (
    FORWARDS,
    HOOK,
    JUDGED,
    LEFT_OUT,
    PROFILE,
    REBOOT,
    SAVED,
    TOOLS,
)
from fwdtui.transport.errors import HostError

LINKS = 60.0  # seconds for a link that is down to come up
_STOPPED = "The experiment was stopped during this blast."
_LATE = "The attempt was over before this blast became an iteration."


class NoProfileError(FwdtuiError):
    """A cell has no profile; that ends nothing."""


@dataclass(frozen=True)
class Judged:
    """What came of an attempt. `why` it does not count, empty if it does."""

    why: str
    iteration: Iteration | None = None


class Attempts:
    """Makes attempts at trials, one after another. Raises what ends the experiment, returns what does not."""

    def __init__(
        self,
        plan: Plan,
        patience: Waiter,
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
        """`note` is told what no step of the journal says."""
        self._plan = plan
        self._patience = patience
        self._bench = patience.bench
        self._recorder = recorder
        self._book = book
        self._hands = hands
        self._levels = levels
        self._rebooting = rebooting
        self._enter = enter
        self._say = say
        self._note = note
        self._session_facts = dict(session_facts)
        self._links = links
        self._boots = boots
        self._lab = self._bench.lab  # as lab.toml has it
        self._blasting = Blasting(patience, enter, say)
        self.tools = Tools(patience, book)
        self._wanted: float | None = None
        self._boot = ""  # of the DUT, when its levels were verified last
        self._before: Mapping[str, str] = {}  # host -> its boot then
        self._hooked = 0  # how many hooks were run
        self._learnt = self._changes  # when the facts were collected; -1: before a boot
        # whether there is anything to settle; `core.experiment.steps` decides alike
        self._touched = bool(book.journal.steps)
        self._sending = False  # the blast of an attempt is on: the only one that may become a value
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
            self._drop_unjudged(where, _STOPPED if stopped else f"It was not judged any more: {error}.")
            raise
        finally:
            with contextlib.suppress(HostError):
                await self.tools.stop(**where)
        if self._patience.stop.is_set():
            if not judged.why:
                self._drop(judged.iteration, _STOPPED)
            raise Interrupted(_STOPPED)
        self._book.write(JUDGED, done=True, sound=not judged.why, text=judged.why, **where)
        return judged

    async def check_profiler(self) -> None:
        """Raises FwdtuiError if the DUT cannot be profiled at all; a HostError."""
        await Profiling(self._patience, Asked()).check()

    async def profile(self, trial: Trial) -> None:
        """Take the profile of the trial's cell, whose levels are brought about if they are not in force.

        One that cannot be had is told and written down, and ends nothing. Raises StepFailed, Interrupted.
        """
        asked = self._plan.experiment.profile
        assert asked is not None
        cell, where = self._plan.cells[trial.cell], {"trial": trial.number}
        try:
            with self._book.taking(PROFILE, text=cell.name, **where):
                await self._profile(trial, cell, asked)
        except (HostError, NoProfileError) as error:
            self._levels.doubt(cell)
            self._say(f"no profile of {cell.name}: {error}")

    async def _profile(self, trial: Trial, cell: Cell, asked: CellProfile) -> None:
        bench, taken = self._bench, Asked(asked.seconds)
        # the times first: a generator's command may end by itself after {duration} or {time_limit}
        run = around(self._plan.experiment.run, taken, self._lab.interval)
        experiment = msgspec.structs.replace(self._plan.experiment, run=run)
        bench.lab = lab_of(experiment, self._lab, cell)
        self._goes_on(await self._blasting.sampled() and await self._blasting.can_save())
        await self.tools.none_stray()
        with bench.changing():
            # no reboot but for its levels; hooks are of iterations that count
            await self._bring_about(trial, cell, {"trial": trial.number}, boots=False)
            await self._learn()
        if asked.rate is not None:
            bench.lab = of_cell(experiment, self._lab, cell, asked.rate)
        self._recorder.go_on(cell.name, cell.factors)
        self._recorder.planned = None
        rate = {} if asked.rate is None else {RATE: asked.rate}
        self._recorder.facts = {**self._told(), **rate}
        self._goes_on(await self._blasting.settled(self._plan.experiment.run.settle))
        before = len(self._patience.seen.iterations)
        await self._begin()
        profiling = Profiling(self._patience, taken, self._enter, self._say, asked.rate)
        try:
            well = await profiling.run()
        except FwdtuiError as error:
            if isinstance(error, HostError):
                raise
            raise NoProfileError(str(error)) from None
        finally:
            await bench.stop_tools()
        bench.monitor.between = True
        try:
            await self._still_holds(cell)
        except FwdtuiError as error:
            for one in self._patience.seen.iterations[before:]:
                if one.saved and one.profile is not None and not one.profile.rejected:
                    self._recorder.drop(one, str(error))  # else reports would take it for this cell's
            raise
        if not well:
            raise NoProfileError(profiling.problem)

    async def _still_holds(self, cell: Cell) -> None:
        """Raises NoProfileError, Interrupted, a HostError if the cell's levels are not known to have held."""
        if self._patience.stop.is_set():
            raise Interrupted(_STOPPED)
        if wrong := [*await self._levels.differences(cell.levels, cell), *self._rebooted()]:
            raise NoProfileError(f"it does not count: {'; '.join(wrong)}")

    async def _attempt(self, trial: Trial, cell: Cell, number: int, where: Mapping[str, int]) -> Judged:
        experiment, blasting = self._plan.experiment, self._blasting
        self._bench.lab = lab_of(experiment, self._lab, cell)
        self._wanted = wanted_rate(self._lab, experiment, cell)
        self._goes_on(await blasting.sampled() and await blasting.can_save())
        self._enter("checking the lab")
        await self._linked()
        await self.tools.none_stray()
        with self._bench.changing():
            if problem := await self._prepare(trial, cell, where):
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
        self._recorder.facts = self._told()
        await self._settled()
        await self._patience.wait(2 * self._lab.interval)  # the quiet that packets are counted from
        return await self._blast(cell, where)

    async def _linked(self) -> None:
        """Wait until all links of the test path are up. Raises StepFailed, Interrupted."""
        if not await self._patience.wait(LINKS, lambda: not self._links.down):
            self._goes_on(False, self._links.text)

    @property
    def _changes(self) -> int:
        """How often a command of the experiment was run that may have changed a host."""
        return self._levels.changes + self._hooked

    async def _settled(self) -> None:
        """Pause before a blast, unless nothing was done on the hosts before it.

        What was done may have reset a card. `ethtool -L`, and XDP that is attached, do that with many
        drivers: links go down for some seconds, and that is seen with the next slow tick.
        """
        pause = self._plan.experiment.run.settle if self._touched or self._changes else 0.0
        self._goes_on(await self._blasting.settled(pause))
        if self._links.down:
            self._enter("waiting for links")
            await self._linked()
            self._goes_on(await self._blasting.settled(pause))

    async def _prepare(self, trial: Trial, cell: Cell, where: Mapping[str, int]) -> str:
        """Bring the hosts into the state that is measured; returns what went wrong in a hook."""
        known = self._book.known
        here = known.last and self._rebooting.is_since(known.boot)
        boots = boots_before(self._plan, trial, self._plan.trials[known.last - 1] if here else None)
        await self._bring_about(trial, cell, where, boots)
        if problems := await self._hooks(BEFORE, where):
            return problems[0]
        await self._learn()
        return ""

    async def _learn(self) -> None:
        """Collect the facts again if they may be others by now: a sysctl that was set is one."""
        if self._learnt != self._changes:
            changes = self._changes
            await self._bench.learn()
            self._learnt = changes

    async def _bring_about(self, trial: Trial, cell: Cell, where: Mapping[str, int], boots: bool) -> None:
        """`boots`: the DUT reboots for it in any case, unless it has just done so."""
        self._enter("applying levels")
        self._bench.monitor.between = True
        right = self._rebooting.boot  # the one that this cell is measured in
        if lost := bool(self._boot) and right != self._boot:
            self._levels.lost()
        chosen = await self._levels.enter(cell)
        up, forwards = (False, False) if chosen else self._booted(trial)
        boot = chosen or self._book.known.rebooting is not None or (boots and not forwards) or up
        if boot:
            self._touched = True
            if not up:
                await self._levels.before_boot(cell)
            right = await self._rebooting.reboot(
                lambda: self.tools.start(probe=True, **where),
                lambda: self.tools.stop(probe=True, **where),
                is_up=up,
                anew=chosen,
                **where,
            )
        self._goes_on(await self._blasting.sampled())  # a host that has just booted is known to have done so
        now, before = self._rebooting.boot, dict(self._boots.now)
        if right and now != right and self._levels.need_boot(cell):
            raise HostError(self._lab.dut.host, "it has booted by itself, so its levels need another boot")
        self._enter("verifying levels")
        await self._levels.settle(cell, boot or lost)
        if boot or lost or (self._before and self._rebooted()):
            self._touched, self._learnt = True, -1
        self._boot, self._before = now, before  # a host that has booted since is not what was verified

    def _booted(self, trial: Trial) -> tuple[bool, bool]:
        """Whether the DUT has rebooted for this trial, but was not seen to forward; and whether it was.

        Not if something was measured since, or if it has booted again by itself.
        """
        forwards = False
        for step in reversed(self._book.journal.steps):
            if step.what in (SAVED, JUDGED) or (step.what == TOOLS and not step.probe):
                break
            if step.done and not step.failed and step.trial == trial.number:
                forwards |= step.what == FORWARDS
                if step.what == REBOOT:
                    same = self._rebooting.is_since(step.boot)
                    return same and not forwards, same and forwards
        return False, False

    def _goes_on(self, well: bool, why: str = "") -> None:
        """Raises what stopped a wait that did not go well."""
        if self._patience.stop.is_set():
            raise Interrupted(_STOPPED)
        if not well:
            raise StepFailed(why or self._blasting.problem or "it cannot go on")

    def _told(self) -> Mapping[str, Fact]:
        """Facts of the next iteration that are not the session's: of its boot, levels and traffic."""
        lab = self._bench.lab
        ends = {
            ("generator" if number == 1 else f"generator{number}"): end
            for number, end in enumerate(lab.generators, 1)
        }
        if lab.receiver is not None:
            ends["receiver"] = lab.receiver
        # those of the bench may be of an earlier cell's traffic
        of_traffic: dict[str, Fact | None] = {}
        for name, end in ends.items():
            of_traffic[f"{name}.command"] = clean(end.start) if end.start else None
            of_traffic |= {f"{name}.frame": end.frame, f"{name}.line_rate": end.line_rate}
        own = {key: value for key, value in of_traffic.items() if value is not None}
        known = self._session_facts
        now = {key: value for key, value in self._bench.facts.items() if key not in of_traffic} | own
        return {key: value for key, value in now.items() if key in known | own and known.get(key) != value}

    async def _begin(self) -> None:
        """From now on a blast is measured; what a hook has sent, or somebody else, is over before."""
        monitor, self._touched = self._bench.monitor, True
        await self._patience.wait(DRAIN, lambda: not monitor.in_blast)
        monitor.between = False

    async def _blast(self, cell: Cell, where: Mapping[str, int]) -> Judged:
        during: list[asyncio.Task[list[str]]] = []

        async def measuring() -> None:
            during.append(asyncio.ensure_future(self._hooks(DURING, where)))

        await self._begin()
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
        self._goes_on(await self._blasting.saved())
        self._bench.monitor.between = True
        iteration, why = blasted.iteration, blasted.problem
        if iteration is not None:
            iteration = next(
                (one for one in reversed(self._patience.seen.iterations) if one.planned == iteration.planned),
                iteration,
            )
            self._book.write(SAVED, done=True, case=self._recorder.case, index=iteration.index, **where)
        if not why:
            problems += await self._away()
        try:
            with self._bench.changing():
                problems += await self._hooks(AFTER, where)
            problems += await self._levels.differences(cell.levels, cell)
            problems += self._rebooted()
        except HostError as error:  # whether its levels still held is not known
            problems.append(str(error))
        if problems:  # also of a blast that does not count for another reason: the next one must not end it
            self._levels.doubt(cell)
        if problems and not why:
            why = f"{'; '.join(problems)}."
            self._drop(iteration, why)
        return Judged(why, iteration)

    async def _away(self) -> list[str]:
        """Wait for hosts that a blast has starved or cut off: only their samples tell whether they rebooted.

        Returns which are not back in time.
        """
        if await self._blasting.sampled() or self._blasting.stopped:
            return []
        return [f"{host} was not sampled again: {why}" for host, why in self._patience.missing().items()]

    def _rebooted(self) -> list[str]:
        """Which hosts have booted since the levels were verified: what was set there may not have held."""
        now = self._boots.now
        rebooted = [
            host for host in self._bench.lab.hosts() if now.get(host, "") != self._before.get(host, "")
        ]
        return [f"{host} has rebooted during this trial" for host in rebooted]

    def _drop(self, iteration: Iteration | None, why: str) -> None:
        """It is saved with a value, and does not count."""
        if iteration is not None and iteration.value is not None:
            self._recorder.drop(iteration, why)

    def _drop_unjudged(self, where: Mapping[str, int], why: str) -> None:
        """What has become an iteration of an attempt that ended before it was judged does not count."""
        for one in self._patience.seen.iterations:
            planned = one.planned
            if planned is None or {"trial": planned.trial, "attempt": planned.attempt} != where:
                continue
            try:
                self._drop(one, why)
            except (FwdtuiError, OSError) as error:  # what ended the attempt is told, too
                self._note(f"iteration {one.index} counts, although it was not judged: {error}")

    def _judge(self, iteration: Iteration, samples: tuple[Sample, ...]) -> Iteration:
        """See `Bench.judge`: what is wrong with it is saved with it."""
        # a blast that becomes an iteration while everything is undone will not be judged any more
        why = _STOPPED if self._patience.stop.is_set() or self._hands.undoing else ""
        why = why or ("" if self._sending else _LATE)
        why = why or flaw(self._bench.lab, iteration, samples, self._bench.running, self._wanted)
        return spoilt(iteration, why) if why else iteration

    async def _hooks(self, when: str, where: Mapping[str, int]) -> list[str]:
        """Run the hooks around a trial; returns what went wrong."""
        mine = [one for one in self._plan.experiment.hooks if one.when == when and not one.whole]
        return [why for one in mine if (why := await self._hook(one, where))]

    async def _hook(self, hook: Hook, where: Mapping[str, int]) -> str:
        action = hook.action
        told = f"{hook.when}: {action.run}"
        self._hooked += 1
        try:
            with self._book.taking(HOOK, host=action.host, text=told[:1000], **where) as outcome:
                printed = await self._hands.act(action)
                if not self._book.journal.is_long:
                    outcome["text"] = f"{told}\n{printed}"
                elif printed and len(told) <= 1000:
                    outcome["text"] = f"{told}\n{LEFT_OUT}"
        except (StepFailed, HostError) as error:
            return f"a hook failed: {error}"
        return ""

    async def whole_hooks(self, when: str) -> None:
        """Run the hooks before or after the whole experiment.

        One before it runs only once, unless one after it, which may have put things back, was begun. Raises
        StepFailed, a HostError.
        """
        mine = [one for one in self._plan.experiment.hooks if one.whole and one.when == when]
        with self._bench.changing():
            for hook in mine[self._book.known.begun if when == BEFORE else 0 :]:
                if why := await self._hook(hook, {}):
                    raise StepFailed(why)

    def unjudged(self, case: str, trial: int, attempt: int, iteration: Iteration, why: str) -> None:
        """An iteration was saved before an earlier run ended, and does not count; `why`, in a sentence."""
        drop(self._recorder.folder, case, iteration.index, why)
        self._book.write(JUDGED, done=True, text=why, trial=trial, attempt=attempt)
