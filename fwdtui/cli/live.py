"""`fwdtui live [LAB]`: watch and record a lab; its blasts become iterations. It starts no generator."""

import argparse
from pathlib import Path

from fwdtui.cli.drop_reasons_arg import add_drop_reasons


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
    parser.add_argument("--headless", action="store_true", help="no screen; JSON at the end")
    parser.add_argument("--for", dest="duration", metavar="12s", help="stop after this long (headless)")


def add_lab(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of every command that records from a lab."""
    add_lab_file(parser)
    parser.add_argument(
        "--into", metavar="DIR", default="sessions", help="the folder of sessions; default: ./sessions"
    )
    parser.add_argument("--session", metavar="NAME", help="the session; default: the lab's name and the time")
    parser.add_argument(
        "--factor",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="what is varied, such as config=off or frame_size='64 B', recorded with the case (repeatable)",
    )


def add_count(parser: argparse.ArgumentParser) -> None:
    """Add --count, for the commands that can count events on the DUT."""
    parser.add_argument(
        "--count",
        metavar="EVENT,...",
        help="events to count on the DUT with perf or pmcstat, such as cycles; default: from lab.toml",
    )


def add_lab_file(parser: argparse.ArgumentParser) -> None:
    """Add the argument LAB: a file, or a folder that contains lab.toml, as in `fwdtui trust FOLDER`."""
    parser.add_argument(
        "lab",
        metavar="LAB",
        nargs="?",
        default="lab.toml",
        type=_lab_file,
        help="the file or its folder; default: ./lab.toml",
    )


def _lab_file(text: str) -> str:
    return str(Path(text) / "lab.toml") if text and Path(text).is_dir() else text


def run(args: argparse.Namespace) -> int:
    """Watch until --for is over, Ctrl-C or SIGTERM. With --headless, print the session's JSON at the end."""
    from fwdtui.core.counted import events
    from fwdtui.core.errors import FwdtuiError
    from fwdtui.core.stated_factors import options
    from fwdtui.core.units import parse_duration

    factors, count = options(args.factor), events(args.count)
    seconds = None if args.duration is None else parse_duration(args.duration)
    given = (Path(args.lab), Path(args.into), args.session, args.case)
    if not args.headless:
        if seconds is not None:
            raise FwdtuiError("--for needs --headless; the screen stays until you leave it")
        from fwdtui.cli.screen import live_screen

        return live_screen(*given, factors, count, args.drop_reasons)
    from fwdtui.cli.headless import watch

    return watch(*given, seconds, factors, count, args.drop_reasons)
