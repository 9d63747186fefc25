"""`fwdtui replay SESSION[/CASE[/ITERATION]]`: a recording on the live screen."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that the contract defines."""
    parser.add_argument(
        "recording",
        metavar="SESSION[/CASE[/ITERATION]]",
        help="a session's folder, or its name in ./sessions; one case or iteration of it",
    )
    parser.add_argument("--beside", metavar="PATH", help="a second recording beside it, aligned by blast")


def run(args: argparse.Namespace) -> int:
    """Run until the user leaves. Raises FwdtuiError without a terminal, or if the name is unknown."""
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
    """The path as given or, if that folder does not exist, in ./sessions."""
    path = Path(name)
    there = Path("sessions") / path
    first = Path(*path.parts[:1])
    return there if not path.is_absolute() and not first.exists() and Path("sessions").is_dir() else path
