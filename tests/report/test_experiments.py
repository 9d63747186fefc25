"""The report of an experiment's session: complete without a word by hand, and nothing in it twice."""

import argparse
import dataclasses
import json
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from planned import DIGEST, NONE, RULES, Bad, Measured, design, step

from fwdtui import __version__
from fwdtui.cli import compare_args, main
from fwdtui.cli.compare_screen import wanted
from fwdtui.cli.experiment_look import look
from fwdtui.core.experiment import (
    Action,
    DesignFactor,
    Experiment,
    Hook,
    LevelSetup,
    Plan,
    StopRule,
    Upload,
    order,
)
from fwdtui.core.experiment.order import aa_plan, is_aa
from fwdtui.core.findings import WRONG, Finding, HostFindings
from fwdtui.monitor.experiment.looks import Look
from fwdtui.report import experiment_words, export
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices
from fwdtui.report.escape import inline
from fwdtui.report.experiment_summary import ExperimentSummary, summary, without_value
from fwdtui.report.experiment_view import asked, by_design
from fwdtui.report.experiment_words import bearing
from fwdtui.report.factor_view import FactorView
from fwdtui.report.lab_floor import LabFloor
from fwdtui.report.sides import load_sides
from fwdtui.store import SessionWriter, drop, read_session
from fwdtui.store.experiment_journal import BROKEN_OFF, JOURNAL, PLAN, Step
from fwdtui.store.experiment_record import NoRecord, Record, recorded

GOLDEN = Path(__file__).parent.parent / "fixtures" / "experiment_report.md"
UNDONE = [
    step("undo", factor="rules", level=1, done=True),
    step("ended", done=True, text="all trials are done"),
]


def told(folder: Path) -> ExperimentSummary:
    session = read_session(folder)
    record = recorded(session)
    assert isinstance(record, Record), record
    return summary(session, record)


def report(folder: Path, *options: str) -> str:
    out = folder.parent / "report.md"
    out.unlink(missing_ok=True)
    assert main(["report", str(folder), "-o", str(out), "--without", "charts", *options]) == 0
    return out.read_text()


def eventful(folder: Path) -> Path:
    """Two factors; trials repeated and given up, resumed, a look, a hook, another kernel."""
    plan = design(
        4,
        two=True,
        reboot=True,
        stop=StopRule("looks", None, (2,)),
        hooks=(Hook("after", Action("root@dut", "nft list counters")),),
    )
    rules = {"factor": "rules", "level": 1}
    hook = "after: nft list counters"
    return Measured(
        plan,
        bad={
            2: [Bad("The receiver ended during the blast: it was killed.")],
            3: [Bad("rules=100 rules is not in force: 0 where 100 was expected.", dropped=True)],
            6: [Bad("root@dut does not answer.", saved=False), Bad("root@dut does not answer.", saved=False)],
            9: [Bad("fwdtui ended", saved=False, judged=False)],
        },
        lost=(6,),
        facts={"dut.kernel": "6.12"},
        before={
            1: [
                step("hook", host="root@dut", text=hook, trial=1, attempt=1),
                step("hook", host="root@dut", text=f"{hook}\n12 packets", done=True, trial=1, attempt=1),
                step("level", **rules),
                step("level", **rules, done=True, text="100 rules"),
                step("reboot", done=True, boot="a"),
                step("reboot", done=True, failed="it did not come back in 300 s"),
            ],
            9: [step("look", done=True, index=2, text="Still open at look 1 of 2, at 99 %.")],
            10: [step("resumed", done=True)],
        },
        end=[
            step("undo", **rules),
            step("undo", **rules, done=True, failed="root@dut does not answer"),
            step("ended", done=True, text="1 trial without a sound value: root@dut does not answer."),
        ],
    ).write(folder)


def test_the_report_of_an_eventful_experiment_word_by_word(tmp_path: Path) -> None:
    text = report(eventful(tmp_path / "night"), "--title", "A night")
    text = text.replace(f"fwdtui {inline(__version__)}.", "fwdtui VERSION.").rpartition("\n<!--")[0]
    assert text == GOLDEN.read_text(), f"if this is what it should be: copy it to {GOLDEN}"
    assert main(["check", str(tmp_path / "report.md"), "--data", str(tmp_path / "report.d")]) == 0


def test_its_lab_says_when_facts_and_findings_were_read(tmp_path: Path) -> None:
    """They were told to be those from before the levels, which neither has been since."""
    folder = Measured(design(two=True), end=UNDONE).write(tmp_path / "night")
    debug = Finding("kernel-debug", WRONG, "the kernel was built with WITNESS")
    with SessionWriter(folder) as writer:
        writer.keep_hygiene([HostFindings("root@dut", ("dut",), "2026-01-02T03:00:00+00:00", (debug,))])
    lab = report(folder).partition("\n## Lab\n")[2]
    assert lab.startswith(
        "\nFacts were collected when the experiment began, and again before an iteration that came after a "
        "boot, a level or a hook; listed are those that are alike everywhere. Findings of lab hygiene are "
        "those of the readings before the iterations. What levels set is in the section on the experiment.\n"
        "\n- dut.kernel: 6.1\n"
    )
    assert "- **wrong** the kernel was built with WITNESS\n" in lab


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


def test_json_page_and_steps_have_the_same_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = eventful(tmp_path / "night")
    assert main(["compare", str(folder), "--format", "json"]) == 0
    (plain,) = json.loads(capsys.readouterr().out)["experiments"]
    assert (plain["planned"], plain["done"], plain["given_up"], plain["missing"]) == (16, 15, [6], [])
    assert [one["trial"] for one in plain["repeated"]] == [2, 3, 6, 6, 9]
    assert [one["judged"] for one in plain["repeated"]] == [True, True, True, True, False]
    assert [(one["done"], one["failed"], one["repeated"]) for one in plain["cells"]] == [
        (4, 0, 0),
        (4, 0, 1),
        (3, 1, 3),
        (4, 0, 0),
    ]
    assert plain["reboots"] == {"planned": 16, "done": 1, "failed": 1, "command": "reboot"}
    assert plain["looks"][0]["block"] == 2 and plain["stop"]["looks"] == [2]
    assert plain["not_undone"] == ["rules=100 rules: root@dut does not answer"]
    assert plain["hooks"][0] | {"when": "", "run": ""} == {
        "when": "",
        "host": "root@dut",
        "run": "",
        "whole": False,
        "ran": 1,
        "failed": 0,
    }
    text = report(folder)
    assert "15 of 16 planned trials measured, 4 attempts without a sound value, 1 attempt broken off" in text
    steps = (tmp_path / "report.d" / "experiment-steps.txt").read_text()
    assert "\n    12 packets\n" in steps and "failed: it did not come back in 300 s" in steps
    assert (tmp_path / "report.d" / "experiment.toml").read_text() == '# fwdtui report\nname = "night"\n'
    assert report(folder) == text, "written again over itself"


def test_the_boot_that_leaves_the_last_level_is_planned_as_the_dry_run_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = design(2, levels=[msgspec.structs.replace(one, reboot=True) for one in (NONE, RULES)])
    boots = sum(trial.boot for trial in plan.trials)
    booted = [step("reboot", done=True, boot=f"boot {number}") for number in range(boots + 1)]
    folder = Measured(plan, end=[*booted, step("ended", done=True)]).write(tmp_path / "night")
    assert main(["compare", str(folder), "--format", "json"]) == 0
    (plain,) = json.loads(capsys.readouterr().out)["experiments"]
    assert plain["reboots"]["planned"] == plain["reboots"]["done"] == order.boots(plan) == boots + 1
    times = f"{boots + 1} reboots of the DUT, {boots + 1} planned (one to leave the last level)"
    assert times in report(folder)


def test_each_of_two_equal_hooks_is_counted_for_itself(tmp_path: Path) -> None:
    sync, slow = (Hook("before", Action("root@dut", "sync", timeout)) for timeout in (60.0, 90.0))
    steps = [
        step("hook", host="root@dut", text="before: sync\n", done=True, trial=1, attempt=1, failed=failed)
        for failed in (BROKEN_OFF, "", "status 1")  # Ctrl+C ended the first, and --resume ran it again
    ]
    folder = Measured(design(hooks=(sync, slow)), before={1: steps}, end=UNDONE).write(tmp_path / "night")
    assert [(one.ran, one.failed) for one in told(folder).hooks] == [(1, 0), (1, 1)]


def test_hooks_after_the_experiment_that_did_not_run_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stop, start, count = (Action("root@dut", run) for run in ("cron stop", "cron start", "count"))
    hooks = (Hook("before", stop, True), Hook("after", start, True), Hook("after", count, True))
    begun = step("hook", host="root@dut", text="before: cron stop\n", done=True)
    ended, resumed = step("ended", done=True, text="stopped"), step("resumed", done=True)
    after = [
        step("hook", host="root@dut", text=f"after: {one.run}\n", done=True, failed=failed)
        for one, failed in ((start, ""), (count, "status 1"))
    ]

    def left(name: str, *end: Step, first: Sequence[Step] = (begun,)) -> list[str]:
        folder = Measured(design(hooks=hooks), before={1: list(first)}, end=end).write(tmp_path / name)
        assert main(["compare", str(folder), "--format", "json"]) == 0
        (plain,) = json.loads(capsys.readouterr().out)["experiments"]
        text = report(folder)
        capsys.readouterr()
        shown = "; ".join(map(inline, plain["hooks_left"]))
        assert ("Not run at the end" in text) == bool(shown)
        assert not shown or f"- **Not run at the end**: hooks after the experiment: {shown}\n" in text
        return list(plain["hooks_left"])

    both = ["cron start on root@dut", "count on root@dut"]
    assert left("stopped", ended) == both
    assert left("one", after[0], ended) == both[1:]
    assert left("all", *after, ended) == [], "one that failed has run"
    broken = msgspec.structs.replace(after[0], failed=BROKEN_OFF)
    assert left("broken off", broken, ended) == both, "Ctrl+C ended the first one"
    assert [(one.ran, one.failed) for one in told(tmp_path / "broken off").hooks] == [(1, 0), (0, 0), (0, 0)]
    assert left("again", *after, ended, resumed, begun, ended) == both
    assert left("gone on", ended, resumed, *after, ended) == []
    assert left("none before", ended, first=()) == both, "they may be of what the trials did"
    assert left("killed") == [], "nobody knows whether it still runs"


LOAD, UNLOAD = Action("root@dut", "load 100 rules"), Action("root@dut", "unload them")
FILE = Upload("root@dut", "rules", "/tmp/rules")


@pytest.mark.parametrize(
    ("level", "more", "left"),
    [
        (LevelSetup("100 rules", apply=(LOAD,)), (), "it has no undo, so what its commands did stays"),
        (
            LevelSetup("100 rules", uploads=(Upload("root@dut", "a", "/tmp/a"),)),
            (),
            "it has no undo, so what its commands did stays",
        ),
        (
            LevelSetup("100 rules", (FILE,), apply=(LOAD,), undo=(FILE.removal,)),
            (),
            "its own commands have no undo, so what its commands did stays",
        ),
        (LevelSetup("100 rules", (FILE,), apply=(LOAD,), undo=(FILE.removal, UNLOAD)), (), ""),
        (
            LevelSetup("100 rules", apply=(LOAD,)),
            (step("reboot", host="root@dut", done=True),),
            "it has no undo; the DUT has booted since, which may have ended it",
        ),
        (
            LevelSetup("100 rules", apply=(LOAD,), undo=(LOAD,), reboot=True),
            (),
            "the DUT runs it until its next boot",
        ),
        (
            LevelSetup("100 rules", apply=(LOAD,), reboot=True),
            (step("reboot", host="root@dut"), step("reboot", host="root@dut", done=True, failed="gone")),
            "the DUT runs it until its next boot",
        ),
        (
            LevelSetup("100 rules", apply=(LOAD,), reboot=True),
            (step("reboot", host="root@dut", done=True),),
            "",
        ),
        (LevelSetup("100 rules", apply=(LOAD,), undo=(LOAD,)), (), ""),
    ],
    ids=[
        "no undo",
        "file",
        "file alone undone",
        "file and rules undone",
        "booted since",
        "no boot",
        "failed boot",
        "booted back",
        "undone",
    ],
)
def test_a_level_that_leaving_did_not_end_is_still_set(
    level: LevelSetup, more: Sequence[Step], left: str, tmp_path: Path
) -> None:
    """Whoever uses the hosts next is told, where an empty step of the journal would be taken for an undo."""
    plan = design(levels=(msgspec.structs.replace(NONE, reboot=level.reboot), level))
    rules = {"factor": "rules", "level": 1, "done": True}
    end = [step("undo", **rules), *more, step("ended", done=True, text="stopped")]
    entered = [step("level", **rules), *([step("reboot", done=True)] if level.reboot else [])]
    folder = Measured(plan, before={8: entered}, end=end).write(tmp_path / "night")
    assert told(folder).not_undone == ((f"rules=100 rules: {left}",) if left else ())
    shown = (
        f"**Still set on hosts**: rules=100 rules: {left}" if left else "All levels were undone at the end."
    )
    assert shown in report(folder).replace("\\", "")


def test_of_a_list_of_cells_the_first_ones_levels_are_the_baseline_in_the_table_as_in_the_verdict(
    tmp_path: Path,
) -> None:
    plan = design(cells=({"rules": "100 rules"}, {"rules": "none"}))
    text = report(Measured(plan).write(tmp_path / "night"))
    assert text.startswith("# night: comparing none with 100 rules: ")
    assert "| rules | none | nothing is run |" in text and "| rules | 100 rules (baseline) | " in text


def test_a_dut_that_booted_by_itself_is_not_said_to_have_had_one_boot(tmp_path: Path) -> None:
    """As after a panic: the trial is repeated, and the values come from two boots."""
    measured = told(Measured(design()).write(tmp_path / "night"))
    assert measured.reboots == 0 and measured.boots == 8
    several = "none by the experiment, but the DUT has booted: the values come from 8 boots"
    assert experiment_words.rebooted(measured) == several
    for boots in (1, None):
        one = experiment_words.rebooted(msgspec.structs.replace(measured, boots=boots))
        assert one.startswith("none: the DUT was not rebooted")


def test_a_level_without_undo_that_the_next_one_replaced_is_not_set_any_more(tmp_path: Path) -> None:
    levels = [LevelSetup(str(number), apply=(LOAD,)) for number in range(2)]
    taken = [
        step(what, factor="rules", level=number, done=True)
        for number in range(2)
        for what in ("level", "undo")
    ]
    plan = design(levels=levels)
    end = [*taken, step("ended", done=True)]
    folder = Measured(plan, end=end).write(tmp_path / "night")
    [left] = told(folder).not_undone
    assert left.startswith("rules=1: it has no undo")


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


def test_without_its_section_the_warnings_and_boots_tell_it(tmp_path: Path) -> None:
    folder = eventful(tmp_path / "night")
    text = report(folder, "--without", "experiment")
    assert "## Experiment" not in text and "`trial-repeated`" in text
    assert "Boots of the DUT that the values come from" in text
    assert not (tmp_path / "report.d" / "experiment.toml").exists()


def test_an_aa_experiment_says_that_both_are_the_same(tmp_path: Path) -> None:
    plan = msgspec.structs.replace(aa_plan(design()), digest=DIGEST)
    folder = Measured(plan, end=UNDONE).write(tmp_path / "night")
    assert is_aa(told(folder).plan)
    text = report(folder)
    assert "This is an A/A experiment" in text and "| aa" not in text.partition("## Experiment")[0]


def test_one_that_was_broken_off_says_so_and_what_is_missing(tmp_path: Path) -> None:
    plan = design(4, order="random", seed=7)
    measured = Measured(plan, lost=(7, 8), bad={7: [Bad("x", saved=False, judged=False)]})
    folder = measured.write(tmp_path / "night")
    found = told(folder)
    assert (found.ended, found.missing, found.given_up) == ("", (7, 8), ())
    assert "broken off" in report(folder) and "Not measured: trials 7 to 8." in report(folder)
    assert "in random order within each block, seed 7" in report(folder)


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
    assert found.err.startswith("fwdtui: night: nothing is said of its experiment")
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


class TestDamage:
    """A damaged or foreign file is never the end, and never silent."""

    def test_a_damaged_line_is_left_out_and_told(self, tmp_path: Path) -> None:
        folder = Measured(design(), bad={2: [Bad("It is spoilt.")]}, end=UNDONE).write(tmp_path / "night")
        data = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
        data[4] = data[4].replace(b"step", b"stop")
        (folder / JOURNAL).write_bytes(b"".join(data) + b'{"crc":"00')
        found = told(folder)
        assert found.done == 8 and len(found.problems) == 2
        text = report(folder)
        assert "line 5 cannot be read" in text and "the last line is torn" in text
        assert "`experiment-damaged`" in text

    @pytest.mark.parametrize("options", [[], ["--by", "rules"]])
    def test_ministats_format_tells_it_too(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
    ) -> None:
        folder = Measured(design(), end=UNDONE).write(tmp_path / "night")
        whole = ["compare", str(folder), "--format", "ministat", *options]
        assert main(whole) == 0
        assert capsys.readouterr().err == ""
        data = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
        (folder / JOURNAL).write_bytes(b"".join([*data[:4], data[4].replace(b"step", b"stop"), *data[5:]]))
        assert main(whole) == 0
        (told,) = capsys.readouterr().err.splitlines()
        assert told.startswith("fwdtui: night: experiment.jsonl: line 5 cannot be read")
        (folder / PLAN).unlink()
        assert main(whole) == 0
        (told,) = capsys.readouterr().err.splitlines()
        assert told.startswith("fwdtui: night: nothing is said of its experiment: "), "it is said once"

    @pytest.mark.parametrize(
        ("file", "content", "why"),
        [
            (PLAN, b"{}", "missing"),
            (PLAN, b"not JSON", "not JSON"),
            (PLAN, None, "plan.json: no such file"),
            (JOURNAL, b"\n", "checksum does not match"),
            (JOURNAL, b"\x00" * 100 + b"\n", "checksum does not match"),
        ],
    )
    def test_what_cannot_be_understood_leaves_the_comparison(
        self, tmp_path: Path, file: str, content: bytes | None, why: str
    ) -> None:
        folder = Measured(design(), end=UNDONE).write(tmp_path / "night")
        (folder / file).unlink()
        if content is not None:
            (folder / file).write_bytes(content)
        record = recorded(read_session(folder))
        assert isinstance(record, NoRecord), record
        if why != "not JSON":
            assert why in record.problem
        text = report(folder, "--by", "rules")
        assert "nothing is said of its experiment" in text and "## Experiment" not in text
        assert main(["report", str(folder), "-o", str(tmp_path / "other.md")]) == 2, (
            "what to compare is not known"
        )

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (('"cell":1', '"cell":9'), "a trial is of a cell"),
            (('"levels":{"rules":1}', '"levels":{"rules":7}'), "a level that no factor has"),
            (('"digest":"0123', '"digest":"9123'), "belongs to other iterations"),
        ],
    )
    def test_a_plan_that_does_not_fit_is_refused(
        self, tmp_path: Path, change: tuple[str, str], why: str
    ) -> None:
        folder = Measured(design(), end=UNDONE).write(tmp_path / "night")
        text = (folder / PLAN).read_text()
        assert change[0] in text
        (folder / PLAN).write_text(text.replace(*change))
        record = recorded(read_session(folder))
        assert isinstance(record, NoRecord) and why in record.problem

    @pytest.mark.parametrize("file", [JOURNAL, PLAN])
    def test_iterations_of_an_experiment_whose_files_were_not_copied_are_damage(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str
    ) -> None:
        """It was taken for a session without an experiment: what was not sound counted, without a word."""
        folder = Measured(design(), bad={2: [Bad("killed", dropped=True)]}).write(tmp_path / "night")
        (folder / "annotations.toml").unlink()
        assert read_session(folder).problems == ()
        (folder / file).unlink()
        why = f"{folder / file}: no such file, though iterations are of an experiment: what it found of them"
        (problem,) = read_session(folder).problems
        assert problem.startswith(why)
        assert main(["sessions", str(folder)]) == 0
        assert why in capsys.readouterr().err
        record = recorded(read_session(folder))
        assert isinstance(record, NoRecord)
        text = report(folder, "--by", "rules")
        assert "nothing is said of its experiment" in text and "## Experiment" not in text
        capsys.readouterr()
        assert main(["compare", str(folder), "--by", "rules"]) == 0
        told = "".join(capsys.readouterr())
        assert "experiment-damaged: night: nothing is said of its experiment" in told
        assert "damage: " not in told.replace("experiment-damage", ""), "it is said once"

    def test_a_pipe_or_a_link_in_place_of_the_journal_is_not_opened(self, tmp_path: Path) -> None:
        folder = Measured(design(), end=UNDONE).write(tmp_path / "night")
        (folder / JOURNAL).unlink()
        os.mkfifo(folder / JOURNAL)
        record = recorded(read_session(folder))
        assert isinstance(record, NoRecord) and "named pipe" in record.problem
        (folder / JOURNAL).unlink()
        (folder / JOURNAL).symlink_to("/nowhere")
        record = recorded(read_session(folder))
        assert isinstance(record, NoRecord) and "link" in record.problem

    def test_hostile_text_acts_neither_in_the_page_nor_in_its_files(self, tmp_path: Path) -> None:
        bad = "\x1b[31m| <script>alert(1)</script> ](x.d/y) `\n## Verdict: faster"
        plan = design(hooks=(Hook("after", Action(f"dut{bad}", bad)),))
        folder = Measured(plan, bad={2: [Bad(bad)]}, end=UNDONE, text=f"# {bad}\n").write(tmp_path / "night")
        text = report(folder)
        files = [one.read_text() for one in (tmp_path / "report.d").iterdir()]
        assert not any("\x1b" in one for one in (text, *files))
        assert "\n## Verdict" not in text
        outside = [part for place, part in enumerate(text.split("`")) if place % 2 == 0]
        assert not any("<script>" in part.replace("\\<", "") for part in outside)


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
