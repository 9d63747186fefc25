"""The journal of an experiment: on disk step by step, readable after a crash at any byte."""

import datetime
import json
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Cell, DesignFactor, Experiment, LevelSetup, Plan, Trial
from fwdtui.store.experiment_journal import JOURNAL, PLAN, TEXT, Journal, Step, is_experiment, read
from fwdtui.store.names import case_folder

FACTOR = DesignFactor("rules", (LevelSetup(0), LevelSetup("24 B"), LevelSetup(1.5)))
CELLS = (Cell(0, "rules=0", {"rules": 0}, {"rules": 0}),)
BEGUN = Plan(Experiment("e", "lab.toml", (FACTOR,)), "d" * 64, CELLS, (Trial(1, 1, 0, 1, False),))


def step(what: str, **more: object) -> Step:
    return Step(0, "", what, **more)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A journal of three steps."""
    journal = Journal.begin(tmp_path, BEGUN, "name = 'e'\n")
    journal.write(step("begun", done=True))
    journal.write(step("level", factor="rules", level=1, old=("a\nb", "")))
    journal.write(step("judged", done=True, trial=1, attempt=2, sound=True))
    journal.close()
    return tmp_path


def test_what_was_written_is_read_with_the_plan_and_the_file(folder: Path) -> None:
    plan, steps = read(folder)
    assert plan == BEGUN and (folder / TEXT).read_text() == "name = 'e'\n"
    assert [(one.number, one.what) for one in steps] == [(1, "begun"), (2, "level"), (3, "judged")]
    assert steps[1].old == ("a\nb", "") and not steps[1].done and steps[2].sound
    assert all("T" in one.when and one.when.endswith("+00:00") for one in steps)
    assert is_experiment(folder)


def test_each_step_is_in_the_file_before_the_next_thing_happens(tmp_path: Path) -> None:
    journal = Journal.begin(tmp_path, BEGUN, "")
    seen = []
    journal.written = lambda one: seen.append(read(tmp_path)[1][-1] == one)
    for what in ("begun", "tools", "stopped"):
        journal.write(step(what))
    journal.close()
    assert seen == [True, True, True]


def test_torn_at_any_byte_the_whole_steps_are_read_and_it_goes_on_after_them(folder: Path) -> None:
    whole = (folder / JOURNAL).read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == 10]
    for size in range(len(whole)):
        (folder / JOURNAL).write_bytes(whole[:size])
        steps = max(sum(end <= size for end in ends) - 1, 0)  # the first line is the header
        assert len(read(folder)[1]) == steps
        journal = Journal.go_on(folder, BEGUN)
        journal.write(step("resumed"))
        journal.close()
        found = read(folder)[1]
        assert [one.what for one in found] == [*["begun", "level", "judged"][:steps], "resumed"]
        assert found[-1].number == steps + 1


def test_a_damaged_step_in_the_middle_is_refused_with_its_line(folder: Path) -> None:
    lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"rules"', b'"rulez"')
    (folder / JOURNAL).write_bytes(b"".join(lines))
    with pytest.raises(FwdtuiError, match=r"experiment.jsonl: line 3: checksum does not match"):
        read(folder)


@pytest.mark.parametrize(
    "odd", [{"factor": "rulez", "level": 0}, {"factor": "rules", "level": 3}, {"trial": 2}, {"attempt": -1}]
)
def test_a_step_that_the_plan_cannot_have_is_refused_with_its_line(
    folder: Path, odd: dict[str, object]
) -> None:
    """Its checksum is right: somebody else wrote it."""
    journal = Journal.go_on(folder, BEGUN)
    journal.write(step("level", **odd))
    journal.close()
    with pytest.raises(FwdtuiError, match=r"line 5: names a trial or a level that the plan does"):
        read(folder)


def test_a_newer_schema_is_refused(folder: Path) -> None:
    import zlib

    payload = b'{"kind":"header","schema":9}'
    line = b'{"crc":"%08x","d":%s}\n' % (zlib.crc32(payload), payload)
    (folder / JOURNAL).write_bytes(line)
    with pytest.raises(FwdtuiError, match="schema 9 is newer"):
        read(folder)


def test_another_plan_does_not_go_on_with_it(folder: Path) -> None:
    other = Plan(BEGUN.experiment, "e" * 64, BEGUN.cells, BEGUN.trials)
    with pytest.raises(FwdtuiError, match="was begun with another"):
        Journal.go_on(folder, other)
    with pytest.raises(FwdtuiError, match="has an experiment already"):
        Journal.begin(folder, other, "")


def test_a_plan_that_cannot_be_read_is_named(folder: Path) -> None:
    plan = json.loads((folder / PLAN).read_text())
    plan["trials"][0]["cell"] = "first"
    (folder / PLAN).write_text(json.dumps(plan))
    with pytest.raises(FwdtuiError, match=r"plan.json: .*trials"):
        read(folder)
    (folder / PLAN).unlink()
    with pytest.raises(FwdtuiError, match=r"plan\.json: no such file"):
        read(folder)


def test_what_a_killed_run_left_before_its_journal_does_not_stop_the_next(tmp_path: Path) -> None:
    (tmp_path / PLAN).write_text("half")
    (tmp_path / TEXT).write_text("old")
    Journal.begin(tmp_path, BEGUN, "new").close()
    assert read(tmp_path) == (BEGUN, ()) and (tmp_path / TEXT).read_text() == "new"


@pytest.mark.parametrize("name", [JOURNAL, PLAN, TEXT])
def test_no_case_has_the_name_of_one_of_its_files(name: str) -> None:
    assert case_folder(name) != name


def test_a_clock_of_ours_that_is_set_back_does_not_turn_the_order_of_steps_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Set(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "Set":
            return cls(2001, 1, 1, tzinfo=tz)

    journal = Journal.begin(tmp_path, BEGUN, "")
    first = journal.write(step("begun"))
    monkeypatch.setattr("fwdtui.store.experiment_journal.datetime.datetime", Set)
    second = journal.write(step("tools"))
    journal.close()
    assert second.when >= first.when and not second.when.startswith("2001")


def test_a_journal_that_was_deleted_takes_no_more_steps(tmp_path: Path) -> None:
    journal = Journal.begin(tmp_path, BEGUN, "")
    journal.write(step("begun"))
    (tmp_path / JOURNAL).unlink()
    with pytest.raises(OSError, match="it was deleted, with what was measured so far"):
        journal.write(step("tools"))
    assert [one.what for one in journal.steps] == ["begun"]
    journal.close()


def test_a_journal_says_when_its_texts_had_better_be_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fwdtui.store.experiment_journal._WORDY", 10_000)
    journal = Journal.begin(tmp_path, BEGUN, "")
    long = []
    for _ in range(4):
        long.append(journal.is_long)
        journal.write(step("hook", done=True, text="packets " * 500))
    journal.close()
    assert long == [False, False, False, True]


def test_a_journal_is_never_written_to_a_size_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room left for what says that everything was undone."""
    for name, size in (("MOST", 20_000), ("_LAST", 2_000)):
        monkeypatch.setattr(f"fwdtui.store.experiment_journal.{name}", size)
    journal = Journal.begin(tmp_path, BEGUN, "")
    with pytest.raises(OSError, match=r"it has .* steps, and a journal of more than .* cannot be read back"):
        for _ in range(100):
            journal.write(step("judged", done=True, text="x" * 500))
    count = len(journal.steps)
    for what in ("stopped", "undo", "ended"):
        journal.write(step(what, done=True))
    journal.close()
    assert [one.what for one in read(tmp_path)[1][count:]] == ["stopped", "undo", "ended"]
    assert 17_000 < (tmp_path / JOURNAL).stat().st_size < 20_000
