"""The lab's floor, measured by an A/A experiment, in the reports of others."""

import dataclasses
from pathlib import Path

import msgspec
from experiment_told import UNDONE, report
from planned import DIGEST, Measured, design

from fwdtui.core.experiment import DesignFactor, Experiment, LevelSetup, Plan, order
from fwdtui.core.experiment.order import aa_plan
from fwdtui.report import experiment_words
from fwdtui.report.comparison import judge_sides
from fwdtui.report.experiment_view import asked
from fwdtui.report.lab_floor import LabFloor
from fwdtui.report.sides import load_sides
from fwdtui.store.experiment_journal import JOURNAL, PLAN


def aa_session(folder: Path, of: Plan, created: str, lab: dict[str, object]) -> Path:
    return Measured(aa_plan(of), end=UNDONE, created=created, lab=lab, noise=100.0).write(folder)


LAB = {"name": "bench", "dut": {"host": "dut"}}


def test_the_report_quotes_the_floor_of_the_same_lab_and_when_it_was_measured(tmp_path: Path) -> None:
    plan = design(4)
    folder = Measured(plan, end=UNDONE, lab=LAB).write(tmp_path / "night")
    assert "floor" not in report(folder)
    aa_session(tmp_path / "aa-old", plan, "2026-01-01T00:00:00+00:00", LAB)
    aa_session(tmp_path / "aa-lab", plan, "2026-01-03T00:00:00+00:00", {**LAB, "dut": {"host": "another"}})
    other = msgspec.structs.replace(plan, digest="f" * 64)
    aa_session(tmp_path / "aa-other", other, "2026-01-04T00:00:00+00:00", {**LAB, "name": "renamed"})
    found = told_with_floor(folder)
    assert (found.session, found.same, found.paired, found.unit) == ("aa-old", True, True, "blocks")
    text = " ".join(report(folder).split())
    assert "The lab's floor: with 4 blocks, compared in pairs, an effect of " in text
    assert "A/A of rules=none, measured 2026-01-01T00:00:00+00:00 (session aa-old)" in text
    (tmp_path / "aa-old" / PLAN).write_bytes(b"{")
    assert told_with_floor(folder).session == "aa-other", "what is damaged is passed over"
    assert "in another experiment" in report(folder)
    journal = tmp_path / "aa-other" / JOURNAL
    journal.write_bytes(journal.read_bytes().replace(b'"judged"', b'"jugded"'))
    assert "floor" not in report(folder), "no attempt is known to have been sound"


def test_what_an_aa_experiment_forwarded_whole_is_no_floor_that_a_report_quotes(tmp_path: Path) -> None:
    plan = design(4)
    folder = Measured(plan, end=UNDONE, lab=LAB).write(tmp_path / "night")
    aa = Measured(aa_plan(plan), end=UNDONE, lab=LAB, noise=100.0, sent=True)
    aa.write(tmp_path / "aa")
    assert "floor" not in report(folder)
    dataclasses.replace(aa, sent=False).write(tmp_path / "aa-overload")
    assert told_with_floor(folder).session == "aa-overload"


def test_a_floor_whose_interval_just_leaves_out_zero_is_not_shown_from_zero() -> None:
    known = LabFloor("s", "2026-01-01T00:00:00+00:00", "c", True, 4, "blocks", True, 0.2, 0.02, 0.4, 0.6, "x")
    assert "; its own interval leaves out 0 (+0.02 to +0.40 %)" in experiment_words.floor(known, design(4))


def test_a_floor_on_more_boots_than_the_experiment_has_says_so() -> None:
    known = LabFloor("s", "2026-01-01T00:00:00+00:00", "c", True, 6, "blocks", True, 0.2, -0.1, 0.5, 0.6, "x")
    boots = DesignFactor("kernel", (LevelSetup("a", reboot=True), LevelSetup("b", reboot=True)))
    shared = order.plan(Experiment("night", "lab.toml", (boots,), blocks=6), DIGEST)
    less = ", each block on boots of its own: with fewer boots less can be proved"
    assert experiment_words.floor(known, shared).endswith(less)
    for other in (order.plan(Experiment("night", "lab.toml", (boots,), blocks=6, reboot=True)), design(4)):
        assert less not in experiment_words.floor(known, other)


def told_with_floor(folder: Path) -> LabFloor:
    sides = load_sides([str(folder)])
    (found,) = judge_sides(sides, view=asked(sides, None, None)[0]).experiments
    assert found.floor is not None
    return found.floor
