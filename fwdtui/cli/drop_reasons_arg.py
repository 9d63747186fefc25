"""The option --drop-reasons of the commands that measure a lab."""

import argparse


def add_drop_reasons(
    parser: argparse.ArgumentParser, where: str = "Linux 5.17, or FreeBSD with dtrace's mib probes; root"
) -> None:
    """Add the option that asks for the DUT's drop reasons. `where`: what it needs, for the help text."""
    parser.add_argument(
        "--drop-reasons",
        action="store_true",
        help=f"count why the DUT's kernel drops packets, while a blast is on ({where})",
    )
