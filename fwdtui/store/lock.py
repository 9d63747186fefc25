"""Locks beside what they guard, by flock(2): the kernel frees them even after SIGKILL.

A lock file is removed when its holder lets go, so one that is there is held, or its holder was killed.
"""

import contextlib
import fcntl
import os
import time
from pathlib import Path

RECORDING = ".lock"
"""Held by the one that records into a session."""

_OPEN = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # a named pipe in its place does not hold us up
_PAUSE = 0.01  # seconds between attempts


class Lock:
    """An exclusive lock that is held until `release`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        """Use `take`."""
        self._path = path
        self._descriptor = descriptor

    def moved(self, folder: Path) -> None:
        """The folder of the lock file is called `folder` now."""
        self._path = folder / self._path.name

    def release(self) -> None:
        """Remove the file and give up the lock; a second call does nothing."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._descriptor)
            self._descriptor = -1


def take(path: Path, patience: float = 0.2) -> Lock | None:
    """The lock of `path`, or None where another holds it for longer than `patience` seconds.

    A little patience is always needed: whoever looks whether a lock is held has it for that moment. Raises
    OSError where the file cannot be made.
    """
    until = time.monotonic() + patience
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _OPEN, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            if time.monotonic() >= until:
                return None
            time.sleep(_PAUSE)
            continue
        except BaseException:
            os.close(descriptor)
            raise
        # the holder before us removes the file when it lets go: a lock on a removed file guards nothing
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_ino == os.fstat(descriptor).st_ino:
                os.utime(descriptor)  # the file may be left over from a killed holder: its age is now ours
                return Lock(path, descriptor)
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock of `path` at this moment. Changes nothing, and never raises."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _OPEN)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(descriptor)
    return False
