"""A scrollable page of lines drawn elsewhere, and their styles. Only the lines in view cost anything."""

from collections.abc import Mapping, Sequence

from rich.segment import Segment
from textual.color import Color, ColorParseError
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from fwdtui.ui.report.rendered import VERDICTS


class Page(ScrollView, can_focus=True):
    """Lines to scroll through. The scroll position stays when lines are replaced or added."""

    class Reshaped(Message):
        """The page's width changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Strip] = []
        self._widest = 0

    @property
    def room(self) -> int:
        """The width of a line, in columns."""
        return self.scrollable_content_region.width

    def on_resize(self) -> None:
        """Ask for lines drawn for the new width."""
        self.post_message(self.Reshaped())

    @property
    def plain(self) -> list[str]:
        """The lines as text."""
        return [line.text.rstrip() for line in self._lines]

    def show(self, lines: Sequence[Strip]) -> None:
        """Replace all lines."""
        self._lines = list(lines)
        self._widest = max((line.cell_length for line in lines), default=0)
        self._grown()

    def extend(self, lines: Sequence[Strip]) -> None:
        """Add lines at the end."""
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


def page_style(variables: Mapping[str, str]) -> dict[str, str]:
    """Rich styles for `rendered.lines`; an invalid colour is left to the terminal."""

    def colour(name: str) -> str:
        try:
            known = Color.parse(variables.get(name, "")).rich_color
        except ColorParseError:
            return ""
        return known.name if known.triplet is None else known.triplet.hex

    heading = f"bold {colour('primary')}"
    styles = {
        "h1": heading,
        "h2": heading,
        "h3": heading,
        "strong": "bold",
        "em": "italic",
        "code": colour("secondary"),
        "code_block": "none",
        "item.bullet": colour("accent"),
        "link": "none",
        "link_url": "dim",
        "table.header": "bold",
    }
    styles |= {verdict: f"bold {colour(f'verdict-{verdict}')}" for verdict in VERDICTS}
    return {name: " ".join(style.split()) or "none" for name, style in styles.items()}
