"""Deletes sessions by moving them to the hidden folder .trash beside them, and restores them from there.

A move is one rename within a file system: it happens or it does not. Nothing is ever overwritten.
"""

import datetime
import errno
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import annotations, lock
from fwdtui.store.atomic import sync_folder
from fwdtui.store.reader import holds_iterations, is_session

TRASH = ".trash"
_NAME = re.compile(r"(.+)\.deleted-[0-9]{8}T[0-9]{6}Z(?:-[0-9]+)?", re.DOTALL)


def discard(session: Path) -> Path:
    """Move a session into ``.trash`` of its folder; returns its new path.

    Raises FwdtuiError if another fwdtui is recording into it or changing its annotations, if it is not a
    folder (a link is not), or if it cannot be moved. A damaged session may be discarded too.
    """
    session = session.absolute()
    if session.is_symlink() or not session.is_dir():
        raise FwdtuiError(f"{session}: no such session folder")
    if session.parent.name == TRASH:
        raise FwdtuiError(f"{session}: already in the trash")
    trash = session.parent / TRASH
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    try:
        if not is_session(session) and not holds_iterations(session):
            raise FwdtuiError(f"{session}: not deleted: not a session")
        trash.mkdir(mode=0o700, exist_ok=True)
        with ExitStack() as stack:
            for name, doing in ((lock.RECORDING, "recording into it"), (annotations.LOCK, "changing it")):
                taken = lock.take(session / name)
                if taken is None:
                    raise FwdtuiError(f"{session}: not deleted: another fwdtui is {doing}")
                stack.callback(taken.release)
            trashed = _move(session, trash, f"{session.name}.deleted-{stamp}")
    except OSError as error:
        raise FwdtuiError(f"{session}: not deleted: {error.strerror or error}") from None
    return trashed


def bring_back(trashed: Path) -> Path:
    """Move a session out of the trash, to its old name or, if that is taken, to ``name-2``, ``name-3`` ..."""
    trashed = trashed.absolute()
    match = _NAME.fullmatch(trashed.name)
    if trashed.parent.name != TRASH or match is None or trashed.is_symlink() or not trashed.is_dir():
        raise FwdtuiError(f"{trashed}: no such session in the trash")
    try:
        return _move(trashed, trashed.parent.parent, match[1])
    except OSError as error:
        raise FwdtuiError(f"{trashed}: not restored: {error.strerror or error}") from None


def list_trash(folder: Path) -> list[Path]:
    """The sessions in the trash of `folder`, the latest first."""
    try:
        sessions = [path for path in (folder / TRASH).iterdir() if _NAME.fullmatch(path.name)]
    except OSError:
        return []
    return sorted(sessions, key=lambda path: (path.name.rpartition(".deleted-")[2], path.name), reverse=True)


def _move(source: Path, folder: Path, name: str) -> Path:
    """Rename `source` to `name` in `folder`, or to ``name-2``, ``name-3`` ... if that is taken.

    rename(2) silently replaces an empty folder, so the name is first taken with mkdir(2), which replaces
    nothing: what rename replaces is then our own empty folder.
    """
    for free in _names(name):
        target = folder / free
        try:
            target.mkdir()
        except FileExistsError:
            continue
        try:
            source.rename(target)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # another program has put something into it
                continue
            target.rmdir()
            raise
        sync_folder(folder)
        sync_folder(source.parent)
        return target
    raise AssertionError("names do not end")


def _names(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1
