"""A folder of sessions, at both depths; what is being recorded is told apart from what broke off."""

import os
from pathlib import Path

import pytest
from small_disk import as_nobody

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration, Session
from fwdtui.report.sides import load_sides
from fwdtui.store import (
    Damaged,
    Header,
    SessionWriter,
    annotate,
    is_session,
    list_headers,
    list_sessions,
    read_session,
    rename,
)
from fwdtui.store.listing import list_one, session_folders

CREATED = "2026-01-02T03:04:05+00:00"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "sessions"
    for name in ("b", "a", "c"):
        with SessionWriter.create(
            root / name, label=f"label {name}", created=CREATED, facts={"os": "x"}, lab={"name": "apu2"}
        ) as writer:
            writer.begin("inet4").commit(Iteration(0, 1.0))
    return root


def test_headers_come_in_the_order_of_the_sessions_and_say_the_same(folder):
    rename(folder / "b", "renamed")
    annotate(folder / "b", "note")
    (folder / "c" / "session.toml").write_text("label =")
    (folder / ".trash").mkdir()
    (folder / "notes.txt").write_text("x")
    (folder / "empty").mkdir()
    for header, session in zip(list_headers(folder), list_sessions(folder), strict=True):
        if isinstance(session, Damaged):
            assert header == session
            continue
        assert isinstance(header, Header)
        for field in Header.__struct_fields__:
            assert getattr(header, field) == getattr(session, field)
    assert [found.path for found in list_headers(folder)] == [str(folder / name) for name in "abc"]


def test_headers_do_not_look_at_iterations(folder):
    for path in folder.glob("*/*/*/iteration.json"):
        path.write_text("damaged")
    assert [type(found) for found in list_headers(folder)] == [Header] * 3


@pytest.mark.parametrize("listing", [list_headers, list_sessions])
def test_a_folder_that_is_not_there_is_an_error(tmp_path, listing):
    with pytest.raises(FwdtuiError, match="no such folder of sessions"):
        list(listing(tmp_path / "none"))


@pytest.mark.parametrize("listing", [list_headers, list_sessions])
def test_a_session_that_lost_its_session_file_is_damaged(folder, listing):
    (folder / "a" / "session.toml").unlink()
    damaged, *rest = listing(folder)
    assert isinstance(damaged, Damaged) and "holds iterations but no session.toml" in damaged.reason
    assert len(rest) == 2


def test_one_that_cannot_be_entered_does_not_hide_the_others(folder, monkeypatch):
    real = os.scandir

    def gone(path):
        if str(path).endswith("/b"):
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", gone)
    found = list(list_sessions(folder))
    assert [type(one) for one in found] == [Session, Damaged, Session]


class TestRecording:
    """The lock of a living writer is looked at, and not disturbed."""

    def test_a_session_that_is_being_recorded_says_so(self, folder):
        with SessionWriter(folder / "b"):
            assert [found.recording for found in list_headers(folder)] == [False, True, False]
            assert [found.recording for found in list_sessions(folder)] == [False, True, False]
        assert not read_session(folder / "b").recording

    def test_an_iteration_under_way_is_not_called_unfinished(self, folder):
        with SessionWriter(folder / "b") as writer:
            writing = writer.begin("inet4")
            assert read_session(folder / "b").problems == (
                f"{writing.folder}: being recorded: it has no iteration.json",
            )
        assert read_session(folder / "b").problems == (
            f"{writing.folder}: unfinished: it has no iteration.json",
        )

    def test_one_that_an_earlier_writer_left_is_unfinished_even_while_another_records(self, folder):
        with SessionWriter(folder / "b") as writer:
            left = writer.begin("inet4").folder
        os.utime(left, (1e9, 1e9))
        with SessionWriter(folder / "b") as writer:
            writing = writer.begin("inet4")
            assert read_session(folder / "b").problems == (
                f"{left}: unfinished: it has no iteration.json",
                f"{writing.folder}: being recorded: it has no iteration.json",
            )

    def test_the_lock_file_of_a_killed_writer_says_nothing(self, folder):
        (folder / "b" / ".lock").touch()
        assert not read_session(folder / "b").recording

    def test_looking_at_a_lock_never_keeps_a_writer_from_taking_it(self, folder):
        import threading

        (folder / "b" / ".lock").touch()
        stop = threading.Event()

        def look() -> None:
            while not stop.is_set():
                read_session(folder / "b")

        watchers = [threading.Thread(target=look) for _ in range(3)]
        for watcher in watchers:
            watcher.start()
        try:
            for _ in range(200):
                SessionWriter(folder / "b").close()
                (folder / "b" / ".lock").touch()
        finally:
            stop.set()
            for watcher in watchers:
                watcher.join()


def test_a_hidden_session_is_an_import_in_progress_or_deleted_and_is_not_listed(folder):
    for name in (".importing", ".trash"):
        (folder / "a").rename(folder / name)
        found = [Path(one.path).name for one in (*list_headers(folder), *list_sessions(folder))]
        assert found == ["b", "c", "b", "c"]
        assert [path.name for path in session_folders(folder)] == ["b", "c"]
        (folder / name).rename(folder / "a")
    (folder / "plain").mkdir()
    (folder / "file").touch()
    assert [path.name for path in session_folders(folder)] == ["a", "b", "c"]
    assert session_folders(folder / "none") == session_folders(Path("a\0b")) == []


def test_one_session_is_what_the_list_says_of_it(folder):
    assert [list_one(folder / name) for name in "abc"] == list(list_sessions(folder))


def test_a_file_in_place_of_the_folder_holds_no_sessions(folder):
    (folder / "file").touch()
    with pytest.raises(FwdtuiError, match=r"/file: no such folder of sessions$"):
        list(list_headers(folder / "file"))


def test_a_folder_that_may_not_be_read_is_not_said_to_be_missing(tmp_path):
    """The app said so of a folder of sessions that was only forbidden."""
    folder = tmp_path / "sessions"
    folder.mkdir(mode=0)
    with as_nobody(folder), pytest.raises(FwdtuiError, match=r"/sessions: Permission denied$"):
        list(list_sessions(folder))
    folder.chmod(0o700)


@pytest.mark.parametrize("listing", [list_headers, list_sessions])
def test_a_session_that_may_not_be_read_is_listed_with_the_reason(folder, listing, monkeypatch):
    """Such a session was missing from every list, without a word."""
    (folder / "c" / "session.toml").unlink()
    modes = {"a": 0, "b": 0, "c": 0o111}  # c may be entered but not listed: it may hold iterations
    for name, mode in modes.items():
        (folder / name).chmod(mode)
    monkeypatch.chdir(folder)  # another user may not pass through the folders above
    with as_nobody(folder):
        found = [(one.path, one.reason) for one in listing(Path()) if isinstance(one, Damaged)]
        with pytest.raises(FwdtuiError, match=r"^a/session\.toml: Permission denied$"):
            load_sides(["a"], sessions=Path())
    for name in modes:
        (folder / name).chmod(0o700)
    reasons = [(name, f"{name}/session.toml: Permission denied") for name in "ab"]
    assert found == [*reasons, ("c", "c: Permission denied")]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to make a folder that is root's")
@pytest.mark.parametrize("listing", [list_headers, list_sessions])
@pytest.mark.parametrize(("owner", "mode", "listed"), [(0, 0o700, False), (0, 0o111, False), (2, 0, True)])
def test_a_lost_and_found_of_root_is_no_session(folder, listing, owner, mode, listed, monkeypatch):
    """The root of each ext file system has one, and an unprivileged user may not read it."""
    lost = folder / "lost+found"
    lost.mkdir()
    os.chown(lost, owner, owner)
    lost.chmod(mode)
    monkeypatch.chdir(folder)  # another user may not pass through the folders above
    with as_nobody(folder):
        names = [Path(one.path).name for one in listing(Path())]
        assert [path.name for path in session_folders(Path())] == ["a", "b", "c", *["lost+found"] * listed]
        assert is_session(Path("lost+found")) == listed
    assert names == ["a", "b", "c", *["lost+found"] * listed]


def test_a_session_that_is_called_lost_and_found_is_one_if_it_can_be_read(folder):
    (folder / "a").rename(folder / "lost+found")
    assert [Path(one.path).name for one in list_sessions(folder)] == ["b", "c", "lost+found"]
    (folder / "lost+found" / "session.toml").unlink()
    assert [type(one) for one in list_headers(folder)] == [Header, Header, Damaged]
