"""Marks on the time axis: blasts, and the measured windows of iterations."""

import msgspec

from fwdtui.monitor.live.snapshot import Snapshot


class Mark(msgspec.Struct, frozen=True):
    """A stretch of the recording's time axis, in seconds; `end` None: it still goes on.

    `kind` is "blast" or "window".
    """

    kind: str
    start: float
    end: float | None
    label: str = ""


def marks(snapshot: Snapshot) -> tuple[Mark, ...]:
    """Blasts first, then windows, both in order of time."""
    blasts = [Mark("blast", began, ended) for began, ended in snapshot.over]
    if snapshot.blast is not None:
        blasts.append(Mark("blast", snapshot.blast.began, None))
    windows = []
    for iteration in snapshot.iterations:
        window = iteration.window
        if window is not None and window.start is not None and window.end is not None:
            number = str(iteration.index) if iteration.saved else ""  # it has no number before it is saved
            windows.append(Mark("window", window.start, window.end, number))
    return (*blasts, *windows)
