"""A text as a reader sees it: headings, sentences of prose, and the ministat blocks between them, in order.

Not a Markdown renderer: it has to read what people really publish, where fences are missing, unbalanced or
glued to the last line of the output, and where a mail quotes all of it. Code, tables and links are no prose.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fwdtui.check.inline import readable
from fwdtui.check.markup import without_markup
from fwdtui.core.parse.markdown_table import MarkdownTable
from fwdtui.core.parse.ministat_block import Block, plain, split_lines

_FENCE = re.compile(r"\s*(?:[-*+]\s+|[0-9]{1,3}[.)]\s+)*(`{3,}+(?!.*`)|~{3,})\s*([^`\s]*)")
_GLUED = re.compile(r"\S\s*+(?:(?<!`)`{3,}+|(?<!~)~{3,}+)\s*+$")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*)$")
_UNDERLINE = re.compile(r"\s{0,3}(=+|-+)\s*$")
_RULE = re.compile(r"\s{0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|[0-9]{1,3}[.)])\s+(.*)$")
_TABLE = re.compile(r"\s*\||\s*:?-{2,}:?\s*\|")
_ARROW = re.compile(r"\s*(?:=+>|-+>|→|⇒|➜|➔)\s*")
_INDENTED = re.compile(r"\s{4,}\S")
_PRE_ALONE = re.compile(r"</?pre\b[^>]*>$", re.I)
_QUOTED = re.compile(r"(?:[ ]{0,3}>)*")


@dataclass(slots=True)
class Unit:
    """A heading, a paragraph, a list item or one "=>" line; `pieces` are its lines, ready to read."""

    kind: str  # "heading" | "paragraph" | "item" | "arrow"
    section: int
    depth: int  # of quotation: a quoted sentence is not about a block that is not quoted
    pieces: list[tuple[int, str]] = field(default_factory=list)  # (line number from 1, text)
    level: int = 0  # of a heading: 1 is the title's

    @property
    def first_line(self) -> int:
        return self.pieces[0][0]

    @property
    def last_line(self) -> int:
        return self.pieces[-1][0]

    @property
    def text(self) -> str:
        return " ".join(text for _, text in self.pieces)


@dataclass(slots=True)
class Table:
    """A ministat block in its place; the fences around it belong to it."""

    block: Block
    section: int
    depth: int
    first_line: int
    last_line: int


@dataclass(slots=True)
class Opaque:
    """Code or a Markdown table: no prose, but it separates what is above from what is below."""

    section: int
    first_line: int
    last_line: int
    table: MarkdownTable | None = None


Element = Unit | Table | Opaque


def elements(text: str, blocks: Sequence[Block], tables: Sequence[MarkdownTable] = ()) -> list[Element]:
    """The parts of a text in order. `blocks` and `tables` are what the parsers found in the same text.

    A table that is code, or that overlaps a block, is not taken as a table.
    """
    lines = split_lines(text)
    depths = [_QUOTED.match(line)[0].count(">") for line in lines]  # type: ignore[index]  # matches anything
    return _Reader([plain(line) for line in lines], depths, blocks, tables).read()


def _code_lines(lines: Sequence[str], blocks: Sequence[Block]) -> set[int]:
    """Indices of fence lines and of what is inside fences, ministat blocks left out.

    Within one stretch between two blocks, the fences must leave the text in the state in which the next block
    is (its fence directly above it, or none). If they do not, one fence is missing before the stretch,
    and the stretch is read from the other state.
    """
    code: set[int] = set()
    mark = ""  # the fence that is open, "" outside
    start = 0
    for place in range(len(blocks) + 1):
        block = blocks[place] if place < len(blocks) else None
        end = block.first_line - 1 if block else len(lines)
        fenced = block is not None and _fence_above(lines, start, end)
        inside, code_here = _walk(lines, start, end, mark)
        if place and bool(inside) != fenced:
            other = "" if mark else _first_mark(lines, start, end)
            again, code_again = _walk(lines, start, end, other)
            if bool(again) == fenced:
                inside, code_here = again, code_again
        code |= code_here
        if block is None:
            break
        mark = inside
        start = block.last_line
        if mark and _GLUED.search(lines[block.last_line - 1]):
            mark = ""
    return code


def _walk(lines: Sequence[str], start: int, end: int, mark: str) -> tuple[str, set[int]]:
    """Read fences from one state: the state at the end, and the lines that are fences or code."""
    code: set[int] = set()
    for at in range(start, end):
        fence = _FENCE.match(lines[at])
        if fence and not mark:
            mark = fence[1]
            code.add(at)
        elif fence and (fence[2] or fence[1].startswith(mark)):
            mark = fence[1] if fence[2] else ""
            code.add(at)
        elif mark:
            code.add(at)
    return mark, code


def _fence_above(lines: Sequence[str], start: int, end: int) -> bool:
    at = end - 1
    while at >= start and (not lines[at].strip() or "ministat" in lines[at]):
        at -= 1
    return at >= start and _FENCE.match(lines[at]) is not None


def _first_mark(lines: Sequence[str], start: int, end: int) -> str:
    return next((match[1][:3] for at in range(start, end) if (match := _FENCE.match(lines[at]))), "```")


class _Reader:
    """One pass over the lines; collects lines into units until something ends them."""

    def __init__(
        self,
        lines: Sequence[str],
        depths: Sequence[int],
        blocks: Sequence[Block],
        tables: Sequence[MarkdownTable],
    ) -> None:
        self._lines = lines
        self._depths = depths
        self._blocks = {block.first_line - 1: block for block in blocks}
        of_blocks = frozenset[int]().union(
            *(range(block.first_line - 1, block.last_line) for block in blocks)
        )
        self._code = _code_lines(lines, blocks)
        self._markup = without_markup(lines, self._code | of_blocks)
        if any(self._markup[at].within for at in self._code):
            # a fence in a comment is not a fence
            seen = ["" if one.within else line for line, one in zip(lines, self._markup, strict=True)]
            self._code = _code_lines(seen, blocks)
            self._markup = without_markup(lines, self._code | of_blocks)
        taken = self._code | of_blocks
        self._grids = {
            table.first_line - 1: table
            for table in tables
            if taken.isdisjoint(range(table.first_line - 1, table.last_line))
            if not self._markup[table.first_line - 1].within
        }
        self._out: list[Element] = []
        self._section = 0
        self._unit: Unit | None = None

    def read(self) -> list[Element]:
        at = 0
        while at < len(self._lines):
            block = self._blocks.get(at)
            if block is not None:
                self._table(block)
                at = block.last_line
                continue
            grid = self._grids.get(at)
            if grid is not None:
                self._end()
                self._out.append(Opaque(self._section, grid.first_line, grid.last_line, grid))
                at = grid.last_line
                continue
            line = self._markup[at]
            if not line.within and at not in self._code:
                self._prose(at, line.outside)
            elif line.within != "comment":
                self._opaque(at)
            at += 1
        self._end()
        return self._out

    def _prose(self, at: int, line: str) -> None:
        heading = _HEADING.match(line)
        item = _ITEM.match(line)
        if not line.strip():
            self._end()
        elif heading:
            level = len(line.split(maxsplit=1)[0])
            self._heading([(at + 1, heading[1].rstrip().rstrip("#").rstrip())], level)
        elif _UNDERLINE.match(line) and self._unit is not None and self._unit.kind == "paragraph":
            unit, self._unit = self._unit, None
            self._heading(unit.pieces, 1 if "=" in line else 2)
        elif _RULE.match(line):
            self._end()
        elif _TABLE.match(line):
            self._opaque(at)
        elif arrow := _ARROW.match(line):
            self._begin("arrow", at, line[arrow.end() :])
        elif item and not (_INDENTED.match(line) and self._unit is None and not self._after_item()):
            self._begin("item", at, item[2])
        elif self._unit is not None and self._unit.depth == self._depths[at]:
            self._unit.pieces.append((at + 1, line))
        else:
            self._begin("paragraph", at, line)

    def _after_item(self) -> bool:
        return bool(self._out) and isinstance(self._out[-1], Unit) and self._out[-1].kind == "item"

    def _begin(self, kind: str, at: int, text: str) -> None:
        self._end()
        if arrow := _ARROW.match(text):
            kind, text = "arrow", text[arrow.end() :]
        self._unit = Unit(kind, self._section, self._depths[at], [(at + 1, text)])

    def _end(self) -> None:
        unit, self._unit = self._unit, None
        if unit is None:
            return
        unit.pieces = [(number, shown) for number, text in unit.pieces if (shown := readable(text))]
        if unit.pieces:
            self._out.append(unit)

    def _heading(self, pieces: list[tuple[int, str]], level: int) -> None:
        self._end()
        self._section += 1
        self._unit = Unit("heading", self._section, self._depths[pieces[0][0] - 1], pieces, level)
        self._end()

    def _table(self, block: Block) -> None:
        self._end()
        first, last = block.first_line, block.last_line
        if self._out and isinstance(self._out[-1], Opaque) and self._is_own_fence(self._out[-1]):
            first = self._out.pop().first_line
        depth = self._depths[block.rows[0].line - 1]
        self._out.append(Table(block, self._section, depth, first, last))

    def _is_own_fence(self, code: Opaque) -> bool:
        # the block's own fence, perhaps with the command that made the block, is part of it
        body = (self._lines[at].strip() for at in range(code.first_line - 1, code.last_line))
        return all(
            not text or _FENCE.match(text) or _PRE_ALONE.match(text) or "ministat" in text for text in body
        )

    def _opaque(self, at: int) -> None:
        self._end()
        line = self._lines[at]
        if not line.strip():
            return
        last = self._out[-1] if self._out else None
        if (isinstance(last, Table) and _FENCE.match(line) and last.last_line >= at - 2) or (
            isinstance(last, Opaque) and last.table is None and last.last_line >= at - 1
        ):
            last.last_line = at + 1
        else:
            self._out.append(Opaque(self._section, at + 1, at + 1))
