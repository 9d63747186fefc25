"""Paths as a user would type them in a command."""

import contextlib
from pathlib import Path


def argument(path: Path) -> str:
    """A path as the user would write it here: relative if it is below this folder; never like an option."""
    with contextlib.suppress(ValueError, OSError):
        path = path.relative_to(Path.cwd())
    text = str(path)
    return f"./{text}" if text.startswith("-") else text
