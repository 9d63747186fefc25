"""What `fwdtui compare` does once its arguments are read: load, judge, show."""

import argparse
import sys
from pathlib import Path
from typing import Protocol

from fwdtui.core.errors import FwdtuiError
from fwdtui.report import terminal
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.experiment_view import asked, nothing_beside
from fwdtui.report.gates import answer
from fwdtui.report.sides import load_sides, refuse_columns

_PLOT_WIDTH = 78


class Watch(Protocol):
    """Shows progress to a waiting user, for files with millions of values."""

    def __call__(self, path: str, done: int) -> None:
        """`done` bytes of `path` were read."""

    def then(self, what: str) -> None:
        """The next step, `what`, begins."""

    def close(self) -> None:
        """Nothing more is shown: the result follows."""


def run(args: argparse.Namespace, watch: Watch | None = None) -> int:
    """Print the comparison in args.format (table, json or markdown); returns the exit status of the gates."""
    for option in ("plot", "explain"):
        if getattr(args, option) and args.format != "table":
            raise FwdtuiError(f"--{option} cannot be combined with --format {args.format}")
    specs = [args.base, *args.other]
    sides = load_sides(
        specs,
        args.labels,
        column=args.column,
        delimiters=args.delimiters,
        progress=watch,
        sessions=Path(args.sessions),
    )
    refuse_columns(sides, args.column, args.delimiters)
    if watch:
        watch.then("comparing")
    view, margin = asked(sides, args.view, args.margin if args.own_margin else None)
    if not args.other and not view.by:
        raise nothing_beside(sides, "compare")
    compared = judge_sides(
        sides,
        margin=margin,
        confidence=args.confidence,
        offered=args.offered,
        view=view,
    )
    if watch:
        watch.close()
    if args.format == "json":
        _json(compared)
    elif args.format == "markdown":
        _markdown(compared)
    else:
        _table(compared, explain=args.explain)
    if args.plot:
        _plots(compared)
    answered = answer(compared.judged, compared.sides, args.fail_if, args.fail_unless, _missing(compared))
    for line in answered.lines:
        terminal.write(f"{line}\n", sys.stderr)
    return answered.status


def _missing(compared: Compared) -> list[str]:
    if not compared.experiments:
        return []
    from fwdtui.report.unmeasured import unmeasured

    return unmeasured(compared.sides, compared.view, compared.experiments, compared.recorded)


def _table(compared: Compared, *, explain: bool) -> None:
    from fwdtui.report import table

    shown = table.render(
        compared.judged,
        compared.notes,
        interactions=compared.interactions,
        view=compared.view,
        within=compared.within,
        columns=terminal.columns(sys.stdout),
        colour=terminal.colour(sys.stdout),
        explain=explain,
    )
    terminal.write(shown)
    if compared.experiments:
        from fwdtui.report import experiment_words

        told = [experiment_words.sentence(one) for one in compared.experiments]
        terminal.write("\n" + table.prose(told, columns=terminal.columns(sys.stdout)))
    if differs := _what_else_differs(compared):
        terminal.write("\n" + table.prose(differs, columns=terminal.columns(sys.stdout)))


def _what_else_differs(compared: Compared) -> list[str]:
    """Sentences on the facts of the lab, and on the settings of its hosts; none for value files."""
    lines: list[str] = []
    if sum(bool(side.sessions) for side in compared.sides) > 1:
        from fwdtui.report import facts, facts_wording

        lines += filter(None, [facts_wording.sentence(facts.compare(compared.compared_sides))])
    if compared.settings:
        from fwdtui.report import settings_wording

        lines += settings_wording.told(compared.settings).values()
        lines += compared.settings_between.sentences().values()
        lines += compared.settings_between.not_told()
    return lines


def _plots(compared: Compared) -> None:
    from fwdtui.report import textchart

    width = min(terminal.columns(sys.stdout) or _PLOT_WIDTH, 120)
    for one in compared.judged:
        labels = one.base.label, one.other.label
        values = one.base.values, one.other.values
        terminal.write(f"\n{one.comparison.case}\n\n")
        unit = one.comparison.unit or ""
        terminal.write(textchart.histogram(*values, labels, width, unit=unit))
        terminal.write("\n" + textchart.strip(*values, labels, width, unit=unit))


def _json(compared: Compared) -> None:
    from fwdtui.report import drop_reasons, json_format

    terminal.write_document(
        json_format.render(
            [one.comparison for one in compared.judged],
            compared.interactions,
            compared.settings,
            compared.settings_between,
            compared.experiments,
            drop_reasons.compared_json(compared),
        )
    )
    for note in compared.notes:  # the document has no field for what belongs to no comparison
        terminal.write(f"fwdtui: {note.text}\n", sys.stderr)


def _markdown(compared: Compared) -> None:
    from fwdtui.report import markdown
    from fwdtui.report.document import Document

    terminal.write_document(markdown.render(Document(compared)))
