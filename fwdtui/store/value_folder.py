"""Finds the value files of a folder of results: ministat's input, one number a line, whatever their names.

Results of a bench lie among thousands of logs. What is a value file is decided by its content: lines with one
number each, besides blank ones and comments. Regular files only, never through a link, within bounds.
"""

import errno
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.parse.stated_unit import first_unit
from fwdtui.core.parse.valuefile import MARKED, marked, parse_values, written_unit
from fwdtui.core.text import clean
from fwdtui.store import opening

MOST_FILES = 5000
"""Most value files that are kept of one folder and those below it."""
MOST_ENTRIES = 200_000
DEEPEST = 16
"""Most levels of folders within folders that are looked into."""
MOST_BYTES = 1 << 18
"""The largest value file, in bytes: tens of thousands of iterations."""

_MOST_NAMED = 10  # files that cannot be read
_FIRST = 512  # bytes that tell most other files from value files
_NUMBER = rb"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,3})?"
_LINE = rb"[ \t]*+(?:#[^\n]*+|" + _NUMBER + rb"[ \t\r]*+|\r?)"
_NUMBERS = re.compile(rb"(?:" + _LINE + rb"\n)*(?:" + _LINE + rb")?")
_WORD = rb"(?:[ \t]++[^\s#]{1,40}+)?[ \t\r]*+"
_LINE_WITH_WORD = rb"[ \t]*+(?:#[^\n]*+|" + _NUMBER + _WORD + rb"|\r?)"
_WITH_WORDS = re.compile(rb"(?:" + _LINE_WITH_WORD + rb"\n)*(?:" + _LINE_WITH_WORD + rb")?")
"""Lines with one number each, and a word after it, such as a unit."""
_BEGINS = re.compile(rb"(?:[ \t]*+(?:#[^\n]*+|\r?)\n)*[ \t]*+(?:[+-]?[0-9.]|#|\Z)")


@dataclass(frozen=True, slots=True)
class NamedValues:
    """A value file: `path` below the folder, with slashes, cleaned for showing; at least one finite value.

    `unit`: as a file that fwdtui wrote names it; "": not named.
    """

    path: str
    values: tuple[float, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ValueFolder:
    """The value files of a folder, by path; `skipped` says what was not looked at, a sentence each."""

    files: tuple[NamedValues, ...]
    skipped: tuple[str, ...] = ()


def read_value_folder(folder: Path) -> ValueFolder:
    """Every value file in `folder` and below. Raises FwdtuiError if it is no folder that can be read."""
    files: list[NamedValues] = []
    skipped: list[str] = []
    try:
        with os.scandir(folder):
            pass
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise FwdtuiError(f"{folder}: {getattr(error, 'strerror', None) or error}") from None
    unreadable: list[str] = []
    for seen, path in enumerate(_files(folder, 0, skipped), 1):
        if seen > MOST_ENTRIES or len(files) >= MOST_FILES:
            what = f"{MOST_FILES} value files" if len(files) >= MOST_FILES else f"{MOST_ENTRIES} files"
            skipped.append(f"{_shown(folder)}: more than {what}: the rest was not looked at")
            break
        values, unit = _values(path, unreadable)
        if values:
            files.append(NamedValues(_shown(path.relative_to(folder)), values, unit))
    if (more := len(unreadable) - _MOST_NAMED) > 0:
        unreadable[_MOST_NAMED:] = [f"{_shown(folder)}: {more} more files were not read"]
    return ValueFolder(tuple(files), (*skipped, *unreadable))


def _files(folder: Path, depth: int, skipped: list[str]) -> Iterator[Path]:
    """The regular files of a folder in the order of their names, then those of the folders in it."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        skipped.append(f"{_shown(folder)}: {error.strerror or error}")
        return
    yield from (folder / entry.name for entry in names if entry.is_file(follow_symlinks=False))
    below = [folder / entry.name for entry in names if entry.is_dir(follow_symlinks=False)]
    if below and depth >= DEEPEST:
        skipped.append(f"{_shown(folder)}: more than {DEEPEST} folders deep: not looked into")
        return
    for inner in below:
        yield from _files(inner, depth + 1, skipped)


def _values(path: Path, unreadable: list[str]) -> tuple[tuple[float, ...], str]:
    """The values of a value file, and its unit; no values if it is something else or cannot be read.

    If it may be a value file that cannot be read, `unreadable` gets a sentence.
    """
    begins = b""
    try:
        begins = next(opening.pieces(path, _FIRST), b"")
        if not _BEGINS.match(begins):
            if marked(begins):
                unreadable.append(f"{_shown(path)}: {MARKED}: it may be a value file")
            return (), ""
        data = opening.read(path, MOST_BYTES)
    except OSError as error:
        # what is larger is nearly always a log
        if error.errno != errno.EFBIG or _begins_with_values(begins):
            unreadable.append(f"{_shown(path)}: {error.strerror or error}: it may be a value file")
        return (), ""
    if not _NUMBERS.fullmatch(data):
        if _WITH_WORDS.fullmatch(data) and (stated := first_unit(data)):
            what = f"{stated.text!r}: the unit {stated.unit} is not read"
            unreadable.append(f"{_shown(path)}: {what}: it may be a value file")
        return (), ""
    values = tuple(parse_values(data, column=1).values)
    return (values if all(value - value == 0.0 for value in values) else ()), written_unit(data)


def _begins_with_values(begins: bytes) -> bool:
    """Whether there are values and nothing else in the whole lines at the beginning of a file."""
    lines = begins[: begins.rfind(b"\n") + 1]
    return _NUMBERS.fullmatch(lines) is not None and bool(parse_values(lines, column=1).values)


def _shown(path: Path) -> str:
    return clean(path.as_posix().encode("utf-8", "backslashreplace").decode())
