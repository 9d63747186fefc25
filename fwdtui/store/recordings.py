"""A session's recordings: how long they are, and whether one was broken off."""

import os
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import lock, opening
from fwdtui.store.names import RECORDING
from fwdtui.store.records import LINE_MOST, samples_in

_ENDS = 64 * 1024  # bytes read at a file's beginning and end: many samples of most hosts


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
        size = file.seek(0, os.SEEK_END)
        for most in (_ENDS, _ENDS + LINE_MOST):  # a host with many queues has no whole sample in the first
            file.seek(0)
            first = _times(file.read(most), path)
            file.seek(max(size - most, 0))
            last = _times(file.read(most), path)
            if first and last:
                break
    times = [*first, *last]
    return max(times) - min(times) if times else None


def _times(data: bytes, path: Path) -> list[float]:
    return [sample.at for sample in samples_in(data, path) if sample.at is not None]
