"""A line of text in a dialog or a form."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class Line(Input):
    """As Textual's, but the footer says that Enter accepts the line."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "accept", id="prompt.enter")]
