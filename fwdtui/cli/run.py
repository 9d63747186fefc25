"""`fwdtui run [LAB] --session NAME`: unattended iterations. It starts the generator itself."""

import argparse
from pathlib import Path

from fwdtui.cli.live import add_lab


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that the contract defines."""
    add_lab(parser)
    parser.add_argument(
        "--case", metavar="NAME", default="default", help="the case that iterations belong to"
    )
    parser.add_argument(
        "-n", dest="iterations", type=int, metavar="N", help="default: from [run] in lab.toml"
    )
    parser.add_argument("--headless", action="store_true", help="no screen; JSON at the end")


def run(args: argparse.Namespace) -> int:
    """Start, measure, stop, settle, N times. Returns 1 if an iteration is missing."""
    from fwdtui.core.counted import events
    from fwdtui.core.errors import FwdtuiError
    from fwdtui.core.stated_factors import options

    factors, count = options(args.factor), events(args.count)
    if args.iterations is not None and args.iterations < 1:
        raise FwdtuiError(f"-n {args.iterations}: at least one iteration")
    given = (Path(args.lab), Path(args.into), args.session, args.case, args.iterations, factors)
    if not args.headless:
        from fwdtui.cli.screen import run_screen

        return run_screen(*given, count, args.drop_reasons)
    from fwdtui.cli import headless

    return headless.run(*given, count, args.drop_reasons)
