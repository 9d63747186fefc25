"""`fwdtui report BASE OTHER... -o FILE.md`: the Markdown report, with charts and value files beside it.

`fwdtui report SESSION... --x FACTOR` is the report of a sweep; without -o it is printed.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.cli import factor_args, sessions_folder, sweep_args
from fwdtui.cli.compare_args import MARGIN, SIDE, confidence, margin
from fwdtui.core.errors import FwdtuiError
from fwdtui.report.document import SECTIONS

if TYPE_CHECKING:
    from fwdtui.report.bundle import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("base", metavar="BASE", help=SIDE)
    add("other", metavar="OTHER", nargs="*", default=[], help="what is compared with BASE; any number")
    sessions_folder.add_option(parser)
    add("-o", dest="out", metavar="FILE.md", help="the report, in Markdown; its files go to FILE.d")
    add("--title", metavar="TEXT", help="the heading; default: from the sessions")
    add("--margin", type=margin, metavar="1%", help=MARGIN)
    add("-c", "--confidence", type=confidence, metavar="PERCENT", help="confidence level; default: 95")
    factor_args.add_arguments(parser, swept=True)
    add(
        "--without",
        type=_sections,
        action="extend",
        default=[],
        metavar="NAME,...",
        help=f"leave out any of {', '.join(SECTIONS)}",
    )
    sweep_args.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write the report and print the paths of all its files. Raises FwdtuiError."""
    from fwdtui.cli.progress import Progress
    from fwdtui.report import bundle

    sweep_args.check(args)
    if args.out == "-":
        raise FwdtuiError(
            "-o -: a report cannot go to standard output; "
            "`fwdtui compare --format markdown` prints a comparison"
        )
    if args.out is not None and not Path(args.out).name:
        raise FwdtuiError(f"-o {args.out}: no file name")
    if args.x is not None and args.out is None:
        from fwdtui.report import sweep_command

        sweep_command.show(args, factor_args.view(args))
        return 0
    if args.out is None:
        raise FwdtuiError("the following arguments are required: -o (see fwdtui report --help)")
    planned = _comparison(args) if args.x is None else _sweep(args)
    with Progress("drawing") as progress:
        written = bundle.carry_out(planned, progress=progress)
    for path in written:
        print(path)
    return 0


def _comparison(args: argparse.Namespace) -> "Plan":
    from fwdtui.report import bundle
    from fwdtui.report.comparison import CONFIDENCE, judge_sides
    from fwdtui.report.document import Choices
    from fwdtui.report.experiment_view import asked, nothing_beside
    from fwdtui.report.sides import load_sides
    from fwdtui.report.verified import verified

    sides = load_sides([args.base, *args.other], factor_args.labels(args), sessions=Path(args.sessions))
    view, margin = asked(sides, factor_args.view(args), args.margin)
    if not args.other and not view.by:
        raise nothing_beside(sides, "report", "or --x FACTOR, ")
    compared = judge_sides(
        sides,
        margin=margin,
        confidence=CONFIDENCE if args.confidence is None else args.confidence,
        view=view,
    )
    choices = Choices(args.title or "", frozenset(args.without))
    return bundle.plan(Path(args.out), verified(compared), choices)


def _sweep(args: argparse.Namespace) -> "Plan":
    from fwdtui.report import sweep_command

    return sweep_command.plan(args, factor_args.view(args))


def _sections(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in SECTIONS:
            raise FwdtuiError(f"--without: {name!r} is not one of {', '.join(SECTIONS)}")
    return names
