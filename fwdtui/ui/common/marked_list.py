"""A list of entries to mark, whose marks can be told without colour."""

from typing import TypeVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widgets import SelectionList
from textual.widgets.option_list import OptionDoesNotExist

_BOX = 3  # pieces of Textual's box: its left side, the sign, its right side


T = TypeVar("T")


class MarkedList(SelectionList[T]):
    """As Textual's, whose boxes differ in colour only; here they are ``[x]`` and ``[ ]``."""

    def render_line(self, y: int) -> Strip:
        """One line of the list."""
        line = super().render_line(y)
        try:
            entry = self.get_option_at_index(self.scroll_offset.y + y)
        except OptionDoesNotExist:
            return line
        pieces = list(line)
        # the sign's style tells a click which entry it is on; the blank after the box has the entry's colours
        style = Style.combine([pieces[1].style or Style(), pieces[_BOX].style or Style()])
        box = "[x]" if entry.value in self.selected else "[ ]"
        return Strip([Segment(box, style), *pieces[_BOX:]], line.cell_length)
