"""`fwdtui profile show`: the functions of a profile."""

import argparse
from pathlib import Path

from fwdtui.cli import profile_args


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add SESSION, SESSION:CASE or FILE, and options for how it is shown."""
    parser.add_argument("profile", metavar="PROFILE", help=profile_args.SIDE)
    profile_args.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the tables of each profile. Raises FwdtuiError."""
    from fwdtui.report.functions.sides import idle_list, named
    from fwdtui.report.functions.tables import shown
    from fwdtui.store.session_names import SessionNames

    profile_args.check(args)
    profiles = named(args.profile, SessionNames(Path(args.sessions)))
    idle = idle_list(args.idle, profiles)
    top = profile_args.most(args)
    listings = [shown([side], idle, of=args.of, under=args.under, most=top) for side in profiles.sides]
    profile_args.write(listings, args.format, profiles.notes)
    return 0
