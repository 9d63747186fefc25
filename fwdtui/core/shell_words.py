"""Words of a command that is shown to be copied: whatever they hold, a shell takes each for one word."""

import re
import shlex
import sys

from fwdtui.core.text import clean


def quote(word: str) -> str:
    """A word for the shell; one with control characters as ``$'...'`` (POSIX.1-2024), so that it is inert."""
    if word.isprintable() and clean(word) == word:
        return shlex.quote(word)
    return "$'" + re.sub(r"[^ -~]|['\\]", _escaped, word) + "'"


def _escaped(odd: re.Match[str]) -> str:
    if odd[0] in "'\\":
        return f"\\{odd[0]}"
    # the bytes that a file's name with this character has, as os.fsencode gives them
    in_bytes = odd[0].encode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
    # octal: always three digits, so a digit that follows is not taken for part of it
    return "".join(f"\\{byte:03o}" for byte in in_bytes)
