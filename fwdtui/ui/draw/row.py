"""A row of a panel as segments.

Most rows are written by the brush and never become one of Textual's strips, each of which has six caches.
"""

import re
from collections.abc import Callable, Iterable
from itertools import repeat

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

# what panels draw with: each of these characters is one cell wide
_NARROW = re.compile("[ -~─-▟⠀-⣿–−…·✕]*+")


Piece = tuple[str, Style]


def segments(pieces: Iterable[Piece]) -> Iterable[Segment]:
    """A segment of each piece, made without NamedTuple's constructor, which is Python code."""
    return map(_SEGMENT, repeat(Segment), [(text, style, None) for text, style in pieces])


_SEGMENT: Callable[[type[Segment], tuple[str, Style, None]], Segment] = tuple.__new__


class Row(list[Segment]):
    """Segments that together are exactly as wide as their panel."""

    __slots__ = ("_narrow",)

    def __init__(self, segments: Iterable[Segment] = (), narrow: bool | None = None) -> None:
        """`narrow`: whether each character is one cell wide; None: not known yet."""
        super().__init__(segments)
        self._narrow = narrow

    @property
    def narrow(self) -> bool:
        """Whether each character is one cell wide, so that a character's place in the text is its column."""
        if self._narrow is None:
            texts = [text for text, _, _ in self]
            self._narrow = is_narrow("".join(texts)) or all(cell_len(text) == len(text) for text in texts)
        return self._narrow


def is_narrow(text: str) -> bool:
    """Whether each character is known to be one cell wide. False: it is not known."""
    return _NARROW.fullmatch(text) is not None
