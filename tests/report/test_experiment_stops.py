"""Looks at an experiment so far, and what an early stop means for its intervals."""

import dataclasses
import json
from pathlib import Path

import pytest
from experiment_told import UNDONE, report, told
from planned import Bad, Measured, design, step

from fwdtui.cli import main
from fwdtui.cli.experiment_look import look
from fwdtui.core.experiment import StopRule
from fwdtui.monitor.experiment.looks import Look
from fwdtui.report.comparison import judge_sides
from fwdtui.report.escape import inline
from fwdtui.report.experiment_summary import without_value
from fwdtui.report.experiment_view import asked
from fwdtui.report.experiment_words import bearing
from fwdtui.report.sides import load_sides


@pytest.mark.parametrize(
    ("rule", "said", "means"),
    [
        (
            StopRule("precision", 0.5),
            "Every interval is within ±0.5 % after 2 blocks.",
            "too narrow",
        ),
        (
            StopRule("looks", None, (2,)),
            "Everything is decided at look 1 of 2, at 99 %.",
            "too large",
        ),
    ],
)
def test_an_early_stop_is_told_with_what_it_means_for_the_intervals(
    rule: StopRule, said: str, means: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after = {5: [step("look", done=True, decided=True, index=2, text=said)]}
    end = [step("ended", done=True, text=said)]
    lost = tuple(range(5, 9))
    folder = Measured(design(4, stop=rule), before=after, lost=lost, end=end).write(tmp_path / "night")
    main(["compare", str(folder)])
    compared = " ".join(capsys.readouterr().out.split())
    assert said in compared and means in compared
    text = report(folder)
    assert inline(said.removesuffix(".")) in text and means in text
    if rule.precision is not None:
        assert "at most ±0.5 %, looked at after block 5 and each later one" in text
    capsys.readouterr()
    main(["compare", str(folder), "--format", "json"])
    (plain,) = json.loads(capsys.readouterr().out)["experiments"]
    assert plain["stopped_by"] == rule.rule and means in plain["sentence"]


def test_a_trial_given_up_in_the_last_block_makes_no_unplanned_look(tmp_path: Path) -> None:
    plan = design(6, stop=StopRule("looks", None, (3,)))
    given_up = [Bad("It is spoilt."), Bad("It is spoilt.")]  # as often as the plan allows

    def looked(folder: Path) -> tuple[int, bool, float]:
        sides = load_sides([str(folder)])
        (judged,) = judge_sides(sides, view=asked(sides, None, None)[0], settings=False).judged
        look = judged.comparison.analysis.look
        assert look is not None
        return look.number, look.on_time, look.confidence

    whole = Measured(plan, bad={12: given_up}, lost=(12,), noise=200.0, end=UNDONE)
    assert looked(whole.write(tmp_path / "whole")) == (2, True, 96.0)
    broken_off = dataclasses.replace(whole, bad={12: given_up[:1]})
    assert looked(broken_off.write(tmp_path / "off")) == (1, False, 99.0), "the trial is still to be repeated"
    early = {7: [step("look", done=True, index=3, text="Still open at look 1 of 2, at 99 %.")]}
    rest = tuple(range(7, 13))
    first = Measured(plan, bad={6: given_up}, lost=(6, *rest), before=early, noise=200.0)
    assert looked(first.write(tmp_path / "first")) == (1, True, 99.0)


def test_what_a_resumed_run_writes_off_is_no_attempt_of_it_after_which_a_trial_would_be_given_up() -> None:
    """The plan allows two attempts in one run; the first one was broken off by a kill once it was saved."""
    steps = [
        step("begun", done=True),
        step("saved", trial=1, attempt=1, done=True),
        step("resumed", done=True),
        step("judged", trial=1, attempt=1, done=True, text="It was not judged."),
        step("judged", trial=1, attempt=2, done=True, text="It is spoilt."),
    ]
    assert without_value(design(), steps) == set()
    steps.append(step("judged", trial=1, attempt=3, done=True, text="It is spoilt."))
    assert without_value(design(), steps) == {1}


def test_a_look_asks_the_report_of_the_session_as_it_is_so_far(tmp_path: Path) -> None:
    plan = design(4, stop=StopRule("looks", None, (3,)))
    folder = Measured(plan, lost=(7, 8), noise=200.0).write(tmp_path / "night")
    assert look(plan, folder, 3, 1) == Look(True, "Everything is decided at look 1 of 2, at 99 %.")
    (folder / "session.toml").write_text("damaged")
    after = look(plan, folder, 3, 1)
    assert not after.decided and after.text.startswith("Nothing is decided: ")
    assert after.failed, "it may pass: a folder that is just being renamed"


def test_a_look_that_went_on_or_none_at_all_means_nothing_for_the_intervals(tmp_path: Path) -> None:
    went_on = {5: [step("look", done=True, index=2, text="Still open.")]}
    looks = StopRule("looks", None, (2,))
    found = told(Measured(design(4, stop=looks), before=went_on, end=UNDONE).write(tmp_path / "night"))
    assert found.stopped_by == "" and bearing(found) == ""
