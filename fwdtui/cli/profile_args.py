"""The options that `profile show` and `profile compare` have in common, and how their tables are printed."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fwdtui.cli import sessions_folder
from fwdtui.core.errors import FwdtuiError

if TYPE_CHECKING:
    from fwdtui.report.functions.tables import Shown

FORMATS = ("text", "json", "csv", "markdown")
SIDE = "a session's folder, name or label, SESSION:CASE, or a file: pmcstat -G, perf script, folded stacks"
_TOP = 20
_TOP_MOST = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --format, --top, --of, --under, --idle and --sessions."""
    add = parser.add_argument
    sessions_folder.add_option(parser)
    add("--format", choices=FORMATS, default="text", help="text (default), json, csv or markdown")
    add(
        "--top",
        type=_count,
        metavar="N",
        help=f"functions in each table; 0: all. Default: {_TOP}; in json and csv all",
    )
    add(
        "--of",
        choices=("busy", "all"),
        default="busy",
        help="busy (default): shares of the samples that are not idle; all: of all samples, which misleads "
        "when one side idles more",
    )
    add("--under", metavar="FUNCTION", default="", help="only samples in this function or below it")
    add_idle(parser)


def add_idle(parser: argparse.ArgumentParser) -> None:
    """Add --idle: further idle functions, in addition to those of the lab."""
    parser.add_argument(
        "--idle",
        metavar="FUNCTION",
        action="append",
        default=[],
        help="also count this function as idle, besides those that fwdtui knows and those that "
        "[profile] idle in lab.toml names (repeatable)",
    )


def most(args: argparse.Namespace) -> int | None:
    """How many functions to list; None: all."""
    if args.top is None:
        return None if args.format in ("json", "csv") else _TOP
    return int(args.top) or None


def check(args: argparse.Namespace) -> None:
    """Raises FwdtuiError if options do not go together."""
    if args.under and args.of == "all":
        raise FwdtuiError(
            "--under cannot be combined with --of all: it gives shares of the samples in that function"
        )


def write(listings: "Sequence[Shown]", format: str, notes: Sequence[str] = ()) -> None:
    """Print the tables. `notes` are about all of them."""
    from fwdtui.core.text import clean
    from fwdtui.report import terminal
    from fwdtui.report.functions import export, text

    if format == "json":
        terminal.write_document(export.json(listings, notes))
        return
    if format == "csv":  # CSV has no place for the notes that are needed to read it: they go to stderr
        sys.stdout.write(export.csv(listings))
        of_each = [(f"{one.case}: " if len(listings) > 1 else "", one.notes) for one in listings]
        notes = [*(f"{case}{note}" for case, those in of_each for note in those), *notes]
    elif format == "markdown":
        terminal.write("\n".join(map(text.markdown, listings)))
    else:
        columns = terminal.columns(sys.stdout)
        terminal.write("\n".join(text.text(one, columns) for one in listings))
    sys.stdout.flush()
    for note in notes:
        terminal.write(f"fwdtui: {clean(note)}\n", sys.stderr)


def _count(given: str) -> int:
    if not given.isascii() or not given.isdecimal() or int(given[:9]) > _TOP_MOST:
        raise argparse.ArgumentTypeError(f"expected a number of functions, got {given[:40]!r}")
    return int(given[:9])
