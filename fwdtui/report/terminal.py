"""What the terminal can show: colours, columns, characters."""

import os
import re
import shutil
import sys
from typing import TextIO

from fwdtui.core.text import visible_lines

# what a terminal that is not UTF-8 gets instead
_ASCII = str.maketrans(
    dict(zip("−–─×│┤┌┐└┘┬┴", "---x||++++++", strict=True))
    | {"±": "+/-", "…": "...", "→": "->", "≥": ">=", "≤": "<="}
)
# the sequences that `report.table` uses: bold, plain, and five colours (ECMA-48, SGR)
_COLOUR = re.compile(r"(\x1b\[(?:0|1|3[1-6])m)")


def colour(stream: TextIO) -> bool:
    """Whether to use colours: if the terminal can, and the user did not say no (https://no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def columns(stream: TextIO) -> int | None:
    """The width of the terminal; None for a file or pipe, where nothing has to be shortened."""
    if stream.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return max(shutil.get_terminal_size().columns, 40)
    return None


def encodable(text: str, stream: TextIO) -> str:
    """`text` with the characters that the stream's encoding lacks (LC_ALL=C over ssh) replaced."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


def write(text: str, stream: TextIO | None = None) -> None:
    """Write text that may contain our colours; nothing else in it acts on a terminal."""
    stream = sys.stdout if stream is None else stream
    # what is between our colours may be text of any origin
    parts = _COLOUR.split(text)
    parts[::2] = map(visible_lines, parts[::2])
    bare = getattr(stream, "bare", stream)  # below `cli.streams`, which would spell out the colours
    bare.write(encodable("".join(parts), bare))


def write_document(text: str) -> None:
    """Write JSON or Markdown to standard output: UTF-8 by definition, whatever the locale.

    JSON comes without control characters (`core.text.visible_json`); any that is left is spelled out.
    """
    text = visible_lines(text)
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    buffer.write(text.encode("utf-8", "backslashreplace"))
    buffer.flush()
