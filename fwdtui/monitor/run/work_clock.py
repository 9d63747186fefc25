"""A clock for estimates: it stands still while a run waits for room on the disk, however long that takes."""

import time

from fwdtui.monitor.run.blasting import CANNOT_SAVE


class WorkClock:
    """`enter` each phase of a run; `now` is in seconds."""

    def __init__(self) -> None:
        self._waited = 0.0
        self._since: float | None = None  # since when it stands still

    @property
    def now(self) -> float:
        """Seconds of the monotonic clock, without those in which nothing could be saved."""
        return (time.monotonic() if self._since is None else self._since) - self._waited

    def enter(self, phase: str) -> None:
        """This is what the run does from now on."""
        if self._since is not None:
            self._waited += time.monotonic() - self._since
        self._since = time.monotonic() if phase == CANNOT_SAVE else None
