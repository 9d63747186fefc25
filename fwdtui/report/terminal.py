"""What the terminal at the other end can show: colour, columns, characters."""

import os
import shutil
import sys
from typing import TextIO

# what a terminal that is not UTF-8 is given instead
_ASCII = str.maketrans(
    dict(zip("−–─×│┤┌┐└┘┬┴", "---x||++++++", strict=True))
    | {"±": "+/-", "…": "...", "→": "->", "≥": ">=", "≤": "<="}
)


def colour(stream: TextIO) -> bool:
    """Whether to colour: a terminal that can, and a user who did not say no (https://no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def columns(stream: TextIO) -> int | None:
    """The width of the terminal; None when the text goes to a file or pipe, where nothing need be cut."""
    if stream.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return max(shutil.get_terminal_size().columns, 40)
    return None


def write(text: str, stream: TextIO | None = None) -> None:
    """Write text that may hold characters which the stream's encoding lacks (LC_ALL=C over ssh)."""
    stream = sys.stdout if stream is None else stream
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    stream.write(text)


def write_document(text: str) -> None:
    """Write JSON or Markdown to standard output: UTF-8 by definition, whatever the locale."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    buffer.write(text.encode("utf-8", "backslashreplace"))
    buffer.flush()
