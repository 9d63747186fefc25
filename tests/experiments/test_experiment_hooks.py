"""Hooks around a whole experiment, and what they have set up when it is gone on with."""

from pathlib import Path

import pytest
from experimental import at_step, done, plan_of

from fwdtui.core.experiment import AFTER, BEFORE, Action, Hook, LevelSetup
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.report.experiment_summary import summary
from fwdtui.store import drop, read_session
from fwdtui.store.experiment_record import Record, recorded

QUIET = (
    Hook(BEFORE, Action("dut", "touch $HOME/quiet"), whole=True),  # service powerd stop
    Hook(AFTER, Action("dut", "rm $HOME/quiet"), whole=True),
)


async def test_what_the_hooks_before_had_set_up_is_set_up_again_where_those_after_have_run(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """An iteration of an experiment that was complete is dropped, and measured again."""
    quiet: list[bool] = []

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "saved", lambda: quiet.append((lab.folder / "dut" / "home" / "quiet").exists()))

    plan = plan_of([LevelSetup("x")], (0,), hooks=QUIET)
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=during)
    assert found.complete and quiet == [True], found.view.problem
    assert not [line for line in found.said if line.startswith("not run")], "those after have run"
    drop(found.folder, "dispatch=x", found.counted[0].index, "an outlier")
    found = await done(lab.lab_toml, plan, tmp_path / "into", resume=True, during=during)
    assert found.complete and quiet == [True, True], found.view.problem
    texts = [step.text.partition(":")[0] for step in found.taken("hook")]
    assert texts == [BEFORE, AFTER] * 2


async def test_hooks_after_the_experiment_that_its_early_end_has_left_out_are_told_and_run_by_resume(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """What those before have stopped on a host stays stopped."""

    def quiet() -> bool:
        return (lab.folder / "dut" / "home" / "quiet").exists()

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "judged", waiter.stop.set)

    plan = plan_of([LevelSetup("x")], (0,) * 20, hooks=QUIET)
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=during)
    assert not found.complete and quiet()
    [line] = [line for line in found.said if line.startswith("not run")]
    assert line == "not run at the end: rm $HOME/quiet on dut; --resume runs it"
    session = read_session(found.folder)
    record = recorded(session)
    assert isinstance(record, Record)
    assert summary(session, record).hooks_left == ("rm $HOME/quiet on dut",)


async def test_a_hook_after_the_experiment_that_has_failed_is_not_told_as_left_out(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    broken = Hook(AFTER, Action("dut", "false"), whole=True)
    plan = plan_of([LevelSetup("x")], (0,), hooks=(broken, *QUIET))
    found = await done(lab.lab_toml, plan, tmp_path / "into")
    assert [line for line in found.said if line.startswith("not run")] == [
        "not run at the end: rm $HOME/quiet on dut; --resume runs it"
    ], "the one that failed has run"


async def test_a_long_journal_leaves_out_what_hooks_print_and_is_read_as_before(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fwdtui.store.experiment_journal._WORDY", 1000)
    hooks = tuple(Hook(AFTER, Action("dut", f"echo {text}\necho more")) for text in ("x" * 500, "much"))
    found = await done(lab.lab_toml, plan_of([LevelSetup("x")], (0,), hooks=hooks), tmp_path / "into")
    assert found.complete, found.view.problem
    assert {step.text for step in found.taken("hook")} == {
        f"after: {hook.action.run}\n(left out: this journal is larger than 32 MiB)" for hook in hooks
    }
    session = read_session(found.folder)
    record = recorded(session)
    assert isinstance(record, Record)
    attempts = len(found.taken("judged"))  # a busy machine may spoil one, and each has its hooks
    assert [one.ran for one in summary(session, record).hooks] == [attempts] * 2, (
        "a report knows them as before"
    )
