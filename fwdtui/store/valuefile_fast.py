"""Parses big value files of plain decimal lines, ten times as fast as fwdtui.core.parse.valuefile.

The values are the same. The result is None as soon as a block contains something that would not be treated
exactly as by the plain rules; the caller then uses those for that block. The digits of a line are read as one
exact integer, and integer / 10**decimals is rounded once, which is what strtod(3) does (Clinger, "How to Read
Floating Point Numbers Accurately", 1990).
"""

import re
from array import array
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from fwdtui.core.parse.valuefile import LINE_BYTES, WHITE, ValueFile

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

_DIGITS = b"0123456789.-\n"
_FLOATS = b"0123456789.-+eE\n"
_EXACT_DIGITS = 15  # 10**15 < 2**53: the integer is an exact double
_WIDE_DIGITS = 18  # 10**18 < 2**63: the integer is an exact int64, and an exact long double of 64 bits
_POWERS = np.array([10**n for n in range(_WIDE_DIGITS + 1)], np.int64)
_MOST_COLUMNS = 100
_WINDOW = (LINE_BYTES + 1) // 2  # a line that does not span a whole window is short enough


def parse_plain(data: bytes, column: int, delimiters: bytes) -> ValueFile | None:
    """The values of the whole lines `data`, if all of them are finite and plain; else None."""
    if not data.endswith(b"\n") or not _short_lines(data):
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    tokens = _tokens(data, column, delimiters)
    if tokens is None or tokens.translate(None, _FLOATS):
        return None
    values = None if tokens.translate(None, _DIGITS) else _digits_only(tokens)
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
    if any(character in data for character in white):  # which of these the plain rules strip would matter
        return None
    if column == 1 and not any(character in data for character in delimiters + b"#"):
        return data
    cut = re.escape(delimiters)
    token = b"[^#\n" + cut + b"][^\n" + cut + b"]*"
    before = b"(?:" + token + b"[" + cut + b"]+){%d}" % (column - 1)
    found = re.findall(b"(?m)^[" + cut + b"]*" + before + b"(" + token + b")", data)
    return b"\n".join(found) + b"\n"


def _any_float(tokens: bytes) -> "array[float] | None":
    """float() agrees with strtod(3) on digits, signs, points and exponents, and refuses the rest."""
    try:
        values = array("d", map(float, tokens.split()))
    except ValueError:
        return None
    return values if all(map(isfinite, values)) else None


def _digits_only(tokens: bytes) -> "array[float] | None":
    """Lines of the shape ``-123.456``: sign, point and either group of digits may be missing."""
    text = np.frombuffer(tokens, np.uint8)
    end = np.flatnonzero(text == ord("\n"))
    start = np.concatenate(([0], end[:-1] + 1))
    filled = end > start
    if not filled.all():
        start, end = start[filled], end[filled]
    values = array("d")
    if not len(end):
        return values
    negative = text[start] == ord("-")
    if np.count_nonzero(text == ord("-")) != np.count_nonzero(negative):
        return None
    start = start + negative
    point = _points(text, start, end)
    if point is None:
        return None
    whole = point - start
    fraction = np.maximum(end - point - 1, 0)
    digits = whole + fraction
    if digits.min() < 1 or digits.max() > _WIDE_DIGITS:
        return None
    number = _integer(text, point, whole)
    result: NDArray[np.float64]
    if not fraction.any():
        result = number.astype(np.float64)
    else:
        number = number * _POWERS[fraction] + _integer(text, end, fraction)
        if digits.max() <= _EXACT_DIGITS:
            result = number / _POWERS.astype(np.float64)[fraction]
        elif np.finfo(np.longdouble).nmant in (63, 112):
            result = _wide(number, fraction, tokens, start, end)
        else:
            return None
    np.negative(result, out=result, where=negative)
    values.frombytes(result.tobytes())
    return values


def _wide(number: Places, fraction: Places, tokens: bytes, start: Places, end: Places) -> NDArray[np.float64]:
    """number / 10**fraction, correctly rounded, computed with a long double of 64 bits or more."""
    quotient = number.astype(np.longdouble) / _POWERS.astype(np.longdouble)[fraction]
    result = quotient.astype(np.float64)
    # the quotient itself was rounded: where it lies midway between two doubles, rounding again may be wrong
    twice_off = (quotient - result.astype(np.longdouble)).astype(np.float64) * 2
    bits = result.view(
        np.int64
    )  # for doubles above zero, bits + 1 is the next double and bits - 1 the previous
    to_next, to_last = (bits + 1).view(np.float64) - result, (bits - 1).view(np.float64) - result
    for at in np.flatnonzero((twice_off == to_next) | (twice_off == to_last)):
        result[at] = float(tokens[start[at] : end[at]])
    return result


def _points(text: Bytes, start: Places, end: Places) -> Places | None:
    """The position of each line's decimal point, or of its end if it has none; None if a line has two."""
    point = np.flatnonzero(text == ord("."))
    if len(point) == len(end) and ((point >= start) & (point < end)).all():
        return point
    line = np.searchsorted(end, point)
    if (line[1:] == line[:-1]).any():
        return None
    at = end.copy()
    at[line] = point
    return at


def _integer(text: Bytes, end: Places, length: Places) -> Places:
    """The integers of the `length` decimal digits before each `end`: digit by digit, all lines at once."""
    number = np.zeros(len(end), np.int64)
    place = end - 1
    term = np.empty_like(number)
    shortest = int(length.min())
    for digit in range(int(length.max())):
        figure = text[place] - np.uint8(ord("0"))
        if digit >= shortest:
            figure *= length > digit
            np.maximum(place, 1, out=place)
        np.multiply(figure, 10**digit, out=term, dtype=np.int64)
        number += term
        place -= 1
    return number
