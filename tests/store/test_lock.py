"""Lock files: held by one, taken over from the dead, and waited for a moment."""

import fcntl
import gc
import os
import threading
import time
from pathlib import Path

import pytest

from fwdtui.store import lock


def opened() -> int:
    """How many files this process has open, without what earlier tests left to be collected."""
    gc.collect()
    return len(list(Path("/dev/fd").iterdir()))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".lock"


def test_a_lock_is_held_by_one_and_its_file_goes_with_it(path: Path) -> None:
    held = lock.take(path)
    assert held is not None and path.exists() and lock.is_held(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert lock.take(path, 0.0) is None
    held.release()
    assert not path.exists() and not lock.is_held(path)
    held.release()  # a second time does nothing
    again = lock.take(path)
    assert again is not None
    again.release()


def test_releasing_closes_what_was_open(path: Path) -> None:
    before = opened()
    for _ in range(3):
        held = lock.take(path)
        assert held is not None
        assert lock.take(path, 0.0) is None
        held.release()
    assert opened() == before


@pytest.mark.parametrize(("patience", "taken"), [(0.0, False), (30.0, True)])
def test_it_is_waited_for_as_long_as_patience_lasts(path: Path, patience: float, taken: bool) -> None:
    held = lock.take(path)
    assert held is not None
    released = threading.Timer(0.05, held.release)
    released.start()
    found = lock.take(path, patience)
    assert (found is not None) is taken
    released.join()
    if found:
        found.release()


def test_a_little_patience_is_always_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at a lock holds it for a moment: 0.2 s, in steps of a hundredth."""
    now, slept = [50.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    held = lock.take(path)
    assert held is not None
    monkeypatch.setattr(lock.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(lock.time, "sleep", sleep)
    assert lock.take(path) is None
    assert set(slept) == {0.01} and len(slept) == pytest.approx(20, abs=1)
    slept.clear()
    folder = os.open(path.parent, os.O_RDONLY)
    assert lock.take_within(folder, path.name) is None and len(slept) == pytest.approx(20, abs=1)
    os.close(folder)
    held.release()


def test_the_file_of_a_dead_holder_is_taken_over_and_its_age_is_ours(path: Path) -> None:
    path.touch()
    os.utime(path, (1e9, 1e9))
    assert not lock.is_held(path)
    held = lock.take(path, 0.0)
    assert held is not None and abs(path.stat().st_mtime - time.time()) < 60
    held.release()
    assert not path.exists()


def test_a_file_that_took_the_place_of_ours_is_not_removed(path: Path) -> None:
    held = lock.take(path)
    assert held is not None
    path.unlink()
    path.write_text("somebody else's")
    held.release()
    assert path.read_text() == "somebody else's"


def test_a_lock_on_a_file_that_was_removed_meanwhile_guards_nothing_and_is_taken_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The holder before removes the file between our opening it and our locking it."""
    real, calls = fcntl.flock, []

    def late(descriptor: int, how: int) -> None:
        calls.append(how)
        if len(calls) == 1:
            path.unlink()
        elif len(calls) == 2:
            path.unlink()
            path.touch()  # and another one has made its own
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    held = lock.take(path)
    assert held is not None and len(calls) == 3 and lock.is_held(path)
    held.release()
    assert not path.exists()


def test_looking_changes_nothing_and_a_shared_lock_is_no_holder(path: Path) -> None:
    assert not lock.is_held(path) and not path.exists()
    path.touch()
    reader = os.open(path, os.O_RDONLY)
    fcntl.flock(reader, fcntl.LOCK_SH)
    assert not lock.is_held(path), "somebody looks at it, too"
    fcntl.flock(reader, fcntl.LOCK_EX)
    assert lock.is_held(path)
    os.close(reader)


def test_a_file_system_without_locks_holds_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(descriptor: int, how: int) -> None:
        raise OSError(95, "Operation not supported")

    path.touch()
    monkeypatch.setattr(fcntl, "flock", refused)
    assert not lock.is_held(path)
    before = opened()
    with pytest.raises(OSError, match="Operation not supported"):
        lock.take(path)
    assert opened() == before


def test_a_lock_that_cannot_be_looked_at_is_not_left_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(descriptor: int) -> None:
        raise OSError(30, "Read-only file system")

    before = opened()
    monkeypatch.setattr(os, "utime", refused)
    with pytest.raises(OSError, match="Read-only"):
        lock.take(path)
    assert opened() == before


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_what_is_no_file_is_no_lock(path: Path, tmp_path: Path, what: str) -> None:
    if what == "link":
        (tmp_path / "other").touch()
        path.symlink_to(tmp_path / "other")
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert not lock.is_held(path)
    if what != "pipe":
        with pytest.raises(OSError):
            lock.take(path)


def test_a_link_in_place_of_our_file_is_not_ours(path: Path) -> None:
    held = lock.take(path)
    assert held is not None
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")
    held.release()
    assert path.is_symlink() and path.exists()
