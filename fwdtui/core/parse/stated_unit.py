"""A unit that a value file writes after a value, ``10.1 us``, which ministat takes for another column.

The number alone would then be read in the wrong unit: 1.12 of ``1.12 Mpps`` as packets per second. Plain
``pps`` is what a file's values are taken to be in, and says nothing new.
"""

import re
from typing import NamedTuple

_UNIT = (
    rb"(?-i:[kKMGT])"
    rb"|[kmgt](?:pps|fps|p/s|pkts?/s|packets?/s(?:ec)?)"
    rb"|[kmgt]?i?(?:bps|(?:b|bits?|bytes?)/s(?:ec)?)"
    rb"|(?:[num]|\xc2?\xb5|\xce\xbc|nano|micro|milli)?s(?:ecs?|econds)?"
    rb"|min(?:utes?)?"
    rb"|%|percent"
    rb"|[a-z/_-]{1,40}/(?:packet|core)"
)
_NO_UNIT = b"0123456789+-.eE \t\r\n"  # a file of such characters has none: most files end here
_SHOWN = 40


class StatedUnit(NamedTuple):
    """A line (from 1) with a unit after its first token: both of them, cleaned, and the unit alone."""

    line: int
    text: str
    unit: str


def first_unit(data: bytes) -> StatedUnit | None:
    """The first value with a unit in `data`, with blanks and tabs between columns; None if none has."""
    units = StatedUnits(b" \t")
    units.look(data, 1)
    return units.found


class StatedUnits:
    """Searches a file, some whole lines at a time, for the first value with a unit; linear time."""

    def __init__(self, delimiters: bytes) -> None:
        """`delimiters` as for ministat's -d."""
        self.found: StatedUnit | None = None
        self._delimiters = delimiters.replace(b"\n", b"")
        self._pattern: re.Pattern[bytes] | None = None

    def look(self, data: bytes, first_line: int) -> None:
        """Searches `data`, which consists of whole lines beginning with line number `first_line`."""
        if self.found or not self._delimiters or not data.translate(None, _NO_UNIT):
            return
        self._pattern = self._pattern or _pattern(self._delimiters)
        if match := self._pattern.search(data):
            self.found = _stated(first_line + data.count(b"\n", 0, match.start(1)), match[1], match[2])


def _pattern(delimiters: bytes) -> re.Pattern[bytes]:
    """(a line's first token if it begins as a number, the unit that is its second).

    As ministat reads it, a line ends at a NUL.
    """
    cut = re.escape(delimiters)
    between, token = b"[" + cut + b"]", b"[^\n\\0" + cut + b"]"
    end = b"(?=[\\0" + cut + b"]|[ \\t\\v\\f\\r]*+$)"
    line = b"^" + between + b"*+((?=[-+.0-9])" + token + b"++)" + between + b"++(" + _UNIT + b")" + end
    return re.compile(b"(?mi)" + line)


def _stated(line: int, value: bytes, unit: bytes) -> StatedUnit:
    from fwdtui.core.text import clean, decode  # here, since most files state no unit

    shown = clean(decode(value))
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
    named = clean(decode(unit))
    return StatedUnit(line, f"{shown} {named}", named)
