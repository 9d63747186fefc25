"""`fwdtui replay SESSION[/CASE[/ITERATION]]`: a recording on the live screen."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments as the contract has them."""
    parser.add_argument(
        "recording",
        metavar="SESSION[/CASE[/ITERATION]]",
        help="a session's folder, or its name in ./sessions; one case or iteration of it",
    )
    parser.add_argument("--beside", metavar="PATH", help="a second recording, blast beside blast")


def run(args: argparse.Namespace) -> int:
    """Until the user leaves. Raises FwdtuiError without a terminal, and for a name that there is not."""
    from fwdtui.cli.screen import need_terminal, run_app
    from fwdtui.monitor.replay.target import find

    target = _path(args.recording)
    beside = None if args.beside is None else _path(args.beside)
    session = find(target).session
    if beside is not None:
        find(beside)
    need_terminal("fwdtui sessions, compare or report")
    from fwdtui.ui.replay.replay_control import ReplayControl
    from fwdtui.ui.replay.screen import ReplayScreen
    from fwdtui.ui.shell.app import FwdtuiApp

    control = ReplayControl(target, beside)
    return run_app(FwdtuiApp(session.parent, live=control, live_screen=ReplayScreen))


def _path(name: str) -> Path:
    """As given; where there is no such folder, in ./sessions."""
    path = Path(name)
    there = Path("sessions") / path
    first = Path(*path.parts[:1])
    return there if not path.is_absolute() and not first.exists() and Path("sessions").is_dir() else path
