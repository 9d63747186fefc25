"""`fwdtui replay SESSION[/CASE[/ITERATION]]`: a recording on the live screen, or its samples as a table."""

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.cli import sessions_folder

if TYPE_CHECKING:
    from fwdtui.cli.progress import Progress
    from fwdtui.monitor.replay.target import Target

_FORMATS = ("text", "csv", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "recording",
        metavar="SESSION[/CASE[/ITERATION]]",
        help="a session's folder, its name or its label; one case or iteration of it",
    )
    parser.add_argument(
        "--beside", metavar="RECORDING", help="a second recording beside it, aligned by blast"
    )
    parser.add_argument("--table", action="store_true", help="no screen: print a line for each sample")
    parser.add_argument("--format", choices=_FORMATS, help="the format of --table; default: text")
    sessions_folder.add_option(parser)


def run(args: argparse.Namespace) -> int:
    """Run until the user leaves, or print the table.

    Raises FwdtuiError if the name is unknown, or the screen has no terminal.
    """
    from fwdtui.cli.screen import need_terminal, run_app
    from fwdtui.core.errors import FwdtuiError
    from fwdtui.monitor.replay.target import find_named
    from fwdtui.store.session_names import SessionNames

    if args.table and args.beside is not None:
        raise FwdtuiError("--table prints one recording: leave out --beside, or print the other one as well")
    if args.format is not None and not args.table:
        raise FwdtuiError("--format needs --table; without it the recording is shown on the screen")

    names = SessionNames(Path(args.sessions))
    target = find_named(args.recording, names)
    beside = None if args.beside is None else find_named(args.beside, names)
    if args.table:
        return _print_table(target, args.format or "text")
    need_terminal("fwdtui replay --table, or fwdtui sessions, compare or report")
    from fwdtui.ui.replay.replay_control import ReplayControl
    from fwdtui.ui.replay.screen import ReplayScreen
    from fwdtui.ui.shell.app import FwdtuiApp

    control = ReplayControl(target.path, None if beside is None else beside.path)
    return run_app(FwdtuiApp(target.session.parent, live=control, live_screen=ReplayScreen))


def _print_table(target: "Target", form: str) -> int:
    """Print every sample. Damage is reported on stderr, one line each. Raises FwdtuiError."""
    from fwdtui.cli.progress import Progress
    from fwdtui.core.text import clean
    from fwdtui.monitor.live.sample_table import FORMATS
    from fwdtui.monitor.replay.recorded_table import recorded_table
    from fwdtui.monitor.replay.recording import load
    from fwdtui.monitor.replay.replay import Replay
    from fwdtui.report import terminal

    with Progress("reading") as progress:
        watch = partial(_watched, progress, target.name)
        recording = load(target, watch)
        replay = Replay(recording)
        replay.survey(watch)
        table = recorded_table(replay)
    text = FORMATS["txt" if form == "text" else form]([table])
    if form == "text":
        sys.stdout.write(text)
    else:
        terminal.write_document(text)
    sys.stdout.flush()
    for piece in recording.pieces:
        for note in piece.notes:
            sys.stderr.write(f"fwdtui: {clean(note)}\n")
    return 0


def _watched(progress: "Progress", name: str, done: int, total: int) -> None:
    progress(done, total, name)
