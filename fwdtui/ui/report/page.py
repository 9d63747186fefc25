"""Many lines that were drawn elsewhere, of which only those in view cost anything."""

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip


class Page(ScrollView, can_focus=True):
    """Lines to scroll through. They stay where they are when others take their place."""

    class Reshaped(Message):
        """The page has another width now."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Strip] = []
        self._widest = 0

    @property
    def room(self) -> int:
        """Columns that a line has."""
        return self.scrollable_content_region.width

    def on_resize(self) -> None:
        """What was drawn for another width is to be drawn anew."""
        self.post_message(self.Reshaped())

    @property
    def plain(self) -> list[str]:
        """The lines as text."""
        return [line.text.rstrip() for line in self._lines]

    def show(self, lines: Sequence[Strip]) -> None:
        """These and no others."""
        self._lines = list(lines)
        self._widest = max((line.cell_length for line in lines), default=0)
        self._grown()

    def extend(self, lines: Sequence[Strip]) -> None:
        """More at the end."""
        self._lines += lines
        self._widest = max([self._widest, *(line.cell_length for line in lines)])
        self._grown()

    def _grown(self) -> None:
        self.virtual_size = Size(self._widest, len(self._lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The part of a line that is in view."""
        left, top = self.scroll_offset
        place, width = top + y, self.scrollable_content_region.width
        line = self._lines[place] if place < len(self._lines) else Strip([Segment("")])
        base = self.rich_style
        return line.crop_extend(left, left + width, base).apply_style(base)
