"""`fwdtui demo`: the app on the example sessions that come with it. For now there is no embedded lab."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""


def run(args: argparse.Namespace) -> int:
    """Open the app on the examples."""
    return open_app(examples(), note="Example sessions: c compares the two, ? shows the keys, q leaves.")


def examples() -> Path:
    """The example sessions: in the installed package, else in the checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "examples"
    return inside if inside.is_dir() else package.parent / "sessions"


def open_app(sessions: Path, note: str = "") -> int:
    """The app on a folder of sessions. Refuses, with a reason, where there is no terminal to draw on."""
    from fwdtui.cli.screen import need_terminal

    need_terminal("fwdtui sessions, compare or report")
    from fwdtui.ui.app import FwdtuiApp

    FwdtuiApp(sessions, note=note).run()
    return 0
