"""A folder of sessions may come from anybody: what is odd in it is one row or one sentence, never a hang."""

import json
import os
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from forked import run as forked

from fwdtui.core import bounded
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration, RateSample, Session
from fwdtui.monitor.replay.target import find
from fwdtui.report.stamp import stamp
from fwdtui.store import (
    Damaged,
    SessionWriter,
    annotate,
    list_headers,
    list_sessions,
    opening,
    plain,
    read_annotations,
    read_samples,
    read_session,
)
from fwdtui.store.recordings import recorded
from fwdtui.store.records import LINE_MOST, Header, line

SECONDS = 20.0  # a hang takes for ever, a busy machine does not take this long
SPARSE = 3 << 30


def make(folder: Path, label: str) -> Path:
    with SessionWriter.create(folder, label=label, created="2026-01-02T03:04:05+00:00") as writer:
        writing = writer.begin("inet4")
        writing.append(*(RateSample("receiver", float(t), 1.0, 1000.0) for t in range(3)))
        writing.attach("receiver.log", b"raw")
        writing.commit(Iteration(0, 1000.0, source="receiver.log"))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "sessions"
    make(root / "bad", "bad")
    make(root / "good", "good")
    return root


def fifo(path: Path) -> None:
    os.mkfifo(path)


def socket(path: Path) -> None:
    os.mknod(path, stat.S_IFSOCK | 0o600)


def device(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a device")
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # what /dev/zero is


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link(path: Path) -> None:
    """To a file that would be read as what it stands for."""
    path.symlink_to(path.parent.parent / "good" / path.name)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def folder_instead(path: Path) -> None:
    path.mkdir()


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(SPARSE)


ODD: dict[Callable[[Path], None], str] = {
    fifo: "a named pipe, not a regular file",
    socket: "a socket, not a regular file",
    device: "a device, not a regular file",
    link_to_device: "a link, not a regular file",
    link: "a link, not a regular file",
    loop: "a link, not a regular file",
    folder_instead: "a folder, not a regular file",
    sparse: "larger than the 1 MiB that fwdtui reads",
}


@pytest.fixture(params=ODD, ids=lambda odd: odd.__name__)
def odd(request):
    return request.param


@pytest.fixture(autouse=True)
def in_time():
    began = time.monotonic()
    yield
    assert time.monotonic() - began < SECONDS


def put(odd: Callable[[Path], None], path: Path) -> None:
    path.unlink(missing_ok=True)
    odd(path)


def test_a_session_file_that_is_no_regular_file_is_one_row_that_says_so(folder, odd):
    put(odd, folder / "bad/session.toml")
    for listing in (list_sessions, list_headers):
        bad, good = listing(folder)
        assert isinstance(bad, Damaged) and ODD[odd] in bad.reason
        assert not isinstance(good, Damaged)
    with pytest.raises(FwdtuiError, match=ODD[odd]):
        read_session(folder / "bad")


def test_annotations_that_are_no_regular_file_are_told_and_not_written_over(folder, odd):
    put(odd, folder / "bad/annotations.toml")
    (problem,) = read_annotations(folder / "bad").problems
    assert ODD[odd] in problem
    before = (folder / "bad/annotations.toml").lstat()
    with pytest.raises(FwdtuiError, match=ODD[odd]):
        annotate(folder / "bad", "a note")
    assert (folder / "bad/annotations.toml").lstat() == before


def test_a_result_that_is_no_regular_file_is_told_and_has_no_value(folder, odd):
    put(odd, folder / "bad/inet4/001/iteration.json")
    found = read_session(folder / "bad")
    assert found.cases[0].iterations[0].value is None
    (problem,) = found.problems
    assert ODD[odd] in problem


def test_a_raw_log_that_is_no_regular_file_is_told_when_it_is_verified(folder, odd):
    put(odd, folder / "bad/inet4/001/receiver.log")
    (problem,) = read_session(folder / "bad", verify=True).problems
    told = "larger than 256 MiB: not checked" if odd is sparse else ODD[odd]
    assert told in problem


def test_samples_that_are_no_regular_file_are_an_error(folder, odd):
    path = folder / "bad/inet4/001/samples.jsonl"
    put(odd, path)
    if odd is sparse:
        log = read_samples(path)
        assert log.samples == () and "only the first 512 MiB are read" in log.problems[-1]
    elif odd is folder_instead:
        assert read_samples(path).samples == ()
    else:
        with pytest.raises(FwdtuiError, match=ODD[odd]):
            read_samples(path)
        (problem,) = read_session(folder / "bad", verify=True).problems
        assert ODD[odd] in problem


def test_a_recording_that_is_no_regular_file_is_passed_over(folder, odd):
    put(odd, folder / "bad/recording-001.jsonl")
    assert recorded(folder / "bad") is None


DEEP = 200_000
TEXTS = {
    "deep": ("x = " + "[" * DEEP, "nested more than 64 levels"),
    "deep and closed": ("x = " + "[" * DEEP + "]" * DEEP, "nested more than 64 levels"),
    "inline tables": ("x = " + "{a=" * DEEP, "nested more than 64 levels"),
    "dotted": ("a." * DEEP + "a = 1", "nested more than 64 levels"),
    "dotted header": ("[" + '"a" . ' * 100_000 + "a]", "nested more than 64 levels"),
    "long integer": ("x = " + "9" * 5000, "out of range"),
    "long hexadecimal": ("x = 0x" + "f" * 5000, "more than 64 bits"),
    "too large": ("# " + "x" * opening.TEXT_MOST, "larger than the 1 MiB"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_toml_without_bounds_is_damage_like_any_other(folder, name):
    text, told = TEXTS[name]
    for file in ("session.toml", "annotations.toml"):
        (folder / "bad" / file).write_text(text)
    bad, good = list_sessions(folder)
    assert isinstance(bad, Damaged) and told in bad.reason
    assert isinstance(good, Session)
    (problem,) = read_annotations(folder / "bad").problems
    assert told in problem


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * DEEP, "nested more than 64 levels"),
        ('{"schema":1,"x":' + "[" * 100 + "]" * 100 + "}", "nested more than 64 levels"),
        ('{"schema":1,"x":' + '[{"x":' * 40 + "1" + "}]" * 40 + "}", "nested more than 64 levels"),
        ('{"schema":1,"index":' + "9" * 5000 + "}", "out of range"),
        ('{"schema":1,"index":' + "9" * 400 + "}", "more than 64 bits"),
    ],
    ids=["deep", "a hundred levels", "arrays and objects in turns", "5000 digits", "400 digits"],
)
def test_json_without_bounds_is_damage_like_any_other(folder, text, told):
    (folder / "bad/inet4/001/iteration.json").write_text(text)
    found = read_session(folder / "bad")
    assert found.cases[0].iterations[0].value is None
    assert told in found.problems[0]


def test_depth_and_integers_within_the_bounds_are_read():
    nested = "[" * (bounded.DEEPEST - 2) + "]" * (bounded.DEEPEST - 2)
    assert plain.toml(f"a = {nested}\nb = {2**64 - 1}\nc = {-(2**63)}".encode(), "f")["b"] == 2**64 - 1
    assert plain.json(f'{{"a": {nested}, "b": {2**64 - 1}}}'.encode(), "f")["b"] == 2**64 - 1


def test_a_note_of_many_dots_is_no_dotted_key(folder):
    annotate(folder / "good", "1.5 " * 1000 + "." * 1000)
    assert read_annotations(folder / "good").problems == ()


def test_a_note_that_could_not_be_read_back_is_not_written(folder):
    annotate(folder / "good", "before")
    with pytest.raises(FwdtuiError, match="not written: it would be larger than 1 MiB"):
        annotate(folder / "good", "x" * opening.TEXT_MOST)
    assert read_annotations(folder / "good").note == "before"


def test_odd_samples_are_skipped_and_counted(folder):
    path = folder / "bad/inet4/001/samples.jsonl"
    whole = path.read_bytes()
    event = b'{"kind":"event","at":1.0,"code":"x","text":"x","later":%s}'
    import zlib

    def as_line(payload: bytes) -> bytes:
        return b'{"crc":"%08x","d":%s}\n' % (zlib.crc32(payload), payload)

    path.write_bytes(
        whole
        + as_line(event % (b"[" * DEEP + b"]" * DEEP))
        + as_line(b'{"kind":"rate","role":"receiver","t":1,"interval":1,"pps":1,"packets":%s}' % (b"9" * 400))
        + b"x" * (2 * LINE_MOST)
        + b"\n"
        + b"\n" * 1000
        + line(Header())
    )
    log = read_samples(path)
    assert log.samples == read_samples(folder / "good/inet4/001").samples
    assert "recursion" in log.problems[0] and "64 bits" in log.problems[1]
    assert "longer than any record" in log.problems[2]
    assert log.problems[-1] == f"{path}: 953 more problems like these"


def test_links_to_folders_are_told_and_not_followed(folder):
    (folder / "bad/linked").symlink_to(folder / "good/inet4")
    (folder / "bad/inet4/002").symlink_to(folder / "good/inet4/001")
    found = read_session(folder / "bad")
    assert [(case.name, len(case.iterations)) for case in found.cases] == [("inet4", 1)]
    assert found.problems == (
        f"{folder}/bad/linked: a link to a folder; it is not followed",
        f"{folder}/bad/inet4/002: a link to a folder; it is not followed",
    )


@pytest.mark.parametrize("target", ["round", "x" * 300], ids=["loop", "impossible"])
def test_a_link_that_leads_nowhere_takes_nothing_else_down(folder, target):
    for place in (folder, folder / "bad", folder / "bad/inet4"):
        (place / "round").symlink_to(target)
    for listing in (list_sessions, list_headers):
        assert [one.label for one in listing(folder)] == ["bad", "good"]
    found = read_session(folder / "bad")
    assert found.cases[0].iterations[0].value == 1000.0 and found.problems == ()
    assert find(folder / "bad/inet4").case == folder / "bad/inet4"
    before = stamp([folder / "bad"])
    (folder / "bad/session.toml").write_bytes((folder / "good/session.toml").read_bytes() + b"\n")
    assert stamp([folder / "bad"]) != before


def test_a_folder_of_too_many_digits_is_no_iteration(folder):
    (folder / "bad/inet4" / ("9" * 200)).mkdir()
    assert len(read_session(folder / "bad").cases[0].iterations) == 1


def test_the_list_on_the_command_line_has_every_good_session_and_a_line_for_each_bad_one(folder):
    for number, odd in enumerate(ODD):
        put(odd, make(folder / f"odd-{number}", "odd") / "session.toml")
    for number, (text, _) in enumerate(TEXTS.values()):
        (make(folder / f"text-{number}", "text") / "session.toml").write_text(text)
    done = forked("sessions", "--json", str(folder))
    assert done.returncode == 0, done.stderr
    entries = json.loads(done.stdout)
    assert [one["label"] for one in entries if "damage" not in one] == ["bad", "good"]
    assert all(one["damage"] and one["cases"] == [] for one in entries if not one["label"])
    for told in (*ODD.values(), *(told for _, told in TEXTS.values())):
        assert told in done.stderr


@pytest.mark.parametrize("command", ["compare", "check"])
def test_what_the_user_names_may_be_a_link_or_a_pipe(tmp_path, command):
    values, pipe = tmp_path / "values", tmp_path / "pipe"
    values.write_text("1\n2\n3\n4\n5\n")
    (tmp_path / "link").symlink_to(values)
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"cat {values} > {pipe}"]):
        done = forked(command, str(tmp_path / "link"), str(pipe))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("compare", "/dev/zero", "/dev/zero"), "/dev/zero: not a value file: no value in its first 16 MiB"),
        (("check", "/dev/zero"), "/dev/zero: larger than the 4 MiB that fwdtui reads"),
    ],
)
def test_a_device_that_never_ends_is_an_error(command, told):
    done = forked(*command)
    assert done.returncode == 2 and told in done.stderr
