"""`fwdtui import DIR --into SESSIONS`: a bench-lab result tree becomes sessions."""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.cli.uncollected import uncollected

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fwdtui.core.model import Caution

MOST_PLACES = 6
"""The most iterations that a line about warnings names. The others are only counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="result tree: logs, .info, .pps, gnuplot.data"
    )
    parser.add_argument(
        "--into", metavar="SESSIONS", type=Path, required=True, help="folder of the sessions to make"
    )
    parser.add_argument(
        "--trim",
        choices=("steady", "netbenches"),
        default="steady",
        help="steady: find the steady window (default); netbenches: reproduce published medians exactly",
    )
    parser.add_argument(
        "--factors",
        metavar="FILE|PATTERN",
        action="append",
        default=[],
        help="correct factors that were derived from names: a factors.toml; a pattern for FOLDER/NAME such "
        "as '{image}/{config}.{af}'; or one factor for results that lack it, such as af=inet4 (repeatable)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print the factors that would be recorded, and import nothing"
    )
    parser.add_argument("--quiet", action="store_true", help="print the sessions' paths only")


def run(args: argparse.Namespace) -> int:
    """Import, and print what was made, what was odd and what to do next."""
    with uncollected():
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from fwdtui.cli import import_table
    from fwdtui.cli.progress import Progress
    from fwdtui.core.sentences import after_colon
    from fwdtui.core.text import visible
    from fwdtui.store.benchlab import carry_out
    from fwdtui.store.benchlab_plan import plan

    started = time.monotonic()
    planned = plan(args.folder, args.into, args.factors)
    if args.dry_run:
        print("\n".join([*import_table.lines(planned), *import_table.left_out(planned)]))
        return 0
    with Progress("importing") as progress:
        imported = carry_out(planned, args.trim, progress)
    if not args.quiet:
        print("\n".join(import_table.lines(planned)))
    for session in imported:
        if args.quiet:
            print(session.path)
            continue
        cases = f"{session.cases} case{'s' * (session.cases != 1)}"
        iterations = f"{session.iterations} iteration{'s' * (session.iterations != 1)}"
        profiles = f", {session.profiles} profile{'s' * (session.profiles != 1)}" if session.profiles else ""
        print(f"{session.path}  {session.label}: {cases}, {iterations}{profiles}")
        for note in session.notes:
            print(f"  note: {visible(note)}")  # it may have the name of a file, with line ends
        for code, text, places in _grouped(session.cautions):
            print(f"  {code}: {after_colon(text)} [{places}]")
    if args.quiet:
        return 0
    total = sum(session.iterations for session in imported)
    iterations = f"{total} iteration{'s' * (total != 1)}"
    print(f"{iterations} in {time.monotonic() - started:.1f} s, trimmed: {args.trim}", file=sys.stderr)
    from fwdtui.report.next_by_factor import after_import

    for place, text in enumerate(after_import([Path(one.path) for one in imported])):
        print(f"{'  or' if place else 'Next'}: {text}", file=sys.stderr)
    return 0


def _grouped(cautions: "Iterable[tuple[str, int, Caution]]") -> list[tuple[str, str, str]]:
    """(code, sentence, places): one row per code and kind of sentence, which has the figures of all places.

    Beyond a few kinds per code, the rest are one row.
    """
    from fwdtui.report.merging import MOST_KINDS, in_ranges, without_figures

    codes: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for case, index, caution in cautions:
        kinds = codes.setdefault(caution.code, {})
        kinds.setdefault(without_figures(caution.text), []).append((f"{case} {index}", caution.text))
    rows = []
    for code, kinds in codes.items():
        groups = list(kinds.values())
        rows += [
            (code, in_ranges([text for _, text in alike]), _named(alike)) for alike in groups[:MOST_KINDS]
        ]
        if rest := [one for alike in groups[MOST_KINDS:] for one in alike]:
            rows.append((code, "other such warnings", _named(rest)))
    return rows


def _named(alike: "Sequence[tuple[str, str]]") -> str:
    """The first places, and how many more there are."""
    more = f" and {len(alike) - MOST_PLACES} more" if len(alike) > MOST_PLACES else ""
    return ", ".join(place for place, _ in alike[:MOST_PLACES]) + more
