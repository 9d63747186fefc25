"""Keys of a table whose cursor is a row: Textual's Home and End go along the row."""

from textual.binding import Binding

ENDS = (
    Binding("home", "scroll_top", "first", show=False, id="table.first"),
    Binding("end", "scroll_bottom", "last", show=False, id="table.last"),
)
