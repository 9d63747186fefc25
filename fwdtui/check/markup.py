"""HTML in Markdown that is no prose: comments, and what is inside `<pre>`.

A tag that is shown as code opens nothing. Neither does one that is never closed: taken for a tag, it would
hide all of the text below it.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

_BEGINS = re.compile(r"(?P<comment><!--)|(?<!\\)<pre(?=[\s>]|$)", re.I)
_COMMENT_ENDS = re.compile("-->")
_PRE_ENDS = re.compile(r"</pre\s*+>", re.I)
_BACKQUOTES = re.compile("`++")


@dataclass(frozen=True, slots=True)
class Line:
    """The part of a line that is outside comments and `<pre>`.

    `within`: what a line without such a part is in: "pre", or a "comment" that began above; else "".
    """

    outside: str
    within: str = ""


def without_markup(lines: Sequence[str], code: Container[int]) -> list[Line]:
    """The lines without comments and preformatted text; on those of `code`, by index, nothing begins."""
    reader = _Reader(lines)
    return [reader.line(at, line, at in code) for at, line in enumerate(lines)]


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._last = {ends: _last(lines, ends) for ends in (_COMMENT_ENDS, _PRE_ENDS)}
        self._ends: re.Pattern[str] | None = None  # of what is open
        self._pre = False  # whether any of the line is preformatted

    def line(self, at: int, line: str, is_code: bool) -> Line:
        above = self._ends
        self._pre = above is _PRE_ENDS
        outside = "".join(self._pieces(at, line, line if is_code else without_code(line), is_code))
        if outside.strip() or not (self._pre or above):
            return Line(outside)
        return Line("", "pre" if self._pre else "comment")

    def _pieces(self, at: int, line: str, masked: str, is_code: bool) -> Iterator[str]:
        start = 0
        while True:
            if self._ends is not None:
                end = self._ends.search(line, start)
                if end is None:
                    return
                start, self._ends = end.end(), None
                yield " "
            begin = None if is_code else _BEGINS.search(masked, start)
            if begin is None:
                yield line[start:]
                return
            ends = _COMMENT_ENDS if begin["comment"] else _PRE_ENDS
            inside = begin.start() + 2  # "<!-->" is a whole comment
            if self._last[ends] < (at, inside):
                yield line[start : begin.end()]
                start = begin.end()
                continue
            yield line[start : begin.start()]
            start, self._ends = inside, ends
            self._pre = self._pre or ends is _PRE_ENDS


def without_code(line: str) -> str:
    """A line with blanks for its code spans: from a row of backquotes to the next one that is as long."""
    rows = [match.span() for match in _BACKQUOTES.finditer(line)]
    last = {end - start: place for place, (start, end) in enumerate(rows)}
    out: list[str] = []
    at = place = 0
    while place < len(rows):
        start, end = rows[place]
        escaped = start > 0 and line[start - 1] == "\\"
        if not escaped and last[end - start] > place:
            close = next(one for one in range(place + 1, len(rows)) if _length(rows[one]) == end - start)
            out += (line[at:start], " " * (rows[close][1] - start))
            at, place = rows[close][1], close
        place += 1
    return "".join((*out, line[at:]))


def _length(span: tuple[int, int]) -> int:
    return span[1] - span[0]


def _last(lines: Sequence[str], ends: re.Pattern[str]) -> tuple[int, int]:
    """The index of the last line that closes something, and where it does; before all lines if none does."""
    return max(
        ((at, match.start()) for at, line in enumerate(lines) for match in ends.finditer(line)),
        default=(-1, 0),
    )
