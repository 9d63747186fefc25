"""`fwdtui check FILE...`: compare the claims of published reports with the ministat tables in them."""

import argparse
import contextlib
import errno
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fwdtui.check import Checked, Finding

_LARGEST = 1 << 22  # bytes of a published report
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that the contract defines."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="Markdown or text that contains ministat output; - is stdin"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(args: argparse.Namespace) -> int:
    """0: no findings; 1: findings; 2: a file could not be read (the others are still checked)."""
    from fwdtui.check import check_text
    from fwdtui.report import terminal

    checked: list[tuple[str, Checked]] = []
    unreadable: list[str] = []
    for name in args.files:
        shown = name.encode("utf-8", "backslashreplace").decode()
        try:
            text = _decode(_read(name))
        except OSError as error:
            unreadable.append(f"{shown}: {error.strerror or error}")
            continue
        checked.append((shown, check_text(shown, text)))
    findings = [finding for _, one in checked for finding in one.findings]
    if args.json:
        from fwdtui.report.json_format import document

        terminal.write_document(document(findings))
    else:
        terminal.write(_text(checked, findings))
    sys.stdout.flush()
    for name, one in checked:
        for skipped in one.skipped:
            _complain(f"{name}: {skipped}")
    for problem in unreadable:
        _complain(problem)
    if unreadable:
        return 2
    return 1 if findings else 0


def _read(name: str) -> bytes:
    """All of a file, a pipe or standard input. Raises OSError, also if it is larger than `_LARGEST`."""
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


def _text(checked: "list[tuple[str, Checked]]", findings: "list[Finding]") -> str:
    from fwdtui.core.text import clean

    lines = [f"{clean(one.file)}:{one.line}: {one.kind}: {one.message}" for one in findings]
    lines += [f"{clean(name)}: no ministat block" for name, one in checked if not one.blocks]
    if checked:
        blocks, claims = (sum(getattr(one, part) for _, one in checked) for part in ("blocks", "claims"))
        found = _count(len(findings), "finding") if findings else "nothing found"
        lines.append(
            f"{found}: {_count(blocks, 'ministat block')} and {_count(claims, 'claim')} about them "
            f"in {_count(len(checked), 'file')}"
        )
    return "".join(f"{line}\n" for line in lines)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _complain(problem: str) -> None:
    from fwdtui.core.text import clean
    from fwdtui.report import terminal

    terminal.write(f"fwdtui: {clean(problem)}\n", sys.stderr)
