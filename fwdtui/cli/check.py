"""`fwdtui check FILE...`: compare the claims of published reports with the data in and beside them."""

import argparse
import contextlib
import errno
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.units import counted

if TYPE_CHECKING:
    from fwdtui.check import Checked, Finding
    from fwdtui.check.cells.files import Data
    from fwdtui.store.value_folder import ValueFolder

_LARGEST = 1 << 22  # bytes of a published report
_STDIN = "-"
_QUOTED = 3  # cells that a line about several cells quotes
_SHORT = 40  # characters of each quoted cell
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="Markdown or text that contains ministat output; - is stdin"
    )
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        help="also check sentences and tables against the value files in it (one number per line)",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument(
        "--all",
        action="store_true",
        help="also list cells that agree, sentences that value files bear out, and what was not checked; "
        "sentences that agree with a block are only counted",
    )


def run(args: argparse.Namespace) -> int:
    """Check, and return 0: no findings; 1: findings; 2: a file could not be read (others are checked)."""
    from fwdtui.check import check_text
    from fwdtui.report import terminal

    values = _folder(args.data)
    checked: list[tuple[str, Checked]] = []
    unreadable: list[str] = []
    for name in args.files:
        shown = name.encode("utf-8", "backslashreplace").decode()
        try:
            text = _decode(_read(name))
        except OSError as error:
            unreadable.append(f"{shown}: {error.strerror or error}")
            continue
        checked.append((shown, check_text(shown, text, _data(args.data, values, name))))
    findings = [finding for _, one in checked for finding in one.findings]
    entries = [entry for _, one in checked for entry in _entries(one, every=args.all)]
    if args.json:
        from fwdtui.report.json_format import document

        terminal.write_document(document(entries))
    else:
        terminal.write(_text(checked, entries, every=args.all))
    sys.stdout.flush()
    for skipped in values.skipped if values is not None else ():
        _complain(skipped)
    for name, one in checked:
        for skipped in one.skipped:
            _complain(f"{name}: {skipped}")
        if args.json and not args.all and one.unchecked:
            _complain(f"{name}: {len(one.unchecked)} not checked: --all lists them")
    for problem in unreadable:
        _complain(problem)
    if unreadable:
        return 2
    return 1 if findings else 0


def _read(name: str) -> bytes:
    """The content of a file, a pipe or standard input. Raises OSError, also if it exceeds `_LARGEST`."""
    with contextlib.nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
        data: bytes = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise OSError(errno.EFBIG, f"larger than the {_LARGEST >> 20} MiB that fwdtui reads of a report")
    return data


def _decode(data: bytes) -> str:
    """The text of a file. A byte order mark identifies UTF-16, which some editors and shells write."""
    from fwdtui.core.text import decode

    if data.startswith(_UTF16):
        return data.decode("utf-16", "backslashreplace")
    return decode(data)


def _folder(name: str | None) -> "ValueFolder | None":
    """The value files of --data. Raises FwdtuiError."""
    if name is None:
        return None
    from fwdtui.store.value_folder import read_value_folder

    return read_value_folder(Path(name))


def _data(folder: str | None, values: "ValueFolder | None", report: str) -> "Data | None":
    """The value files, seen from a report, which may itself be in the folder."""
    if folder is None or values is None:
        return None
    from fwdtui.check.cells.files import data_of

    root = Path(folder).resolve()
    beside = Path(report).resolve().parent
    within = report != _STDIN and beside.is_relative_to(root)
    inside = beside.relative_to(root).as_posix() if within else None
    shown = folder.encode("utf-8", "backslashreplace").decode().rstrip("/") or "/"
    return data_of(values, shown, root.parts, "" if inside == "." else inside)


def _entries(one: "Checked", *, every: bool) -> "list[Finding]":
    """The findings on a file to print, in the order of its lines."""
    entries = [*one.findings, *(one.agreeing if every else ()), *(one.unchecked if every else ())]
    return sorted(entries, key=lambda entry: entry.line)


def _text(checked: "list[tuple[str, Checked]]", entries: "list[Finding]", *, every: bool) -> str:
    from fwdtui.core.text import clean

    lines = [f"{clean(one.file)}:{one.line}: {one.kind}: {_told(one)}" for one in entries]
    if not every:
        lines += [line for _, one in checked for line in _unchecked(one.unchecked)]
    lines += [f"{clean(name)}: no ministat block" for name, one in checked if not one.blocks]
    if checked:
        blocks, claims, cells, tables = (
            sum(getattr(one, part) for _, one in checked) for part in ("blocks", "claims", "cells", "tables")
        )
        count = sum(len(one.findings) for _, one in checked)
        left = sum(len(one.unchecked) for _, one in checked)
        looked = [counted(blocks, "ministat block"), counted(claims, "claim")]
        looked += [counted(cells, "table cell")] if tables else []
        lines.append(
            f"{counted(count, 'finding') if count else 'nothing found'} in "
            f"{', '.join(looked[:-1])} and {looked[-1]} about them ({counted(len(checked), 'file')})"
            f"{f'; {left} not checked' if left else ''}"
        )
    return "".join(f"{line}\n" for line in lines)


def _told(one: "Finding") -> str:
    """The finding's message. If something was not checked, the message alone says only why."""
    return f"{one.cell!r}: {one.message}" if one.kind == "not-checked" and one.cell else one.message


def _unchecked(unchecked: "tuple[Finding, ...]") -> "list[str]":
    """A line for each reason: a table of a hundred cells that no data is about gives a single remark."""
    from fwdtui.core.text import clean

    groups: dict[str, list[Finding]] = {}
    for one in unchecked:
        groups.setdefault(one.message, []).append(one)
    lines = []
    for message, of_one in groups.items():
        cells = [
            repr(one.cell if len(one.cell) <= _SHORT else f"{one.cell[:_SHORT]}…")
            for one in of_one
            if one.cell
        ]
        first, last = of_one[0].line, of_one[-1].line
        where = f"{clean(of_one[0].file)}:{first}{f'–{last}' if last > first else ''}"
        quoted = ", ".join(cells[:_QUOTED]) + (", …" if len(cells) > _QUOTED else "")
        which = f"{len(cells)} cells ({quoted}): " if len(cells) > 1 else f"{quoted}: " if cells else ""
        lines.append(f"{where}: not checked: {which}{message[0].lower()}{message[1:]}")
    return lines


def _complain(problem: str) -> None:
    from fwdtui.core.text import clean
    from fwdtui.report import terminal

    terminal.write(f"fwdtui: {clean(problem)}\n", sys.stderr)
