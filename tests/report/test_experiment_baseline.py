"""What an experiment is compared by: its design's factor, and the baseline that the filters leave."""

import argparse
import json
import re
import shlex
from pathlib import Path

import pytest
from experiment_told import UNDONE, eventful, report
from planned import NONE, RULES, Measured, design

from fwdtui.cli import compare_args, main
from fwdtui.cli.compare_screen import wanted
from fwdtui.core.experiment import LevelSetup
from fwdtui.report import export
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices
from fwdtui.report.experiment_view import asked, by_design
from fwdtui.report.factor_view import FactorView
from fwdtui.report.sides import load_sides


def test_it_is_compared_by_its_first_factor_with_its_first_level_and_its_own_margin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Measured(design(two=True, margin=2.5), end=UNDONE).write(tmp_path / "night")
    assert main(["compare", str(folder), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["case"] for one in document["comparisons"]] == ["deferred", "direct"]
    for one in document["comparisons"]:
        assert (one["base"]["label"], one["other"]["label"]) == ("none", "100 rules")
        assert (one["margin_percent"], one["analysis"]["paired"]) == (2.5, True)
    assert [one["factor"] for one in document["interactions"]] == ["dispatch"]

    assert main(["compare", str(folder), "--by", "dispatch", "--margin", "1%", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {one["base"]["label"] for one in document["comparisons"]} == {"direct"}, "the design's first level"
    assert {one["margin_percent"] for one in document["comparisons"]} == {1.0}

    assert main(["compare", str(folder), "--fail-if", "slower"]) == 1
    assert "Experiment night: 16 of 16 planned trials measured; interleaved" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "base"),
    [
        ([], "none"),
        (["--baseline", "rules=100 rules"], "100 rules"),
        (["--order", "100 rules,none"], "100 rules"),
        (["--filter", "rules=100 rules", "--filter", "rules=none"], "none"),
    ],
)
def test_ministats_format_has_the_baseline_of_all_others(
    options: list[str], base: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(Measured(design(), end=UNDONE).write(tmp_path / "night"))
    worse = base == "none"  # than which the rules are slower
    for word, status in (("slower", int(worse)), ("faster", int(not worse))):
        for format in ("table", "ministat"):
            arguments = ["compare", folder, "--by", "rules", "--format", format, "--fail-if", word, *options]
            assert main(arguments) == status, format
    capsys.readouterr()
    assert main(["compare", folder, "--by", "rules", "--format", "ministat", *options]) == 0
    assert capsys.readouterr().out.startswith(f"x {base}: ")


@pytest.mark.parametrize(
    ("options", "marked"),
    [
        ([], ["none", "direct"]),
        (["--by", "rules", "--baseline", "rules=100 rules"], ["100 rules", "direct"]),
        (["--by", "rules", "--order", "100 rules,none"], ["100 rules", "direct"]),
        (["--by", "dispatch", "--baseline", "dispatch=deferred"], ["none", "deferred"]),
        (["--by", "rules,dispatch", "--baseline", "rules=100 rules", "--baseline", "dispatch=deferred"],
         ["100 rules", "deferred"]),
        (["--by", "dispatch", "--filter", "rules=none"], ["none", "direct"]),
        (["--by", "dispatch", "--filter", "rules=100 rules"], ["direct"]),
    ],
)  # fmt: skip
def test_the_table_of_levels_has_the_baseline_of_the_verdicts(
    options: list[str], marked: list[str], tmp_path: Path
) -> None:
    text = report(Measured(design(two=True), end=UNDONE).write(tmp_path / "night"), *options)
    assert re.findall(r"^\| \w+ \| ([^|]*) \(baseline\) \|", text, re.MULTILINE) == marked


def test_the_app_compares_it_by_the_same_factor_and_with_the_same_margin(tmp_path: Path) -> None:
    folder = str(Measured(design(two=True, margin=2.5), end=UNDONE).write(tmp_path / "night"))

    def in_app(*options: str) -> tuple[tuple[str, ...], float]:
        parser = argparse.ArgumentParser()
        compare_args.add_arguments(parser)
        args = parser.parse_args([folder, "--tui", *options])
        compare_args.check(args)
        _, view, margin = wanted(args)
        return view.by, margin

    assert in_app() == (("rules",), 2.5)
    assert in_app("--margin", "1%", "--by", "dispatch") == (("dispatch",), 1.0)


def test_of_a_list_of_cells_the_first_ones_levels_are_the_baseline_in_the_table_as_in_the_verdict(
    tmp_path: Path,
) -> None:
    plan = design(cells=({"rules": "100 rules"}, {"rules": "none"}))
    text = report(Measured(plan).write(tmp_path / "night"))
    assert text.startswith("# night: comparing none with 100 rules: ")
    assert "| rules | none | nothing is run |" in text and "| rules | 100 rules (baseline) | " in text


def test_the_command_that_the_app_shows_writes_the_same_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = eventful(tmp_path / "night")
    sides = load_sides([str(folder)])
    view, margin = asked(sides, None, None)
    compared = judge_sides(sides, margin=margin, view=view)
    words = shlex.split(export.command(Path("report.md"), compared, Choices(without=frozenset({"charts"}))))
    assert words[:3] == ["fwdtui", "report", "night"] and "rules=none" in words
    assert main(words[1:]) == 0
    shown = (tmp_path / "report.md").read_text()
    assert report(folder) == shown


def test_the_command_names_the_baseline_that_is_shown_where_the_design_has_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the report would compare the other way round: what is shown as slower would be faster."""
    monkeypatch.chdir(tmp_path)
    sides = load_sides([str(Measured(design(two=True), end=UNDONE).write(tmp_path / "night"))])
    shown = judge_sides(sides, view=FactorView(by=("dispatch",)))
    assert shown.labels == ("deferred", "direct")
    words = shlex.split(export.command(Path("report.md"), shown, Choices(without=frozenset({"charts"}))))
    assert "dispatch=deferred" in words
    assert main(words[1:]) == 0
    assert "comparing direct with deferred" in (tmp_path / "report.md").read_text()


def test_the_baseline_is_the_first_level_of_the_design_that_the_filters_leave(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In natural order it would be 100 rules."""
    plan = design(levels=(NONE, LevelSetup("zone"), RULES))
    folder = Measured(plan, end=UNDONE).write(tmp_path / "night")
    left = ("--filter", "rules=zone", "--filter", "rules=100 rules")
    assert main(["compare", str(folder), "--by", "rules", *left, "--format", "json"]) == 0
    (compared,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert compared["factors"]["base"] == {"rules": "zone"}


@pytest.mark.parametrize(
    ("cells", "only", "base"),
    [
        ([("none", "direct"), ("zone", "deferred"), ("100 rules", "deferred")], "dispatch=deferred", "zone"),
        ([("zone", "direct"), ("none", "deferred"), ("zone", "deferred")], "dispatch=deferred", "none"),
        ([("zone", "direct"), ("none", "deferred")], "case=rules=none dispatch=deferred", "none"),
        ([("zone", "direct"), ("none", "deferred")], "dispatch=hybrid", "zone"),
        ([("zone", "direct"), ("none", "deferred")], "queues=4", "zone"),
    ],
    ids=["the first is left out", "the second is left first", "by its case", "none is left", "of no cell"],
)
def test_a_filter_of_another_factor_leaves_the_baseline_of_the_first_cell_that_is_left(
    cells: list[tuple[str, str]], only: str, base: str
) -> None:
    listed = tuple({"rules": rules, "dispatch": dispatch} for rules, dispatch in cells)
    plan = design(levels=(NONE, LevelSetup("zone"), RULES), two=True, cells=listed)
    name, _, value = only.partition("=")
    assert by_design(plan, FactorView(("rules",), filters=((name, value),))).baseline == (("rules", base),)


def test_a_list_that_varies_one_factor_at_a_time_is_compared_by_all_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline = {"rules": "none", "dispatch": "direct"}
    listed = (baseline, {**baseline, "rules": "100 rules"}, {**baseline, "dispatch": "deferred"})
    folder = Measured(design(4, two=True, cells=listed), end=UNDONE).write(tmp_path / "night")
    assert main(["compare", str(folder), "--format", "json"]) == 0
    compared = json.loads(capsys.readouterr().out)["comparisons"]
    rows = [(one["factors"]["base"], one["factors"]["other"], one["verdict"]) for one in compared]
    assert rows == [(baseline, listed[1], "slower"), (baseline, listed[2], "equivalent")]
    assert all(one["analysis"]["paired"] for one in compared)
    text = report(folder)
    assert "deferred" in text and "other factors:" not in text, "there is nothing left to compare"
