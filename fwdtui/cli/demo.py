"""`fwdtui demo`: the app on a built-in lab, which is simulated or really forwards in this kernel."""

import argparse
from pathlib import Path

from fwdtui.cli.drop_reasons_arg import add_drop_reasons
from fwdtui.core.errors import FwdtuiError

_OWN = "<app.mode_live F2> offers the demo and a lab of your own."
_EXAMPLES = (
    "Example sessions, your own copy: try everything. <sessions.compare c> compares them, <app.help ?> shows"
    " the keys."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--kernel", action="store_true", help="real forwarding in namespaces of this kernel (Linux, root)"
    )
    add_drop_reasons(parser, "with --kernel; Linux 5.17, root")
    which.add_argument("--examples", action="store_true", help="no lab, only the example sessions")


def run(args: argparse.Namespace) -> int:
    """Open the app. Raises FwdtuiError without a terminal, or if the kernel lab cannot run here."""
    if args.drop_reasons and not args.kernel:
        raise FwdtuiError("--drop-reasons needs --kernel: on the simulated lab no kernel drops packets")
    if args.examples:
        from fwdtui.ui.sessions import examples

        return open_app(examples.place(), note=_EXAMPLES)
    from fwdtui.cli.screen import need_terminal, run_app

    if args.kernel:
        from fwdtui.labs.kernel import needs

        needs.require()
    need_terminal("fwdtui sessions, compare or report")
    from fwdtui.ui.demo import demo_control
    from fwdtui.ui.demo.screen import DemoScreen
    from fwdtui.ui.shell.app import FwdtuiApp

    control = demo_control.kernel() if args.kernel else demo_control.simulated()
    control.drop_reasons = args.drop_reasons
    return run_app(FwdtuiApp(control.into, note=control.note, live=control, live_screen=DemoScreen))


def without_lab() -> int:
    """Open the app without a lab.toml: on the sessions in ./sessions, or if there are none, with a choice.

    Raises FwdtuiError without a terminal.
    """
    from fwdtui.store.listing import session_folders

    own = Path("sessions")
    if session_folders(own):
        return open_app(own, _OWN)
    if own.is_dir():
        return open_app(own, welcome=True)
    from fwdtui.ui.sessions import examples

    return open_app(examples.place(), _EXAMPLES, welcome=True)


def open_app(sessions: Path, note: str = "", *, welcome: bool = False) -> int:
    """Open the app on a folder of sessions. Raises FwdtuiError without a terminal to draw on."""
    from fwdtui.cli.screen import need_terminal, run_app

    need_terminal("fwdtui sessions, compare or report")
    from fwdtui.ui.shell.app import FwdtuiApp

    return run_app(FwdtuiApp(sessions, note=note, welcome=welcome))
