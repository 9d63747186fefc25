"""Deleting a session is moving it aside: into the hidden folder .trash beside it, from where it comes back.

A move is one rename on one file system: it happens or it does not. Nothing is ever overwritten.
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
from fwdtui.store.reader import is_session
from fwdtui.store.schema import ITERATION_FILE

TRASH = ".trash"
_NAME = re.compile(r"(.+)\.deleted-[0-9]{8}T[0-9]{6}Z(?:-[0-9]+)?")


def discard(session: Path) -> Path:
    """Move a session into ``.trash`` of its folder; returns where it is now.

    Raises FwdtuiError when somebody records into it or changes its annotations, when it is no folder (a link
    is none), or when it cannot be moved. A damaged session may be discarded too.
    """
    session = session.absolute()
    if session.is_symlink() or not session.is_dir():
        raise FwdtuiError(f"{session}: no such session folder")
    if session.parent.name == TRASH:
        raise FwdtuiError(f"{session}: is in the trash already")
    if not is_session(session) and not any(session.glob(f"*/*/{ITERATION_FILE}")):
        raise FwdtuiError(f"{session}: not deleted: it is no session")
    trash = session.parent / TRASH
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    try:
        trash.mkdir(mode=0o700, exist_ok=True)
        with ExitStack() as stack:
            for name, doing in ((lock.RECORDING, "records into it"), (annotations.LOCK, "changes it")):
                taken = lock.take(session / name)
                if taken is None:
                    raise FwdtuiError(f"{session}: not deleted: another fwdtui {doing}")
                stack.callback(taken.release)
            trashed = _move(session, trash, f"{session.name}.deleted-{stamp}")
    except OSError as error:
        raise FwdtuiError(f"{session}: not deleted: {error.strerror or error}") from None
    return trashed


def bring_back(trashed: Path) -> Path:
    """Move a session out of the trash, to the name it had or, where that is taken, to one beside it."""
    trashed = trashed.absolute()
    match = _NAME.fullmatch(trashed.name)
    if trashed.parent.name != TRASH or match is None or trashed.is_symlink() or not trashed.is_dir():
        raise FwdtuiError(f"{trashed}: no such session in the trash")
    try:
        return _move(trashed, trashed.parent.parent, match[1])
    except OSError as error:
        raise FwdtuiError(f"{trashed}: not brought back: {error.strerror or error}") from None


def list_trash(folder: Path) -> list[Path]:
    """What was discarded from `folder`, the latest first; empty where nothing was."""
    try:
        found = [path for path in (folder / TRASH).iterdir() if _NAME.fullmatch(path.name)]
    except OSError:
        return []
    return sorted(found, key=lambda path: (path.name.rpartition(".deleted-")[2], path.name), reverse=True)


def _move(source: Path, folder: Path, name: str) -> Path:
    """Rename `source` to `name` in `folder`, or to ``name-2``, ``name-3`` ... where that is taken.

    rename(2) replaces an empty folder without a word, so the name is first taken with mkdir(2), which
    replaces nothing: then it is our own empty folder that is replaced.
    """
    for free in _names(name):
        target = folder / free
        try:
            target.mkdir(mode=0o700)
        except FileExistsError:
            continue
        try:
            source.rename(target)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # somebody has put something into it
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
