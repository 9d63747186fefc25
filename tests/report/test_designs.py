"""An experiment's sessions: every form of the comparison names the design that the verdict rests on."""

import json
import math
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hand_made import recorded
from msgspec.structs import replace

from fwdtui.cli import main
from fwdtui.core.model import Iteration, Planned
from fwdtui.report import table
from fwdtui.report.bearing import codes
from fwdtui.report.bundle import Choices
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.document import Document
from fwdtui.report.factor_view import FactorView
from fwdtui.report.gates import answer
from fwdtui.report.json_format import render as as_json
from fwdtui.report.markdown import render as as_markdown
from fwdtui.report.sides import load_sides
from fwdtui.ui.compare.tab_texts import heading
from fwdtui.ui.draw.styles import Styles


def experiment(
    folder: Path,
    blocks: int = 6,
    *,
    order: str = "interleaved",
    lost: int = 0,
    looks=(),
    drift=-0.02,
    gain: float = 0.97,
) -> Path:
    """One session with two cells, which fall by 2 % from block to block; `lost`: a block without r2."""
    rng = np.random.default_rng(4)
    cases: dict[str, list[Iteration]] = {"image=r1": [], "image=r2": []}
    for trial, block in enumerate(range(1, blocks + 1)):
        for image, of_image in (("r1", 1.0), ("r2", gain)):
            if image == "r2" and block == lost:
                continue
            value = 1e6 * of_image * math.exp(drift * block + 0.001 * rng.normal())
            planned = Planned("0123456789abcdef", trial + 1, block, order=order, looks=looks)
            cases[f"image={image}"].append(
                Iteration(0, float(value), boot=f"{image}-{block}", factors={"image": image}, planned=planned)
            )
    return recorded(folder, "night", cases)


def compared(path: Path) -> Compared:
    return judge_sides(load_sides([str(path)]), view=FactorView(by=("image",)))


TEXT = "6 blocks of 1 iteration, each on a boot of its own, interleaved (ABBA); paired by block on logarithms"


def test_table_json_and_markdown_name_the_pairs(tmp_path):
    found = compared(experiment(tmp_path / "s"))
    (judged,) = found.judged
    assert judged.comparison.verdict == "slower"
    assert f"\n{TEXT}.\n" in table.render(found.judged, columns=200)
    plain = json.loads(as_json([judged.comparison]))["comparisons"][0]
    assert (plain["analysis"]["unit"], plain["analysis"]["paired"]) == ("block", True)
    assert plain["analysis"]["text"] == TEXT
    page = as_markdown(Document(found, Choices()))
    method = page[page.index("## Method") :]
    assert "6 blocks of 1 iteration, each on a boot of its own, interleaved" in method
    assert "Paired by block: the logarithm of the ratio" in method
    assert codes(judged.comparison) == ()


def test_our_own_reports_hold_against_our_own_check(tmp_path, capsys):
    """A ministat block of iterations knows neither pairs nor boots; what it says itself is still checked."""
    report = tmp_path / "report.md"
    report.write_text(as_markdown(Document(compared(experiment(tmp_path / "s", lost=2)), Choices())))
    assert "% (paired by block)." in report.read_text() and "No difference proven" in report.read_text()
    assert main(["check", str(report)]) == 0
    wrong = report.read_text().replace("no difference proven.", "difference proven, +3 % ± 1 %.")
    report.write_text(wrong)
    assert main(["check", str(report)]) == 1
    capsys.readouterr()


def test_a_block_that_lacks_a_side_is_left_out_and_named(tmp_path):
    (judged,) = compared(experiment(tmp_path / "s", lost=2)).judged
    assert judged.comparison.analysis.left_out == (2,)
    assert [one.text for one in judged.comparison.warnings if one.code == "unpaired-block"] == [
        "block 2 has values of only one of r1 and r2, so the comparison, paired by block, leaves out such "
        "blocks."
    ]


def test_medians_that_contradict_the_blocks_that_were_compared_mark_the_verdict(tmp_path):
    """Falling by 10 % a block, r2 has the lower median without the first one, and is faster in all others."""

    def found(lost: int, gain: float):
        path = experiment(tmp_path / f"{lost}{gain}", lost=lost, drift=-0.1, gain=gain)
        (judged,) = compared(path).judged
        return judged.comparison

    missing = found(1, 1.02)
    assert missing.base.median > missing.other.median
    assert (missing.verdict, codes(missing)) == ("faster", ("medians-otherwise",))
    assert codes(found(0, 1.02)) == ()
    assert codes(found(1, 0.98)) == (), "the medians agree"


def resumed(folder: Path, missing: tuple[int, ...], *, gain: float = 1.0) -> Path:
    """Ten blocks of one day; r2 of those that are `missing` is measured eight days later, by --resume.

    The generator had failed there. Meanwhile the lab has become slower by 1.5 %, and the images are alike.
    """
    rng = np.random.default_rng(3)
    cases: dict[str, list[Iteration]] = {"image=r1": [], "image=r2": []}
    began = datetime(2026, 11, 1, 8, tzinfo=UTC)

    def measured(image: str, block: int, at: datetime, attempt: int = 1, value: float | None = None) -> None:
        trial = 2 * block - (image == "r1")
        planned = Planned("0123456789abcdef", trial, block, attempt)
        failed = "" if value else "the generator failed"
        one = Iteration(0, value, complete=not failed, incomplete=failed, planned=planned)
        one = replace(one, boot=f"{trial}-{attempt}", factors={"image": image}, began=at.isoformat())
        cases[f"image={image}"].append(one)

    for block in range(1, 11):
        at = began + timedelta(minutes=20 * block)
        measured("r1", block, at, value=float(1e6 * (1 + 0.003 * rng.normal())))
        value = None if block in missing else float(1e6 * gain * (1 + 0.003 * rng.normal()))
        measured("r2", block, at + timedelta(minutes=10), value=value)
    for block in missing:
        at = began + timedelta(days=8, minutes=10 * block)
        measured("r2", block, at, 2, float(0.985e6 * gain * (1 + 0.003 * rng.normal())))
    return recorded(folder, "night", cases)


def test_what_a_resume_measured_on_another_day_marks_the_verdict_in_every_form(tmp_path):
    found = compared(resumed(tmp_path / "s", tuple(range(1, 11))))
    (judged,) = found.judged
    assert judged.comparison.verdict == "slower", "though the images are alike"
    assert codes(judged.comparison) == ("blocks-apart",)
    text = (
        "10 boots of 1 iteration, interleaved (ABBA); compared by boot, not paired, because no block was "
        "measured in one sitting"
    )
    shown = table.render(found.judged, columns=200)
    assert f"\n{text}.\n" in shown and "a warning bears on it (blocks-apart)" in shown
    plain = json.loads(as_json([judged.comparison]))["comparisons"][0]
    assert (plain["analysis"]["paired"], plain["marked_by"]) == (False, ["blocks-apart"])
    page = as_markdown(Document(found, Choices()))
    assert text in page and "close in time" not in page and "blocks-apart" in page
    assert answer(found.judged, found.sides, ("marked",), ())[0] == 1


def test_the_blocks_that_a_resume_completed_another_day_are_left_out_and_named(tmp_path):
    found = compared(resumed(tmp_path / "s", (3, 4), gain=0.97))
    (judged,) = found.judged
    analysis = judged.comparison.analysis
    assert (analysis.paired, analysis.left_out, len(analysis.base)) == (True, (3, 4), 8)
    assert codes(judged.comparison) == ("blocks-apart",)
    assert "in blocks 3 and 4 r1 and r2 were measured at different times, so the" in table.render(
        found.judged
    )
    plain = json.loads(as_json([judged.comparison]))["comparisons"][0]
    assert (plain["analysis"]["left_out"], plain["marked_by"]) == ([3, 4], ["blocks-apart"])
    page = as_markdown(Document(found, Choices()))
    assert "in blocks 3 and 4 r1 and r2 were measured at different times, so the comparison" in page
    (whole,) = compared(resumed(tmp_path / "whole", (), gain=0.97)).judged
    assert (whole.comparison.analysis.left_out, codes(whole.comparison)) == ((), ())


def test_a_sequence_marks_its_verdict(tmp_path):
    (judged,) = compared(experiment(tmp_path / "s", order="sequential", drift=0.0)).judged
    assert judged.comparison.analysis.text == "6 boots of 1 iteration, in sequence; compared by boot"
    assert "sequential" in codes(judged.comparison)


def test_the_report_tells_the_looks(tmp_path):
    found = compared(experiment(tmp_path / "s", looks=(3, 6, 9)))
    (judged,) = found.judged
    look = judged.comparison.analysis.look
    assert (look.number, look.planned, look.on_time) == (2, 3, True)
    level = judged.comparison.difference.confidence
    assert level == pytest.approx(look.confidence) and 95.0 < level < 99.0
    assert f"looked 2 of 3 times; this look used {level:.3g} %." in table.render(found.judged, columns=200)
    assert found.confidence == 95.0  # what a command asks for, and the looks share
    screen = heading(found, 120, Styles({}), legend=False).plain
    assert f"confidence ‹ 95 % ›   {level:.3g} % at this look   1 slower" in screen


def test_at_a_look_the_screens_block_has_the_level_of_the_reports(tmp_path):
    sides = load_sides([str(experiment(tmp_path / "s", looks=(3, 6, 9)))])
    found = judge_sides(sides, view=FactorView(by=("image",)), confidence=99.0)
    (judged,) = found.judged
    assert judged.comparison.difference.confidence > 99.5  # ministat has no such level, and takes its default
    case = judged.comparison.case
    for text in (found.block(case), as_markdown(Document(found, Choices()))):
        assert re.findall(r"[0-9.]+% confidence", text) == ["95.0% confidence"]


def test_without_planned_looks_the_screen_names_one_confidence(tmp_path):
    screen = heading(compared(experiment(tmp_path / "s")), 120, Styles({}), legend=False).plain
    assert "confidence ‹ 95 % ›   1 slower" in screen


def test_iterations_on_the_same_boots_are_compared_by_their_means(tmp_path):
    cases = {
        f"image={image}": [
            Iteration(0, value + at + 100 * boot, boot=f"{image}{boot}", factors={"image": image})
            for boot in range(3)
            for at in range(5)
        ]
        for image, value in (("r1", 1e6), ("r2", 1.1e6))
    }
    (judged,) = compared(recorded(tmp_path / "s", "night", cases)).judged
    assert judged.comparison.verdict == "faster"
    assert judged.comparison.analysis.text == "3 boots of 5 iterations; compared by the means of boots"


def test_a_failed_attempt_that_was_made_good_is_told_and_does_not_mark_the_verdict(tmp_path):
    rng = np.random.default_rng(5)
    cases: dict[str, list[Iteration]] = {}
    for image, gain in (("r1", 1.0), ("r2", 0.9)):
        factors, some = {"image": image}, cases.setdefault(f"image={image}", [])
        for block in range(1, 6):
            value = float(1e6 * gain * (1.0 + 0.001 * rng.normal()))
            if image == "r2" and block in (2, 4):
                failed = Planned("x", block, block)
                why = "the receiver ended during the blast"
                some.append(
                    Iteration(0, None, complete=False, incomplete=why, factors=factors, planned=failed)
                )
            if image == "r2" and block == 4:
                continue  # it was never made good
            planned = Planned("x", block, block, attempt=2 if image == "r2" and block == 2 else 1)
            some.append(Iteration(0, value, boot=f"{image}{block}", factors=factors, planned=planned))
    (judged,) = compared(recorded(tmp_path / "s", "night", cases)).judged
    told = {one.code: one.text for one in judged.comparison.warnings}
    assert told["trial-repeated"].startswith("r2: measured again: iteration 2: ")
    assert told["iteration-excluded"].startswith("r2: iteration 5: ")
    assert codes(judged.comparison) == ("iteration-excluded",)


def test_the_same_experiment_run_twice_is_not_paired_across_its_sessions(tmp_path):
    def night(name: str, created: str, gain: float) -> str:
        values = [1e6 * gain * (1 + 0.001 * block) for block in range(1, 7)]
        iterations = [
            Iteration(0, value, planned=Planned("0123456789abcdef", block, block))
            for block, value in enumerate(values, 1)
        ]
        return str(recorded(tmp_path / name, name, {"c": iterations}, created=created))

    first = night("first", "2026-01-02T03:04:05+00:00", 1.0)
    second = night("second", "2026-02-02T03:04:05+00:00", 0.97)
    copied = night("copied", "2026-01-02T03:04:05+00:00", 0.97)  # as if one session had been split
    (judged,) = judge_sides(load_sides([first, second])).judged
    assert judged.comparison.analysis.unit == "iteration"
    (judged,) = judge_sides(load_sides([first, copied])).judged
    assert judged.comparison.analysis.paired
