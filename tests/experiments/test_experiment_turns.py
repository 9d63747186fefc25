"""One experiment with levels in turns and a spoilt first attempt: what it does, records and reports."""

import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from experimental import DISPATCH, Done, at_step, done, plan_of, sysctl
from test_experiment_run import kill_pktgen, setting

from fwdtui.cli import main
from fwdtui.core.experiment import Action, Hook
from fwdtui.core.units import counted
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import read_session

SECTION = Path(__file__).parent.parent / "fixtures" / "experiment_section.md"
_CHANGING = (
    (r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", "TIME"),
    (r"-[0-9a-f]{12}/", "-HASH/"),
    # what else is wrong with the iteration, if anything is: it depends on when exactly the receiver ends
    (r"(not by fwdtui\.)(?: .*)? \| repeated", r"\1 REST | repeated"),
)
HOOKS = (
    Hook("before", Action("gen", "echo 'begins'"), whole=True),
    Hook("before", Action("dut", "echo before")),
    Hook("during", Action("dut", "echo during")),
    Hook("after", Action("gen", "printf 'af\\033[31mter'")),
)
FACT = f"dut.sysctl.{DISPATCH}"


@dataclass(frozen=True)
class Turns:
    """What was done; the fact as it was each time that facts were collected; and what is set at the end."""

    found: Done
    collected: list[object]
    setting: str


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> Turns:
    """Six trials; in the first attempt the receiver is killed. A busy machine may spoil others."""
    folder = tmp_path_factory.mktemp("turns")
    collected: list[object] = []
    learn = Bench.learn

    async def learning(bench: Bench) -> None:
        await learn(bench)
        collected.append(bench.facts[FACT])

    async def measured() -> Turns:
        async with SimulatedLab("healthy", interval="300ms", wait=0) as lab:

            def during(run: ExperimentRun, waiter: Waiter) -> None:
                loop = asyncio.get_running_loop()
                at_step(run, "tools", lambda: loop.call_later(0.8, kill_pktgen, lab, "rx"))

            levels = [sysctl("direct"), sysctl("deferred")]
            plan = plan_of(levels, (0, 1, 1, 0, 0, 1), blocks=3, hooks=HOOKS)
            found = await done(lab.lab_toml, plan, folder / "into", during=during)
            return Turns(found, collected, setting(lab))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tempfile.tempdir", str(folder))
        patched.setattr(Bench, "learn", learning)
        return asyncio.run(measured())


def test_levels_in_turns_are_applied_verified_measured_and_undone(turns: Turns) -> None:
    found = turns.found
    assert found.complete and found.view.problem == "", (found.view.problem, found.said)
    direct, deferred = ["dispatch=direct"], ["dispatch=deferred"]
    assert found.trials == {1: direct, 2: deferred, 3: deferred, 4: direct, 5: direct, 6: deferred}
    session = read_session(found.folder)
    factors = {case.name: dict(case.factors) for case in session.cases}
    assert factors == {
        "dispatch=direct": {"dispatch": "direct"},
        "dispatch=deferred": {"dispatch": "deferred"},
    }
    planned = {one.planned.trial: one.planned for one in found.counted if one.planned}
    assert {trial: one.block for trial, one in planned.items()} == {1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3}
    assert {one.experiment for one in planned.values()} == {"d" * 16}
    # a level is entered once for two trials in a row, and every step is written before it is taken
    levels = [(step.what, step.level, step.done) for step in found.steps if step.what in ("level", "undo")]
    assert levels == [
        (what, level, over) for level in (0, 1, 0, 1) for what in ("level", "undo") for over in (False, True)
    ]
    assert {step.old for step in found.taken("level")} == {("direct",)}
    assert turns.setting == "direct"
    told = [step.text for step in found.taken("hook")]
    assert told[0] == "before: echo 'begins'\nbegins"
    assert [text.partition("\n")[2] for text in told[1:4]] == ["before", "during", "af[31mter"]
    attempts = len(found.taken("judged"))  # 7, and one more for each that a busy machine spoils
    assert len(told) == 1 + 3 * attempts
    first, second = found.view.cells
    assert (first.done, second.done) == (3, 3)
    assert first.repeated + second.repeated == attempts - 6
    assert first.mean is not None and second.mean is not None and first.mean > second.mean
    assert found.view.over and found.view.left is None and found.view.done == 6


def test_a_level_that_changes_a_fact_without_a_boot_changes_it_for_its_iterations(turns: Turns) -> None:
    assert read_session(turns.found.folder).facts[FACT] == "direct"
    own = {one.planned.trial: one.facts.get(FACT) for one in turns.found.counted if one.planned}
    deferred = dict.fromkeys((2, 3, 6), "deferred")
    assert own == dict.fromkeys((1, 4, 5)) | deferred, "what is not its own is the session's"
    attempts = [own[step.trial] or "direct" for step in turns.found.taken("judged")]
    assert turns.collected == attempts, "once for each, whose hooks may have changed one"


def test_a_receiver_that_is_killed_spoils_the_attempt_which_is_kept_and_repeated(turns: Turns) -> None:
    found = turns.found
    (case,) = [one for one in read_session(found.folder).cases if one.name == "dispatch=direct"]
    attempts = [one for one in case.iterations if one.planned and one.planned.trial == 1]
    first, last = attempts[0], attempts[-1]
    assert first.planned and first.planned.attempt == 1 and first.value is None
    assert first.incomplete.startswith(
        "The receiver ended during the blast: pkt-gen on gen was killed by signal 9, not by fwdtui."
    ), first.incomplete
    judged = [(step.attempt, step.sound) for step in found.taken("judged") if step.trial == 1]
    count = len(judged)
    assert judged == [(number, number == count) for number in range(1, count + 1)] and count > 1
    assert last.planned and last.planned.attempt == count and last.value is not None
    assert found.view.cells[0].repeated == spoilt(found, 1, 4, 5)


def spoilt(found: Done, *trials: int) -> int:
    """How many attempts at these trials did not count."""
    return len([step for step in found.taken("judged") if step.trial in trials and not step.sound])


def expected_section(found: Done) -> str:
    """The section as it is if only the first attempt did not count, with the counts that the journal has."""
    direct, deferred = spoilt(found, 1, 4, 5), spoilt(found, 2, 3, 6)
    every = direct + deferred
    text = SECTION.read_text()
    for old, new in (
        ("1 attempt without", f"{counted(every, 'attempt')} without"),
        ("ran 7 times", f"ran {6 + every} times"),
        ("dispatch=direct | 3 | 3 | 0 | 1 | 1 |", f"dispatch=direct | 3 | 3 | 0 | {direct} | 1 |"),
        ("dispatch=deferred | 3 | 3 | 0 | 0 | 1 |", f"dispatch=deferred | 3 | 3 | 0 | {deferred} | 1 |"),
    ):
        assert old in text
        text = text.replace(old, new)
    return text


def test_what_the_engine_leaves_is_reported_as_it_was_measured_and_with_the_numbers_of_the_screen(
    turns: Turns, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, out = turns.found, tmp_path / "report.md"
    assert main(["report", str(found.folder), "-o", str(out), "--without", "charts"]) == 0
    text = out.read_text()
    section = text[text.index("## Experiment") : text.index("## ", text.index("## Experiment") + 3)]
    for pattern, what in _CHANGING:
        section = re.sub(pattern, what, section)
    # of other attempts than the first only how many they are can be known before
    others = re.findall(r"^\| \d+ \| \d+ \| dispatch=.*\| (?:repeated|given up) \|\n", section, re.M)[1:]
    assert len(others) == found.repeated - 1
    for one in others:
        section = section.replace(one, "", 1)
    assert section == expected_section(found), found.said
    assert text.startswith(
        "# e: comparing deferred with direct: forwarding performance\n\n1 comparison: 1 slower."
    )
    assert "net.isr.dispatch: direct -\\> deferred" in text, "the settings differ, and nothing else"
    assert "trial-repeated" not in text and "dropped by hand" not in text, "told once"
    assert main(["check", str(out), "--data", str(tmp_path / "report.d")]) == 0

    capsys.readouterr()
    assert main(["compare", str(found.folder), "--format", "json"]) == 0
    (plain,) = json.loads(capsys.readouterr().out)["experiments"]
    assert (plain["planned"], plain["done"]) == (found.view.planned, found.view.done)
    for mine, shown in zip(plain["cells"], found.view.cells, strict=True):
        numbers = [mine[name] for name in ("number", "name", "planned", "done", "failed", "repeated")]
        assert numbers == [shown.number, shown.name, shown.planned, shown.done, shown.failed, shown.repeated]
