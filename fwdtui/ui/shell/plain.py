"""The last filter before the terminal: no text of a widget acts on the terminal.

Texts are cleaned where they are composed, which spells control characters out. This filter catches a text
that was forgotten: its control characters are left out, since they have no width and the layout is done.
"""

from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from fwdtui.core.text import is_plain


class PlainText(LineFilter):
    """A line filter: Textual passes every line of every widget through it."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, of the same width, without control characters."""
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
