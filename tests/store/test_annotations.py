"""What people say of a session afterwards: kept beside what was recorded, undoable, and never lost."""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration, Session
from fwdtui.core.text import clean, clean_lines
from fwdtui.store import (
    Annotations,
    Dropped,
    SessionWriter,
    annotate,
    drop,
    lock,
    read_annotations,
    read_session,
    rename,
    restore,
    write_annotations,
)
from fwdtui.store.annotations import encode

CREATED = "2026-01-02T03:04:05+00:00"


def recorded(folder: Path, cases: tuple[str, ...] = ("inet4",), count: int = 3) -> Path:
    with SessionWriter.create(folder, label="r1", created=CREATED) as writer:
        for case in cases:
            for value in range(1, count + 1):
                writer.begin(case).commit(Iteration(0, float(value)))
    return folder


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return recorded(tmp_path / "sessions" / "base")


def dropped(session: Session) -> dict[tuple[str, int], str]:
    return {(case.name, i.index): i.dropped for case in session.cases for i in case.iterations if i.dropped}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_session_without_annotations_says_what_was_recorded(session):
    found = read_session(session)
    assert (found.label, found.note, dropped(found)) == ("r1", "", {})
    assert read_annotations(session) == Annotations()


def test_a_new_name_is_shown_and_the_empty_name_goes_back_to_the_recorded_one(session):
    rename(session, "r1 with pf")
    assert read_session(session).label == "r1 with pf"
    rename(session, "")
    assert read_session(session).label == "r1"


def test_a_note_may_have_several_lines(session):
    annotate(session, "fan broken\nuntil 14:00")
    assert read_session(session).note == "fan broken\nuntil 14:00"


def test_a_dropped_iteration_keeps_its_value_and_has_the_reason_until_it_is_restored(session):
    drop(session, "inet4", 2, "the link bounced")
    found = read_session(session)
    assert dropped(found) == {("inet4", 2): "the link bounced"}
    assert [i.value for i in found.cases[0].iterations] == [1.0, 2.0, 3.0]
    drop(session, "inet4", 2, "the fan stopped")
    assert dropped(read_session(session)) == {("inet4", 2): "the fan stopped"}
    restore(session, "inet4", 2)
    assert dropped(read_session(session)) == {}
    assert "dropped" not in (session / "annotations.toml").read_text()


def test_dropping_needs_a_reason(session):
    with pytest.raises(FwdtuiError, match="Give a reason"):
        drop(session, "inet4", 2, " \x1b ")
    assert not (session / "annotations.toml").exists()


def test_one_case_is_dropped_from_and_the_others_are_not(tmp_path):
    session = recorded(tmp_path / "s", ("inet4", "inet6"))
    drop(session, "inet6", 1, "warm-up")
    assert dropped(read_session(session)) == {("inet6", 1): "warm-up"}


def test_each_dropped_iteration_is_restored_by_itself(tmp_path):
    session = recorded(tmp_path / "s", ("inet4", "inet6"))
    for case, index in (("inet4", 1), ("inet4", 2), ("inet6", 1), ("inet6", 2)):
        drop(session, case, index, "warm-up")
    drop(session, "inet4", 2, "the fan stopped")
    restore(session, "inet6", 1)
    assert dropped(read_session(session)) == {
        ("inet4", 1): "warm-up",
        ("inet4", 2): "the fan stopped",
        ("inet6", 2): "warm-up",
    }


def test_a_case_may_be_named_by_its_folder(tmp_path):
    session = recorded(tmp_path / "s", ("IPv4, 64 bytes",))
    (folder,) = [name for name in names(session) if name.startswith("IPv4")]
    (session / "annotations.toml").write_text(
        f'[[dropped]]\ncase = "{folder}"\nindex = 2\nreason = "by hand"\n'
    )
    assert dropped(read_session(session)) == {("IPv4, 64 bytes", 2): "by hand"}
    restore(session, "IPv4, 64 bytes", 2)
    assert dropped(read_session(session)) == {}
    drop(session, "IPv4, 64 bytes", 2, "by name")
    restore(session, folder, 2)
    assert dropped(read_session(session)) == {}


def test_an_earlier_state_written_back_undoes_everything(session):
    annotate(session, "first")
    drop(session, "inet4", 1, "warm-up")
    before, data = read_annotations(session), (session / "annotations.toml").read_bytes()
    rename(session, "other")
    annotate(session, "")
    restore(session, "inet4", 1)
    drop(session, "inet4", 3, "late")
    write_annotations(session, before)
    assert read_annotations(session) == before
    assert (session / "annotations.toml").read_bytes() == data
    assert b'[[dropped]]\ncase = "inet4"\nindex = 1\nreason = "warm-up"\n' in data, "easy to edit by hand"


def test_what_was_recorded_is_never_touched(session):
    def recorded_files() -> dict[str, str]:
        return {
            str(path): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in session.rglob("*")
            if path.is_file() and path.name != "annotations.toml"
        }

    before = recorded_files()
    rename(session, "x")
    drop(session, "inet4", 1, "y")
    restore(session, "inet4", 1)
    assert recorded_files() == before
    assert names(session) == ["annotations.toml", "inet4", "session.toml"], "nothing is left lying about"


def test_a_session_is_annotated_while_it_is_being_recorded(session):
    with SessionWriter(session) as writer:
        drop(session, "inet4", 1, "warm-up")
        writer.begin("inet4").commit(Iteration(0, 4.0))
        annotate(session, "as it runs")
    found = read_session(session)
    assert (found.note, dropped(found), len(found.cases[0].iterations)) == (
        "as it runs",
        {("inet4", 1): "warm-up"},
        4,
    )


def test_what_a_killed_writer_left_is_removed_by_the_next_change(session):
    (session / ".annotations.toml.123.tmp").write_text("half")
    annotate(session, "x")
    assert names(session) == ["annotations.toml", "inet4", "session.toml"]


def test_many_at_once_lose_nothing(tmp_path):
    session = recorded(tmp_path / "s", count=12)
    threads = [threading.Thread(target=drop, args=(session, "inet4", i, f"reason {i}")) for i in range(1, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dropped(read_session(session)) == {("inet4", i): f"reason {i}" for i in range(1, 13)}


def test_hostile_text_is_cleaned_when_it_is_written_and_when_it_is_read(session):
    rename(session, "a\x1b[2Jb\u202e")
    annotate(session, "one\r\ntwo\x07")
    drop(session, "inet4", 1, "c\x9bd\nforged line")
    found = read_session(session)
    assert (found.label, found.note) == ("a[2Jb", "one\ntwo")
    assert dropped(found) == {("inet4", 1): "cdforged line"}
    (session / "annotations.toml").write_text(
        'label = "a\\u001b[2J"\nnote = "x\\u0007"\n'
        '[[dropped]]\ncase = "inet4"\nindex = 1\nreason = "\\u001b]52;c;x"\n'
    )
    found = read_session(session)
    assert (found.label, found.note, dropped(found)) == ("a[2J", "x", {("inet4", 1): "]52;c;x"})


class TestByHand:
    """People write this file too."""

    def write(self, session: Path, text: str) -> Session:
        (session / "annotations.toml").write_text(text)
        return read_session(session)

    def test_a_version_is_not_needed(self, session):
        found = self.write(session, 'label = "mine"\n')
        assert (found.label, found.problems) == ("mine", ())

    def test_a_single_table_is_as_good_as_a_list_of_them(self, session):
        found = self.write(session, '[dropped]\ncase = "inet4"\nindex = 2\nreason = "x"\n')
        assert (dropped(found), found.problems) == ({("inet4", 2): "x"}, ())
        annotate(session, "still there")
        assert dropped(read_session(session)) == {("inet4", 2): "x"}

    def test_a_time_of_tomls_own_is_understood(self, session):
        self.write(
            session,
            '[[dropped]]\ncase = "inet4"\nindex = 2\nreason = "x"\nwhen = 2026-11-20T20:00:00Z\n',
        )
        assert read_annotations(session).dropped[0].when == "2026-11-20T20:00:00+00:00"

    def test_without_a_reason_an_iteration_is_dropped_all_the_same(self, session):
        found = self.write(session, '[[dropped]]\ncase = "inet4"\nindex = 2\n')
        assert dropped(found) == {("inet4", 2): "no reason given"}

    def test_keys_that_are_not_known_stay_in_the_file(self, session):
        self.write(
            session,
            'ticket = 17\n[[dropped]]\ncase = "inet4"\nindex = 2\nreason = "x"\nby = "olivier"\n'
            "[mine]\na = 1\n",
        )
        annotate(session, "new")
        text = (session / "annotations.toml").read_text()
        assert "ticket = 17" in text and 'by = "olivier"' in text and "[mine]" in text

    def test_lists_and_tables_in_an_entry_stay_in_it(self, session):
        long = "x" * 200  # a list of these is written as tables
        self.write(
            session,
            '[[dropped]]\ncase = "inet4"\nindex = 2\nreason = "x"\ntags = ["link", "nic"]\nnone = []\n'
            'seen = [{ at = 1 }]\n[dropped.by]\nname = "olivier"\n[dropped.by.of]\n'
            f'[[dropped.logs]]\ntext = "{long}"\n'
            '[[dropped]]\ncase = "inet4"\nindex = 3\nreason = "y"\n',
        )
        before = tomllib.loads((session / "annotations.toml").read_text())["dropped"]
        drop(session, "inet4", 1, "z")
        after = tomllib.loads((session / "annotations.toml").read_text())["dropped"]
        assert [one | {"when": ""} for one in after[:2]] == [one | {"when": ""} for one in before]
        assert after[2]["reason"] == "z"

    @pytest.mark.parametrize(
        ("entry", "told"),
        [
            ('case = "inet4"\nindex = "2"', "dropped 1: index: expected the number of an iteration, got '2'"),
            ("index = 2", "dropped 1: case: expected the name of a case, got nothing"),
            ('case = "inet4"\nindex = true', "index: expected the number of an iteration, got True"),
        ],
    )
    def test_an_entry_that_cannot_be_read_is_told_and_the_others_are_used(self, session, entry, told):
        found = self.write(
            session, f'[[dropped]]\n{entry}\n[[dropped]]\ncase = "inet4"\nindex = 3\nreason = "ok"\n'
        )
        assert dropped(found) == {("inet4", 3): "ok"}
        (problem,) = found.problems
        assert str(session / "annotations.toml") in problem and told in problem

    @pytest.mark.parametrize("key", ["droped", "Dropped", "drop", "dropped_"])
    def test_what_is_almost_the_key_of_dropped_iterations_leaves_it_open_what_counts(self, session, key):
        path = session / "annotations.toml"
        path.write_text(f'[[{key}]]\ncase = "inet4"\nindex = 1\nreason = "odd"\n')
        read = read_session(session)
        assert read.problems == (f"{path}: {key}: no such key; did you mean dropped? It is not used",)
        assert (read.whole, dropped(read)) == (False, {})
        with pytest.raises(FwdtuiError, match="fix the file"):
            annotate(session, "mine")

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ('[factor]\naf = "inet4"\n', "factor: no such key; did you mean factors?"),
            ('[case.inet4.factors]\naf = "inet4"\n', "case: no such key; did you mean cases?"),
            (
                '[cases.inet4.factor]\naf = "inet4"\n',
                "cases.inet4.factor: no such key; did you mean factors?",
            ),
            ('lable = "other"\n', "lable: no such key; did you mean label?"),
        ],
    )
    def test_what_is_almost_another_key_is_told(self, session, text, told):
        path = session / "annotations.toml"
        path.write_text(text)
        read = read_session(session)
        assert read.problems == (f"{path}: {told} It is not used",)
        assert (read.whole, read.factors, read.cases[0].factors) == (True, {}, {})

    @pytest.mark.parametrize("text", ["label = ", "dropped = 3\n", "label = 3\n", "[[dropped]]\nindex = 2\n"])
    def test_a_file_that_was_not_read_whole_is_not_written_over(self, session, text):
        self.write(session, text)
        with pytest.raises(FwdtuiError, match=r"annotations\.toml: .*fix the file|annotations\.toml: "):
            annotate(session, "x")
        assert (session / "annotations.toml").read_text() == text

    def test_damage_is_told_with_its_place_and_the_session_is_not_lost(self, session):
        found = self.write(session, 'label = "x"\nnote = \n')
        assert (found.label, len(found.cases[0].iterations)) == ("r1", 3)
        (problem,) = found.problems
        assert "annotations.toml" in problem and "line 2" in problem and "are not used" in problem

    def test_what_is_not_text_is_told(self, session):
        (session / "annotations.toml").write_bytes(b"label = '\xff'")
        assert "not UTF-8 at byte 9" in read_session(session).problems[0]

    def test_a_newer_version_is_refused_and_left_alone(self, session):
        found = self.write(session, 'schema = 2\nlabel = "x"\n')
        assert found.label == "r1" and "schema 2 is newer" in found.problems[0]
        with pytest.raises(FwdtuiError, match="schema 2 is newer"):
            rename(session, "y")
        assert (session / "annotations.toml").read_text() == 'schema = 2\nlabel = "x"\n'


def test_an_entry_on_an_iteration_that_is_not_there_is_kept_and_mentioned(session):
    drop(session, "inet4", 9, "gone")
    found = read_session(session)
    assert dropped(found) == {}
    assert found.problems == (
        f"{session}/annotations.toml: inet4 iteration 9 is dropped, but there is no such iteration",
    )
    annotate(session, "x")
    assert [one.index for one in read_annotations(session).dropped] == [9]


def test_what_is_no_session_is_not_annotated(tmp_path):
    with pytest.raises(FwdtuiError, match="not a session folder"):
        annotate(tmp_path, "x")
    assert names(tmp_path) == []


def test_a_folder_that_cannot_be_written_is_an_error_of_one_line(session):
    (session / ".annotations.lock").mkdir()  # stops root too, whom no permission does
    with pytest.raises(FwdtuiError, match=r"annotations\.toml: Is a directory"):
        annotate(session, "x")


def test_a_full_disk_leaves_the_old_annotations(session, monkeypatch):
    annotate(session, "old")

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(FwdtuiError, match="No space left"):
        annotate(session, "new")
    monkeypatch.undo()
    assert read_session(session).note == "old"
    assert names(session) == ["annotations.toml", "inet4", "session.toml"]


# a session folder holds one of these at any moment, whatever is killed when
_KILLED = """
    import os, signal, sys
    from pathlib import Path
    from fwdtui.store import annotate, atomic
    real, count, stop = {}, 0, int(sys.argv[2])
    def counted(name):
        def call(*arguments, **options):
            global count
            count += 1
            if count == stop:
                if name == "write":
                    real[name](arguments[0], bytes(arguments[1])[:7])
                os.kill(os.getpid(), signal.SIGKILL)
            return real[name](*arguments, **options)
        return call
    for name in ("open", "write", "fsync", "close"):
        real[name] = getattr(os, name)
        setattr(os, name, counted(name))
    real["replace"] = os.replace
    Path.replace = lambda self, target: counted("replace")(self, target)
    annotate(Path(sys.argv[1]), "new " * 50)
"""


def test_a_writer_killed_at_any_system_call_leaves_the_old_annotations_or_the_new(session):
    annotate(session, "old")
    drop(session, "inet4", 2, "kept")
    old = read_annotations(session)
    outcomes = []
    for stop in range(1, 40):
        write_annotations(session, old)
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(_KILLED), str(session), str(stop)],
            capture_output=True,
            timeout=60,
        )
        found = read_session(session)
        assert found.problems == () and dropped(found) == {("inet4", 2): "kept"}
        assert found.note in ("old", ("new " * 50).strip()), f"killed at call {stop}"
        outcomes.append(found.note == "old")
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert done.returncode == 0, "it was killed at each of its calls"
    assert outcomes[0] and not outcomes[-1] and sum(outcomes) >= 5
    annotate(session, "again")  # the locks died with their holders, and so did what they left behind
    assert names(session) == ["annotations.toml", "inet4", "session.toml"]


texts = st.text(max_size=40) | st.text(st.sampled_from("\"'\\\n\r\t #=[]🙂\x00\ud800"), max_size=12)
states = st.builds(
    Annotations,
    label=texts,
    note=texts,
    dropped=st.lists(st.builds(Dropped, texts, st.integers(-(2**62), 2**62), texts, texts), max_size=4).map(
        tuple
    ),
)


@settings(max_examples=150, deadline=None)
@given(states)
@example(Annotations(note='"""\\'))
def test_anything_that_is_said_is_read_back_as_it_was_said_and_then_stays_as_it_is(said):
    with tempfile.TemporaryDirectory() as root:
        session = recorded(Path(root) / "s", count=1)
        written = write_annotations(session, said)
        assert read_annotations(session) == written
        assert write_annotations(session, written) == written

        def whole(text: str) -> str:
            return text.encode("utf-8", "backslashreplace").decode()

        assert written.label == clean(whole(said.label)).strip()
        assert written.note == clean_lines(whole(said.note)).strip()
        assert {(one.case, one.index) for one in written.dropped} == {
            (clean(whole(one.case)), one.index) for one in said.dropped
        }
        assert read_session(session).label == (written.label or "r1")


def test_another_program_has_five_seconds_to_finish_its_change(session, monkeypatch):
    waited = []
    monkeypatch.setattr(lock, "take", lambda path, patience: waited.append((path.name, patience)))
    with pytest.raises(FwdtuiError) as refused:
        annotate(session, "x")
    assert str(refused.value) == f"{session}: another fwdtui is changing its annotations; try again"
    assert waited == [(".annotations.lock", 5.0)]


def test_of_several_mistakes_the_first_is_named_before_a_change(session):
    (session / "annotations.toml").write_text("label = 1\nnote = 2\n")
    with pytest.raises(FwdtuiError) as refused:
        annotate(session, "x")
    told = f"{session}/annotations.toml: label: expected a string, got 1; it is not used"
    assert str(refused.value) == f"{told}; fix the file or remove it, then try again"
    assert read_annotations(session).problems[1].startswith(f"{session}/annotations.toml: note: expected")


def test_a_note_of_several_lines_is_written_as_such(session):
    annotate(session, "fan broken\nuntil 14:00")
    assert 'note = """\nfan broken\nuntil 14:00"""\n' in (session / "annotations.toml").read_text()


@pytest.mark.parametrize("more", [0, 1])
def test_annotations_of_a_mebibyte_can_be_read_back_and_one_more_byte_cannot(session, more):
    around = len(encode(Annotations(note="x"))) - 1
    note = "x" * ((1 << 20) - around + more)
    if more:
        with pytest.raises(FwdtuiError, match="not written: it would be larger than 1 MiB"):
            annotate(session, note)
    else:
        annotate(session, note)
        assert read_annotations(session).note == note


def test_a_long_value_that_is_not_used_is_shown_in_part(session):
    (session / "annotations.toml").write_text(f"label = [{', '.join(['1'] * 100)}]\n")
    (problem,) = read_annotations(session).problems
    shown = ("[" + "1, " * 99)[:80]
    assert problem == f"{session}/annotations.toml: label: expected a string, got {shown}; it is not used"


def test_what_is_no_file_is_told_by_its_kind(session):
    (session / "annotations.toml").symlink_to("session.toml")
    (problem,) = read_annotations(session).problems
    assert problem == (
        f"{session}/annotations.toml: a link, not a regular file: "
        "its label, note, factors and dropped iterations are not used"
    )
