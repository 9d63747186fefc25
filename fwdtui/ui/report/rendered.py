"""Markdown as terminal lines, drawn in a thread.

Textual's own Markdown widget makes a widget of every table cell: a report of 7 sessions and 30 cases froze
the app for 7.8 s. These lines take 0.4 s in a thread, and the first of them a few ms.

Nothing in them is a link or reacts to the mouse, so a label from a file cannot make the app do anything.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import (
    CodeBlock,
    Heading,
    ImageItem,
    Markdown,
    MarkdownElement,
    Paragraph,
    TableElement,
)
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text
from rich.theme import Theme
from textual.strip import Strip

from fwdtui.report.settings_markdown import FOLDED

VERDICTS = ("faster", "slower", "equivalent", "inconclusive", "capped")
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)
# what a browser folds is shown unfolded, under its title
_FOLDED = re.compile(rf"^<details><summary>({'|'.join(map(re.escape, FOLDED))})</summary>$", re.MULTILINE)
_VERDICT = re.compile(rf"^(?:[^*]{{0,200}}: )?(?P<verdict>{'|'.join(VERDICTS)})(?=:)")
_CELL = re.compile(rf"^(?P<verdict>{'|'.join(VERDICTS)})\b")
# what must not be broken in a narrow column: groups of digits, a number and its unit
_HOLD = re.compile(r"(?<=[0-9]) (?=[0-9%])|(?<=±) (?=[0-9])")
_NAME_LEAST = 8
_HELD = "\uf8ff"  # a space at which no line is broken: rich breaks lines even at no-break spaces
_MORE = "↪ "


def lines(text: str, width: int, styles: Mapping[str, str]) -> Iterator[list[Strip]]:
    """The Markdown document drawn, section by section. `styles`: a rich style for each name.

    The names are those of rich's Markdown styles without their prefix, and those of VERDICTS.
    """
    console = _console(width, styles)
    for section in _SECTION.split(_FOLDED.sub(r"**▾ \1**", text)):
        yield [*_strips(console, _Page(section, hyperlinks=False)), Strip([])]


def source(text: str, width: int, styles: Mapping[str, str]) -> Iterator[list[Strip]]:
    """The source text, a block of lines at a time; long lines continue after a mark."""
    console = _console(width, styles)
    mark = Segment(_MORE, console.get_style("markdown.link_url"))
    room = max(width - cell_len(_MORE), 10)
    block: list[Strip] = []
    for line in text.splitlines():
        style = console.get_style("markdown.h2" if line.startswith("#") else "none")
        pieces = Text(line).wrap(console, room, overflow="fold", tab_size=8, no_wrap=False)
        if cell_len(line.expandtabs(8)) <= width:
            pieces = Text(line).wrap(console, width, no_wrap=True, overflow="ignore")
        for number, piece in enumerate(pieces or [Text()]):
            segments = [Segment(piece.plain, style)]
            block.append(Strip([mark, *segments] if number else segments))
        if len(block) >= 500:
            yield block
            block = []
    yield block


def _console(width: int, styles: Mapping[str, str]) -> Console:
    theme = {f"markdown.{name}": style for name, style in styles.items()}
    return Console(
        width=max(width, 20),
        height=100,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        theme=Theme(theme),
        _environ={},
    )


def _strips(console: Console, page: Markdown) -> Iterator[Strip]:
    for line in Segment.split_lines(console.render(page, console.options)):
        whole = [Segment(text.replace(_HELD, " "), style) for text, style, _ in Segment.simplify(line)]
        yield Strip(whole)


class _Left(Heading):
    """A heading, aligned left like the text."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.text.copy()


class _Sentence(Paragraph):
    """A paragraph. A verdict at its beginning has the verdict's colour."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.text:  # only a picture, which was already drawn
            return
        _paint(self.text, _VERDICT, console)
        yield from super().__rich_console__(console, options)


class _Verbatim(CodeBlock):
    """Code whose lines are not broken, for ministat's figures; those of commands may be."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        style = console.get_style("markdown.code_block")
        figure = self.lexer_name != "sh"
        text = str(self.text).rstrip("\n")
        yield Text(text, style=style, no_wrap=figure, overflow="ignore" if figure else "fold")


class _Picture(ImageItem):
    """A picture, shown as its description and file."""

    def on_enter(self, context: object) -> None:
        self.text = Text()

    def on_leave(self, context: object) -> None:
        pass

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        url = console.get_style("markdown.link_url")
        yield Text.assemble(("▦ ", "bold"), self.text.plain, (f"  {self.destination}", url))


class _Cells(TableElement):
    """A table in which numbers and verdicts are never broken, but names are if they do not fit."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.header is None or self.header.row is None:
            return
        gap = 2 if options.max_width >= 100 else 1
        table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0))
        heads = [cell.content.copy() for cell in self.header.row.cells]
        rows = [[cell.content for cell in row.cells] for row in (self.body.rows if self.body else ())]
        columns = [[row[place] for row in rows if place < len(row)] for place in range(len(heads))]
        for cell in (cell for column in columns for cell in column):
            cell.plain = _HOLD.sub(_HELD, cell.plain)
            _paint(cell, _CELL, console)
        widths = _widths(
            [_bounds(head, column) for head, column in zip(heads, columns, strict=True)],
            options.max_width - gap * (len(heads) - 1),
        )
        for head, width in zip(heads, widths, strict=True):
            head.stylize("markdown.table.header")
            table.add_column(head, overflow="fold", width=width)
        for row in rows:
            table.add_row(*row)
        # rich also counts the gap after the last column
        yield from console.render(table, options.update(width=sum(widths) + gap * len(widths)))


def _bounds(head: Text, column: Sequence[Text]) -> tuple[bool, int, int]:
    """Whether a table's column contains names, and its least and greatest useful width."""
    most = max(cell.cell_len for cell in (head, *column))
    least = max(cell_len(word) for cell in (head, *column) for word in cell.plain.split(" "))
    names = head.justify != "right" and not any(_CELL.match(cell.plain) for cell in column)
    return names, (min(least, _NAME_LEAST) if names else least), most


def _widths(bounds: Sequence[tuple[bool, int, int]], room: int) -> list[int]:
    """The width of each column, as rich itself would break words.

    Columns of names get what they want first, then those that want little more than their least width.
    """
    widths = [least for _, least, _ in bounds]
    left = room - sum(widths)

    def order(place: int) -> tuple[bool, int]:
        names, least, most = bounds[place]
        return not names, most - least

    for place in sorted(range(len(bounds)), key=order):
        more = max(min(bounds[place][2] - widths[place], left), 0)
        widths[place] += more
        left -= more
    return widths


class _Page(Markdown):
    """The Markdown of fwdtui's report."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Left,
        "paragraph_open": _Sentence,
        "fence": _Verbatim,
        "code_block": _Verbatim,
        "image": _Picture,
        "table_open": _Cells,
    }


def _paint(text: Text, pattern: re.Pattern[str], console: Console) -> None:
    if match := pattern.match(text.plain):
        style = console.get_style(f"markdown.{match['verdict']}", default=Style())
        text.stylize(style, *match.span("verdict"))
