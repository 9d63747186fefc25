"""`fwdtui profile compare`: which functions' shares changed from one profile to another."""

import argparse
from pathlib import Path

from fwdtui.cli import profile_args


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add BASE and OTHER, and options for how they are shown."""
    parser.add_argument("base", metavar="BASE", help=profile_args.SIDE)
    parser.add_argument("other", metavar="OTHER", help="what is compared with BASE, case by case")
    profile_args.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the tables of each case. Raises FwdtuiError."""
    from fwdtui.report.functions.sides import idle_list, named, paired
    from fwdtui.report.functions.tables import shown
    from fwdtui.store.session_names import SessionNames

    profile_args.check(args)
    names = SessionNames(Path(args.sessions))
    base, other = named(args.base, names), named(args.other, names)
    pairs, alone = paired(base, other)
    idle = idle_list(args.idle, base, other)
    top = profile_args.most(args)
    tables = [shown(pair, idle, of=args.of, under=args.under, most=top) for pair in pairs]
    profile_args.write(tables, args.format, [*base.notes, *other.notes, *alone])
    return 0
