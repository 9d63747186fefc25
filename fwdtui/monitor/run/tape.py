"""Writes all samples from the first one on to disk. What cannot be written waits in memory, within bounds."""

import contextlib
import time
from collections.abc import Callable

from fwdtui.core.model import EventSample, Sample
from fwdtui.store.records import Appender, line

WAITING_MOST = 32 << 20
"""Most bytes of samples that wait for room on the disk: more than half an hour of three hosts' samples."""
SYNC = 1.0
"""Seconds of samples that a power failure may cost."""
HOLE = "recording-gap"
"""The code of the event that marks missing samples in a recording."""


class Tape:
    """`add` samples, then `flush` them. What is not durable yet is held, to be written again if needed."""

    def __init__(self, begin: Callable[[], Appender]) -> None:
        """`begin` creates a new recording. Raises OSError."""
        self._begin = begin
        self._file: Appender | None = begin()
        self._lines: list[bytes] = []
        self._held = 0  # bytes of the lines
        self._written = 0  # how many of the lines are in the file, but not durable
        self._doubtful = False  # whether what was written since the last sync may be lost
        self._synced = time.monotonic()
        self._hole: list[float] = []  # times of the first and the last sample for which there was no room
        self.lost = 0
        """How many samples there was no room for; the owner resets it once that is reported."""
        self.size = 0
        """Bytes of all samples so far."""
        self.again = 0
        """How often a new recording was begun because the file had been removed."""

    @property
    def waiting(self) -> int:
        """Samples that are not written to the file yet."""
        return len(self._lines) - (0 if self._doubtful else self._written)

    @property
    def full(self) -> bool:
        """Whether there is no room for another sample, not even in memory."""
        return bool(self._hole)

    def add(self, sample: Sample) -> None:
        """Take a sample. Without room for it, it is lost, and an event will mark the gap."""
        data = line(sample)
        self.size += len(data)
        if self._hole or self._held + len(data) > WAITING_MOST:
            at = sample.at if sample.at is not None else (self._hole[-1] if self._hole else 0.0)
            self._hole = [self._hole[0] if self._hole else at, at]
            self.lost += 1
            return
        self._lines.append(data)
        self._held += len(data)

    def flush(self, why: str = "", *, durable: bool = False) -> None:
        """Write what waits; make it durable once a second, or at once if `durable`. Raises OSError.

        `why`: the reason why samples are missing, for the event that marks the gap.
        """
        durable = durable or self._doubtful or self._held > WAITING_MOST // 2
        durable = durable or time.monotonic() - self._synced >= SYNC
        if durable and self._file is not None and self._file.deleted:
            # its content is gone; what is not durable yet goes to the next file
            with contextlib.suppress(OSError):
                self._file.close()
            self._file, self._written, self._doubtful = None, 0, False
        if self._file is None:
            self._file = self._begin()
            self.again += 1
        if self._doubtful:
            self._file.back()
            self._written, self._doubtful = 0, False
        if self._written < len(self._lines):
            self._file.write(b"".join(self._lines[self._written :]))
            self._written = len(self._lines)
        if self._hole:
            first, last = self._hole
            text = f"Samples from {first:.1f} to {last:.1f} s are missing: they could not be saved ({why})."
            self._file.append(EventSample(last, HOLE, text))
            durable = True
        if durable:
            try:
                self._file.sync()
            except OSError:
                self._doubtful = True
                raise
            self._lines, self._held, self._written = [], 0, 0
            self._hole = []  # not earlier: a mark that is not durable is cut off with the lines, see `back`
            self._synced = time.monotonic()

    def close(self) -> None:
        """Write what waits, and close; what is `waiting` afterwards is lost. Raises OSError."""
        try:
            self.flush(durable=True)
        finally:
            if self._file is not None:
                self._file.close()
