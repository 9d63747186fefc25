"""`fwdtui report BASE OTHER... -o FILE.md`: the Markdown report, with charts and value files beside it."""

import argparse
import sys
from pathlib import Path

from fwdtui.cli import factor_args, sessions_folder
from fwdtui.cli.compare_args import SIDE, confidence, margin
from fwdtui.core.errors import FwdtuiError
from fwdtui.report.document import SECTIONS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that the contract defines."""
    add = parser.add_argument
    add("base", metavar="BASE", help=SIDE)
    add("other", metavar="OTHER", nargs="*", help="what is compared with BASE; any number")
    sessions_folder.add_option(parser)
    add("-o", dest="out", metavar="FILE.md", required=True, help="the report; its files go to FILE.d")
    add("--title", metavar="TEXT", help="the heading; default: from the sessions")
    add("--margin", type=margin, default=1.0, metavar="1%", help="differences up to this do not matter")
    add("-c", "--confidence", type=confidence, default=95.0, metavar="PERCENT", help="confidence level: 95")
    factor_args.add_arguments(parser)
    add(
        "--without",
        type=_sections,
        action="extend",
        default=[],
        metavar="NAME,...",
        help=f"leave out any of {', '.join(SECTIONS)}",
    )


def run(args: argparse.Namespace) -> int:
    """Write the report and print the paths of all its files. Raises FwdtuiError."""
    from fwdtui.cli.progress import Progress
    from fwdtui.report import bundle, svgfile
    from fwdtui.report.comparison import judge_sides
    from fwdtui.report.document import Choices
    from fwdtui.report.factor_view import AS_GIVEN
    from fwdtui.report.sides import load_sides

    if args.out == "-":
        raise FwdtuiError("-o -: a report is a file; `fwdtui compare --format markdown` prints one")
    if not Path(args.out).name:
        raise FwdtuiError(f"-o {args.out}: no file name")
    view = factor_args.view(args) or AS_GIVEN
    if not args.other and not view.by:
        raise FwdtuiError("report needs a BASE and at least one OTHER, or --by FACTOR")
    sides = load_sides([args.base, *args.other], factor_args.labels(args), sessions=Path(args.sessions))
    compared = judge_sides(sides, margin=args.margin, confidence=args.confidence, view=view)
    charts = svgfile.available()
    if not charts and "charts" not in args.without:
        print(
            "fwdtui: no SVG charts: matplotlib is not installed (pip install 'fwdtui[charts]')",
            file=sys.stderr,
        )
    with Progress("drawing") as progress:
        written = bundle.write(
            Path(args.out),
            compared,
            Choices(args.title or "", frozenset(args.without)),
            charts=charts,
            progress=progress,
        )
    for path in written:
        print(path)
    return 0


def _sections(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in SECTIONS:
            raise FwdtuiError(f"--without: {name!r} is not one of {', '.join(SECTIONS)}")
    return names
