"""Pipe tables of Markdown, as GitHub renders them.

GitHub Flavored Markdown, section 4.10 "Tables (extension)": a header row, a row of dashes with as many cells,
and rows up to the next blank line. Pipes at both ends may be left out, `\\|` is a pipe within a cell, a row
that is too short lacks its last cells, and the extra cells of one that is too long are ignored.

Two things differ here. A line without a pipe ends the table (on GitHub it is a row of one cell), so that
a conclusion right below is read as the sentence that it is. Indentation does not matter, since a table may
belong to a list item. Whether a table is inside a fence is not known here.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped
from fwdtui.core.parse.ministat_block import plain, split_lines

MOST_COLUMNS = 64
_PIPE = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r":?-++:?")
_OF_DASHES = frozenset("|-: ")
_ENDS = re.compile(r"\s{0,3}(?:`{3}|~{3}|#{1,6}\s)")


@dataclass(frozen=True, slots=True)
class MarkdownRow:
    """The cells of one row, trimmed, with their Markdown; at most as many as the header has."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MarkdownTable:
    """A table; its lines count from 1, the row of dashes is line `header.line + 1`."""

    header: MarkdownRow
    rows: tuple[MarkdownRow, ...]

    @property
    def first_line(self) -> int:
        return self.header.line

    @property
    def last_line(self) -> int:
        return self.rows[-1].line if self.rows else self.header.line + 1


def parse_markdown_tables(text: str) -> Parsed[tuple[MarkdownTable, ...]]:
    """Every pipe table of a text, in order. Lines end with LF, CRLF or CR; never raises."""
    lines = [plain(line) for line in split_lines(text)]
    tables: list[MarkdownTable] = []
    skipped = Skipped()
    at = 1
    end = 0  # lines before it belong to a table
    while at < len(lines):
        columns = _dashes(lines[at])
        if not columns or at - 1 < end or len(head := _cells(lines[at - 1])) != columns:
            at += 1
            continue
        header = MarkdownRow(at, head)
        first = at = at + 1
        while at < len(lines) and "|" in lines[at] and not _ENDS.match(lines[at]):
            at += 1
        end = at
        if columns > MOST_COLUMNS:
            skipped.note(f"line {header.line}: a table of more than {MOST_COLUMNS} columns is not read")
            continue
        rows = (MarkdownRow(line + 1, _cells(lines[line])[:columns]) for line in range(first, end))
        tables.append(MarkdownTable(header, tuple(rows)))
    return Parsed(tuple(tables), skipped.done())


def _dashes(line: str) -> int:
    """How many columns the line below a header declares; 0 if it is not such a line."""
    if "|" not in line or "-" not in line or not _OF_DASHES.issuperset(line):
        return 0
    cells = _cells(line)
    return len(cells) if all(_DASHES.fullmatch(cell) for cell in cells) else 0


def _cells(line: str) -> tuple[str, ...]:
    """The cells of a line; () if it has no pipe."""
    parts = _PIPE.split(line.strip())
    if len(parts) < 2:
        return ()
    if not parts[0].strip():
        del parts[0]
    if len(parts) > 1 and not parts[-1].strip():
        del parts[-1]
    return tuple(part.replace("\\|", "|").strip() for part in parts)
