"""The last door before the terminal: whatever a widget was given, nothing in its text acts on the terminal.

Texts are cleaned where they are put together, which is what spells such characters out. This is for the one
that was forgotten: its characters are left out here, since they have no width and the layout is done.
"""

from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from fwdtui.core.text import is_plain


class PlainText(LineFilter):
    """Textual passes every line of every widget through its line filters."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, as wide as they were."""
        for segment in segments:
            text = segment.text
            # ten times a second: most of a line is blank or plain ASCII, and frames and rules repeat
            if not ((text.isascii() and text.isprintable()) or segment.control is not None or _known(text)):
                break
        else:
            return segments
        return [
            segment if segment.control is not None else Segment(_plain(segment.text), segment.style)
            for segment in segments
        ]


_known = lru_cache(4096)(is_plain)


def _plain(text: str) -> str:
    if is_plain(text):
        return text
    return "".join(one if is_plain(one) else " " * cell_len(one) for one in text)
