"""The report of an experiment's session: complete without a word by hand, and nothing in it twice."""

import json
import os
import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from experiment_told import UNDONE, eventful, report, told
from planned import DIGEST, NONE, RULES, Bad, Measured, design, step

from fwdtui import __version__
from fwdtui.cli import main
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import (
    Action,
    Hook,
    LevelSetup,
    Restore,
    Upload,
    order,
)
from fwdtui.core.experiment.order import aa_plan, is_aa
from fwdtui.core.findings import WRONG, Finding, HostFindings
from fwdtui.report import experiment_words
from fwdtui.report.escape import inline
from fwdtui.store import SessionWriter, read_session
from fwdtui.store.experiment_journal import BROKEN_OFF, JOURNAL, PLAN, Step, read
from fwdtui.store.experiment_record import NoRecord, recorded

GOLDEN = Path(__file__).parent.parent / "fixtures" / "experiment_report.md"


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
        "\nFacts were collected when the experiment began, and again before each iteration that followed a "
        "boot, a level or a hook. Only facts that were the same every time are listed. Lab hygiene is as "
        "read before the iterations. What the levels set is in the section on the experiment.\n"
        "\n- dut.kernel: 6.1\n"
    )
    assert "- **wrong** the kernel was built with WITNESS\n" in lab


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
    assert "15 of 16 planned trials measured, 4 attempts without a sound value, 1 attempt interrupted" in text
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
        (LevelSetup("100 rules", apply=(LOAD,)), (), "it has no undo, so what its commands changed stays"),
        (
            LevelSetup("100 rules", uploads=(Upload("root@dut", "a", "/tmp/a"),)),
            (),
            "it has no undo, so what its commands changed stays",
        ),
        (
            LevelSetup("100 rules", (FILE,), apply=(LOAD,), undo=(FILE.removal,)),
            (),
            "its own commands have no undo, so what its commands changed stays",
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


@pytest.mark.parametrize(
    ("again", "read"), [(False, False), (True, False), (True, True)], ids=["", "again", "reads what was left"]
)
def test_a_level_whose_undoing_is_in_doubt_is_not_called_undone_until_it_was_set_and_undone_again(
    again: bool, read: bool, tmp_path: Path
) -> None:
    """`read`: what is put back is read when it is set again, and so may be what it has left itself."""
    restore = (Restore("dut", "sysctl -n x", "sysctl x={value}"),) * read
    level = LevelSetup("100 rules", apply=(LOAD,), undo=(LOAD,) * (not read), restore=restore)
    anew = again and not read
    rules = {"factor": "rules", "level": 1, "done": True}
    later = [step("level", **rules), step("undo", **rules)] * again
    end = [step("undo", doubt="flush failed", **rules), *later, step("ended", done=True, text="stopped")]
    plan = design(levels=(NONE, level))
    folder = Measured(plan, before={8: [step("level", **rules)]}, end=end).write(tmp_path / "night")
    left = "rules=100 rules: it is in doubt whether it is undone: flush failed"
    assert told(folder).not_undone == (() if anew else (left,))
    shown = "All levels were undone at the end." if anew else f"**Still set on hosts, or perhaps**: {left}"
    assert shown in report(folder).replace("\\", "")


@pytest.mark.parametrize(("booted", "word"), [(False, "may run"), (True, "runs")])
def test_a_level_whose_reboot_failed_is_said_to_run_only_if_the_dut_has_booted_in_it_before(
    booted: bool, word: str, tmp_path: Path
) -> None:
    level = LevelSetup("100 rules", apply=(LOAD,), undo=(LOAD,), reboot=True)
    plan = design(levels=(msgspec.structs.replace(NONE, reboot=True), level))
    rules = {"factor": "rules", "level": 1, "done": True}
    entered = [step("level", **rules), *[step("reboot", boot="d2", done=True)] * booted]
    failed = step("reboot", boot="d2", done=True, failed="status 1")
    end = [failed, step("undo", **rules), step("ended", done=True, boot="d2" * booted)]
    folder = Measured(plan, before={8: entered}, end=end).write(tmp_path / "night")
    assert told(folder).not_undone == (f"rules=100 rules: the DUT {word} it until its next boot",)


@pytest.mark.parametrize(
    ("failed", "ended", "left"),
    [
        ("", "d2", "the DUT runs it until its next boot"),
        ("", "", "the DUT may run it until its next boot"),
        ("", "by hand", ""),
        ("it did not come back", "", "the DUT may run it until its next boot"),
        ("it did not come back", "late", ""),
    ],
    ids=["our boot", "no verify tells", "booted by hand", "not back", "back late without it"],
)
def test_what_the_dut_runs_is_said_as_the_experiment_knew_it_at_its_end(
    failed: str, ended: str, left: str, tmp_path: Path
) -> None:
    """The boot at the end is in the journal only where it is known what it runs."""
    level = LevelSetup("100 rules", apply=(LOAD,), undo=(LOAD,), reboot=True)
    plan = design(levels=(msgspec.structs.replace(NONE, reboot=True), level))
    rules = {"factor": "rules", "level": 1, "done": True}
    reboot = step("reboot", boot="d1" if failed else "d2", done=True, failed=failed)
    end = [step("undo", **rules), step("ended", done=True, boot=ended)]
    folder = Measured(plan, before={8: [step("level", **rules), reboot]}, end=end).write(tmp_path / "night")
    assert told(folder).not_undone == ((f"rules=100 rules: {left}",) if left else ())


def test_a_dut_that_booted_by_itself_is_not_said_to_have_had_one_boot(tmp_path: Path) -> None:
    """As after a panic: the trial is repeated, and the values come from two boots."""
    measured = told(Measured(design()).write(tmp_path / "night"))
    assert measured.reboots == 0 and measured.boots == 8
    several = "none by the experiment, but the DUT has booted: the values come from 8 boots"
    assert experiment_words.rebooted(measured) == several


@pytest.mark.parametrize(
    ("boots", "said"),
    [
        (("b",) * 8, "none: the DUT was not rebooted, so differences between boots are not measured"),
        (("",) * 8, "none by the experiment; whether the DUT has booted meanwhile is not known"),
        (("b",) * 7 + ("",), "none by the experiment; whether the DUT has booted meanwhile is not known"),
        (
            ("a", "a", "", *"bbbcc"),
            "none by the experiment, but the DUT has booted: the values come from at least 3 boots",
        ),
    ],
)
def test_a_dut_whose_boots_are_not_all_known_is_not_said_to_have_had_one(
    boots: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    folder = Measured(design(), boots=boots).write(tmp_path / "night")
    assert experiment_words.rebooted(told(folder)) == said


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
    assert "interrupted" in report(folder) and "Not measured: trials 7 to 8." in report(folder)
    assert "in random order within each block, seed 7" in report(folder)


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
        assert "line 5 cannot be read" in text and "the last line is incomplete" in text
        assert "`experiment-damaged`" in text
        assert "Whether all levels were undone is not known" in text and "All levels were" not in text

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
        assert told.startswith("fwdtui: night: its experiment is left out: "), "it is said once"

    @pytest.mark.parametrize(
        ("file", "content", "why"),
        [
            (PLAN, b"{}", "missing"),
            (PLAN, b"not JSON", "not JSON"),
            (PLAN, None, "plan.json: no such file"),
            (JOURNAL, b"", "is empty"),
            (JOURNAL, b"\n", "checksum does not match"),
            (JOURNAL, b"\x00" * 100 + b"\n", "checksum does not match"),
        ],
    )
    def test_what_cannot_be_understood_leaves_the_comparison(
        self,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        file: str,
        content: bytes | None,
        why: str,
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
        assert "its experiment is left out" in text and "## Experiment" not in text
        capsys.readouterr()
        for command in (["report", "-o", str(tmp_path / "other.md")], ["compare"]):
            assert main([*command, str(folder)]) == 2, "what to compare is not known"
            told = capsys.readouterr().err
            assert f"{command[0]} needs a BASE" in told and record.problem.removesuffix(".") in told

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (('"cell":1', '"cell":9'), "a trial belongs to a cell"),
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
        why = f"{folder / file}: no such file, though this session has iterations of an experiment"
        (problem,) = read_session(folder).problems
        assert problem.startswith(why)
        assert main(["sessions", str(folder)]) == 0
        assert why in capsys.readouterr().err
        record = recorded(read_session(folder))
        assert isinstance(record, NoRecord)
        text = report(folder, "--by", "rules")
        assert "its experiment is left out" in text and "## Experiment" not in text
        capsys.readouterr()
        assert main(["compare", str(folder), "--by", "rules", "--fail-if", "slower"]) == 2, "1.0 counts"
        told = "".join(capsys.readouterr())
        assert "may count that should not (attempts-unread)" in told
        assert "experiment-damaged: night: its experiment is left out" in told
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

    @pytest.mark.parametrize(
        "content", [b'"digest":"\xff","text":"\xff"', b'"x":' + b"[" * 100_000], ids=["not UTF-8", "deep"]
    )
    @pytest.mark.parametrize("file", [JOURNAL, PLAN])
    def test_a_hostile_plan_or_step_does_not_end_the_list(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, content: bytes
    ) -> None:
        folder = Measured(design(), end=UNDONE).write(tmp_path / "night")
        payload = b'{"kind":"step","number":1,"when":"","what":"begun",%s}' % content
        if file == PLAN:
            (folder / PLAN).write_bytes(b"{%s}" % content)
        else:
            with (folder / JOURNAL).open("ab") as journal:
                journal.write(b'{"crc":"%08x","d":%s}\n' % (zlib.crc32(payload), payload))
        Measured(design(), end=UNDONE).write(tmp_path / "other")
        assert main(["sessions", str(tmp_path)]) == 0
        told = capsys.readouterr()
        assert "night" in told.out and "other" in told.out
        if file == PLAN:
            why = "not UTF-8: " if b"\xff" in content else "nested more than 64 levels deep: "
            assert f"{folder / PLAN}: {why}" in told.err
            assert isinstance(recorded(read_session(folder)), NoRecord)
        else:
            assert "cannot be read" in report(folder)
            with pytest.raises(FwdtuiError, match=r"experiment\.jsonl: line [0-9]+: "):
                read(folder)

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
