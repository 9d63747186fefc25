"""What the dry run says is left and entered at each trial is what is done there."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fwdtui.core.experiment import Action, Check, DesignFactor, Experiment, LevelSetup, Plan, Restore
from fwdtui.core.experiment.order import plan
from fwdtui.core.experiment.steps import Change, change, last_change
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.levels import Levels
from fwdtui.store.experiment_journal import LEVEL, REBOOT, UNDO, Step

Row = tuple[str, str, int]  # what, factor, level


class Obeying:
    """Hands whose commands succeed and whose checks hold; `ran` are the commands."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    async def act(self, action: Action) -> str:
        self.ran.append(action.run)
        return ""

    async def differs(self, check: Check) -> str:
        return ""

    async def refutes(self, check: Check) -> bool:
        return False

    async def value(self, restore: Restore) -> str:
        return "old"

    async def put_back(self, restore: Restore, value: str) -> None:
        self.ran.append(f"put back {restore.read}")


class Carried:
    """Carries a plan's changes of levels out, as `Preparing` does. `rows` are those of one trial."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.boots, self.rows, self.hands = plan, {"dut": "1", "gen": "g"}, list[Row](), Obeying()
        self.book = Book(SimpleNamespace(steps=[], write=self._write))  # type: ignore[arg-type]
        hands: Any = self.hands
        self.levels = Levels(plan.experiment, "dut", self.book, hands, {}, lambda text: None, self.boots)

    def _write(self, step: Step) -> Step:
        if step.done and step.what in (LEVEL, UNDO):
            self.rows.append(("enter" if step.what == LEVEL else "leave", step.factor, step.level))
        if step.done and step.what == REBOOT:
            self.rows.append(("reboot", "", 0))
        return step

    async def trials(self) -> Sequence[list[Row]]:
        found = []
        for trial in self.plan.trials:
            self.rows = []
            cell = self.plan.cells[trial.cell]
            chosen = await self.levels.enter(cell, trial.boot)
            if chosen or trial.boot:
                await self.levels.before_boot(cell)
                self.boots["dut"] += "1"
                self.book.write(REBOOT, done=True, boot=self.boots["dut"])
            await self.levels.settle(cell, chosen or trial.boot)
            found.append(self.rows)
        self.rows = []
        assert await self.levels.undo_all() == []
        return [*found, self.rows]


def rows(plan: Plan, told: Change) -> list[Row]:
    """The same of what the dry run tells; what is only a value is nothing to do."""
    setups = {factor.name: factor.levels for factor in plan.experiment.factors}
    found = [("leave", one.factor, one.level) for one in told.leave]
    found += [("enter", one.factor, one.level) for one in told.boot]
    found += [("reboot", "", 0)] * told.reboots
    found += [("enter", one.factor, one.level) for one in told.enter]
    does = {
        (name, number)
        for name, levels in setups.items()
        for number, one in enumerate(levels)
        if one.hosts or one.reboot
    }
    return [row for row in found if row[0] == "reboot" or row[1:] in does]


def told(plan: Plan) -> list[list[Row]]:
    changes = [
        change(plan, before, trial, "dut") for before, trial in pairwise([None, *plan.trials]) if trial
    ]
    return [rows(plan, one) for one in (*changes, last_change(plan, plan.trials[-1]))]


def setups(number: int) -> st.SearchStrategy[LevelSetup]:
    """A level of any kind, of the hosts dut and gen."""

    def made(hosts: list[str], verified: bool, undo: bool, kept: bool) -> LevelSetup:
        return LevelSetup(
            number,
            apply=tuple(Action(host, f"set {number}") for host in hosts),
            verify=(Check("dut", "is it so", "yes"),) * verified,
            undo=tuple(Action(host, f"unset {number}") for host in hosts if undo),
            restore=tuple(Restore(host, "read", "write") for host in hosts if kept),
        )

    hosts = st.sampled_from([[], ["dut"], ["gen"], ["dut", "gen"]])
    return st.builds(made, hosts, st.booleans(), st.booleans(), st.booleans())


def factors(name: str) -> st.SearchStrategy[DesignFactor]:
    def made(levels: tuple[LevelSetup, ...], reboot: bool) -> DesignFactor:
        if reboot:
            levels = tuple(
                LevelSetup(one.value, apply=one.apply, undo=one.undo, reboot=True) for one in levels
            )
        return DesignFactor(name, levels)

    return st.builds(made, st.tuples(setups(0), setups(1)), st.sampled_from([False, False, True]))


@settings(max_examples=150, deadline=None)
@given(
    st.tuples(*[factors(name) for name in "abc"]),
    st.sampled_from(["interleaved", "random", "sequential"]),
    st.booleans(),
    st.integers(0, 99),
)
def test_the_dry_run_tells_what_is_left_and_entered_and_in_which_order(
    design: tuple[DesignFactor, ...], order: str, boots: bool, seed: int
) -> None:
    planned = plan(
        Experiment("x", "lab.toml", design, blocks=2, iterations=2, order=order, reboot=boots, seed=seed)
    )
    assert list(asyncio.run(Carried(planned).trials())) == told(planned)
