"""Lock files beside what they guard, with flock(2): the kernel frees them even after SIGKILL.

The holder removes its lock file on release, so an existing file is held, or its holder was killed. A lock
belongs to the folder that was opened for it, not to a folder that later has the same name.
"""

import contextlib
import fcntl
import os
import time
from pathlib import Path

RECORDING = ".lock"
"""Held while something records into a session."""

_OPEN = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # so that a named pipe in its place does not block us
_PAUSE = 0.01  # seconds between attempts


class Lock:
    """An exclusive lock that is held until `release`."""

    def __init__(self, folder: int, name: str, descriptor: int) -> None:
        """Use `take`."""
        self._folder = folder
        self._name = name
        self._descriptor = descriptor

    def release(self) -> None:
        """Remove the file if it is still ours, and release the lock; a second call does nothing."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                if _is(self._descriptor, self._name, self._folder):
                    os.unlink(self._name, dir_fd=self._folder)
            os.close(self._descriptor)
            os.close(self._folder)
            self._descriptor = -1


def take(path: Path, patience: float = 0.2) -> Lock | None:
    """Take the lock of `path`; None if another holds it for longer than `patience` seconds.

    A little patience is always needed: `is_held` holds the lock for a moment. Raises OSError if the file
    cannot be made.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        taken = take_within(folder, path.name, patience)
    finally:
        os.close(folder)
    return taken


def take_within(folder: int, name: str, patience: float = 0.2) -> Lock | None:
    """As `take`, for the file `name` in the folder with the descriptor `folder`."""
    until = time.monotonic() + patience
    while True:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | _OPEN, 0o600, dir_fd=folder)
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
        # the previous holder removes the file on release: a lock on a removed file guards nothing
        try:
            if _is(descriptor, name, folder):
                os.utime(descriptor)  # the file may be left from a killed holder: from now on its age is ours
                return Lock(os.dup(folder), name, descriptor)
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is(descriptor: int, name: str, folder: int) -> bool:
    """Whether the file called `name` in `folder` is the one that is open. Raises OSError."""
    there, own = os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(descriptor)
    return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


def is_held(path: Path) -> bool:
    """Whether the lock of `path` is held at this moment. Changes nothing, and never raises."""
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
