"""Value files: ministat's input, one measured value per line, read by ministat's own rules.

The rules are those of ReadSet() in FreeBSD's usr.bin/ministat/ministat.c, as Debian's build runs them:

- a line ends at its first NUL byte; then trailing white space is removed (so CRLF is as good as LF);
- strtok(3) splits the line into tokens at the delimiter characters; there are no empty tokens;
- a token that begins with ``#`` ends the line; a line without a token in the wanted column is skipped;
- the token must be a number from end to end as strtod(3) reads it in the C locale: decimal, hexadecimal,
  ``inf``, ``nan``; anything else is an error and reading stops there;
- fgets(3) returns at most 8191 bytes at a time (BUFSIZ of glibc), and each piece counts as a line.

In addition, if no column is asked for, a number grouped by no-break blanks (see `grouped`) is one number.
"""

import re
from array import array
from collections.abc import Iterator
from typing import NamedTuple

LINE_BYTES = 8191
MARKED = "begins with a byte order mark; save it as UTF-8 without one"
"""The message about a file that is `marked`."""
WHITE = b" \t\n\v\f\r"  # isspace() in the C locale
NOT_FINITE_KEPT = 10
_TOKEN_SHOWN = 40
_OURS = b"# fwdtui report"
_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_UNIT = re.compile(rb"# in ([!-~]{1,64})")

_NUMBER = re.compile(
    # possessive: a row of digits is scanned only once
    rb"[ \t\n\v\f\r]*+(?:"
    rb"([+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:e[+-]?[0-9]++)?)"
    rb"|([+-]?0x(?:[0-9a-f]++\.?+[0-9a-f]*+|\.[0-9a-f]++)(?:p[+-]?[0-9]++)?)"
    rb"|([+-]?)(?:inf(?:inity)?|(nan(?:\([0-9a-z_]*+\))?)))",
    re.IGNORECASE,
)


class Oddity(NamedTuple):
    """A token worth reporting: its line (from 1) and its cleaned text."""

    line: int
    token: str


class ValueFile(NamedTuple):
    """The values of one column, in file order, and anything odd in the file.

    `lines` is the number of lines read, as ministat counts them; `skipped` of them were blank, comments or
    too short for the column. `not_finite` are the first few NaN and infinities (they are in `values` too).
    `bad` is the first token that is not a number: nothing after it was read. `unit` is the one that a file of
    our own names in its comments; "" if there is none, as in every other file.
    """

    values: "array[float]"
    lines: int = 0
    skipped: int = 0
    not_finite: tuple[Oddity, ...] = ()
    bad: Oddity | None = None
    unit: str = ""


def written_unit(data: bytes) -> str:
    """The unit that a value file of our own report names in the comments it begins with: ``# in ns/packet``.

    "" if it is not such a file, or names no unit that we know. In other files such a comment is just words.
    """
    if not data.startswith(_OURS):
        return ""
    from fwdtui.core.metrics import is_unit  # here: most files are not of ours

    at = 0
    while data.startswith(b"#", at):
        end = data.find(b"\n", at)
        line = data[at : end if end >= 0 else len(data)].rstrip(WHITE)
        if at == 0 and line != _OURS:
            return ""
        if (match := _UNIT.fullmatch(line)) and is_unit(unit := match[1].decode("ascii")):
            return unit
        if end < 0:
            break
        at = end + 1
    return ""


def marked(data: bytes) -> bool:
    """Whether a file begins with a byte order mark and then like a value file, in UTF-8 or UTF-16.

    Some editors write such a mark. ministat takes it for part of the first number, so the file is refused.
    """
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    if not mark:
        return False
    text = data[len(mark) :].decode(_MARKS[mark], "ignore").encode("ascii", "replace")
    lines = (line.strip() for line in text.splitlines())
    return read_number(next((line for line in lines if line and not line.startswith(b"#")), b"")) is not None


def parse_values(
    data: bytes, *, column: int | None = None, delimiters: bytes = b" \t", first_line: int = 1
) -> ValueFile:
    """The values of `column` (from 1) in `data`, which begins at a line's first byte. Never raises.

    A given column is read by ministat's rules alone; without one it is the first, and a number grouped by
    no-break blanks counts as one number.
    """
    values = array("d")
    odd: list[Oddity] = []
    bad = None
    skipped = 0
    number = first_line - 1
    tokens = re.compile(b"[^" + re.escape(delimiters) + b"]+")
    for line in _pieces(data):
        number += 1
        token = _token(line, column or 1, tokens)
        if token is None:
            skipped += 1
            continue
        value = read_number(token)
        if value is None and column is None:
            value = _in_groups(token)
        if value is None:
            bad = _oddity(number, token)
            break
        if value - value != 0.0 and len(odd) < NOT_FINITE_KEPT:
            odd.append(_oddity(number, token))
        values.append(value)
    return ValueFile(values, number - first_line + 1, skipped, tuple(odd), bad)


def read_number(token: bytes) -> float | None:
    """The double that strtod(3) reads from the whole token, or None if some of the token remains."""
    match = _NUMBER.fullmatch(token)
    if match is None:
        return None
    decimal, hexadecimal, sign, nan = match.groups()
    if decimal:
        return float(decimal)
    if hexadecimal:
        try:
            return float.fromhex(hexadecimal.decode("ascii"))
        except OverflowError:  # strtod returns HUGE_VAL
            return float("-inf" if hexadecimal.startswith(b"-") else "inf")
    return float("nan") if nan else float("-inf" if sign == b"-" else "inf")


def _in_groups(token: bytes) -> float | None:
    from fwdtui.core.parse.grouped import one_number  # here: hardly any file has such numbers

    digits = one_number(token)
    return None if digits is None else float(digits)


def _pieces(data: bytes) -> Iterator[bytes]:
    """What fgets(3) returns call by call, without the newline."""
    lines = data.split(b"\n")
    unfinished = lines.pop()
    for line in lines:
        if len(line) < LINE_BYTES:
            yield line
        else:  # the final newline may be a piece of its own
            for start in range(0, len(line) + 1, LINE_BYTES):
                yield line[start : start + LINE_BYTES]
    for start in range(0, len(unfinished), LINE_BYTES):
        yield unfinished[start : start + LINE_BYTES]


def _token(line: bytes, column: int, tokens: "re.Pattern[bytes]") -> bytes | None:
    end = line.find(0)
    if end >= 0:
        line = line[:end]
    for place, match in enumerate(tokens.finditer(line.rstrip(WHITE)), 1):
        token = match.group()
        if token.startswith(b"#"):
            return None
        if place == column:
            return token
    return None


def _oddity(line: int, token: bytes) -> Oddity:
    from fwdtui.core.text import clean, decode  # here, since most files have nothing odd in them

    text = clean(decode(token))
    return Oddity(line, text if len(text) <= _TOKEN_SHOWN else text[: _TOKEN_SHOWN - 1] + "…")
