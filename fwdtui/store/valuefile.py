"""Reads value files and stdin: small ones by the plain rules, big ones faster with the same result."""

import os
import stat
import sys
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.parse.valuefile import (
    LINE_BYTES,
    NOT_FINITE_KEPT,
    Oddity,
    ValueFile,
    parse_values,
    written_unit,
)

if TYPE_CHECKING:
    from fwdtui.core.parse.grouped import Doubt, Groups
    from fwdtui.core.parse.stated_unit import StatedUnit, StatedUnits

STDIN = "-"
Progress = Callable[[str, int], None]
"""Called as progress(path, bytes read so far)."""

BLOCK_BYTES = 1 << 20  # read first; a longer file is worth the import of msgspec
MOST_BYTES = 1 << 31
MOST_VALUES = 100_000_000
NOTHING_BYTES = 1 << 24
"""Bytes without a value after which reading stops: a device or a pipe may never end."""
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PIECE_BYTES = 1 << 17  # read at once from then on: arrays that long stay in the processor's cache


def read_values(
    path: str, *, column: int | None = None, delimiters: str = " \t", progress: Progress | None = None
) -> "array[float]":
    """Read the values in column `column` (from 1) of the file `path`, ``-`` for standard input; at least one.

    `delimiters` are the characters between columns. `progress` is called while a big file is read.
    If `column` is given, only ministat's rules apply. If not, it is the first column; digits grouped by
    no-break spaces are one number. Digits grouped by plain spaces, and units after values, are refused:
    ministat takes both for further columns. Raises FwdtuiError, naming file and line, if the file cannot be
    read, holds no value, or holds a token that is not a finite number.
    """
    return read_with_unit(path, column=column, delimiters=delimiters, progress=progress).values


def read_with_unit(
    path: str, *, column: int | None = None, delimiters: str = " \t", progress: Progress | None = None
) -> ValueFile:
    """As read_values, but with the unit too, which a value file of fwdtui's own reports names."""
    file = read_value_file(path, column=column, delimiters=delimiters, progress=progress)
    if file.not_finite:
        odd = file.not_finite[0]
        raise FwdtuiError(f"{path_label(path)}:{odd.line}: not a finite number: {odd.token!r}")
    if not file.values:
        where = f" in column {column}" if (column or 1) != 1 else ""
        raise FwdtuiError(f"{path_label(path)}: no values{where} ({_lines(file.lines)} read)")
    return file


def read_value_file(
    path: str,
    *,
    column: int | None = None,
    delimiters: str = " \t",
    block_bytes: int = BLOCK_BYTES,
    progress: Progress | None = None,
) -> ValueFile:
    """As read_values, but says what was skipped, and reports NaN and infinities instead of raising."""
    wanted = os.fsencode(delimiters)
    if path == STDIN:
        return _read(sys.stdin.buffer, path, column, wanted, block_bytes, progress)
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs more than a small comparison
            if stat.S_ISDIR(os.fstat(file.fileno()).st_mode):
                raise IsADirectoryError
            return _read(file, path, column, wanted, block_bytes, progress)
    except IsADirectoryError:
        raise FwdtuiError(f"{path}: a folder, not a value file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise FwdtuiError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def path_label(path: str) -> str:
    """The name of `path` in messages."""
    return "<stdin>" if path == STDIN else path


def _read(
    file: BinaryIO,
    path: str,
    column: int | None,
    delimiters: bytes,
    block_bytes: int,
    progress: Progress | None,
) -> ValueFile:
    values = array("d")
    lines = skipped = 0
    odd: tuple[Oddity, ...] = ()
    block = file.read(block_bytes)
    unit = written_unit(block)
    big = len(block) >= block_bytes
    done = 0
    size = len(block)
    data = rest = b""
    groups: Groups | None = None
    units: StatedUnits | None = None
    while block or rest:
        data, rest = _whole_lines(rest + block) if block else (rest, b"")
        block_values = _quick(data, column or 1, delimiters) if big else None
        if block_values is None:
            block_values = parse_values(data, column=column, delimiters=delimiters, first_line=lines + 1)
        if block_values.bad:
            raise FwdtuiError(_complaint(path, block_values.bad, data))
        if column is None and b" " in data:
            groups = groups or _groups(delimiters)
            groups.look(data, lines + 1)
        if column is None and any(delimiter in data for delimiter in delimiters):
            units = units or _units(delimiters)
            units.look(data, lines + 1)
        values += block_values.values
        lines += block_values.lines
        skipped += block_values.skipped
        odd += block_values.not_finite[: NOT_FINITE_KEPT - len(odd)]
        if size >= NOTHING_BYTES and (wrong := _endless(size, len(values))):
            raise FwdtuiError(f"{path_label(path)}: {wrong}")
        if big and progress is not None:
            done += len(block)
            progress(path, done)
        block = file.read(min(block_bytes, _PIECE_BYTES))
        size += len(block)
    if groups and groups.doubt:
        raise FwdtuiError(_doubtful(path, groups.doubt))
    if units and units.found:
        raise FwdtuiError(_in_a_unit(path, units.found))
    return ValueFile(values, lines, skipped, odd, unit=unit)


def _groups(delimiters: bytes) -> "Groups":
    from fwdtui.core.parse.grouped import (
        Groups,
    )  # imported here: most files have no blanks and need no patterns

    return Groups(delimiters)


def _units(delimiters: bytes) -> "StatedUnits":
    from fwdtui.core.parse.stated_unit import StatedUnits  # here: most files have one column

    return StatedUnits(delimiters)


def _in_a_unit(path: str, stated: "StatedUnit") -> str:
    return (
        f"{path_label(path)}:{stated.line}: {stated.text!r}: the unit {stated.unit} is not read: write plain "
        "numbers, all in one unit, or take the first column with compare -C 1"
    )


def _doubtful(path: str, doubt: "Doubt") -> str:
    where = f"{path_label(path)}:{doubt.line}"
    return (
        f"{where}: {doubt.text!r} may be {doubt.whole}, one number, or {doubt.first} and other columns, "
        "as ministat reads it: remove the blanks, or take the first column with compare -C 1"
    )


def _endless(size: int, values: int) -> str:
    """What is wrong with a file of `size` bytes and `values` values so far; empty if nothing is."""
    if not values:
        return f"not a value file: no value in its first {size >> 20} MiB"
    if size > MOST_BYTES or values > MOST_VALUES:
        return f"larger than the {MOST_VALUES:,} values or {MOST_BYTES >> 30} GiB that fwdtui reads of a file"
    return ""


def _quick(data: bytes, column: int, delimiters: bytes) -> ValueFile | None:
    from fwdtui.store.valuefile_fast import parse_plain

    return parse_plain(data, column, delimiters)


def _whole_lines(data: bytes) -> tuple[bytes, bytes]:
    """(what can be parsed now, the beginning of a line that is not complete yet)."""
    end = data.rfind(b"\n") + 1
    end += (len(data) - end) // LINE_BYTES * LINE_BYTES  # an endless line is parsed in pieces
    return data[:end], data[end:]


def _complaint(path: str, bad: Oddity, data: bytes) -> str:
    where = f"{path_label(path)}:{bad.line}"
    if bad.line == 1 and data.startswith(_UTF8_MARK):
        return f"{where}: begins with a byte order mark, not a number: save it as UTF-8 without one"
    if bad.line == 1 and data.startswith(_UTF16_MARKS):
        return f"{where}: UTF-16 text, not a value file: save it as UTF-8"
    if b"\0" in data:
        return f"{path_label(path)}:{bad.line}: not a value file: it holds binary data"
    return f"{path_label(path)}:{bad.line}: not a number: {bad.token!r}"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
