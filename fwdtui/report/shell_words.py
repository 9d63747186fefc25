"""Words of a command as a user would type them."""

import contextlib
import os
import re
import shlex
from pathlib import Path

from fwdtui.core.text import clean


def quote(word: str) -> str:
    """A word for the shell; one with control characters as ``$'...'`` (POSIX.1-2024), so that it is inert."""
    if word.isprintable() and clean(word) == word:
        return shlex.quote(word)
    return "$'" + re.sub(r"[^ -~]|['\\]", _escaped, word) + "'"


def _escaped(odd: re.Match[str]) -> str:
    if odd[0] in "'\\":
        return f"\\{odd[0]}"
    # octal: always three digits, so a digit that follows is not taken for part of it
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(odd[0]))


def argument(path: Path) -> str:
    """A path as the user would write it here: relative if it is below this folder; never like an option."""
    with contextlib.suppress(ValueError, OSError):
        path = path.relative_to(Path.cwd())
    text = str(path)
    return f"./{text}" if text.startswith("-") else text
