"""Gates on an experiment: what was planned and not measured has no answer, however it is looked at."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from planned import NONE, RULES, Measured, design

from fwdtui.cli import main
from fwdtui.core.experiment import LevelSetup, Plan

MORE = LevelSetup("more")


def trials(plan: Plan, cell: str) -> tuple[int, ...]:
    """The numbers of a cell's trials; `cell`: a part of its name."""
    wanted = {one.number for one in plan.cells if cell in one.name}
    return tuple(trial.number for trial in plan.trials if trial.cell in wanted)


@pytest.mark.parametrize("factor", ["rules", "case"])
def test_a_gate_does_not_ask_for_a_cell_that_the_filters_leave_out(
    factor: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = design(levels=(NONE, RULES, LevelSetup("more")))
    lost = tuple(trial.number for trial in plan.trials if trial.cell == 2)
    folder = str(Measured(plan, lost=lost).write(tmp_path / "night"))
    assert main(["compare", folder, "--fail-if", "faster"]) == 2
    levels = ("none", "100 rules") if factor == "rules" else ("rules=none", "rules=100 rules")
    only = [word for level in levels for word in ("--filter", f"{factor}={level}")]
    assert main(["compare", folder, *only, "--fail-if", "faster"]) == 0
    capsys.readouterr()
    assert main(["compare", folder, *only, "--format", "json"]) == 0
    (comparison,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert comparison["case"] == "values", "not called by both of the levels that are compared"


def test_a_gate_has_no_answer_of_a_cell_that_was_measured_on_neither_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = design(two=True)
    cells = {
        cell.name: [trial.number for trial in plan.trials if trial.cell == cell.number] for cell in plan.cells
    }
    deferred = [name for name in cells if "deferred" in name]
    lost = tuple(number for name in deferred for number in cells[name])
    folder = str(Measured(plan, lost=lost).write(tmp_path / "night"))
    told = [f"fwdtui: no verdict: {name}: 4 trials of night planned, none has a value" for name in deferred]
    assert len(told) == 2
    for options in (["--fail-if", "faster"], ["--fail-unless", "not-slower", "--margin", "20"]):
        assert main(["compare", folder, *options]) == 2
        assert capsys.readouterr().err.splitlines()[:2] == told
    ministat = ["--by", "rules", "--format", "ministat", "-A"]
    assert main(["compare", folder, *ministat, "--fail-if", "faster"]) == 2
    assert capsys.readouterr().err.splitlines() == told
    assert main(["compare", folder, "--fail-if", "slower"]) == 1, "a no stays a no"
    assert main(["compare", folder, "--filter", "dispatch=direct", "--fail-if", "faster"]) == 0
    assert main(["compare", folder]) == 0
    capsys.readouterr()
    for name in deferred:
        half = str(Measured(plan, lost=tuple(cells[name])).write(tmp_path / name))
        assert main(["compare", half, "--fail-if", "faster"]) == 2
        assert capsys.readouterr().err.count("no verdict") == 1, "what one side has is told once"
    whole = str(Measured(plan).write(tmp_path / "whole"))
    assert main(["compare", whole, "--fail-if", "faster"]) == 0


def test_a_session_of_which_the_filters_leave_nothing_was_to_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was broken off before the first trial that they ask for, so that it is on no side."""
    plan = design(two=True, levels=(NONE, MORE))
    whole = str(Measured(design(two=True)).write(tmp_path / "whole"))
    half = str(Measured(plan, lost=trials(plan, "deferred")).write(tmp_path / "half"))
    compare = ["compare", whole, half, "--by", "rules", "--baseline", "rules=none"]

    def answered(*options: str) -> tuple[int, list[str]]:
        status = main([*compare, *options])
        return status, [line for line in capsys.readouterr().err.splitlines() if "no verdict" in line]

    missing = [
        f"fwdtui: no verdict: rules={rules} dispatch=deferred: 4 trials of night (half) planned, none has a "
        "value"
        for rules in ("none", "more")
    ]
    deferred = ["--filter", "dispatch=deferred"]
    for format in ([], ["--format", "ministat", "-A"]):
        assert answered(*deferred, *format, "--fail-if", "faster") == (2, missing)
        only = [*deferred, "--filter", "session=night (whole)"]
        assert answered(*only, *format, "--fail-if", "faster") == (0, [])
    assert main([*compare, *deferred]) == 0
    assert capsys.readouterr().out.count("of 16 planned trials measured") == 2, "it says how far it came"
    assert main([*compare, *only]) == 0
    assert capsys.readouterr().out.count("of 16 planned trials measured") == 1


@pytest.mark.parametrize("options", [(), ("--by", "rules", "--baseline", "rules=none")])
def test_of_cells_that_were_chosen_by_name_no_other_is_missing(
    tmp_path: Path, options: Sequence[str]
) -> None:
    plan = design(levels=(NONE, RULES, MORE))
    folder = Measured(plan, lost=trials(plan, "more")).write(tmp_path / "night")
    chosen = [f"{folder}:rules={level}" for level in ("none", "100 rules")]
    for format in ([], ["--format", "ministat", "-A"]):
        assert main(["compare", *chosen, *options, *format, "--fail-if", "faster"]) == 0


def test_what_was_measured_of_an_experiment_is_the_same_by_another_metric(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By it some trials have no value; they were measured all the same, once each."""
    plan = design(8)
    some = tuple(trial.number for trial in plan.trials if trial.block > 2)
    folder = str(Measured(plan, seen=some).write(tmp_path / "night"))
    accounts = []
    for options in ([], ["--metric", "forwarded"]):
        assert main(["compare", folder, *options, "--format", "json"]) == 0
        (account,) = json.loads(capsys.readouterr().out)["experiments"]
        accounts.append(account)
    assert accounts[0] == accounts[1]
    assert (accounts[0]["done"], accounts[0]["missing"]) == (16, [])
