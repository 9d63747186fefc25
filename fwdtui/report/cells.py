"""Text in columns of a terminal: widths, cutting, padding and wrapping that know wide characters."""

import re
import unicodedata
from collections.abc import Iterator

ELLIPSIS = "…"
_UNIT = re.compile(r"(?<=[0-9]) (?=[kMGT%](?!\w))")


def width(text: str) -> int:
    """Columns that `text` takes in a terminal (Unicode Standard Annex 11; combining marks take none)."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, columns: int) -> str:
    """`text` in at most `columns` columns; it is cut in the middle, since names differ at their ends."""
    if width(text) <= columns:
        return text
    if columns <= 1:
        return ELLIPSIS[:columns]
    tail = _fitting(reversed(text), (columns - 1) // 2)[::-1]
    head = _fitting(iter(text), columns - 1 - width(tail))
    return head + ELLIPSIS + tail


def _fitting(characters: Iterator[str], columns: int) -> str:
    taken: list[str] = []
    used = 0
    for character in characters:
        used += _columns(character)
        if used > columns:
            break
        taken.append(character)
    return "".join(taken)


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """`text` cut and filled to exactly `columns` columns; `right` puts the text at the right."""
    text = cut(text.replace("\t", " "), columns)
    fill = " " * (columns - width(text))
    return fill + text if right else text + fill


def wrap(text: str, columns: int, *, first: str = "", rest: str = "") -> list[str]:
    """`text` in lines of at most `columns` columns, the first after `first`, the others after `rest`.

    A word that is longer than a line stands on a line of its own and is not cut: it may be a path.
    """
    lines: list[str] = []
    line, empty = first, True
    for word in _UNIT.sub("\0", text).split():  # a number keeps its unit on its line
        word = word.replace("\0", " ")
        if not empty and width(line) + 1 + width(word) > columns:
            lines.append(line)
            line, empty = rest, True
        line += word if empty else f" {word}"
        empty = False
    lines.append(line.rstrip())
    return lines
