"""A table in which some rows are one line of text over all columns."""

from collections.abc import Mapping

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip
from textual.widgets import DataTable


class SpanningTable(DataTable[Text]):
    """A DataTable in which the rows that `span` names are drawn as one text. All are one line high."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, cursor_type="row", zebra_stripes=True)
        self._spans: Mapping[str, Text] = {}

    def span(self, texts: Mapping[str, Text]) -> None:
        """Draw the rows with these keys as these texts."""
        self._spans = texts
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """A row of cells, or the text of a row that has one."""
        strip = super().render_line(y)
        row = y - self.header_height + self.scroll_offset.y
        if y < self.header_height or not self.is_valid_row_index(row):
            return strip
        text = self._spans.get(str(self.ordered_rows[row].key.value))
        if text is None:
            return strip
        style = next((segment.style for segment in strip if segment.style), Style())
        if row == self.cursor_row:  # as in cells, the cursor's colour is over that of the text
            over = Style(color=style.color)
        else:
            over, header = Style(), self.get_component_rich_style("datatable--header")
            style += Style(bgcolor=header.bgcolor)
        parts = text.render(self.app.console)
        drawn = [Segment(part.text, style + (part.style or Style()) + over) for part in parts]
        return Strip(drawn).adjust_cell_length(self.size.width, style)
