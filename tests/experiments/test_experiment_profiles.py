"""A profile of each cell of an experiment, in a blast of its own that is no value: on the simulated DUT."""

from pathlib import Path

import pytest
from experimental import DISPATCH, at_step, done, plan_of, sysctl

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import CellProfile, StopRule
from fwdtui.core.experiment.file import parse
from fwdtui.core.experiment.order import plan
from fwdtui.core.experiment.steps import steps
from fwdtui.core.experiment.text import dry_run
from fwdtui.core.lab import parse as lab_of
from fwdtui.core.model import Iteration
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.looks import Look
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import read_session

RATE = 600_000.0
PROFILE = CellProfile(RATE, 1.0)
LEVELS = [sysctl("direct"), sysctl("deferred")]


@pytest.fixture
def briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Traffic goes on for a second around a profile, not for three: simulated cards count at once."""
    monkeypatch.setattr("fwdtui.monitor.run.profiling._AROUND", 1.0)


def profiled(folder: Path) -> dict[str, list[Iteration]]:
    """Case -> its iterations with a profile that counts, in order."""
    return {
        case.name: [one for one in case.iterations if one.profile is not None and not one.profile.rejected]
        for case in read_session(folder).cases
    }


async def test_each_cell_is_profiled_once_after_its_last_trial_at_one_rate(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    text = lab.lab_toml.read_text()
    lab.lab_toml.write_text(text.replace("-R {rate}", "-R {rate} -n {duration}00000000"))
    found = await done(lab.lab_toml, plan_of(LEVELS, (0, 1, 1), profile=PROFILE), tmp_path / "into")
    assert found.complete, (found.view.problem, found.said)
    order = [
        (step.what, step.trial) for step in found.steps if step.what in ("judged", "profile") and step.done
    ]
    sound = [one for one in order if one[0] == "profile"]
    assert sound == [("profile", 1), ("profile", 3)], found.said
    assert order.index(("profile", 3)) > order.index(("judged", 3)), "its level is still in force"
    # a generator that a killed fwdtui leaves is known, and ended by --resume
    marks = {
        what: {(step.trial, step.mark) for step in found.steps if step.what == what and step.probe}
        for what in ("tools", "stopped")
    }
    assert marks["tools"] == marks["stopped"] and {trial for trial, _ in marks["tools"]} == {1, 3}
    assert all(mark for _, mark in marks["tools"])
    for name, iterations in profiled(found.folder).items():
        assert len(iterations) == 1, found.said
        (one,) = iterations
        assert one.value is None and one.planned is None, "it is no value, and no trial"
        assert one.metrics["offered"].median == pytest.approx(RATE, rel=0.05)
        dispatch = "deferred" if "deferred" in name else None  # else as in the session's facts
        assert one.facts.get(f"dut.sysctl.{DISPATCH}") == dispatch
        assert one.facts["profile.rate"] == RATE
        # a second of it, and three of traffic before and after it: not the trials' 1.2 s
        assert one.facts["generator.command"].endswith("-R 600000 -n 700000000")
    assert [len(cell.values) for cell in found.view.cells] == [1, 2]


async def test_what_has_its_profile_is_not_profiled_again_and_what_a_look_ended_is_profiled_at_the_end(
    lab: SimulatedLab, tmp_path: Path, briefly: None
) -> None:
    """Decided after the first block of two; stopped in the midst of the second profile, and gone on with."""
    rule = {"stop": StopRule("looks", looks=(1,)), "profile": PROFILE}
    chosen = plan_of(LEVELS, (0, 1, 1, 0), **rule)

    def stop(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "profile", waiter.stop.set, done=False, nth=2)

    def decided(*of: object) -> Look:
        return Look(True, "slower")

    first = await done(lab.lab_toml, chosen, tmp_path / "into", during=stop, looker=decided)
    assert not first.complete and first.view.problem == "", "a profile is missing"
    assert sum(map(len, profiled(first.folder).values())) == 1
    second = await done(lab.lab_toml, chosen, tmp_path / "into", resume=True, looker=decided)
    assert second.complete, (second.view.problem, second.said)
    assert [len(found) for found in profiled(second.folder).values()] == [1, 1]
    assert sorted(second.trials) == [1, 2]


async def test_a_profile_that_cannot_be_had_is_told_and_ends_nothing(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fwdtui.monitor.run.profiling.ATTEMPTS", 1)
    text = lab.lab_toml.read_text()
    lab.lab_toml.write_text(text.replace("-R {rate}", "-R {rate} -n 100000"))  # over before the profile is
    found = await done(lab.lab_toml, plan_of(LEVELS[:1], (0,), profile=PROFILE), tmp_path / "into")
    assert found.complete, (found.view.problem, found.said)
    assert "no profile of dispatch=direct: The traffic was over before the profile was." in found.said
    (step,) = [step for step in found.steps if step.what == "profile" and step.done]
    assert step.failed == "The traffic was over before the profile was."
    assert list(found.trials) == [1]


async def test_a_profile_during_which_its_level_was_changed_is_kept_and_does_not_count(
    lab: SimulatedLab, tmp_path: Path, briefly: None
) -> None:
    def during(run: ExperimentRun, waiter: Waiter) -> None:
        say = run._attempts.profiles._say

        def heard(text: str) -> None:
            say(text)
            if text.startswith("profile, attempt 1"):
                (lab.folder / "dut" / "sysctl" / DISPATCH).write_text("hybrid\n")

        run._attempts.profiles._say = heard

    chosen = plan_of(LEVELS[1:], (0,), profile=PROFILE)
    found = await done(lab.lab_toml, chosen, tmp_path / "into", during=during)
    assert found.complete, (found.view.problem, found.said)
    (step,) = [step for step in found.steps if step.what == "profile" and step.done]
    assert step.failed.startswith("it does not count: dut: ") and "'hybrid'" in step.failed
    (iterations,) = profiled(found.folder).values()
    assert [one.dropped for one in iterations] == [step.failed], "no report takes it for the cell's"


LAB = (
    '[generator]\nhost = "gen"\ninterface = "g0"\nstart = "send"\nat_rate = "send {rate}"\n'
    '[dut]\nhost = "dut"\nin = "a"\nout = "b"\n'
)
EXPERIMENT = 'name = "x"\n[run]\nblocks = 2\n[[factor]]\nname = "f"\nlevels = [0, 1]\napply = "set {f}"\n'


def test_the_dry_run_has_a_profile_after_the_last_iteration_of_each_cell() -> None:
    lab = lab_of(LAB)
    text = EXPERIMENT + '[profile]\nrate = "300k"\nseconds = "5s"\n'
    chosen = plan(parse(text, lab), "")
    assert chosen.experiment.profile == CellProfile(300_000.0, 5.0)
    assert [step.trial for step in steps(chosen, "dut") if step.kind == "profile"] == [3, 4]
    shown = dry_run(chosen, lab)
    assert "gets a profile of the DUT, 5 s at 300,000 packets per second." in shown
    without = plan(parse(EXPERIMENT, lab), "")
    assert without.experiment.profile is None and "profile" not in dry_run(without, lab)


@pytest.mark.parametrize(
    ("lab", "table", "why"),
    [
        (LAB, 'rate = "fast"', "profile.rate"),
        (LAB, 'seconds = "1h"', "profile.seconds: expected 1 to 600 seconds"),
        (LAB + 'count = ["cycles"]\n', "", "profile: the lab counts events"),
    ],
)
def test_a_profile_that_cannot_be_is_refused(lab: str, table: str, why: str) -> None:
    with pytest.raises(FwdtuiError, match=why.replace(".", r"\.")):
        parse(f"{EXPERIMENT}[profile]\n{table}\n", lab_of(lab))
