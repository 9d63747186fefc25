"""`fwdtui profile ACTION`: profiles of the DUT. Each action is a module of its own."""

import argparse
import importlib
from typing import Any

# name -> its module and one line of help. A module has add_arguments(parser) and run(args) -> status.
_ACTIONS = {
    "capture": ("profile_capture", "take a profile in a separate blast, which does not count as a value"),
    "show": ("profile_show", "the functions of a profile, by their shares"),
    "compare": ("profile_compare", "what moved between two profiles"),
    "flame": ("profile_flame", "draw a flame graph of a profile, or of the difference between two"),
    "fold": ("profile_fold", "print a profiler's output as folded stacks"),
    "import": ("profile_import", "add a profile to a session"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add one subcommand per action."""
    actions = parser.add_subparsers(dest="action", metavar="|".join(_ACTIONS), required=True)
    for name, (_, text) in _ACTIONS.items():
        action = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        _module(name).add_arguments(action)


def run(args: argparse.Namespace) -> int:
    """Run the chosen action, and return its exit status."""
    status: int = _module(args.action).run(args)
    return status


def _module(action: str) -> Any:
    return importlib.import_module(f"fwdtui.cli.{_ACTIONS[action][0]}")
