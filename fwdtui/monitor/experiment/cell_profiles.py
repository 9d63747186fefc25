"""A profile of the DUT in each cell, in a blast of its own."""

from collections.abc import Callable, Mapping

import msgspec

from fwdtui.core.at_rate import RATE, of_cell
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Cell, CellProfile, Plan, Trial
from fwdtui.core.experiment.cells import lab_of
from fwdtui.core.model import Fact
from fwdtui.core.profile.capture import Asked
from fwdtui.monitor.experiment.actions import Interrupted
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.levels import Levels
from fwdtui.monitor.experiment.own_facts import own_facts
from fwdtui.monitor.experiment.preparing import STOPPED, Preparing
from fwdtui.monitor.experiment.tools import Tools
from fwdtui.monitor.run.blasting import Blasting, Enter
from fwdtui.monitor.run.profiling import Profiling, around
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.monitor.run.soundness import discard
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store.experiment_journal import PROFILE
from fwdtui.transport.errors import HostError


class NoProfileError(FwdtuiError):
    """A cell has no profile, which does not end the experiment."""


class CellProfiles:
    """Takes the cells' profiles, one after another.

    It raises only errors that end the experiment; a missing profile does not end it.
    """

    def __init__(
        self,
        plan: Plan,
        waiter: Waiter,
        recorder: Recorder,
        book: Book,
        levels: Levels,
        preparing: Preparing,
        tools: Tools,
        blasting: Blasting,
        enter: Enter,
        say: Callable[[str], None],
        session_facts: Mapping[str, Fact],
    ) -> None:
        self._plan = plan
        self._waiter = waiter
        self._bench = waiter.bench
        self._recorder = recorder
        self._book = book
        self._levels = levels
        self._preparing = preparing
        self._tools = tools
        self._blasting = blasting
        self._enter = enter
        self._say = say
        self._session_facts = dict(session_facts)
        self._lab = self._bench.lab  # as lab.toml has it

    async def check(self) -> None:
        """Raise FwdtuiError if the DUT cannot be profiled at all, or a HostError if it cannot be reached."""
        await Profiling(self._waiter, Asked()).check()

    async def take(self, trial: Trial) -> None:
        """Take the profile of the trial's cell, and bring about its levels first if they are not in force.

        If there is no profile, that is said and written to the journal, and does not end the experiment.
        Raises StepFailed, Interrupted.
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
        # the times come first: a generator's command may end by itself after {duration} or {time_limit}
        run = around(self._plan.experiment.run, taken, self._lab.interval)
        experiment = msgspec.structs.replace(self._plan.experiment, run=run)
        bench.lab = lab_of(experiment, self._lab, cell)
        self._preparing.goes_on(await self._preparing.sampled() and await self._blasting.can_save())
        await self._tools.none_stray()
        with bench.changing():
            await self._preparing.prepare_levels(trial, cell)
        if asked.rate is not None:
            bench.lab = of_cell(experiment, self._lab, cell, asked.rate)
        self._recorder.go_on(cell.name, cell.factors)
        self._recorder.planned = None
        rate = {} if asked.rate is None else {RATE: asked.rate}
        own = own_facts(bench.lab, bench.facts, self._session_facts, bench.absent)
        self._recorder.facts = {**own, **rate}
        self._preparing.goes_on(await self._blasting.settled(self._plan.experiment.run.settle))
        before = len(self._waiter.seen.iterations)
        await self._preparing.begin()
        profiling = Profiling(
            self._waiter,
            taken,
            self._enter,
            self._say,
            asked.rate,
            lambda: self._tools.start(probe=True, trial=trial.number),
            lambda: self._tools.stop(probe=True, trial=trial.number),
        )
        try:
            well = await profiling.run()
        except FwdtuiError as error:
            if isinstance(error, HostError):
                raise
            raise NoProfileError(str(error)) from None
        finally:
            await self._tools.stop(probe=True, trial=trial.number)
        bench.monitor.between = True
        try:
            await self._still_holds(cell)
        except FwdtuiError as error:
            for one in self._waiter.seen.iterations[before:]:
                if one.profile is not None and not one.profile.rejected:
                    discard(self._recorder, one, str(error))  # else reports would take it for this cell's
            raise
        if not well:
            raise NoProfileError(profiling.problem)

    async def _still_holds(self, cell: Cell) -> None:
        """Raise NoProfileError, Interrupted or a HostError unless the cell's levels surely still hold."""
        if self._waiter.stop.is_set():
            raise Interrupted(STOPPED)
        if wrong := [*await self._levels.differences(cell.levels, cell), *self._preparing.rebooted()]:
            raise NoProfileError(f"it does not count: {'; '.join(wrong)}")
