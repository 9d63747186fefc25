"""samples.jsonl: append-only, one JSON object a line, each with the CRC-32 of its payload.

A line is ``{"crc":"<8 hex>","d":<payload>}``; the CRC covers the payload's bytes as they stand. The first
payload is the header ``{"kind":"header","schema":1}``. A writer that dies leaves at most one torn last line,
which a reader drops and mentions; a bad line in the middle is damage: flagged, and the rest is kept.
"""

import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import SCHEMA, Sample
from fwdtui.store.atomic import write_all

NAME = "samples.jsonl"
_LINE = re.compile(rb'\{"crc":"([0-9a-f]{8})","d":(.*)\}', re.DOTALL)
_encoder = msgspec.json.Encoder()


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="kind"):
    """The first record of a file."""

    schema: int = SCHEMA


_Record = Header | Sample
_decoder = msgspec.json.Decoder(_Record)


@dataclass(frozen=True, slots=True)
class SampleLog:
    """What a samples.jsonl holds; `problems` says what was damaged and where."""

    samples: tuple[Sample, ...]
    problems: tuple[str, ...] = ()


def line(record: Header | Sample) -> bytes:
    """One record as a line, CRC first."""
    payload = _encoder.encode(record)
    return b'{"crc":"%08x","d":%s}\n' % (zlib.crc32(payload), payload)


class Appender:
    """Appends records to a new samples.jsonl.

    After an error (disk full) the file is cut back to its last whole record and the error is raised, so
    that the file stays valid and the caller can go on without it.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(path, flags, 0o600)
        self._size = 0
        self.append(Header())

    def append(self, *records: Header | Sample) -> None:
        """Write records in order; they reach the disk with the next `sync`."""
        data = b"".join(map(line, records))
        try:
            write_all(self._descriptor, data)
        except OSError:
            os.ftruncate(self._descriptor, self._size)
            os.lseek(self._descriptor, self._size, os.SEEK_SET)
            raise
        self._size += len(data)

    def sync(self) -> None:
        """Make everything appended so far durable."""
        sync = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync
        sync(self._descriptor)

    def close(self) -> None:
        """Sync and close; a second call does nothing."""
        if self._descriptor >= 0:
            try:
                self.sync()
            finally:
                os.close(self._descriptor)
                self._descriptor = -1


def read_samples(path: Path) -> SampleLog:
    """The samples of an iteration's folder, or of one recording file.

    Damage is reported, not raised; a newer schema is refused with a FwdtuiError.
    """
    if path.is_dir():
        path = path / NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return SampleLog(())
    samples: list[Sample] = []
    problems: list[str] = []
    for record in _records(data, path, problems):
        if not isinstance(record, Header):
            samples.append(record)
        elif record.schema > SCHEMA:
            raise FwdtuiError(
                f"{path}: schema {record.schema} is newer than this fwdtui knows ({SCHEMA}); "
                "please update fwdtui"
            )
    return SampleLog(tuple(samples), tuple(problems))


def samples_in(data: bytes, path: Path) -> list[Sample]:
    """The whole samples in a piece of the file `path`, without a word on what else is in it."""
    return [record for record in _records(data, path, []) if not isinstance(record, Header)]


def _records(data: bytes, path: Path, problems: list[str]) -> Iterator[Header | Sample]:
    lines = data.split(b"\n")
    torn = lines.pop()
    for number, text in enumerate(lines, 1):
        match = _LINE.fullmatch(text)
        if not match or int(match[1], 16) != zlib.crc32(match[2]):
            problems.append(f"{path}: line {number}: checksum does not match, record skipped")
            continue
        try:
            yield _decoder.decode(match[2])
        except msgspec.DecodeError as error:
            problems.append(f"{path}: line {number}: {error}, record skipped")
    if torn:
        problems.append(f"{path}: line {len(lines) + 1}: torn last line dropped ({len(torn)} bytes)")
