"""A sweep over an experiment's levels says which planned trials have no value."""

from pathlib import Path

import pytest
from experiment_told import UNDONE
from planned import NONE, RULES, Measured, design, step

from fwdtui.cli import main
from fwdtui.core.experiment import LevelSetup, StopRule
from fwdtui.store import drop
from fwdtui.store.experiment_journal import PLAN


def test_a_sweep_says_which_planned_trials_have_no_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A level that the DUT did not survive was in no chart, and nothing said that it was to be."""
    plan = design(levels=(NONE, RULES, LevelSetup("1000 rules")))
    (first, *_), last = ([one.number for one in plan.trials if one.cell == cell] for cell in (0, 2))
    folder = Measured(plan, lost=(first, *last), end=UNDONE).write(tmp_path / "night")
    sweep = ["report", str(folder), "--x", "rules"]
    told = "In night 5 of 12 planned trials have no value that counts: 1 of rules=none and 4 of rules=1000"
    for options in ([], ["-o", str(tmp_path / "sweep.md")]):
        assert main([*sweep, *options]) == 0
        text = capsys.readouterr().out + "".join(one.read_text() for one in tmp_path.glob("sweep.md"))
        assert told in " ".join(text.split())
    assert main([*sweep, "--filter", "rules=none", "--filter", "rules=100 rules"]) == 0
    told = "In night 1 of 8 planned trials has no value that counts: 1 of rules=none."
    assert told in " ".join(capsys.readouterr().out.split())
    chosen = [f"{folder}:rules=none", f"{folder}:rules=100 rules"]
    assert main(["report", *chosen, "--x", "rules"]) == 0
    assert "planned" not in capsys.readouterr().out, "these cases were chosen"
    drop(folder, "rules=100 rules", 1, "spoilt")
    assert main(sweep) == 0
    told = "In night 6 of 12 planned trials have no value that counts: 1 of rules=none, 1 of rules=100"
    assert told in " ".join(capsys.readouterr().out.split()), "it has one, which was dropped"
    (folder / PLAN).unlink()
    assert main(sweep) == 0
    found = capsys.readouterr()
    assert "planned" not in found.out
    assert found.err.startswith("fwdtui: night: its experiment is left out")
    assert found.err.count("\n") == 1, "it is said once"
    whole = Measured(design(), end=UNDONE).write(tmp_path / "whole")
    assert main(["report", str(whole), "--x", "rules"]) == 0
    assert "planned" not in capsys.readouterr().out


def test_that_is_told_of_each_of_two_sessions_of_one_label_and_once_of_one_that_is_named_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = design(levels=(NONE, RULES, LevelSetup("1000 rules")))
    lost = [one.number for one in plan.trials if one.cell == 2]
    first = Measured(plan, lost=tuple(lost), end=UNDONE).write(tmp_path / "a")
    second = Measured(plan, lost=tuple(lost[:1]), end=UNDONE).write(tmp_path / "b")
    (tmp_path / "link").symlink_to("b")
    told = {
        "a": "In night (a) 4 of 12 planned trials have no value that counts: 4 of rules=1000 rules.",
        "b": "In night (b) 1 of 12 planned trials has no value that counts: 1 of rules=1000 rules.",
    }
    sweep = ["report", str(first), str(second), "--x", "rules"]
    for options, those in (([], "ab"), (["--filter", "session=night (a)"], "a")):
        assert main([*sweep, *options]) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert [text.count(line) for line in told.values()] == [name in those for name in told]
    assert main(["report", str(second), str(tmp_path / "link"), "--x", "rules"]) == 0
    assert capsys.readouterr().out.count("planned") == 1


def test_of_an_experiment_that_a_rule_has_ended_the_rest_is_not_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = design(4, stop=StopRule("looks", None, (2,)))
    lost = tuple(one.number for one in plan.trials if one.block > 2)
    look = step("look", done=True, decided=True, index=2, text="Everything is decided.")
    folder = Measured(plan, lost=lost, end=[look, *UNDONE]).write(tmp_path / "night")
    assert main(["report", str(folder), "--x", "rules"]) == 0
    assert "planned trials" not in capsys.readouterr().out
