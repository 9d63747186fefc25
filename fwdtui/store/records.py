"""samples.jsonl: append-only, one JSON object per line, each with the CRC-32 of its payload.

A line is ``{"crc":"<8 hex>","d":<payload>}``; the CRC covers the payload's bytes as written. The first
payload is the header ``{"kind":"header","schema":1}``. A writer that dies leaves at most one torn last line,
which a reader drops and reports. A bad line in the middle is damage: it is reported, and the rest is used.
"""

import contextlib
import os
import re
import weakref
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.made import Made
from fwdtui.core.model import SCHEMA, Sample
from fwdtui.store import opening, plain
from fwdtui.store.atomic import write_all

NAME = "samples.jsonl"
LINE_MOST = 4 * opening.MIB
"""Most bytes of one line, including the newline.

The interrupts of a host with 256 CPUs, and a queue for each of them at two ports, take more than a quarter.
"""
_AT_ONCE = 64 * 1024  # bytes that are read at once: more are no faster, and they are held three times
_PROBLEMS_TOLD = 50  # reported for one file; the others are counted
_LINE = re.compile(rb'\{"crc":"([0-9a-f]{8})","d":(.*)\}', re.DOTALL)
_encoder = msgspec.json.Encoder()


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="kind"):
    """The first record of a file: its schema."""

    schema: int = SCHEMA


_Record = Header | Sample
_decoder = msgspec.json.Decoder(_Record)


class SampleLog(msgspec.Struct, frozen=True):
    """The content of a samples.jsonl; `problems` says what was damaged and where."""

    samples: Sequence[Sample]
    problems: tuple[str, ...] = ()


def line(record: Header | Sample) -> bytes:
    """Encode one record as a line, CRC first."""
    payload = _encoder.encode(record)
    return b'{"crc":"%08x","d":%s}\n' % (zlib.crc32(payload), payload)


def lines(records: Sequence[Header | Sample]) -> bytes:
    """Encode many records, each as `line` does."""
    payloads = _encoder.encode_lines(records).splitlines()  # JSON has no line ends of its own
    return b"".join([b'{"crc":"%08x","d":%s}\n' % (zlib.crc32(one), one) for one in payloads])


class Appender:
    """Appends records to a new samples.jsonl.

    On an error (disk full) the file is truncated after its last whole record and the error is raised, so
    that the file stays valid and the caller can go on without it.
    """

    def __init__(self, path: Path | str, *, within: int | None = None) -> None:
        """Create the file with its header. Raises OSError, leaving no file."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(path, flags, 0o600, dir_fd=within)
        self._size = self._durable = 0
        try:
            self.append(Header())
            self.sync()
        except BaseException:
            os.close(self._descriptor)
            with contextlib.suppress(OSError):
                os.unlink(path, dir_fd=within)
            raise

    def append(self, *records: Header | Sample) -> None:
        """Write records in order; they reach the disk with the next `sync`."""
        self.write(lines(records))

    def write(self, data: bytes) -> None:
        """As `append`, for records that are already encoded by `line`."""
        try:
            write_all(self._descriptor, data)
        except OSError:
            with contextlib.suppress(OSError):  # the first error is the one to report
                self._cut(self._size)
            raise
        self._size += len(data)

    def sync(self) -> None:
        """Make everything appended so far durable."""
        sync = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync
        sync(self._descriptor)
        self._durable = self._size

    def back(self) -> None:
        """Truncate the file to its length at the last `sync`: if one fails, what came later may be lost."""
        self._cut(self._durable)
        self._size = self._durable

    def _cut(self, size: int) -> None:
        os.ftruncate(self._descriptor, size)
        os.lseek(self._descriptor, size, os.SEEK_SET)

    @property
    def deleted(self) -> bool:
        """Whether the file was removed: what is written to it is lost."""
        return os.fstat(self._descriptor).st_nlink == 0

    def close(self) -> None:
        """Sync and close; a second call does nothing."""
        if self._descriptor >= 0:
            try:
                self.sync()
            finally:
                os.close(self._descriptor)
                self._descriptor = -1


class StoredSamples(Made[Sample]):
    """The samples of a file, decoded when they are asked for; only their places are kept in memory.

    The file stays open, so it may be moved or removed meanwhile. Asking for a sample raises FwdtuiError or
    OSError if the file was changed.
    """

    def __init__(self, path: Path) -> None:
        """Open the file at `path`; no sample is known yet. Raises OSError."""
        self._path = path
        self._descriptor = opening.open_file(path)
        weakref.finalize(self, os.close, self._descriptor)
        self._starts, self._sizes = array("Q"), array("I")

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, start: int, size: int) -> None:
        """Note that the next sample is in the `size` bytes of the file from byte `start` on."""
        self._starts.append(start)
        self._sizes.append(size)

    def one(self, place: int) -> Sample:
        data = os.pread(self._descriptor, self._sizes[place], self._starts[place])
        record = _record(data, f"{self._path}: byte {self._starts[place]}")
        if isinstance(record, Header):
            raise FwdtuiError(f"{self._path}: the file was changed")
        return record


def read_samples(path: Path) -> SampleLog:
    """Read the samples of an iteration's folder, or of one recording file.

    Damage is reported, not raised; a newer schema raises FwdtuiError.
    """
    samples: list[Sample] = []
    problems = _read(path, lambda sample, start, size: samples.append(sample))
    return SampleLog(tuple(samples), problems)


def index_samples(path: Path, seen: Callable[[Sample], None]) -> SampleLog:
    """As `read_samples` of a file, but its samples are not kept: each is decoded again when it is asked for.

    `seen` is called with each of them once.
    """
    try:
        stored = StoredSamples(path)
    except FileNotFoundError:
        return SampleLog(())
    except OSError as error:
        raise FwdtuiError(f"{path}: {error.strerror or error}") from None

    def index(sample: Sample, start: int, size: int) -> None:
        stored.add(start, size)
        seen(sample)

    return SampleLog(stored, _read(path, index))


def _read(path: Path, seen: Callable[[Sample, int, int], None]) -> tuple[str, ...]:
    """Call `seen` with each sample and its line's place and size in bytes; returns the problems."""
    problems = _Problems()
    try:
        if path.is_dir():
            path = path / NAME
        size_of_all = path.lstat().st_size
        if not size_of_all:  # it was made with its header
            problems.append(f"{path}: is empty")
        beyond = size_of_all > opening.SAMPLES_MOST
        data = opening.pieces(path, opening.SAMPLES_MOST, at_once=_AT_ONCE)
        for start, size, record in _records(data, path, problems, cut=beyond):
            if not isinstance(record, Header):
                seen(record, start, size)
            elif record.schema > SCHEMA:
                raise FwdtuiError(
                    f"{path}: schema {record.schema} is newer than this fwdtui knows ({SCHEMA}); "
                    "please update fwdtui"
                )
        if beyond:
            problems.append(f"{path}: only the first {opening.shown(opening.SAMPLES_MOST)} are read")
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise FwdtuiError(f"{path}: {error.strerror or error}") from None
    return problems.told(path)


def samples_in(data: bytes, path: Path) -> list[Sample]:
    """The complete samples in a piece of the file `path`; everything else in it is ignored."""
    records = _records([data], path, _Problems())
    return [record for _, _, record in records if not isinstance(record, Header)]


class _Problems:
    """Collects problems: the first ones as text, the others as a count."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self._more = 0

    def append(self, problem: str) -> None:
        if len(self._first) < _PROBLEMS_TOLD:
            self._first.append(problem)
        else:
            self._more += 1

    def told(self, path: Path) -> tuple[str, ...]:
        more = [f"{path}: {self._more} more problems like these"] if self._more else []
        return (*self._first, *more)


def _records(
    data: Iterable[bytes], path: Path, problems: _Problems, *, cut: bool = False
) -> Iterator[tuple[int, int, Header | Sample]]:
    """Each record with the place and the size of its line in bytes, without the newline.

    `cut`: the file goes on after `data`, so a last line without its end is not a torn one.
    """
    number = 0
    after = 0  # the bytes up to the end of the last line
    rest: list[bytes] = []  # the pieces of a line that has no end yet
    held = 0  # their bytes
    dropped = 0  # bytes of a line that is too long to be a record
    for piece in data:
        first, *lines = piece.split(b"\n")
        rest.append(first)
        held += len(first)
        if lines:
            *lines, last = b"".join(rest), *lines
            rest, held = [last], len(last)
        for text in lines:
            number += 1
            start, after = after, after + dropped + len(text) + 1
            if dropped:
                problems.append(f"{path}: line {number}: longer than any record, skipped")
                dropped = 0
                continue
            try:
                yield start, len(text), _record(text, f"{path}: line {number}")
            except FwdtuiError as error:
                problems.append(f"{error}, record skipped")
        if held > LINE_MOST:
            dropped, rest, held = dropped + held, [], 0
    if (held or dropped) and not cut:
        problems.append(f"{path}: line {number + 1}: torn last line dropped ({held + dropped} bytes)")


def _record(text: bytes, where: str) -> Header | Sample:
    """Decode a line without its newline. Raises FwdtuiError."""
    match = _LINE.fullmatch(text)
    if not match or int(match[1], 16) != zlib.crc32(match[2]):
        raise FwdtuiError(f"{where}: checksum does not match")
    try:
        if plain.has_long_number(match[2]):
            plain.json(match[2], where)
        record: Header | Sample = _decoder.decode(match[2])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FwdtuiError(f"{where}: {error}") from None
    return record
