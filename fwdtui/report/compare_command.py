"""What `fwdtui compare` does once its arguments are read: load, judge, show."""

import argparse
import sys
from collections.abc import Sequence
from typing import Protocol

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution
from fwdtui.core.units import pps, si
from fwdtui.report import terminal
from fwdtui.report.gates import answer
from fwdtui.report.pairing import pair
from fwdtui.report.sides import Side, load_sides
from fwdtui.stats.model import Judged, ResultSet

_PLOT_WIDTH = 78
_FAR_BELOW = 10.0  # times: a load so much below the values is a slip of the unit, not a bad bench


class Watch(Protocol):
    """Shows a waiting user what goes on with files of millions of values."""

    def __call__(self, path: str, done: int) -> None:
        """`done` bytes of `path` were read."""

    def then(self, what: str) -> None:
        """What is done next."""

    def close(self) -> None:
        """The result follows."""


def run(args: argparse.Namespace, watch: Watch | None = None) -> int:
    """Print the comparison in args.format (table, json or markdown); the status is what the gates answer."""
    for option in ("plot", "explain"):
        if getattr(args, option) and args.format != "table":
            raise FwdtuiError(f"--{option} goes with the table, not with --format {args.format}")
    specs = [args.base, *args.other]
    sides = load_sides(specs, args.label, column=args.column, delimiters=args.delimiters, progress=watch)
    if watch:
        watch.then("comparing")
    judged, notes = judge_sides(sides, margin=args.margin, confidence=args.confidence, offered=args.offered)
    if watch:
        watch.close()
    if args.format == "json":
        _json(judged, notes)
    elif args.format == "markdown":
        _markdown(sides, judged, notes)
    else:
        _table(judged, notes, explain=args.explain)
    if args.plot:
        _plots(judged)
    found = answer(judged, sides, args.fail_if, args.fail_unless)
    for line in found.lines:
        terminal.write(f"{line}\n", sys.stderr)
    return found.status


def judge_sides(
    sides: Sequence[Side], *, margin: float, confidence: float, offered: float | None = None
) -> tuple[list[Judged], Sequence[Caution]]:
    """Verdicts on all cases in common, and the notes that belong to none of them.

    `margin` and `confidence` are in percent; `offered`, in pps, is the offered load of every set that has
    none of its own. Raises FwdtuiError where it cannot be that.
    """
    from fwdtui.stats.verdict import judge

    pairing = pair(sides)
    pairs, notes = pairing.pairs, pairing.notes
    if offered is not None:
        pairs = tuple(
            (case, _with_load(base, offered), _with_load(other, offered)) for case, base, other in pairs
        )
        if pairs == pairing.pairs:
            text = "--offered changes nothing: every session says itself what it was offered"
            notes = (*notes, Caution("offered-unused", text))
    return judge(pairs, margin_percent=margin, confidence=confidence), notes


def _with_load(found: ResultSet, load: float) -> ResultSet:
    if any(rate is not None for rate in found.offered) or not found.values:
        return found
    from fwdtui.stats.describe import describe

    middle = describe(found).median
    if middle is not None and middle > _FAR_BELOW * load:
        raise FwdtuiError(
            f"--offered: {pps(load)} is far below what {found.label} received ({pps(middle)}), "
            f"which cannot be: write the unit with it, such as {si(middle).replace(' ', '')}"
        )
    return msgspec.structs.replace(found, offered=(load,) * len(found.values))


def _table(judged: Sequence[Judged], notes: Sequence[Caution], *, explain: bool) -> None:
    from fwdtui.report import table

    shown = table.render(
        judged,
        notes,
        columns=terminal.columns(sys.stdout),
        colour=terminal.colour(sys.stdout),
        explain=explain,
    )
    terminal.write(shown)


def _plots(judged: Sequence[Judged]) -> None:
    from fwdtui.report import textchart

    width = min(terminal.columns(sys.stdout) or _PLOT_WIDTH, 120)
    for one in judged:
        labels = one.base.label, one.other.label
        values = one.base.values, one.other.values
        terminal.write(f"\n{one.comparison.case}\n\n")
        terminal.write(textchart.histogram(*values, labels, width))
        terminal.write("\n" + textchart.strip(*values, labels, width))


def _json(judged: Sequence[Judged], notes: Sequence[Caution]) -> None:
    from fwdtui.report import json_format

    terminal.write_document(json_format.render([one.comparison for one in judged]))
    for note in notes:  # the document has no place for what belongs to no comparison
        terminal.write(f"fwdtui: {note.text}\n", sys.stderr)


def _markdown(sides: Sequence[Side], judged: Sequence[Judged], notes: Sequence[Caution]) -> None:
    from fwdtui.report import markdown
    from fwdtui.report.document import Document

    terminal.write_document(markdown.render(Document(sides, judged, notes)))
