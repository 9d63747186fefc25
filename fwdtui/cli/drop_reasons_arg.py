"""The option --drop-reasons of the commands that measure a lab."""

import argparse


def add_drop_reasons(parser: argparse.ArgumentParser) -> None:
    """The argument that asks for the DUT's drop reasons."""
    parser.add_argument(
        "--drop-reasons",
        action="store_true",
        help="count why the DUT's kernel drops packets, while a blast is on "
        "(Linux 5.17, or FreeBSD with dtrace's mib probes; root)",
    )
