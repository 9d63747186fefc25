"""The option --sessions: where the commands look up the names of sessions."""

import argparse

DEFAULT = "sessions"


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add --sessions DIR."""
    parser.add_argument(
        "--sessions",
        metavar="DIR",
        default=DEFAULT,
        help="where a session is found by its name or label, if it is not a path: ./sessions",
    )
