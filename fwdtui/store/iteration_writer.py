"""Writes one iteration. It counts only once it has an iteration.json, which is written last."""

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration, Sample
from fwdtui.core.text import slug
from fwdtui.store import opening
from fwdtui.store.atomic import replace, write_new
from fwdtui.store.records import NAME as SAMPLES
from fwdtui.store.records import Appender
from fwdtui.store.schema import ITERATION_FILE, encode_iteration


class IterationWriter:
    """One iteration being recorded. `commit` makes it count; without it the folder stays unfinished."""

    def __init__(self, folder: Path, descriptor: int, case: str, index: int) -> None:
        """Use `SessionWriter.begin`. `descriptor` is the folder's; `close` closes it."""
        self.folder = folder
        self.case = case
        self.index = index
        self._descriptor = descriptor
        self._files: dict[str, str] = {}
        self._samples: Appender | None = None
        self.withdrawn = False
        """Whether its number is free again."""

    @property
    def is_open(self) -> bool:
        """Whether it is neither committed, nor withdrawn or closed."""
        return self._descriptor >= 0

    def append(self, *samples: Sample) -> None:
        """Record samples, in order. Raises OSError (disk full); what was recorded before stays readable."""
        self._appender().append(*samples)

    def write(self, lines: bytes) -> None:
        """As `append`, for samples that are already encoded by `records.line`."""
        self._appender().write(lines)

    def _appender(self) -> Appender:
        if self._samples is None:
            self._samples = Appender(SAMPLES, within=self._descriptor)
        return self._samples

    def sync(self) -> None:
        """Make the samples so far durable."""
        if self._samples is not None:
            self._samples.sync()

    def attach(self, name: str, data: bytes) -> str:
        """Save a raw log beside the result; returns the file's name (slugged)."""
        safe = slug(name)
        if safe in (SAMPLES, ITERATION_FILE):
            raise FwdtuiError(f"{self.folder}: a raw log cannot be named {safe}")
        write_new(safe, data, within=self._descriptor)
        self._files[safe] = "sha256:" + hashlib.sha256(data).hexdigest()
        return safe

    def commit(self, iteration: Iteration) -> None:
        """Make the iteration count. Its `index` and `files` are set from what was written here."""
        if self._samples is not None:
            self._samples.close()
        record = msgspec.structs.replace(iteration, index=self.index, files=dict(sorted(self._files.items())))
        replace(ITERATION_FILE, encode_iteration(self.case, record), within=self._descriptor)
        self.close()

    def withdraw(self) -> None:
        """Remove the iteration, which could not be written completely. Never raises.

        On a disk that fails, it may count nevertheless: then it stays open, and `uncount` has to be called
        before it is written once more.
        """
        self.withdrawn = True
        with contextlib.suppress(OSError):
            self.uncount()

    def uncount(self) -> None:
        """Make a withdrawn iteration count no more, and remove it if possible. Raises OSError."""
        # it may have its iteration.json: what failed last is perhaps only the sync of the folder
        with contextlib.suppress(FileNotFoundError):
            os.unlink(ITERATION_FILE, dir_fd=self._descriptor)
        with contextlib.suppress(OSError):
            for name in opening.names(self._descriptor):
                os.unlink(name, dir_fd=self._descriptor)
            os.rmdir(f"../{self.folder.name}", dir_fd=self._descriptor)
        with contextlib.suppress(OSError):
            self.close()

    def close(self) -> None:
        """Sync and close the samples; a second call does nothing."""
        try:
            if self._samples is not None:
                self._samples.close()
        finally:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1
