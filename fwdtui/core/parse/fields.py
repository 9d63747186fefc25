"""Building blocks of parsers: their result type, and reading lines, numbers and names from hostile text.

Python's own int() and float() accept more than tools print (underscores, other scripts' digits, `nan`,
`inf`) and raise on input that is too long, so text is checked before it is converted.
"""

import re
from typing import Generic, TypeVar

import msgspec

from fwdtui.core.text import clean, clean_lines

T = TypeVar("T")


class Parsed(msgspec.Struct, Generic[T], frozen=True):
    """`value` is what was read (empty, never None, if nothing was); `skipped` says what was not, and why.

    Each entry of `skipped` is one short cleaned line such as ``line 7: 11 fields, 9 expected: 'em0 …'``.
    """

    value: T
    skipped: tuple[str, ...] = ()


_DIGITS = re.compile(r"[0-9]{1,20}")  # 20 digits hold any 64-bit counter; more is not a counter
_SHOWN = 80
_KEPT = 40


def lines(text: str) -> list[str]:
    """The lines of `text` without control characters; only LF and CR LF end a line."""
    return clean_lines(text).split("\n")


def whole(text: str) -> int | None:
    """``"4204"`` -> 4204; anything but 1 to 20 ASCII digits -> None (``"-"``, ``"46M"``)."""
    return int(text) if _DIGITS.fullmatch(text) else None


def shown(text: str) -> str:
    """`text` quoted for a note: unprintable characters escaped, then shortened to 80 characters."""
    quoted = repr(clean(text.strip()[: _SHOWN + 1]))
    return quoted if len(quoted) <= _SHOWN + 2 else quoted[: _SHOWN + 1] + "…'"


class Skipped:
    """Collects what a parser skipped: at most 40 entries of one short line each, and a count of the rest."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        self._more = 0

    def line(self, number: int, why: str, line: str) -> None:
        """Adds a note about one line. `number` is 1-based; `line` appears as by `shown`."""
        self.note(f"line {number}: {why}: {shown(line)}")

    def note(self, why: str) -> None:
        """Adds a note that is not about a single line."""
        if len(self._notes) < _KEPT:
            self._notes.append(clean(why))
        else:
            self._more += 1

    def done(self) -> tuple[str, ...]:
        """The notes in order, and how many more there were."""
        return (*self._notes, *((f"and {self._more} more",) if self._more else ()))


MAX_NAME = 64  # IFNAMSIZ is 16; alternative names and rule names are longer
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{1,16}")
_DECIMAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")


def hexadecimal(token: str) -> int | None:
    """A hexadecimal number of at most 64 bits without a prefix, or None."""
    return int(token, 16) if _HEXADECIMAL.fullmatch(token) else None


def decimal(token: str) -> float | None:
    """A non-negative number with an optional fraction and no exponent, or None; always finite."""
    return float(token) if _DECIMAL.fullmatch(token) else None


def phrase(value: object, limit: int = 200) -> str | None:
    """One cleaned line of at most `limit` characters from a text, or None if there is none.

    JSON escapes can carry control characters and lone surrogates past the cleaning of the raw text.
    """
    if not isinstance(value, str):
        return None
    safe = clean(value.encode("utf-8", "backslashreplace").decode("utf-8"))
    return safe.strip()[:limit].strip() or None


def identifier(value: object) -> str | None:
    """A name: one cleaned word without white space of at most MAX_NAME characters, or None."""
    word = phrase(value, MAX_NAME + 1)
    if word is None or len(word) > MAX_NAME or len(word.split()) != 1:
        return None
    return word
