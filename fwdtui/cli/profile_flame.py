"""`fwdtui profile flame`: a flame graph of one profile, or of the difference between two, as an SVG."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.cli import profile_args, sessions_folder
from fwdtui.core.errors import FwdtuiError

if TYPE_CHECKING:
    from fwdtui.report.functions.sides import Named, ProfileSide


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add PROFILE, OTHER, and options for where the picture goes."""
    add = parser.add_argument
    add("base", metavar="PROFILE", help=profile_args.SIDE)
    add("other", metavar="OTHER", nargs="?", help="a second profile: draw the difference from PROFILE")
    add("-o", "--output", metavar="FILE.svg", required=True, help="the picture")
    add("--title", metavar="TEXT", help="the heading; default: the case")
    profile_args.add_idle(parser)
    sessions_folder.add_option(parser)


def run(args: argparse.Namespace) -> int:
    """Write the picture and print its path. stderr says what was not used. Raises FwdtuiError."""
    from fwdtui.core.text import clean
    from fwdtui.report import case_profile, terminal
    from fwdtui.report.flame import differential, flame_graph
    from fwdtui.report.functions.sides import cases_of, idle_list, named
    from fwdtui.store.session_names import SessionNames

    names = SessionNames(Path(args.sessions))
    base = named(args.base, names)
    other = None if args.other is None else named(args.other, names)
    given = [base] if other is None else [base, other]
    sides, alone = _drawn(base, other)
    shown = case_profile.of_sides(sides)
    covers = idle_list(args.idle, *given).covers
    title = args.title if args.title is not None else cases_of(sides)
    if len(shown) == 1:
        picture = flame_graph(shown[0], covers, title)
    else:
        picture = differential(shown[0], shown[1], covers, title)
    _write(args.output, picture)
    for note in (*(note for one in given for note in one.notes), *alone):
        terminal.write(f"fwdtui: {clean(note)}\n", sys.stderr)
    return 0


def _only(one: "Named") -> "ProfileSide":
    if len(one.sides) > 1:
        raise FwdtuiError(
            f"{one.sides[0].label} has profiles of {_cases(one.sides)}: name one as SESSION:CASE"
        )
    return one.sides[0]


def _drawn(base: "Named", other: "Named | None") -> "tuple[list[ProfileSide], list[str]]":
    """The one or two profiles to draw, and a note on each profile that has no partner."""
    from fwdtui.report.functions.sides import paired

    if other is None:
        return [_only(base)], []
    pairs, alone = paired(base, other)
    if len(pairs) > 1:
        there = _cases([one for one, _ in pairs])
        raise FwdtuiError(f"both have profiles of {there}: name one as SESSION:CASE")
    return list(pairs[0]), alone


def _cases(sides: "Sequence[ProfileSide]") -> str:
    return ", ".join(side.case for side in sides)


def _write(output: str, picture: bytes) -> None:
    from fwdtui.report.placing import put, refuse_foreign

    path = Path(output)
    if not path.name:
        raise FwdtuiError(f"--output {output}: no file name")
    if not path.parent.is_dir():
        raise FwdtuiError(f"{path.parent}: no such folder")
    if path.suffix != ".svg":
        raise FwdtuiError(f"--output {output}: a flame graph is an SVG, so its name ends in .svg")
    refuse_foreign(path)
    put({path: picture}, None, lambda name: None)
    print(path)
