"""Keeps everything: each sample as it comes, and each iteration when it is cut.

A disk that fills up ends the recording with a message, never the run: sampling and drawing go on.
"""

import contextlib
import datetime
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import EventSample, Fact, Iteration, Sample
from fwdtui.core.text import slug
from fwdtui.store import SessionWriter
from fwdtui.store.records import Appender

_SYNC = 1.0  # seconds of samples that a power failure may cost

RawLogs = Callable[[], Mapping[str, bytes]]
"""The tools' output since it was last asked for: file name -> bytes."""


class Recorder:
    """Records into one case of one session; `problem` says why it stopped, while it has not it is empty."""

    def __init__(self, writer: SessionWriter, case: str, *, logs: RawLogs = dict) -> None:
        self.case = case
        self.problem = ""
        self._writer = writer
        self._logs = logs
        self._samples: Appender | None = writer.record()
        self._synced = time.monotonic()
        self._origin: datetime.datetime | None = None

    @property
    def folder(self) -> Path:
        """The session."""
        return self._writer.folder

    def take(self, sample: Sample) -> None:
        """Record one sample, before anything else is done with it. Never raises on a full disk."""
        if self._origin is None and sample.at is not None:
            now = datetime.datetime.now(datetime.UTC)
            self._origin = now - datetime.timedelta(seconds=sample.at)
        if self._samples is None:
            return
        try:
            self._samples.append(sample)
            now_ = time.monotonic()
            if now_ - self._synced >= _SYNC:
                self._samples.sync()
                self._synced = now_
        except OSError as error:
            self._stop(f"{self.folder}: {error.strerror or error}: recording stopped, sampling goes on")

    def finished(self, iteration: Iteration, samples: tuple[Sample, ...], began: float) -> Iteration:
        """Write an iteration; returns it as it is kept: numbered, and with the time it began."""
        when = self._origin and self._origin + datetime.timedelta(seconds=began)
        try:
            writing = self._writer.begin(self.case)
            writing.append(*samples)
            for name, data in self._logs().items():
                writing.attach(name, data)
            if messages := _messages(samples):
                writing.attach("dmesg.txt", messages)
            kept = msgspec.structs.replace(iteration, index=writing.index, began=_iso(when))
            writing.commit(kept)
        except OSError as error:
            self._stop(f"{self.folder}: {error.strerror or error}: this iteration is not recorded")
            return iteration
        return kept

    def close(self) -> None:
        """Sync and close; a second call does nothing."""
        if self._samples is not None:
            try:
                self._samples.close()
            except OSError as error:
                self.problem = f"{self.folder}: {error.strerror or error}"
            self._samples = None
        self._writer.close()

    def _stop(self, problem: str) -> None:
        self.problem = problem
        if self._samples is not None:
            with contextlib.suppress(OSError):  # the disk is full already, and that was told
                self._samples.close()
            self._samples = None


def _iso(when: datetime.datetime | None) -> str:
    return when.isoformat(timespec="seconds") if when else ""


def _messages(samples: tuple[Sample, ...]) -> bytes:
    """What the kernels said while it ran."""
    lines = [
        f"{s.at:.3f} {s.host}: {s.text}\n"
        for s in samples
        if isinstance(s, EventSample) and s.code in ("dmesg", "link-down", "link-up")
    ]
    return "".join(lines).encode()


def open_session(
    into: Path,
    session: str,
    *,
    facts: Mapping[str, Fact] | None = None,
    lab: Mapping[str, object] | None = None,
) -> SessionWriter:
    """The session to record into: a new one, or one more recording of one that exists.

    `lab` is what fwdtui.core.lab.plain gives. A session that exists keeps the facts and the lab it has.

    Raises FwdtuiError when another fwdtui writes to it, OSError when the folder cannot be written.
    """
    folder = into / slug(session)
    if (folder / "session.toml").is_file():
        return SessionWriter(folder)
    if folder.exists():
        raise FwdtuiError(f"{folder}: exists and is not a session")
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return SessionWriter.create(folder, label=session, created=created, facts=facts, lab=lab)
