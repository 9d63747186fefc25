"""Which session `--resume` goes on with if none is named, and what damaged ones have to do with it."""

import asyncio
from pathlib import Path

import pytest
from experimental import LAB, plan_of, step, sysctl
from msgspec.structs import replace

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Plan
from fwdtui.core.experiment.steps import seconds_of
from fwdtui.core.factors import FactorValue
from fwdtui.core.lab import Run, plain
from fwdtui.core.model import Iteration, Planned
from fwdtui.monitor.experiment.boots import Boots
from fwdtui.monitor.experiment.links import Links
from fwdtui.monitor.experiment.opening import check, check_lab, check_unchanged, find_begun
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.monitor.experiment.view import ExperimentView
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import SessionWriter, drop, read_session, restore
from fwdtui.store.experiment_journal import JOURNAL, PLAN, Journal
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool

MINE = plan_of([sysctl("direct")], (0,))
ANOTHER = plan_of([sysctl("direct")], (0,), digest="e" * 64)


def begun(into: Path, name: str, second: int, plan: Plan = MINE) -> Path:
    """A session in which the experiment was begun at that second."""
    writer = SessionWriter.create(into / name, label=name, created=f"2026-01-01T00:00:{second:02d}+00:00")
    writer.close()
    Journal.begin(into / name, plan, "").close()
    return into / name


def damage(folder: Path, name: str = JOURNAL) -> None:
    (folder / name).write_bytes(b"{}\n" + (folder / name).read_bytes())


def found(into: Path) -> tuple[str, list[str]]:
    said: list[str] = []
    return find_begun(into, Subject(Path("lab.toml"), MINE, ""), said.append), said


def test_the_newest_of_this_experiment_is_gone_on_with(tmp_path: Path) -> None:
    begun(tmp_path, "b", 1)
    begun(tmp_path, "a", 2)
    begun(tmp_path, "c", 3, ANOTHER)
    assert found(tmp_path) == ("a", [])


@pytest.mark.parametrize("name", [JOURNAL, PLAN, "session.toml"])
def test_a_damaged_session_is_named_and_the_only_other_one_is_gone_on_with(name: str, tmp_path: Path) -> None:
    begun(tmp_path, "good", 1)
    damage(begun(tmp_path, "bad", 2), name)
    session, said = found(tmp_path)
    assert session == "good"
    (line,) = said
    assert line.startswith(f"{tmp_path / 'bad'}/{name}") and line.endswith("; resuming good instead")


@pytest.mark.parametrize("size", [None, 0, -1])
def test_a_journal_that_lost_what_was_measured_is_not_gone_on_with(size: int | None, tmp_path: Path) -> None:
    """An empty one was resumed as if nothing had been done yet, and nothing set on any host."""
    folder = begun(tmp_path, "s", 1)
    subject = Subject(Path("lab.toml"), MINE, "")
    with SessionWriter(folder) as writer:
        writer.begin("dispatch=direct").commit(Iteration(0, 1e6, planned=Planned("d" * 16, 1, 1)))
    with pytest.raises(FwdtuiError, match="its end is missing: it has no steps of 1 attempt whose value is"):
        check(tmp_path, "s", True, subject)
    begun(tmp_path, "old", 0)
    session, (line,) = found(tmp_path)
    assert session == "old" and line.startswith(f"{folder}/experiment.jsonl: its end is missing")
    journal = Journal.go_on(folder, MINE)
    journal.write(step("tools", trial=1, attempt=1))
    journal.close()
    check(tmp_path, "s", True, subject)
    whole = (folder / JOURNAL).read_bytes()
    (folder / JOURNAL).unlink()
    if size is not None:
        (folder / JOURNAL).write_bytes(whole[:size])
    with pytest.raises(FwdtuiError, match=r"cannot be resumed: experiment.jsonl.* is not known"):
        check(tmp_path, "s", True, subject)


def test_a_damaged_session_of_another_experiment_is_not_spoken_of(tmp_path: Path) -> None:
    begun(tmp_path, "good", 1)
    damage(begun(tmp_path, "other", 2, ANOTHER))
    assert found(tmp_path) == ("good", [])


def test_where_several_are_left_beside_a_damaged_one_the_user_has_to_name_one(tmp_path: Path) -> None:
    begun(tmp_path, "one", 1)
    begun(tmp_path, "two", 2)
    damage(begun(tmp_path, "bad", 3))
    with pytest.raises(FwdtuiError, match=r"name one with --session: two or one \(.*bad/experiment.jsonl"):
        found(tmp_path)


def test_where_only_damaged_ones_are_left_each_is_named_with_its_damage(tmp_path: Path) -> None:
    damage(begun(tmp_path, "bad", 3))
    begun(tmp_path, "other", 2, ANOTHER)
    with pytest.raises(FwdtuiError, match=r"no session .* can be resumed: .*bad/experiment.jsonl: line 1"):
        found(tmp_path)
    with pytest.raises(FwdtuiError, match=r"no session was begun with this experiment\.toml"):
        found(tmp_path / "empty")


IMAGE = {"image": "n311215", "flows": 2000}


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (IMAGE, ""),
        (IMAGE | {"flows": "2000"}, ""),
        (IMAGE | {"image": "n320000"}, "factors.image"),
        (IMAGE | {"af": "inet6"}, "factors.af"),
        ({}, "factors.flows, factors.image"),
    ],
)
def test_a_lab_whose_factors_have_changed_is_not_gone_on_with(
    now: dict[str, FactorValue], told: str, tmp_path: Path
) -> None:
    """What is measured now would be filed under those of the session."""
    SessionWriter.create(tmp_path / "s", label="s", created="", lab=plain(LAB), factors=IMAGE).close()
    refused = ""
    try:
        check_lab(tmp_path / "s", replace(LAB, factors=now))
    except FwdtuiError as error:
        refused = str(error)
    assert f"since it was begun ({told}), so" in refused if told else not refused


def test_factors_that_were_corrected_in_the_session_and_in_the_lab_are_no_change(tmp_path: Path) -> None:
    SessionWriter.create(tmp_path / "s", label="s", created="", lab=plain(LAB), factors=IMAGE).close()
    corrected = IMAGE | {"image": "n320000"}
    (tmp_path / "s" / "annotations.toml").write_text('[factors]\nimage = "n320000"\n')
    for one in (IMAGE, corrected):
        check_lab(tmp_path / "s", replace(LAB, factors=one))


def test_what_is_measured_is_the_lab_that_was_planned_for_and_shown() -> None:
    """Commands of lab.toml start the generators, and its hosts are those on which levels are entered."""
    subject = Subject(Path("lab.toml"), MINE, "", read=LAB)
    check_unchanged(subject, LAB)
    check_unchanged(subject, replace(LAB, run=Run(warmup=1.0)))  # the plan has the times
    check_unchanged(Subject(Path("lab.toml"), MINE, ""), replace(LAB, name="any"))
    elsewhere = replace(LAB, dut=replace(LAB.dut, host="another"))
    started = replace(LAB, generators=tuple(replace(one, start="flood") for one in LAB.generators))
    for changed in (elsewhere, started):
        with pytest.raises(FwdtuiError, match=r"^lab\.toml: has changed since the experiment was read"):
            check_unchanged(subject, changed)


def test_what_is_planned_otherwise_is_refused_before_any_host_is_reached(tmp_path: Path) -> None:
    """The dry run and the question ask this, too. experiment.toml may have its times from lab.toml."""
    begun(tmp_path, "s", 1)
    check(tmp_path, "s", True, Subject(Path("lab.toml"), MINE, ""))
    longer = replace(MINE, experiment=replace(MINE.experiment, run=Run(0.2, 9.0, 0.2)))
    with pytest.raises(FwdtuiError, match=r"was begun with another plan .* times or hosts in lab\.toml"):
        check(tmp_path, "s", True, Subject(Path("lab.toml"), longer, ""))
    with pytest.raises(FwdtuiError, match=r"experiment.toml \(.*\), other files to upload, or another"):
        check(tmp_path, "s", True, Subject(Path("lab.toml"), ANOTHER, ""))


async def opened(plan: Plan, journal: Journal, *, stopped: bool = False) -> ExperimentView:
    """The experiment of a session as it is shown before any host is sampled; `stopped`: told to stop."""
    async with Bench(LAB, SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
        bench.record(journal.folder.parent, journal.folder.name, plan.cells[0].name)
        waiter = Waiter(bench, asyncio.create_task(asyncio.sleep(60.0)))
        subject = Subject(Path("lab.toml"), plan, "")
        run = ExperimentRun(subject, waiter, Boots(), Links(LAB), journal, read_session(journal.folder))
        if stopped:
            waiter.stop.set()
        view = run.view
    journal.close()
    return view


async def test_the_time_left_has_the_boots_that_are_left_and_not_those_of_the_plan(tmp_path: Path) -> None:
    """The boot of the second trial's visit is gone, so that it needs one of its own."""
    plan = plan_of([sysctl("direct")], (0, 0), boots=(1,), reboot=True, reboot_time=200.0)
    first, second = plan.trials
    plan = replace(plan, trials=(first, replace(second, block=1, repeat=2)))
    folder = begun(tmp_path, "s", 1, plan)
    with SessionWriter(folder) as writer:
        planned = Planned(experiment=plan.digest[:16], trial=1, block=1, attempt=1, order="interleaved")
        writer.begin(plan.cells[0].name).commit(Iteration(0, 5.0, planned=planned))
    journal = Journal.go_on(folder, plan)
    journal.write(step("judged", done=True, trial=1, attempt=1, sound=True))
    view = await opened(plan, journal)
    assert view.done == 1 and view.left == pytest.approx(seconds_of(plan, "dut")[2] + 200.0)


@pytest.mark.parametrize("stopped", [False, True])
async def test_while_it_is_stopped_the_time_of_its_trials_is_not_left(stopped: bool, tmp_path: Path) -> None:
    folder = begun(tmp_path, "s", 1)
    view = await opened(MINE, Journal.go_on(folder, MINE), stopped=stopped)
    assert view.done == 0 and (view.left is None if stopped else (view.left or 0.0) > 0.0)


async def test_what_is_dropped_once_it_is_over_does_not_count_in_what_is_told(tmp_path: Path) -> None:
    """The screen of the experiment judges again then, and has its means and its end beside the verdicts."""
    plan = plan_of([sysctl("direct")], (0, 0))
    folder, name = tmp_path / "s", plan.cells[0].name
    with SessionWriter.create(folder, label="s", created="", lab=plain(LAB)) as writer:
        for trial, value in ((1, 5e5), (2, 7e5)):
            planned = Planned(plan.digest[:16], trial=trial, block=trial, attempt=1, order="interleaved")
            writer.begin(name).commit(Iteration(0, value, planned=planned))
    journal = Journal.begin(folder, plan, "")
    for trial in (1, 2):
        journal.write(step("judged", done=True, trial=trial, attempt=1, sound=True))
    async with Bench(LAB, SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
        bench.record(tmp_path, "s", name)
        waiter = Waiter(bench, asyncio.create_task(asyncio.sleep(60.0)))
        subject = Subject(Path("lab.toml"), plan, "")
        run = ExperimentRun(subject, waiter, Boots(), Links(LAB), journal, read_session(folder))
        run._over = True
        assert (run.view.done, run.view.cells[0].mean, run.view.problem) == (2, 6e5, "")
        drop(folder, name, 2, "the cable was touched")
        await run.reread()
        assert (run.view.done, run.view.cells[0].mean) == (1, 5e5)
        assert run.view.problem.startswith("1 trial whose value no longer counts: --resume measures it")
        assert run.notes[-1][2] == "trials whose value no longer counts: 2"
        restore(folder, name, 2)
        await run.reread()
        assert (run.view.done, run.view.cells[0].mean, run.view.problem) == (2, 6e5, "")
    journal.close()


async def test_what_was_measured_before_is_told_before_any_host_is_sampled(tmp_path: Path) -> None:
    plan = plan_of([sysctl("direct"), sysctl("deferred")], (0, 1))
    folder = tmp_path / "s"
    with SessionWriter.create(folder, label="s", created="", lab=plain(LAB)) as writer:
        planned = Planned(experiment=plan.digest[:16], trial=1, block=1, attempt=1, order="interleaved")
        writer.begin(plan.cells[0].name).commit(Iteration(0, 5.0, planned=planned))
    journal = Journal.begin(folder, plan, "")
    journal.write(step("judged", done=True, trial=1, attempt=1, sound=True))
    journal.write(step("look", done=True, decided=True, text="slower", index=1))
    view = await opened(plan, journal)
    assert (view.done, view.planned, view.left, view.decided) == (1, 2, 0.0, "slower")
