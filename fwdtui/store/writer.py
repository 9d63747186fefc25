"""Writing sessions: an iteration exists only when it is committed, and then it is on disk.

Its folder appears with its first sample. It counts only when iteration.json stands in it, which is written
last (temporary file, fsync, rename). A writer that dies leaves an unfinished folder, never a wrong one.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import SCHEMA, Fact, Iteration, Sample
from fwdtui.core.text import clean, slug
from fwdtui.store import lock
from fwdtui.store.atomic import replace, sync_folder, write_new
from fwdtui.store.records import NAME as SAMPLES
from fwdtui.store.records import Appender
from fwdtui.store.schema import ITERATION_FILE, SESSION_FILE, SessionFile, encode_iteration, encode_session

RECORDING = re.compile(r"recording-([0-9]{3,})\.jsonl")


class IterationWriter:
    """One iteration being recorded. `commit` makes it count; without it the folder stays unfinished."""

    def __init__(self, folder: Path, case: str, index: int) -> None:
        self.folder = folder
        self.case = case
        self.index = index
        self._files: dict[str, str] = {}
        self._samples: Appender | None = None

    def append(self, *samples: Sample) -> None:
        """Record samples, in order. Raises OSError (disk full); what was recorded before stays readable."""
        if self._samples is None:
            self._samples = Appender(self.folder / SAMPLES)
        self._samples.append(*samples)

    def sync(self) -> None:
        """Make the samples so far durable."""
        if self._samples is not None:
            self._samples.sync()

    def attach(self, name: str, data: bytes) -> str:
        """Keep a raw log beside the result; returns the file's name (slugged)."""
        safe = slug(name)
        if safe in (SAMPLES, ITERATION_FILE):
            raise FwdtuiError(f"{self.folder}: a raw log cannot be named {safe}")
        write_new(self.folder / safe, data)
        self._files[safe] = "sha256:" + hashlib.sha256(data).hexdigest()
        return safe

    def commit(self, iteration: Iteration) -> None:
        """Make it count. `index` and `files` of `iteration` are set from what was written here."""
        self.close()
        record = msgspec.structs.replace(iteration, index=self.index, files=dict(sorted(self._files.items())))
        replace(self.folder / ITERATION_FILE, encode_iteration(self.case, record))

    def close(self) -> None:
        """Sync and close the samples; a second call does nothing."""
        if self._samples is not None:
            self._samples.close()


class SessionWriter:
    """Creates a session folder, or opens one to add iterations. Only one writer a session at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        taken = lock.take(folder / lock.RECORDING)
        if taken is None:
            raise FwdtuiError(f"{folder}: another fwdtui is writing to this session")
        self._lock = taken

    @classmethod
    def create(
        cls,
        folder: Path,
        *,
        label: str,
        created: str,
        facts: Mapping[str, Fact] | None = None,
        lab: Mapping[str, object] | None = None,
    ) -> "SessionWriter":
        """A new session in `folder`, which must not exist. `created` is ISO 8601 with an offset.

        `lab` is the lab.toml that it is recorded with, as fwdtui.core.lab.plain gives it.
        """
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            raise FwdtuiError(f"{folder}: exists already; choose another name or remove it") from None
        writer = cls(folder)
        header = SessionFile(schema=SCHEMA, label=label, created=created, facts=dict(facts or {}), lab=lab)
        write_new(folder / SESSION_FILE, encode_session(header))
        sync_folder(folder)
        return writer

    def begin(self, case: str) -> IterationWriter:
        """The next iteration of `case`, numbered from 1; an unfinished folder's number is not used again."""
        case = clean(case)  # as it will be read: folder and name belong together
        parent = self.folder / slug(case)
        parent.mkdir(mode=0o700, exist_ok=True)
        taken = [int(p.name) for p in parent.iterdir() if p.name.isdecimal()]
        index = max(taken, default=0) + 1
        folder = parent / f"{index:03d}"
        folder.mkdir(mode=0o700)
        sync_folder(parent)
        return IterationWriter(folder, case, index)

    def record(self) -> Appender:
        """A new recording beside the cases: everything from the first sample on, iterations or not."""
        taken = [int(m[1]) for p in self.folder.iterdir() if (m := RECORDING.fullmatch(p.name))]
        return Appender(self.folder / f"recording-{max(taken, default=0) + 1:03d}.jsonl")

    def close(self) -> None:
        """Give up the lock and remove its file; a second call does nothing."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
