"""Which imports run into a folder: each holds the lock of a file there, `.importing-PID`, until it ends.

The hidden names of the sessions that it builds end in that name. On a file system without locks no import is
known to run.
"""

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.store import opening
from fwdtui.store.lock import Lock, take_within

_MARK = ".importing-"
_BUILDING = re.compile(r"\..+" + re.escape(_MARK) + r"[0-9]+", re.DOTALL)
_PATIENCE = 2.0
"""Seconds for which the processes of an import that was just killed may still finish what they do."""
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)


def hidden(target: Path) -> Path:
    """The name under which this process builds the session `target`."""
    return target.with_name(f".{target.name}{_own()}")


def is_building(name: str) -> bool:
    """Whether `name` is that of a hidden folder in which an import builds a session, or built one."""
    return _BUILDING.fullmatch(name) is not None


@contextlib.contextmanager
def running(into: Path, targets: Collection[Path]) -> Iterator[None]:
    """Hold this import's lock while it builds `targets` in `into`; first remove what killed imports left.

    Raises OSError, and FwdtuiError if another import builds one of them: nothing has been removed then.
    """
    within = os.open(into, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with contextlib.ExitStack() as held:
        held.callback(os.close, within)
        try:
            if (own := take_within(within, _own())) is None:
                raise _also_running(into, _own())
            held.callback(own.release)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            with contextlib.suppress(OSError):
                os.unlink(_own(), dir_fd=within)
            own = None
        for name in _ended(into, within, {f".{target.name}" for target in targets}, own):
            shutil.rmtree(into / name, ignore_errors=True)
        yield


def _ended(into: Path, within: int, sessions: Collection[str], own: Lock | None) -> list[str]:
    """The hidden folders of `sessions` whose imports have ended. Raises FwdtuiError if one still runs."""
    of_import: dict[str, list[str]] = {}  # the name of its lock file -> the hidden folders
    for name in opening.names(within):
        session, mark, process = name.rpartition(_MARK)
        if mark and (session in sessions or not session):
            of_import.setdefault(mark + process, []).extend([name] if session else [])
    ended = []
    for lock, folders in of_import.items():
        if own is not None and lock != _own():
            try:
                free = take_within(within, lock, _PATIENCE)
            except OSError:  # another user's, whose folders are not ours to remove either
                continue
            if free is not None:
                free.release()  # which removes the file that a killed import left
            elif folders:
                raise _also_running(into, lock)
        ended += folders
    return ended


def _own() -> str:
    return f"{_MARK}{os.getpid()}"


def _also_running(into: Path, lock: str) -> FwdtuiError:
    process = clean(lock.removeprefix(_MARK))
    return FwdtuiError(
        f"{into}: another import of the same sessions into this folder is running (process {process}); "
        "wait until it has ended, or import into another folder"
    )
