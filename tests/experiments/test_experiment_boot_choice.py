"""A level that a boot puts in force, and a DUT that boots when nobody asked for it: nextboot holds once."""

import asyncio
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import pytest
from experimental import done, plan_of, step
from msgspec.structs import replace

from fwdtui.core.experiment import Abort, Action, Cell, Check, DesignFactor, Experiment, LevelSetup
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.levels import Levels
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import drop
from fwdtui.store.experiment_journal import Step

LOOK = "test -e $HOME/booted && echo patched || echo stock"
PATCHED = LevelSetup(
    "patched",
    apply=(Action("dut", "touch $HOME/nextboot"),),
    verify=(Check("dut", LOOK, "patched"),),
    undo=(Action("dut", "rm -f $HOME/nextboot"),),
    reboot=True,
)
UNVERIFIED = LevelSetup(PATCHED.value, apply=PATCHED.apply, undo=PATCHED.undo, reboot=True)
BOOT = "if [ -e $HOME/nextboot ]; then mv $HOME/nextboot $HOME/booted; else rm -f $HOME/booted; fi; reboot"
"""What a boot does: it takes the choice, once."""


class Kernel:
    """Which kernel the simulated DUT runs."""

    def __init__(self, lab: SimulatedLab) -> None:
        self._dut = lab.folder / "dut"

    def panic(self) -> None:
        """The DUT boots by itself, and nothing was chosen for that."""
        (self._dut / "home" / "booted").unlink(missing_ok=True)
        (self._dut / "reboot").touch()

    @property
    def name(self) -> str:
        return "patched" if (self._dut / "home" / "booted").exists() else "stock"


class Panics:
    """Has the DUT panic once in the blast or the probe of a trial; keeps which kernel each attempt ran on."""

    def __init__(self, lab: SimulatedLab, *panics: tuple[int, bool, float]) -> None:
        """`panics`: the trial, whether in its probe, and how many seconds after that was started."""
        self._kernel = Kernel(lab)
        self._left = {(trial, probe): after for trial, probe, after in panics}
        self.ran: dict[tuple[int, int], str] = {}

    def __call__(self, run: ExperimentRun, waiter: Waiter) -> None:
        before = run.book.journal.written

        def written(step: Step) -> None:
            before(step)
            if step.what == "tools" and step.done:
                if not step.probe:
                    self.ran[step.trial, step.attempt] = self._kernel.name
                after = self._left.pop((step.trial, step.probe), None)
                if after is not None:
                    asyncio.get_running_loop().call_later(after, self._kernel.panic)

        run.book.journal.written = written


OFTEN = Abort(attempts=3, failed=2, boot=40.0)


async def test_a_dut_that_panics_in_a_blast_is_booted_into_its_level_again_and_is_left_in_its_last_boot(
    lab: SimulatedLab,
) -> None:
    """That it is left so is told beside what could not be undone."""
    level = replace(PATCHED, undo=(*PATCHED.undo, Action("dut", "exit 3")))
    plan = plan_of([level], (0, 0), boots=(1,), reboot_command=BOOT, abort=OFTEN)
    panics = Panics(lab, (2, False, 0.8))
    found = await done(lab.lab_toml, plan, lab.folder / "into", during=panics)
    assert len(panics.ran) >= 3 and set(panics.ran.values()) == {"patched"}, panics.ran
    assert found.trials == {1: ["dispatch=patched"], 2: ["dispatch=patched"]}
    assert not found.complete and found.view.problem.startswith("not undone: dispatch = patched")
    assert "dut still runs the system that the last level booted, until it reboots" in found.said, found.said
    assert Kernel(lab).name == "patched" and len(found.taken("reboot")) <= 1 + found.repeated


async def test_a_dut_that_panics_in_a_probe_or_blast_is_booted_again_into_a_level_that_nothing_verifies(
    lab: SimulatedLab,
) -> None:
    """After the probe it is up again by itself, and forwards: nothing else tells that it is another boot."""
    plan = plan_of([UNVERIFIED], (0, 0, 0), boots=(1, 2), reboot_command=BOOT, abort=OFTEN)
    panics = Panics(lab, (2, True, 0.0), (3, False, 0.8))
    found = await done(lab.lab_toml, plan, lab.folder / "into", during=panics)
    assert found.complete, (found.view.problem, found.said)
    assert len(panics.ran) >= 4 and set(panics.ran.values()) == {"patched"}, panics.ran
    why = [step.text for step in found.taken("judged") if step.trial == 2 and not step.sound]
    assert "dut: it has booted by itself, so its levels need another boot." in why
    assert not all(step.sound for step in found.taken("judged") if step.trial == 3)
    assert {*found.trials} == {1, 2, 3} and [*found.trials.values()] == [["dispatch=patched"]] * 3


class Obeying:
    """Hands whose commands succeed; a check finds `differing`, but for those that hold or cannot run."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.differing = ""
        self.holding: set[str] = set()
        self.unable: set[str] = set()

    async def act(self, action: Action) -> str:
        self.ran.append(action.run)
        return ""

    async def differs(self, check: Check) -> str:
        if check.run in self.unable:
            return f"{check.run!r} ended with status 127"
        return "" if check.run in self.holding else self.differing

    async def refutes(self, check: Check) -> bool:
        return check.run not in self.unable and bool(await self.differs(check))


@pytest.mark.parametrize("level", [PATCHED, UNVERIFIED], ids=["verified", "not verified"])
async def test_what_chose_a_boot_is_trusted_after_another_one_only_if_it_is_verified(
    level: LevelSetup,
) -> None:
    plan, boots = plan_of([level], (0,)), {"dut": "d1"}
    hands: Any = Obeying()
    book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    levels = Levels(plan.experiment, "dut", book, hands, {}, lambda text: None, boots)
    cell = plan.cells[0]
    assert await levels.enter(cell)
    await levels.settle(cell, booted=True)
    assert not await levels.enter(cell), "nothing has happened since"
    levels.lost()
    assert await levels.enter(cell) == (not level.verify), "a default that is the level's own is no reason"
    await levels.settle(cell, booted=True)
    levels.lost()
    hands.differing = "it is the stock kernel"
    assert await levels.enter(cell)


def levels_of(*factors: DesignFactor) -> tuple[Levels, Obeying]:
    hands = Obeying()
    book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    obeying: Any = hands
    design = Experiment("e", "lab.toml", factors)
    return Levels(design, "dut", book, obeying, {}, lambda text: None, {"dut": "d1", "gen": "g1"}), hands


@pytest.mark.parametrize(
    ("boot", "level", "differing", "told"),
    [
        ("d2", PATCHED, "", "still runs"),
        ("d2", PATCHED, "it is the stock kernel", "still runs"),
        ("by hand", PATCHED, "it is the stock kernel", ""),
        ("by hand", PATCHED, "", "may still run"),
        ("by hand", UNVERIFIED, "", "may still run"),
        ("", PATCHED, "it is the stock kernel", "may still run"),
    ],
    ids=[
        "our boot",
        "only a boot ends it",
        "another boot",
        "chosen for every boot",
        "nothing tells",
        "not known",
    ],
)
async def test_what_the_dut_is_said_to_run_is_held_against_the_boot_that_it_is_in(
    boot: str, level: LevelSetup, differing: str, told: str
) -> None:
    """It may have been booted by hand since, before --resume."""
    levels, hands = levels_in(boot, level)
    assert await levels.runs_on() == ""
    for taken in (
        step("level", factor="f", done=True),
        step("reboot", boot="d1"),
        step("reboot", boot="d2", done=True),
    ):
        levels._book.known.take(taken)
    hands.differing = differing
    assert await levels.runs_on() == told
    levels._book.known.take(step("undo", factor="f", done=True))
    assert await levels.runs_on() == ("" if boot == "by hand" else told), "the choice was gone before it"


async def test_a_dut_that_answers_no_more_may_run_what_was_chosen_for_its_boot() -> None:
    levels, hands = levels_in("d1", PATCHED)
    hands.differing = "it is the stock kernel"
    levels._book.known.take(step("level", factor="f", done=True))
    assert await levels.runs_on() == "", "it was only chosen"
    levels._book.known.take(step("reboot", boot="d1"))
    assert await levels.runs_on(["dut"]) == await levels.runs_on() == "may still run"


TUNED = replace(PATCHED, verify=(*PATCHED.verify, Check("dut", "sysctl -n net.tuned", "1")))


@pytest.mark.parametrize(
    ("holding", "unable", "told"),
    [
        ((), (), ""),
        (PATCHED.verify, (), "may still run"),
        ((), (TUNED.verify[1],), "may still run"),
        ((), TUNED.verify, "may still run"),
    ],
    ids=["every check", "only what was set at run time", "one cannot run", "none can run"],
)
async def test_a_boot_by_hand_has_ended_a_level_only_if_every_check_answers_that_it_is_not_in_force(
    holding: Collection[Check], unable: Collection[Check], told: str
) -> None:
    """A choice for every boot brings the kernel up again, without what was set in it at run time."""
    levels, hands = levels_in("by hand", TUNED)
    for taken in (step("level", factor="f", done=True), step("reboot", boot="d2", done=True)):
        levels._book.known.take(taken)
    hands.differing = "dut: 'a check' says 'something else'"
    hands.holding, hands.unable = {one.run for one in holding}, {one.run for one in unable}
    assert await levels.runs_on() == told


@pytest.mark.parametrize("reached", ["by hand", "ours"])
async def test_a_level_whose_reboot_was_asked_for_in_vain_only_may_run(reached: str) -> None:
    """The DUT has booted back into a baseline that needs no boot of its own, and runs that still."""
    levels, _ = levels_in("d2", PATCHED)
    if reached == "ours":
        levels._book.known.take(step("reboot", boot="d2", done=True))
    levels._book.known.take(step("level", factor="f", done=True))
    levels._book.known.take(step("reboot", boot="d2"))
    levels._book.known.take(step("reboot", boot="d2", done=True, failed="status 1"))
    assert await levels.runs_on() == "may still run"


def levels_in(boot: str, level: LevelSetup) -> tuple[Levels, Obeying]:
    """Those of one factor, on a DUT whose samples tell of this boot."""
    hands = Obeying()
    book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    obeying: Any = hands
    design = Experiment("e", "lab.toml", (DesignFactor("f", (level,)),))
    return Levels(design, "dut", book, obeying, {}, lambda text: None, {"dut": boot}), hands


async def test_a_boot_that_is_chosen_on_another_host_is_chosen_again_before_every_boot() -> None:
    """`ipmitool chassis bootdev` of the generator's host holds for one boot, as `nextboot` does."""
    level = LevelSetup("b", apply=(Action("gen", "bootdev b"), Action("dut", "log b")), reboot=True)
    levels, hands = levels_of(DesignFactor("image", (level,)))
    cell = Cell(0, "image=b", {"image": 0}, {"image": "b"})
    for boot in range(2):
        assert await levels.enter(cell) == (not boot)
        await levels.before_boot(cell)
        await levels.settle(cell, booted=True)
    assert hands.ran == ["bootdev b", "log b"] * 2


async def test_what_chooses_a_boot_runs_in_the_order_of_the_file_also_where_only_the_later_changes() -> None:
    """The second adds a variable to the kernel that the first has chosen, which would choose it anew."""

    def factor(name: str) -> DesignFactor:
        return DesignFactor(
            name,
            tuple(LevelSetup(n, apply=(Action("dut", f"{name}={n}"),), reboot=True) for n in range(2)),
        )

    levels, hands = levels_of(factor("kernel"), factor("tunable"))
    for tunable in range(2):
        cell = Cell(tunable, "", {"kernel": 0, "tunable": tunable}, {})
        assert await levels.enter(cell)
        await levels.before_boot(cell)
        await levels.settle(cell, booted=True)
    assert hands.ran == ["kernel=0", "tunable=0", "kernel=0", "tunable=1"]


async def test_a_further_iteration_of_a_boot_is_measured_in_a_boot_of_its_cell_when_it_is_repeated_later(
    lab: SimulatedLab,
) -> None:
    """It was dropped once another cell had been measured in a boot of its own."""
    planned = plan_of([LevelSetup("a"), LevelSetup("b")], (0, 0, 1), boots=(1, 3))
    first, second, third = planned.trials
    trials = (first, replace(second, block=1, repeat=2), replace(third, block=1))
    plan = replace(planned, experiment=replace(planned.experiment, reboot=True), trials=trials)
    found = await done(lab.lab_toml, plan, lab.folder / "into")
    assert found.complete, found.view.problem
    boots = {one.planned.trial: one.boot for one in found.counted if one.planned}
    assert boots[1] == boots[2] != boots[3]
    # an attempt that a busy machine spoils may need a boot of its own once more
    assert 2 <= len(found.taken("reboot")) <= 2 + found.repeated
    dropped = next(one for one in found.counted if one.planned and one.planned.trial == 2)
    drop(found.folder, "dispatch=a", dropped.index, "an outlier")
    found = await done(lab.lab_toml, plan, lab.folder / "into", resume=True)
    assert found.complete and 3 <= len(found.taken("reboot")) <= 3 + found.repeated, found.view.problem
    again = {one.planned.trial: one.boot for one in found.counted if one.planned}
    assert len({*again.values()}) == 3 and again[2] not in boots.values()
