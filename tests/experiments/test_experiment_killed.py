"""Killed by SIGKILL at every step of the journal: resumed, each planned trial counts once, all is undone."""

import asyncio
import contextlib
import signal
from pathlib import Path

import msgspec
import pytest
from experimental import DISPATCH, Done, plan_of, sysctl
from forked_beside import Beside
from msgspec.structs import replace
from test_experiment_boot_choice import BOOT as CHOSEN_BOOT
from test_experiment_boot_choice import PATCHED, Kernel

from fwdtui.collectors.labfile import load
from fwdtui.core.experiment import Action, Check, DesignFactor, LevelSetup, Plan
from fwdtui.core.experiment.steps import steps as planned_steps
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.known import Known
from fwdtui.monitor.experiment.opening import resumed_by
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.report.experiment_undone import not_undone
from fwdtui.store.experiment_journal import read

SCRIPT = Path(__file__).with_name("killable.py")
Target = tuple[str, bool, int]
TRIAL = [
    ("tools", False),
    ("tools", True),
    ("stopped", False),
    ("stopped", True),
    ("saved", True),
    ("judged", True),
]
CHANGE = [("undo", False), ("undo", True), ("level", False), ("level", True)]
STEPS: list[Target] = [
    ("begun", True, 0),
    *((what, done, 0) for what, done in CHANGE[2:]),
    *((what, done, 1) for what, done in TRIAL),
    *((what, done, 0) for what, done in CHANGE),
    *((what, done, 2) for what, done in TRIAL),
    *((what, done, 0) for what, done in CHANGE[:2]),
    ("ended", True, 0),
]
"""Every record of an experiment of two trials, in order; see the first test."""


class Most:
    """The most generators that ever sent at once."""

    def __init__(self, lab: SimulatedLab) -> None:
        self.senders = 0
        self._lab = lab

    async def __aenter__(self) -> "Most":
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _watch(self) -> None:
        while True:
            self.senders = max(self.senders, len(self._lab.world.senders))
            await asyncio.sleep(0.02)


class Runs:
    """Runs of one experiment, one after another, each until it is killed or at its end."""

    def __init__(self, lab: SimulatedLab, into: Path, plan: Path) -> None:
        self._words = [lab.lab_toml, into, plan]
        self._count = 0

    async def __aenter__(self) -> "Runs":
        self._process = await Beside.start(*self._words, program=SCRIPT)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._process.end_input()
        try:
            async with asyncio.timeout(20):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def run(self, target: Target = ("-", True, 0)) -> int:
        """How the next run ended: 0, or minus the number of the signal."""
        what, done, trial = target
        words = ["resume" if self._count else "new", what, "done" if done else "begun", str(trial)]
        self._count += 1
        self._process.write(f"{' '.join(words)}\n")
        async with asyncio.timeout(90):
            line = await self._process.stdout.readline()
        assert line, (await self._process.stderr.read()).decode()
        return int(line)


def written(tmp_path: Path, plan: Plan) -> Path:
    path = tmp_path / "planned.json"
    path.write_bytes(msgspec.json.encode(plan))
    return path


def dispatch(lab: SimulatedLab) -> str:
    told = lab.folder / "dut" / "sysctl" / DISPATCH
    return told.read_text().strip() if told.exists() else "direct"


LINK = "$HOME/link"
"""A folder of the generator that stands for an interface; a file in it is its address."""


def addressed() -> Plan:
    """Two trials, between which the interface is made anew: its address is lost with it.

    Neither is removed by a command that could be run twice.
    """
    links = tuple(
        LevelSetup(
            number,
            apply=(Action("gen", f"mkdir {LINK}"),),
            undo=(Action("gen", f"ls {LINK} && rm -r {LINK}"),),
        )
        for number in range(2)
    )
    address = LevelSetup(
        "ip",
        apply=(Action("gen", f"touch {LINK}/ip"),),
        verify=(Check("gen", f"ls {LINK}", "ip"),),
        undo=(Action("gen", f"rm {LINK}/ip"),),
    )
    factors = DesignFactor("link", links), DesignFactor("address", (address,))
    plan = plan_of(links, (0, 1))
    cells = tuple(replace(cell, levels={"link": cell.number, "address": 0}) for cell in plan.cells)
    return replace(plan, cells=cells, experiment=replace(plan.experiment, factors=factors))


async def test_what_was_lost_with_a_level_above_it_when_it_was_killed_is_not_said_to_be_in_force(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    plan = addressed()
    path, into = written(tmp_path, plan), tmp_path / "into"
    async with Runs(lab, into, path) as runs:
        assert await runs.run(("undo", True, 0)) == -signal.SIGKILL
        assert not (lab.folder / "gen" / "home" / "link").exists()
        assert "address" in Known.of(read(into / "s")[1]).levels, "it was entered, and nothing has undone it"
        assert await runs.run() == 0
    steps = read(into / "s")[1]
    assert [step.failed for step in steps if step.what == "undo" and step.failed] == []
    assert not_undone(plan, steps) == () and Known.of(steps).levels == {}
    assert not (lab.folder / "gen" / "home" / "link").exists()


async def test_what_one_run_could_not_undo_is_not_said_to_be_undone_by_the_next_one(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """What is verified was undone; something else was not, and nothing tells when that is refused again."""
    level = LevelSetup(
        "both",
        apply=(Action("gen", f"mkdir -p {LINK}/kept"), Action("gen", "touch $HOME/seen")),
        verify=(Check("gen", "ls $HOME | grep seen", "seen"),),
        undo=(Action("gen", f"rm {LINK}"), Action("gen", "rm -f $HOME/seen")),
    )
    plan = plan_of([level], (0,))
    path, into = written(tmp_path, plan), tmp_path / "into"
    async with Runs(lab, into, path) as runs:
        for _ in range(2):
            assert await runs.run() == 1
            [left] = not_undone(plan, read(into / "s")[1])
            assert left.startswith("dispatch=both: ") and f"'rm {LINK}' ended with status 1" in left
    assert "it is in doubt whether it is undone" in left
    assert (lab.folder / "gen" / "home" / "link" / "kept").exists()


BOOT: list[Target] = [(what, done, 1) for what in ("reboot", "forwards", "tools") for done in (False, True)]


async def test_at_every_step_of_a_reboot(lab: SimulatedLab, tmp_path: Path) -> None:
    plan = plan_of([sysctl("deferred")], (0,), boots=(1,))
    path, into = written(tmp_path, plan), tmp_path / "into"
    async with Runs(lab, into, path) as runs:
        for target in BOOT:
            assert await runs.run(target) == -signal.SIGKILL, target
        assert await runs.run() == 0
    found = Done(True, None, into / "s")  # type: ignore[arg-type]
    assert found.trials == {1: ["dispatch=deferred"]}
    # the first one was killed before it asked for a reboot; the two that were killed while they measured had
    # used up the boot that their trial is to begin with
    assert len(found.taken("reboot")) == lab_boots(lab)
    assert lab_boots(lab) <= 3
    assert dispatch(lab) == "direct" or not (lab.folder / "dut" / "sysctl").exists()


def told(lab: SimulatedLab, into: Path, plan: Plan) -> list[int]:
    """The reboots that the dry run has left: the trial of each, 0 at the end."""
    subject = Subject(lab.lab_toml, plan, "")
    resumed = resumed_by(into, "s", subject, load(lab.lab_toml), print)
    return [step.trial for step in planned_steps(plan, "dut", resumed.begun) if step.kind == "reboot"]


@pytest.mark.parametrize(
    "targets",
    [
        pytest.param([("reboot", True, 1), ("undo", True, 0)], id="noted, undone"),
        pytest.param(
            [("forwards", True, 1), ("reboot", False, 0)], id="checked, asked", marks=pytest.mark.slow
        ),
    ],
)
async def test_the_dry_run_has_the_reboots_that_resuming_asks_for(
    targets: list[Target], lab: SimulatedLab, tmp_path: Path
) -> None:
    plan = plan_of([PATCHED], (0,), boots=(1,), reboot_command=CHOSEN_BOOT)
    path, into = written(tmp_path, plan), tmp_path / "into"
    async with Runs(lab, into, path) as runs:
        assert await runs.run(targets[0]) == -signal.SIGKILL
        for target in (*targets[1:], None):
            expected, before = told(lab, into, plan), len(read(into / "s")[1])
            assert await runs.run(*[target] if target else []) == (-signal.SIGKILL if target else 0)
            taken = read(into / "s")[1][before:]
            asked = [step.trial for step in taken if step.what == "reboot" and not step.done]
            if any(step.what == "judged" and not step.sound for step in taken):
                continue  # a busy machine has spoilt an attempt, which takes another boot
            assert asked == (expected[:-1] if target and target[0] == "undo" else expected)
    assert Kernel(lab).name == "stock"


def lab_boots(lab: SimulatedLab) -> int:
    return next(host.boots for host in lab._hosts if host.name == "dut")


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(STEPS[:11], id="first half"),
        pytest.param(STEPS[11:], id="second half", marks=pytest.mark.slow),
    ],
)
async def test_at_every_step_of_the_journal_in_turn(
    steps: list[Target], lab: SimulatedLab, tmp_path: Path
) -> None:
    """One experiment, killed as soon as it gets one step further than before."""
    plan = plan_of([sysctl("deferred"), sysctl("direct")])
    path, into = written(tmp_path, plan), tmp_path / "into"
    killed = []
    async with Most(lab) as most, Runs(lab, into, path) as runs:
        for target in steps:
            if await runs.run(target) == -signal.SIGKILL:
                killed.append(target)
        assert await runs.run() == 0
    assert killed == steps, "each step was the last one of a run"
    found = Done(True, None, into / "s")  # type: ignore[arg-type]
    assert found.trials == {1: ["dispatch=deferred"], 2: ["dispatch=direct"]}, "each trial counts once"
    known = Known.of(found.steps)
    assert set(known.sound) == {1, 2} and known.levels == {} and known.marks == {}
    assert most.senders == 1, "nothing ran twice"
    assert dispatch(lab) == "direct", "what was changed is as it was before"
