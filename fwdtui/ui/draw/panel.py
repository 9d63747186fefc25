"""A panel of the live screen: draws lines from a snapshot, only if the part that it shows has changed."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest
from math import ceil
from typing import ClassVar

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.color import Color
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.common.copying import Copy, table
from fwdtui.ui.draw.palette import Palette, palette_of
from fwdtui.ui.draw.row import Piece, Row, is_narrow, segments
from fwdtui.ui.draw.view import OLD, View, lasting

Line = list[Piece]
_BLANKS = re.compile(r"[ \t\n\r\f\v]+")  # not a no-break space, which is before a unit


class Panel(Widget, can_focus=True):
    """The base of all panels. `show` is called for every snapshot, `draw` only if `part` or size changed."""

    TITLE: ClassVar[str] = ""
    ALLOW_MAXIMIZE = True

    class Enlarge(Message):
        """The user asked to enlarge this panel, or to show all again."""

        def __init__(self, panel: "Panel") -> None:
            super().__init__()
            self.panel = panel

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Snapshot, View] | None = None
        self._part: object = None
        self._names = "", ""
        self._rows: list[Row] | None = None
        self._drawn_for: object = None
        self._pieces: list[Strip | Row | Line] = []  # the lines as they were last drawn
        self._made: list[Row] = []  # the rows made of these lines
        self._made_for = 0  # the width of these rows in cells
        self.drawings = 0
        """How often this panel was drawn, for benchmarks and tests."""

    def show(self, snapshot: Snapshot, view: View) -> None:
        """Take a snapshot, and redraw if this panel's part of it has changed."""
        self._shown = snapshot, view
        age = self.age(snapshot)
        part = self.part(snapshot, view), None if age is None else int(age)
        if part != self._part:
            self._part = part
            self._draw_again(grows=self._grows(snapshot, view))

    def _draw_again(self, *, grows: bool) -> None:
        """Paint only rows that look different: painting costs more than drawing."""
        before, self._rows = self._rows, None
        ground = self.background_colors[1]
        look = self._look(ground)
        if before is None or grows or self._drawn_for != look:
            self.refresh(layout=grows)
            return
        self._rows = self._drawn(*look)
        brush = getattr(self.screen, "brush", None)
        rows = enumerate(zip_longest(before, self._rows))
        changed = [(y, old, new) for y, (old, new) in rows if old != new]
        if not changed or (brush is not None and brush.paint(self, changed, ground)):
            return
        left, width = -self.content_offset.x, self.outer_size.width
        self.refresh(*(Region(left, y, width, 1) for y, _, _ in changed))

    def part(self, snapshot: Snapshot, view: View) -> object:
        """The data that this panel draws. They are compared by value, to see whether to draw again."""
        raise NotImplementedError

    def draw(
        self, snapshot: Snapshot, view: View, size: Size, colors: Palette
    ) -> Iterable[Strip | Row | Line]:
        """The panel's lines from the top. Lines that are too long or too many are cut."""
        raise NotImplementedError

    def wanted_rows(self, snapshot: Snapshot, view: View, width: int) -> int:
        """How many rows of `width` cells this panel can make use of, without its border."""
        return 1

    def cells(self, snapshot: Snapshot, view: View) -> Iterable[Sequence[str]]:
        """The panel's content as rows to copy, with the figures of `draw` and without bars and graphs."""
        return [[line.text.strip()] for line in self.lines()]

    def to_copy(self) -> Copy | None:
        """The whole panel, as it has no cursor."""
        return None if self._shown is None else table(self.TITLE, self.cells(*self._shown))

    def age(self, snapshot: Snapshot) -> float | None:
        """The age in seconds of data that are no longer current and therefore drawn as old; else None."""
        return None

    def moment(self, snapshot: Snapshot, view: View) -> int:
        """Where now is on a time axis, in columns of the panel.

        It belongs in `part` if histories are drawn: they move on even if nothing else changes.
        """
        return ceil(snapshot.now / view.time_span * max(self.content_size.width, 2))

    def _grows(self, snapshot: Snapshot, view: View) -> bool:
        """Whether the new content needs a different height."""
        return False

    def on_mount(self) -> None:
        """Show the panel's name, if any, in its border."""
        if self.TITLE and not self._names[0]:
            self.name_border(self.TITLE)

    def name_border(self, title: str, subtitle: str = "") -> None:
        """Set the border's title and subtitle; only new ones cause a redraw."""
        if (title, subtitle) != self._names:
            self._names = title, subtitle
            self.border_title, self.border_subtitle = Text(title), Text(subtitle)

    def lead(self, name: str) -> str:
        """The beginning of a panel's only line: the panel's name, unless the border shows it."""
        return " " if self.styles.border_top[0] else f" {name}  "

    def on_click(self, event: events.Click) -> None:
        """Enlarge the panel with a double click, or restore it."""
        if event.chain == 2:
            self.post_message(self.Enlarge(self))

    def lines(self) -> list[Strip]:
        """The panel's content, redrawn if it is out of date."""
        return [Strip(row) for row in self._newest_rows()]

    def _newest_rows(self) -> list[Row]:
        look = self._look(self.background_colors[1])
        if self._rows is None or self._drawn_for != look:
            self._drawn_for = look
            self._rows = self._drawn(*look)
        return self._rows

    def _look(self, ground: Color) -> tuple[Size, Palette]:
        return self.content_size, palette_of(self.app, ground)

    def _drawn(self, size: Size, colors: Palette) -> list[Row]:
        if self._shown is None or size.width < 1 or size.height < 1:
            return []
        self.drawings += 1
        rows: list[Row] = []
        before, made = self._pieces, self._made
        pieces: list[Strip | Row | Line] = []
        for line in self.draw(*self._shown, size, colors):
            y = len(rows)
            if y >= size.height:
                break
            pieces.append(line)
            if isinstance(line, Row):
                rows.append(line)
            elif isinstance(line, Strip):
                rows.append(Row(line))
            elif y < len(before) and before[y] == line and self._made_for == size.width:
                rows.append(made[y])  # making a row costs more than the line
            else:
                rows.append(fitted(line, size.width))
        self._pieces, self._made, self._made_for = pieces, rows, size.width
        age = self.age(self._shown[0])
        return rows if age is None else faded(rows, age, size.width, colors)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Redraw everything once if it is out of date, rather than line by line."""
        self._newest_rows()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of the content."""
        rows = self._rows or ()
        return Strip(rows[y]) if y < len(rows) else Strip.blank(self.content_size.width, self.rich_style)

    def plain(self) -> str:
        """The panel's content as text."""
        return "\n".join(line.text.rstrip() for line in self.lines())


def strip(line: Line, width: int) -> Strip:
    """Pieces of text as one strip of exactly `width` cells; cut text ends in an ellipsis.

    Every piece needs a style with the panel's background; without one, the terminal's background shows.
    """
    return Strip(fitted(line, width), width)


def fitted(line: Line, width: int) -> Row:
    """The segments of such a strip: see `strip`."""
    whole = "".join([text for text, _ in line])
    narrow = is_narrow(whole)
    if narrow and len(whole) <= width:
        pieces = [piece for piece in line if piece[0]]
        left = width - len(whole)
    else:
        pieces = []
        left = width
        for text, style in line:
            long = cell_len(text)
            if long > left:
                text = set_cell_size(text, left - 1) + "…" if left > 0 else ""
                long = left
            if text:
                pieces.append((text, style))
                left -= long
            if left <= 0:
                break
    row = Row(segments(pieces), narrow or None)
    if left > 0:
        row.append(Segment(" " * left, _on(line[-1][1].bgcolor) if line else None))
    return row


@lru_cache(64)
def _on(ground: RichColor | None) -> Style:
    return Style(bgcolor=ground)


def faded(rows: list[Row], age: float, width: int, colors: Palette) -> list[Row]:
    """Rows drawn as old: without colours, and with their age at the right end of the first row."""
    dimmed = [Row([Segment(one.text, colors["dim"]) for one in row]) for row in rows]
    label = f" {OLD} {lasting(age)} old "
    if dimmed and cell_len(label) < width:
        rest = Strip(dimmed[0]).crop(0, width - cell_len(label))
        dimmed[0] = Row([*rest, Segment(label, colors.bold("warning"))])
    return dimmed


def wrapped(text: str, columns: int) -> list[str]:
    """The text in rows of at most `columns` cells. Only a word that is longer than a row is broken."""
    columns = max(columns, 1)
    if cell_len(text) == len(text):
        return textwrap.wrap(text, columns, break_on_hyphens=False)
    rows: list[str] = []
    for word in filter(None, _BLANKS.split(text)):
        first, *more = chop_cells(word, max(columns, 2)) if cell_len(word) > columns else [word]
        if rows and cell_len(rows[-1]) + 1 + cell_len(first) <= columns:
            rows[-1] += f" {first}"
        else:
            rows.append(first)
        rows += more
    return rows


def length(line: Line) -> int:
    """The width of these pieces in cells."""
    return sum([cell_len(text) for text, _ in line])


def beside(left: Line, right: Line, width: int) -> Line:
    """`left` at the left and `right` at the right end of `width` cells; only `left` if they do not fit."""
    gap = width - length(left) - length(right)
    return left if gap < 1 else [*left, (" " * gap, right[-1][1]), *right]
