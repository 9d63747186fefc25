"""Damage is told with its place; nothing is rewritten; what was recorded survives a crash and a full disk."""

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration, RateSample, Summary
from fwdtui.store import Damaged, SessionWriter, drop, list_sessions, read_samples, read_session, records


def sample(t: float) -> RateSample:
    return RateSample("receiver", t, 1.0, 1000.0 + t)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions" / "base"
    with SessionWriter.create(folder, label="base", created="2026-01-02T03:04:05+00:00") as writer:
        for value in (1000.0, 1001.0):
            writing = writer.begin("forwarding.inet4")
            writing.append(*(sample(t) for t in range(5)))
            writing.attach("receiver.log", b"raw")
            summary = Summary(value, value, value, value, 5)
            writing.commit(Iteration(0, value, source="receiver.log", metrics={"received": summary}))
    return folder


def digest(folder: Path) -> dict[str, str]:
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def test_a_torn_tail_at_every_byte_loses_at_most_one_record_and_says_so(session):
    folder = session / "forwarding.inet4" / "001"
    path = folder / records.NAME
    whole = path.read_bytes()
    starts = [0]
    for number, byte in enumerate(whole):
        if byte == 0x0A:
            starts.append(number + 1)
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        log = read_samples(folder)
        lines = sum(start <= size for start in starts[1:])
        assert len(log.samples) == max(lines - 1, 0)  # the header is a line too
        assert bool(log.problems) == (size not in starts[1:]), size


def test_a_flipped_bit_anywhere_in_the_samples_is_flagged_and_the_rest_is_kept(session):
    folder = session / "forwarding.inet4" / "001"
    path = folder / records.NAME
    whole = path.read_bytes()
    for place in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 0x04
        path.write_bytes(damaged)
        log = read_samples(folder)
        assert log.problems, f"byte {place} flipped unnoticed"
        assert str(path) in log.problems[0] and "line" in log.problems[0]
        assert len(log.samples) >= 3


@pytest.mark.parametrize(
    "payload", [b'{"kind":"rate","host":"\xff"}', b"\xff", b'{"a":"\xc3","b":1234567890123456789012}']
)
def test_a_line_of_a_valid_checksum_that_is_not_utf8_is_one_damaged_line(session, payload):
    folder = session / "forwarding.inet4" / "001"
    path = folder / records.NAME
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert(3, b'{"crc":"%08x","d":%s}\n' % (zlib.crc32(payload), payload))
    path.write_bytes(b"".join(lines))
    log = read_samples(folder)
    assert [found.t for found in log.samples] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert len(log.problems) == 1
    assert log.problems[0].startswith(f"{path}: line 4: ")
    assert log.problems[0].endswith(", record skipped")
    assert len(records.samples_in(path.read_bytes(), path)) == 5
    assert any("line 4" in problem for problem in read_session(session, verify=True).problems)


def test_a_flipped_bit_anywhere_in_the_result_is_flagged_and_the_value_is_not_used(session):
    path = session / "forwarding.inet4" / "001" / "iteration.json"
    whole = path.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x01
        path.write_bytes(damaged)
        found = read_session(session)
        iteration = found.cases[0].iterations[0]
        if json_equal(damaged, whole):
            continue  # only white space changed: the content is intact
        assert not iteration.complete and iteration.value is None, f"byte {place} flipped unnoticed"
        assert str(path) in found.problems[0]


def json_equal(one: bytes, other: bytes) -> bool:
    try:
        return json.loads(one) == json.loads(other)
    except ValueError:
        return False


def test_a_changed_raw_log_is_told_when_verifying(session):
    log = session / "forwarding.inet4" / "002" / "receiver.log"
    log.write_bytes(b"raW")
    assert read_session(session).problems == ()
    assert read_session(session, verify=True).problems == (
        f"{log}: checksum does not match: the file was changed after it was recorded",
    )


def test_an_iteration_without_its_commit_mark_is_listed_as_unfinished(session):
    (session / "forwarding.inet4" / "002" / "iteration.json").unlink()
    found = read_session(session)
    assert [(i.index, i.complete, i.value) for i in found.cases[0].iterations] == [
        (1, True, 1000.0),
        (2, False, None),
    ]
    assert "unfinished" in found.problems[0]


def test_a_copied_iteration_does_not_count_twice(session):
    shutil.copytree(session / "forwarding.inet4" / "001", session / "forwarding.inet4" / "003")
    found = read_session(session)
    assert [(i.index, i.value) for i in found.cases[0].iterations] == [(1, 1000.0), (2, 1001.0), (3, None)]
    (problem,) = found.problems
    assert "003/iteration.json: belongs to iteration 1, not 3" in problem


@pytest.mark.parametrize(
    ("copied", "target", "originals"),
    [
        ("inet4", "inet4.bak", {"inet4.bak/001": "inet4/001", "inet4.bak/002": "inet4/002"}),
        ("inet4/002", "inet4/2", {"inet4/2": "inet4/002"}),
    ],
)
def test_an_iteration_whose_copy_has_its_number_does_not_count_twice(session, copied, target, originals):
    shutil.copytree(session / f"forwarding.{copied}", session / f"forwarding.{target}")
    found = read_session(session)
    (case,) = found.cases
    assert [(one.index, one.value) for one in case.iterations if one.complete] == [(1, 1000.0), (2, 1001.0)]
    copies = [one for one in case.iterations if not one.complete]
    assert [one.folder for one in copies] == [f"forwarding.{copy}" for copy in originals]
    assert {one.value for one in copies} == {None}
    assert found.problems == tuple(
        f"{session}/forwarding.{copy}/iteration.json: the same as in {session}/forwarding.{original}: "
        "a copied folder, which does not count"
        for copy, original in originals.items()
    )


def test_a_dropped_iteration_does_not_count_again_by_its_copy(session):
    drop(session, "forwarding.inet4", 2, "the link bounced")
    shutil.copytree(session / "forwarding.inet4", session / "forwarding.inet4.bak")
    (case,) = read_session(session).cases
    assert [one.value for one in case.iterations if one.complete and not one.dropped] == [1000.0]


def test_iterations_with_the_same_number_are_told_and_are_dropped_together(session):
    """A case whose folder was renamed, and that was then recorded again."""
    (session / "forwarding.inet4").rename(session / "forwarding.old")
    with SessionWriter(session) as writer:
        writer.begin("forwarding.inet4").commit(Iteration(0, 5.0))
    found = read_session(session)
    (case,) = found.cases
    assert sorted((one.index, one.value) for one in case.iterations) == [(1, 5.0), (1, 1000.0), (2, 1001.0)]
    assert found.problems == (
        f"{session}/forwarding.inet4/001 and {session}/forwarding.old/001: each is iteration 1 of "
        "forwarding.inet4: all count, and dropping one by its number drops all of them",
    )
    drop(session, "forwarding.inet4", 1, "the link bounced")
    (case,) = read_session(session).cases
    assert [one.value for one in case.iterations if not one.dropped] == [1001.0]


def test_a_case_that_cannot_be_entered_is_told_and_the_others_are_read(session, monkeypatch):
    with SessionWriter(session) as writer:
        writer.begin("other").commit(Iteration(0, 5.0))
    real = os.scandir

    def refused(path):
        if str(path).endswith("/forwarding.inet4"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refused)
    found = read_session(session)
    assert [case.name for case in found.cases] == ["other"]
    assert found.problems == (f"{session}/forwarding.inet4: Permission denied",)


def test_reading_never_changes_a_file(session):
    (session / "forwarding.inet4" / "002" / "iteration.json").write_text("{")
    before = digest(session)
    read_session(session, verify=True)
    list(list_sessions(session.parent))
    assert digest(session) == before


@pytest.mark.parametrize("name", ["session.toml", "forwarding.inet4/001/iteration.json"])
def test_a_newer_schema_is_refused_and_the_file_left_alone(session, name):
    path = session / name
    path.write_text(
        path.read_text().replace("schema = 1", "schema = 2").replace('"schema": 1', '"schema": 2')
    )
    before = digest(session)
    if name == "session.toml":
        with pytest.raises(FwdtuiError, match=r"session.toml: schema 2 is newer .* update fwdtui"):
            read_session(session)
    else:
        assert "schema 2 is newer" in read_session(session).problems[0]
    assert digest(session) == before


def test_a_newer_schema_of_the_samples_is_refused(session):
    folder = session / "forwarding.inet4" / "001"
    (folder / records.NAME).write_bytes(records.line(records.Header(schema=2)))
    with pytest.raises(FwdtuiError, match="schema 2 is newer"):
        read_samples(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"schema = ", "Invalid value (at end of document)"),
        (b'schema = "one"\nlabel = "x"\ncreated = "x"\n', "schema: expected an integer, got a string"),
        (b"label = 'x'\n", "schema: missing"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
    ],
)
def test_a_damaged_session_file_names_file_and_place(session, content, message):
    (session / "session.toml").write_bytes(content)
    with pytest.raises(FwdtuiError) as caught:
        read_session(session)
    assert str(session / "session.toml") in str(caught.value) and message in str(caught.value)
    (entry,) = list_sessions(session.parent)
    assert isinstance(entry, Damaged) and message in entry.reason


def test_a_folder_that_lost_its_session_file_is_listed_as_damaged(session):
    (session / "session.toml").unlink()
    (entry,) = list_sessions(session.parent)
    assert isinstance(entry, Damaged) and "no session.toml" in entry.reason


def test_only_one_writer_at_a_time(session):
    writer = SessionWriter(session)
    with pytest.raises(FwdtuiError, match="another fwdtui is writing"):
        SessionWriter(session)
    writer.close()
    SessionWriter(session).close()


def test_an_existing_session_is_never_overwritten(session):
    with pytest.raises(FwdtuiError, match="exists already"):
        SessionWriter.create(session, label="x", created="x")


def test_a_hostile_case_name_stays_inside_the_session_and_is_read_back(session):
    with SessionWriter(session) as writer:
        writing = writer.begin("../../etc/passwd")
        writing.attach("../evil.log", b"x")
        writing.commit(Iteration(0, 1.0))
    assert not (session.parent / "evil.log").exists()
    assert "../../etc/passwd" in [case.name for case in read_session(session, verify=True).cases]


def test_a_file_name_that_leaves_the_folder_is_damage(session):
    from fwdtui.store.schema import encode_iteration

    path = session / "forwarding.inet4" / "001" / "iteration.json"
    path.write_bytes(encode_iteration("forwarding.inet4", Iteration(1, 1.0, files={"../x": "sha256:0"})))
    assert "leaves the folder" in read_session(session, verify=True).problems[0]


def test_a_symbolic_link_is_not_followed(session, tmp_path):
    (session / "linked").symlink_to(session / "forwarding.inet4")
    assert len(read_session(session).cases) == 1


def test_a_full_disk_keeps_what_was_recorded(session, monkeypatch):
    with SessionWriter(session) as writer:
        writing = writer.begin("full")
        writing.append(sample(0), sample(1))
        real, calls = os.write, []

        def short_then_full(descriptor: int, data: bytes) -> int:
            calls.append(len(data))
            if len(calls) > 1:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(descriptor, bytes(data)[:20])

        monkeypatch.setattr(os, "write", short_then_full)
        with pytest.raises(OSError, match="No space left"):
            writing.append(sample(2))
        monkeypatch.undo()
        writing.append(sample(3))
        writing.close()
        log = read_samples(writing.folder)
    assert [s.t for s in log.samples] == [0, 1, 3] and log.problems == ()


def test_a_killed_writer_leaves_whole_records_and_an_unfinished_iteration(tmp_path):
    folder = tmp_path / "killed"
    program = textwrap.dedent(
        f"""
        import sys
        from pathlib import Path
        from fwdtui.core.model import RateSample
        from fwdtui.store import SessionWriter
        writing = SessionWriter.create(Path({str(folder)!r}), label="k", created="x").begin("case")
        t = 0
        while True:
            writing.append(RateSample("receiver", float(t), 1.0, 5.0))
            t += 1
            if t == 200:
                print("ready", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    log = read_samples(folder / "case" / "001")
    assert len(log.samples) >= 200
    assert [s.t for s in log.samples] == list(range(len(log.samples)))
    assert len(log.problems) <= 1
    session = read_session(folder)
    assert not session.cases[0].iterations[0].complete
    SessionWriter(folder).close()  # the lock died with its holder
