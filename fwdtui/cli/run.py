"""`fwdtui run [LAB] --session NAME`: unattended iterations. The command starts the generator itself."""

import argparse
from pathlib import Path

from fwdtui.cli.drop_reasons_arg import add_drop_reasons
from fwdtui.cli.live import add_count, add_lab


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_lab(parser)
    add_drop_reasons(parser)
    add_count(parser)
    parser.add_argument(
        "--case",
        metavar="NAME",
        default="default",
        help="the case that iterations belong to; default: 'default'",
    )
    parser.add_argument(
        "-n", dest="iterations", type=int, metavar="N", help="how many; default: from [run] in lab.toml"
    )
    parser.add_argument("--headless", action="store_true", help="no screen; JSON at the end")
    parser.add_argument(
        "--profile",
        metavar="RATE",
        nargs="?",
        const="",
        help="after the iterations, profile the DUT in a separate blast (needs --headless); "
        "RATE (optional) is as in --rate of `fwdtui profile capture`",
    )


def run(args: argparse.Namespace) -> int:
    """Start, measure, stop and settle, N times. Returns 1 if an iteration is missing."""
    from fwdtui.core.counted import events
    from fwdtui.core.errors import FwdtuiError
    from fwdtui.core.stated_factors import options

    factors, count = options(args.factor), events(args.count)
    if args.iterations is not None and args.iterations < 1:
        raise FwdtuiError(f"-n {args.iterations}: at least one iteration")
    given = (Path(args.lab), Path(args.into), args.session, args.case, args.iterations, factors)
    if args.profile is not None and not args.headless:
        raise FwdtuiError("--profile needs --headless")
    if not args.headless:
        from fwdtui.cli.screen import run_screen

        return run_screen(*given, count, args.drop_reasons)
    from fwdtui.cli import headless

    if args.profile is None:
        return headless.run(*given, count, args.drop_reasons)
    from fwdtui.cli.profile_capture import chosen_later

    then = chosen_later(Path(args.lab), Path(args.into), args.profile)
    return headless.run(*given, count, args.drop_reasons, then)
