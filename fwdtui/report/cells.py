"""Text in columns of a terminal: width, shortening, padding and wrapping, wide characters included."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import takewhile

ELLIPSIS = "…"
_UNIT = re.compile(r"(?<=[0-9]) (?=[kMGT%](?!\w))")


def columns_of(text: str) -> int:
    """Columns that `text` takes in a terminal (Unicode Standard Annex 11; combining marks take none)."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(text: str, columns: int) -> str:
    """`text` in at most `columns` columns; shortened in the middle, because names differ at their ends."""
    if columns_of(text) <= columns:
        return text
    if columns <= 1:
        return ELLIPSIS[:columns]
    tail = _fitting(reversed(text), (columns - 1) // 2)[::-1]
    head = _fitting(iter(text), columns - 1 - columns_of(tail))
    return head + ELLIPSIS + tail


def whole(names: Sequence[str], columns: int) -> str:
    """As many of the warnings `names` as fit, each of them whole, and how many more there are."""
    count = len(names)
    candidates = ["  ".join(names)]
    candidates += ["  ".join([*names[:kept], f"+{count - kept} more"]) for kept in range(count - 1, 0, -1)]
    candidates += [f"! {count} warning{'s' * (count > 1)}", f"! {count}"] if names else []
    return next((text for text in candidates if columns_of(text) <= columns), candidates[-1])


def shorten_apart(texts: Sequence[str], columns: int) -> list[str]:
    """Each of `texts` in at most `columns` columns, such that different texts stay different.

    Done as by `shorten` if that is enough. Of texts that would look the same, what they have in common is
    shortened and what differs stays; without room even for that, a number follows each.
    """
    shortened = [shorten(text, columns) for text in texts]
    for short in {one for one in shortened if shortened.count(one) > 1}:
        alike = list(dict.fromkeys(text for text, one in zip(texts, shortened, strict=True) if one == short))
        if len(alike) > 1:
            apart = dict(zip(alike, _apart(alike, columns), strict=True))
            shortened = [
                apart[text] if one == short else one for text, one in zip(texts, shortened, strict=True)
            ]
    return shortened


def _apart(texts: Sequence[str], columns: int) -> list[str]:
    head = _shared(texts)
    rests = [text[head:] for text in texts]
    tail = _shared([rest[::-1] for rest in rests])
    shortened = []
    for text in texts:
        end = len(text) - tail
        room = columns - columns_of(text[head:end])
        before = _ended(text[:head], room - min(room // 3, columns_of(text[end:])))
        after = _ended(text[end:][::-1], room - columns_of(before))[::-1]
        shortened.append(before + text[head:end] + after)
    if len(set(shortened)) < len(texts) or any(columns_of(one) > columns for one in shortened):
        marks = [f" {number}" for number in range(1, len(texts) + 1)]
        shortened = [
            shorten(text, max(columns - len(mark), 1)) + mark for text, mark in zip(texts, marks, strict=True)
        ]
    return shortened


def _shared(texts: Sequence[str]) -> int:
    """How many characters at their beginnings are the same."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False)))


def _ended(text: str, columns: int) -> str:
    """The beginning of `text`, with an ellipsis where there is more of it."""
    if columns_of(text) <= columns:
        return text
    return _fitting(iter(text), columns - 1) + ELLIPSIS if columns > 0 else ""


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
    """`text` shortened or filled to exactly `columns` columns; `right` puts the text at the right."""
    text = shorten(text.replace("\t", " "), columns)
    fill = " " * (columns - columns_of(text))
    return fill + text if right else text + fill


def wrap(text: str, columns: int, *, first: str = "", rest: str = "") -> list[str]:
    """`text` in lines of at most `columns` columns, the first after `first`, the others after `rest`.

    A word that is longer than a line gets its own line and is not cut: it may be a path.
    """
    lines: list[str] = []
    line, empty = first, True
    for word in _UNIT.sub("\0", text).split():  # a number keeps its unit on its line
        word = word.replace("\0", " ")
        if not empty and columns_of(line) + 1 + columns_of(word) > columns:
            lines.append(line)
            line, empty = rest, True
        line += word if empty else f" {word}"
        empty = False
    lines.append(line.rstrip())
    return lines
