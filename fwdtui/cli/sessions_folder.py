"""The option --sessions: where the commands look up the names of sessions."""

import argparse

DEFAULT = "sessions"


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add --sessions DIR."""
    parser.add_argument(
        "--sessions",
        metavar="DIR",
        default=DEFAULT,
        help="the folder in which sessions are looked up by name or label; default: ./sessions",
    )
