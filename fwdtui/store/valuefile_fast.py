"""Parses big value files of plain decimal lines, ten times as fast as fwdtui.core.parse.valuefile.

The values are the same. The result is None as soon as a block contains something that would not be treated
exactly as under the plain rules; the caller then applies those to that block. Most lines are also numbers in
JSON: msgspec reads a block of them as one array, and rounds them correctly, as strtod(3) does.
"""

import re
from array import array
from math import isfinite

import msgspec

from fwdtui.core.parse.valuefile import LINE_BYTES, WHITE, ValueFile

_FLOATS = b"0123456789.-+eE\n"
_MOST_COLUMNS = 100
_WINDOW = (LINE_BYTES + 1) // 2  # a line that does not span a whole window is short enough
_ARRAY = msgspec.json.Decoder(list[float])


def parse_plain(data: bytes, column: int, delimiters: bytes) -> ValueFile | None:
    """The values of the whole lines `data`, if all of them are finite and plain; else None."""
    if not data.endswith(b"\n") or not _short_lines(data):
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    tokens = _tokens(data, column, delimiters)
    if tokens is None:
        return None
    values = _json_numbers(tokens)
    if values is not None and tokens is data:
        return ValueFile(values, len(values))  # a value in each line
    if values is None:
        values = _any_float(tokens)
    if values is None:
        return None
    lines = data.count(b"\n")
    return ValueFile(values, lines, lines - len(values))


def _short_lines(data: bytes) -> bool:
    """Whether fgets(3) would return every line in one piece."""
    return all(data.find(b"\n", at, at + _WINDOW) >= 0 for at in range(0, len(data), _WINDOW))


def _tokens(data: bytes, column: int, delimiters: bytes) -> bytes | None:
    """The tokens of the column, one per line; there may also be empty lines."""
    if b"\n" in delimiters or column > _MOST_COLUMNS:
        return None
    white = WHITE.translate(None, delimiters + b"\n") + b"\0"
    if any(character in data for character in white):  # it would matter which of these the plain rules strip
        return None
    if column == 1 and not any(character in data for character in delimiters + b"#"):
        return data
    cut = re.escape(delimiters)
    token = b"[^#\n" + cut + b"][^\n" + cut + b"]*"
    before = b"(?:" + token + b"[" + cut + b"]+){%d}" % (column - 1)
    tokens = re.findall(b"(?m)^[" + cut + b"]*" + before + b"(" + token + b")", data)
    return b"\n".join(tokens) + b"\n"


def _json_numbers(tokens: bytes) -> "array[float] | None":
    """The numbers, if each line is one in JSON: no line is empty, and no number has a plus or begins with a
    point. None if there is a -0, which would lose its sign.
    """
    if b"," in tokens or (b"-" in tokens and b"-0\n" in tokens):
        return None
    try:
        return array("d", _ARRAY.decode(b"[" + tokens[:-1].replace(b"\n", b",") + b"]")) or None
    except msgspec.MsgspecError:
        return None


def _any_float(tokens: bytes) -> "array[float] | None":
    """float() agrees with strtod(3) on digits, signs, points and exponents, and refuses the rest."""
    if tokens.translate(None, _FLOATS):
        return None
    try:
        values = array("d", map(float, tokens.split()))
    except ValueError:
        return None
    return values if all(map(isfinite, values)) else None
