"""Numbers in groups of three digits, ``1 000 100``, in value files: one number, or three columns?

With a no-break blank (NBSP, narrow NBSP, thin or figure space) between the groups it is one number. With
plain blanks it is ambiguous: ministat reads the first group, 1, and the author may have meant 1000100. A file
is ambiguous if a line looks like such a number and no line can only be columns.
"""

import re
from typing import NamedTuple

_NO_BREAK = rb"(?:\xc2\xa0|\xe2\x80[\x87\x89\xaf])"  # NBSP; figure space, thin space, narrow NBSP
_FRACTION = rb"(?:\.[0-9]*+)?"
_ONE = re.compile(rb"[+-]?[1-9][0-9]{0,2}(?:" + _NO_BREAK + rb"[0-9]{3})+" + _FRACTION)
_BLANKS = re.compile(_NO_BREAK)
_NUL = re.compile(rb"\0[^\n]*+")
_DOUBTFUL = (
    rb"[+-]?[1-9][0-9]{0,2}(?:" + _NO_BREAK + rb"[0-9]{3})* [0-9]{3}(?![0-9])"
    rb"(?:(?: |" + _NO_BREAK + rb")[0-9]{3}(?![0-9]))*"
)
_UNIT = rb"[A-Za-z][A-Za-z/]*+"
_SHOWN = 40


class Doubt(NamedTuple):
    """An ambiguous line (from 1): its text, the number in its first group, and the number of all groups."""

    line: int
    text: str
    first: str
    whole: str


def one_number(token: bytes) -> bytes | None:
    """The digits of a token that is one number, grouped by no-break blanks; None for anything else."""
    return _BLANKS.sub(b"", token) if _ONE.fullmatch(token) else None


class Groups:
    """Searches a file, some whole lines at a time, for numbers grouped by plain blanks; linear time."""

    def __init__(self, delimiters: bytes) -> None:
        """`delimiters` as for ministat's -d; without a blank in them a grouped number is one token anyway."""
        self._delimiters = delimiters
        self._columns = b" " not in delimiters
        self._found: Doubt | None = None
        self._patterns: tuple[re.Pattern[bytes], re.Pattern[bytes]] | None = None

    @property
    def doubt(self) -> Doubt | None:
        """The first such number, unless some line so far can only be columns."""
        return None if self._columns else self._found

    def look(self, data: bytes, first_line: int) -> None:
        """Searches `data`, which consists of whole lines beginning with line number `first_line`."""
        if self._columns:
            return
        data = _NUL.sub(b"", data) if b"\0" in data else data
        columns, grouped = self._patterns = self._patterns or _patterns(self._delimiters)
        if columns.search(data):
            self._columns = True
        elif self._found is None and (match := grouped.search(data)):
            line = first_line + data.count(b"\n", 0, match.start(1))
            self._found = _doubt(line, match[1])


def _patterns(delimiters: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Patterns of (a line that can only be columns, a line that looks like one grouped number)."""
    cut = re.escape(delimiters)
    between, token = b"[" + cut + b"]", b"[^\n" + cut + b"]"
    points = b".,".translate(None, delimiters)
    number = _DOUBTFUL + (b"(?:[" + points + b"][0-9]*+)?" if points else b"")
    # ignored by ministat: trailing white space, a comment
    rest = between + b"*+(?:(?<=" + between + b")#[^\n]*+)?[ \\t\\v\\f\\r]*+$"
    unit = b"(?:" + between + b"++" + _UNIT + b")?"
    nothing = b"(?:#[^\n]*+|[ \\t\\v\\f\\r]*+)$"
    one_value = b"(?!#)" + token + b"++" + unit + rest
    begin = b"(?m)^"
    columns = (
        begin + b"(?!" + between + b"*+(?:" + b"|".join((nothing, number + unit + rest, one_value)) + b"))"
    )
    return re.compile(columns), re.compile(begin + between + b"*+(" + number + b")" + unit + rest)


def _doubt(line: int, number: bytes) -> Doubt:
    first = _BLANKS.sub(b"", number.partition(b" ")[0]).decode("ascii")
    text = _BLANKS.sub(b" ", number).decode("ascii")
    whole = text.replace(" ", "").replace(",", ".")
    if len(text) > _SHOWN:
        text, whole = text[: _SHOWN - 1] + "…", whole[: _SHOWN - 1] + "…"
    return Doubt(line, text, first, whole)
