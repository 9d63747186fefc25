"""What can happen to hosts, disks and clocks in the middle of an experiment, on the simulated lab."""

import asyncio
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from experimental import DISPATCH, at_step, done, plan_of, sysctl
from msgspec.structs import replace
from small_disk import mounted

from fwdtui.core.experiment import Action, Hook, LevelSetup
from fwdtui.core.lab import Run
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.labs.simulated.scenario import Times
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.blasting import Blasting
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.transport.errors import BadSshConfig

KNOB = "$HOME/../sysctl/knob"
"""A file on the generator that is gone after a boot, as what sysctl sets is."""


def knob(value: str) -> LevelSetup:
    """A level on the generator that nothing verifies."""
    apply = f"mkdir -p $HOME/../sysctl; echo {value} >>{KNOB}"
    return LevelSetup(value=value, apply=(Action("gen", apply),), undo=(Action("gen", f"rm {KNOB}"),))


async def test_a_generator_that_reboots_spoils_the_trial_and_gets_its_levels_again_before_the_next(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    told = lab.folder / "gen" / "sysctl" / "knob"
    held: dict[tuple[int, int], str] = {}

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        def look() -> None:
            step = run.book.journal.steps[-1]
            held[step.trial, step.attempt] = told.read_text() if told.exists() else ""

        at_step(run, "saved", (lab.folder / "gen" / "reboot").touch)
        for nth in range(1, 9):  # two trials of at most four attempts
            at_step(run, "stopped", look, nth=nth)

    found = await done(lab.lab_toml, plan_of([knob("on")], (0, 0)), tmp_path / "into", during=during)
    assert found.complete, (found.view.problem, found.said)
    counted = {(step.trial, step.attempt) for step in found.taken("judged") if step.sound}
    assert {held[one] for one in counted} == {"on\n"}, "it was set again, although nothing verifies it"
    assert 2 <= len(found.taken("level")) <= 2 + found.repeated
    assert not told.exists() and set(found.trials) == {1, 2}


def setting(lab: SimulatedLab) -> str:
    return (lab.folder / "dut" / "sysctl" / DISPATCH).read_text().strip()


async def test_a_disk_that_is_full_is_waited_for_and_what_was_measured_is_saved_then(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    def during(run: ExperimentRun, waiter: Waiter) -> None:
        say = run._attempts._blasting._say

        def heard(text: str) -> None:
            say(text)
            if text.startswith("paused: "):
                asyncio.get_running_loop().call_later(0.5, disk.empty)

        run._attempts._blasting._say = heard
        at_step(run, "tools", disk.fill)

    with mounted(tmp_path / "disk") as disk:
        plan = plan_of([sysctl("deferred")], (0,))
        found = await done(lab.lab_toml, plan, disk.folder, during=during)
        assert found.complete and found.trials == {1: ["dispatch=deferred"]}, (found.view.problem, found.said)
        assert any("No space left on device" in line for line in found.said)
        # a busy machine may spoil an attempt, which is then repeated; the disk must not
        spoilt = [step.text for step in found.taken("judged") if not step.sound]
        assert not [why for why in spoilt if "space" in why or "saved" in why], found.said
        assert len(spoilt) == found.view.cells[0].repeated and setting(lab) == "direct", found.said


async def test_a_journal_that_cannot_go_on_ends_the_blast_before_anything_is_undone_and_is_resumed(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    plan, into = plan_of([sysctl("deferred")], (0,)), tmp_path / "into"
    sent: list[int] = []

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        def full() -> None:
            device = os.open("/dev/full", os.O_WRONLY)
            os.dup2(device, run.book.journal._descriptor)
            os.close(device)

        undo_all = run._levels.undo_all

        async def undo(gone: object) -> list[str]:
            sent.append(len(lab.world.senders))
            return await undo_all(gone)  # type: ignore[arg-type]

        run._levels.undo_all = undo  # type: ignore[method-assign, assignment]
        at_step(run, "tools", full)

    found = await done(lab.lab_toml, plan, into, during=during)
    assert found.view.problem == (
        f"{found.folder}: No space left on device; "
        f"not every step is written down: {found.folder}: No space left on device"
    )
    assert sent == [0], "nothing is undone while the generator sends"
    assert setting(lab) == "direct" and found.trials == {}
    found = await done(lab.lab_toml, plan, into, resume=True)
    assert found.complete and found.trials == {1: ["dispatch=deferred"]}


async def test_a_session_that_is_deleted_in_the_middle_ends_it_and_all_is_undone(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    into = tmp_path / "into"

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "tools", lambda: shutil.rmtree(into / "s"))

    found = await done(lab.lab_toml, plan_of([sysctl("deferred")], (0, 0)), into, during=during)
    assert not found.complete
    assert found.view.problem.startswith(f"{into / 's' / 'experiment.jsonl'}: it was deleted")
    assert setting(lab) == "direct" and lab.world.senders == {}


async def test_an_attempt_whose_load_starves_the_dut_counts_by_what_the_receiver_measured(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """Its levels are verified once it is sampled again."""
    lab.switch(replace(lab.scenario, starved=Times(first=0.4, length=60.0)))
    away: list[str] = []

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "judged", lambda: away.extend(waiter.missing()))

    plan = plan_of([sysctl("deferred")], (0,), run=Run(warmup=0.2, duration=4.0, settle=0.2))
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=during)
    assert found.complete and found.spoilt == [], (found.view.problem, found.said)
    (counted,) = found.counted
    assert "gap" in {one.code for one in counted.warnings} and away == []


@pytest.mark.parametrize(
    ("back", "stopped", "told"),
    [
        (True, False, []),
        (False, False, ["dut was not sampled again: connection lost"]),
        (False, True, []),  # which is told otherwise
    ],
)
async def test_a_host_that_is_not_sampled_again_after_a_blast_spoils_the_attempt(
    back: bool, stopped: bool, told: list[str]
) -> None:
    async def sampled() -> bool:
        return back

    blasting = object.__new__(Blasting)
    blasting.sampled = sampled  # type: ignore[method-assign]
    missing, stop = {"dut": "connection lost"}, SimpleNamespace(is_set=lambda: stopped)
    blasting._waiter = SimpleNamespace(missing=lambda: missing, stop=stop)  # type: ignore[assignment]
    assert await blasting.away() == told


async def test_clocks_files_and_sessions_that_change_in_the_middle_and_hooks_that_print_much_spoil_nothing(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """The DUT's clock is set an hour ahead in the first blast, an hour back in the second, not in the third.

    ssh's files are read only for a connection, and hinder neither measuring nor undoing. The session is moved
    in the second blast. In the first trial the hooks print seventeen megabytes each.
    """
    dut = next(host for host in lab._hosts if host.name == "dut")
    ahead, back = 3600.0, -3600.0
    into = tmp_path / "into"

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        later = asyncio.get_running_loop().call_later

        def change() -> None:
            with (lab.folder / "ssh_config").open("a") as file:
                file.write("# a comment\n")

        async def refused(name: str) -> None:
            raise BadSshConfig(name, "has changed")

        def ending() -> None:
            if (run.book.journal.steps[-1].trial, run.book.journal.steps[-1].sound) == (3, True):
                run._bench.host = refused  # type: ignore[method-assign, assignment]

        at_step(run, "level", change)
        at_step(run, "tools", lambda: later(0.8, dut.set_clock, ahead), nth=1)
        at_step(run, "tools", lambda: later(0.8, dut.set_clock, back), nth=2)
        at_step(run, "tools", lambda: (into / "s").rename(into / "moved"), nth=2)
        for nth in range(1, 13):  # three trials of at most four attempts
            at_step(run, "judged", ending, nth=nth)

    much = "yes 0123456789abcdef | head -c 17000000"
    hooks = (
        Hook("before", Action("gen", f"[ -e $HOME/told ] || {much}")),
        Hook("after", Action("gen", f"[ -e $HOME/told ] || {much} | tr -d '\\n' >&2; touch $HOME/told")),
    )
    plan = plan_of([sysctl("deferred")], (0, 0, 0), hooks=hooks)
    found = await done(lab.lab_toml, plan, into, during=during)
    assert found.complete and found.spoilt == [], (found.view.problem, found.said)
    *stepped, third = found.view.cells[0].values
    assert stepped == pytest.approx([third, third], rel=0.05)
    assert dut.boots == 0 and found.taken("reboot") == []

    before, after = (step.text.partition("\n")[2] for step in found.taken("hook")[:2])
    assert before.startswith("0123456789abcdef\n") and 1000 < len(before) <= 4000
    assert after.startswith("0123456789abcdef0123") and len(after) <= 4000

    assert found.folder == into / "moved" and not (into / "s").exists()
    assert set(found.trials) == {1, 2, 3} and found.steps[-1].what == "ended"

    assert "cannot wait for the hosts: gen: has changed" in found.said
    assert setting(lab) == "direct" and found.taken("ended")
