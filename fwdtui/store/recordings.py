"""A session's recordings: how long they are, and whether one was broken off."""

import os
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import lock, opening
from fwdtui.store.names import RECORDING
from fwdtui.store.records import samples_in

_ENDS = 64 * 1024  # bytes read at a file's beginning and end: many samples


class Recorded(msgspec.Struct, frozen=True):
    """`seconds`: how much was recorded. `broken`: the recorder was killed before it could finish."""

    seconds: float
    broken: bool


def recorded(session: Path) -> Recorded | None:
    """The recordings of a session's folder together; None if they hold no samples. Never raises.

    Cheap at any length: only the beginning and the end of each file are read.
    """
    try:
        files = [
            path for path in session.iterdir() if RECORDING.fullmatch(path.name) and opening.is_file(path)
        ]
        spans = [span for path in files if (span := _span(path)) is not None]
    except (OSError, FwdtuiError):
        return None
    if not spans:
        return None
    path = session / lock.RECORDING
    return Recorded(sum(spans), broken=path.exists() and not lock.is_held(path))


def _span(path: Path) -> float | None:
    with os.fdopen(opening.open_file(path), "rb") as file:
        head = file.read(_ENDS)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _ENDS, 0))
        tail = file.read(_ENDS)
    times = [sample.at for part in (head, tail) for sample in samples_in(part, path) if sample.at is not None]
    return max(times) - min(times) if times else None
