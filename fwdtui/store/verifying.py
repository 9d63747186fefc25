"""Whether what lies beside an iteration is as it was recorded: raw logs by their checksums, and samples.

Reading a session does not look: it would read every byte of it. A report does, written or printed.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from fwdtui.core.model import Session, Window
from fwdtui.core.text import clean
from fwdtui.store import opening
from fwdtui.store.records import NAME as SAMPLES
from fwdtui.store.schema import ITERATION_FILE

CHANGED = "checksum does not match: the file was changed after it was recorded"


def verify(session: Session) -> Iterator[str]:
    """A sentence on each raw log that differs or is missing, and on samples that are. Reads all raw logs."""
    for case in session.cases:
        for one in case.iterations:
            folder = Path(session.path) / one.place(case.name)
            yield from changed(folder, one.files)
            yield from lacking(folder, one.window)


def changed(folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    """A sentence on each of an iteration's raw logs that differs, is missing or could not be checked.

    `files`: their names and checksums. They come from a file, so the names are checked first.
    """
    for name, recorded in files.items():
        if Path(name).name != name:
            yield f"{folder / ITERATION_FILE}: the file name {clean(name)!r} leaves the folder"
        elif why := difference(folder / name, recorded):
            yield f"{folder / name}: {why}"


def difference(path: Path, recorded: str) -> str:
    """How the file differs from the one with the checksum `recorded`, or why that is not known; "": equal."""
    try:
        if path.lstat().st_size > opening.LOG_MOST:
            return f"larger than {opening.shown(opening.LOG_MOST)}: not checked"
        hashed = hashlib.sha256()
        for piece in opening.pieces(path, opening.LOG_MOST):
            hashed.update(piece)
    except OSError as error:
        return error.strerror or str(error)
    return "" if "sha256:" + hashed.hexdigest() == recorded else CHANGED


def lacking(folder: Path, window: Window | None) -> Iterator[str]:
    """A sentence if an iteration has no samples, although its value was taken from some.

    A window without a beginning was taken from none.
    """
    if window is not None and window.start is not None:
        try:
            why = "" if (folder / SAMPLES).lstat().st_size else "is empty"
        except OSError as error:
            why = error.strerror or str(error)
        if why:
            yield f"{folder / SAMPLES}: {why}: the samples of this iteration are missing"
