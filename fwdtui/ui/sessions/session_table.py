"""The table of sessions: any number of rows, identified by path while sorted, filtered and reread."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable

from fwdtui.report.against import Against
from fwdtui.report.cells import columns_of, shorten, shorten_apart
from fwdtui.ui.common.selection import Marks
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions.columns import Column, columns
from fwdtui.ui.sessions.row import Row, cases_first
from fwdtui.ui.sessions.verdict_text import verdict_cell

_SCROLLBAR = 2
_NAME = 4  # least cells of a case's name: less is useless
_FEW = 20  # rows that are removed one by one; for more the table is refilled
_NAMES = "label", "lab", "kernel"  # columns whose texts are shortened such that they stay apart
SORTABLE = "date", "label", "median", "iterations", "warnings", "cases", "lab", "kernel"
FALLING = "date", "median", "iterations", "warnings", "cases"
"""Columns that are first sorted in descending order."""

ENDS = (
    Binding("home", "scroll_top", "first", show=False, id="table.first"),
    Binding("end", "scroll_bottom", "last", show=False, id="table.last"),
)
"""Keys of a table with a row cursor: Textual's Home and End move within the row."""


class _Cell(Text):
    """A cell that knows its row's path, by which the table is sorted."""

    path: str = ""


class SessionTable(DataTable[Text]):
    """`show` takes all rows in order; the cursor stays on its session."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *ENDS,
        Binding("enter", "select_cursor", "open", id="sessions.open"),
    ]

    class Resized(Message):
        """Other rows may be in view now."""

    class SortBy(Message):
        """The user asked to sort by this column."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, id: str) -> None:
        super().__init__(id=id, cursor_type="row", zebra_stripes=True)
        self._rows: dict[str, Row] = {}
        self._columns: tuple[Column, ...] = ()
        self._marks = Marks()
        self._verdicts: dict[str, Against] = {}
        self._drawn: dict[str, tuple[str, Against | None]] = {}  # the mark and the verdict in each row
        self._names: dict[str, Mapping[str, str]] = {}  # of each column of names: how each is shown
        self._colours = Styles({})
        self._sorted: tuple[str, bool] = "date", True
        self._wanted = ""
        self._chosen: str | None = None

    @property
    def current(self) -> Row | None:
        """The session under the cursor."""
        if not self.row_count or not self.is_valid_row_index(self.cursor_row):
            return None
        key = self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value
        return self._rows.get(str(key))

    def show(
        self,
        rows: Sequence[Row],
        marks: Marks,
        sorted_by: tuple[str, bool],
        wanted: str,
        verdicts: Mapping[str, Against],
    ) -> None:
        """Draw these rows in this order. `wanted`: the filter, whose cases come first in a row.

        `verdicts`: those that are known against the baseline, by path.
        """
        before = self.current
        others = sorted_by != self._sorted, wanted != self._wanted
        old = self._rows
        self._rows = {row.path: row for row in rows}
        self._marks, self._sorted, self._wanted = marks, sorted_by, wanted
        self._verdicts = dict(verdicts)
        wide = self._wide()
        names = _names(wide, rows)
        removed = [path for path in old if path not in self._rows]
        if wide != self._columns or any(others) or len(removed) > _FEW:
            self._columns, self._names = wide, names
            self._fill()
        else:
            for path in removed:
                self.remove_row(path)
            renamed, self._names = _renamed(self._names, names), names
            self._update(old, renamed)
        self._place_cursor(before)

    def _wide(self) -> tuple[Column, ...]:
        room = max(self.size.width - _SCROLLBAR, 1)
        return columns(room, list(self._rows.values()), self._marks.base is not None)

    def _fill(self) -> None:
        self.clear(columns=True)
        key, falling = self._sorted
        for column in self._columns:
            arrow = (" ▼" if falling else " ▲") if column.key == key else ""
            title = Text(shorten(column.title, column.width - len(arrow)) + arrow, no_wrap=True)
            title.justify = "right" if column.right else "left"
            self.add_column(title, key=column.key, width=column.width)
        self._drawn = {path: self._beside(path) for path in self._rows}
        for row in self._rows.values():
            self.add_row(*self._cells(row), key=row.path)

    def _update(self, old: dict[str, Row], renamed: set[tuple[str, str]]) -> None:
        """Add new rows, update changed ones, and sort. `renamed`: names shown differently, by column."""
        for path, row in self._rows.items():
            beside = self._beside(path)
            same = row == old.get(path) and beside == self._drawn.get(path)
            if same and not (renamed and any((key, getattr(row, key)) in renamed for key in _NAMES)):
                continue
            self._drawn[path] = beside
            cells = self._cells(row)
            if path not in old:
                self.add_row(*cells, key=path)
                continue
            for column, cell in zip(self._columns, cells, strict=True):
                if self.get_cell(path, column.key) != cell:
                    self.update_cell(path, column.key, cell)
        rank = {path: place for place, path in enumerate(self._rows)}
        self.sort("label", key=lambda cell: rank.get(cell.path, 0))

    def _beside(self, path: str) -> tuple[str, Against | None]:
        return self._marks.word(path), self._verdicts.get(path)

    def tell(self, path: str, found: Against) -> None:
        """Draw a verdict that is known now."""
        self._verdicts[path] = found
        if path in self._rows and path in self._drawn:
            self._drawn[path] = self._beside(path)
            for column in self._columns:
                if column.key == "against":
                    self.update_cell(path, column.key, self._whole_cell(self._rows[path], column))

    def in_view(self) -> list[str]:
        """The paths of the rows that can be seen now."""
        first = max(round(self.scroll_y), 0)
        return [str(row.key.value) for row in self.ordered_rows[first : first + self.size.height]]

    def _place_cursor(self, before: Row | None) -> None:
        """Put the cursor on the session that the user chose, or on the first if none."""
        if not self.row_count:
            return
        if before is not None and self._chosen == before.path and before.path in self._rows:
            self.move_cursor(row=self.get_row_index(before.path), animate=False)
        elif self._chosen in self._rows:
            self.move_cursor(row=self.get_row_index(str(self._chosen)), animate=False)
        elif before is None or self._chosen is None:
            self.move_cursor(row=0, animate=False)
        # another session may now be at the cursor's place
        self.post_message(self.RowHighlighted(self, self.cursor_row, self.ordered_rows[self.cursor_row].key))

    def choose(self, path: str) -> None:
        """Put the cursor on this session, now or once it is listed."""
        self._chosen = path
        if path in self._rows:
            self.move_cursor(row=self.get_row_index(path), animate=False)

    def _cells(self, row: Row) -> list[Text]:
        return [self._whole_cell(row, column) for column in self._columns]

    def _whole_cell(self, row: Row, column: Column) -> Text:
        cell = _Cell(no_wrap=True, overflow="ellipsis", justify="right" if column.right else "left")
        cell.append_text(self._cell(row, column))
        cell.path = row.path
        return cell

    def _cell(self, row: Row, column: Column) -> Text:
        key, room = column.key, column.width
        if key == "mark":
            return self._mark(row, room)
        if key == "against":
            return self._against(row, room)
        if key == "median":
            return Text(_medians(row, room, self._wanted))
        if key == "label":
            return Text(self._names[key][row.label], style="" if row.good else Style(italic=True))
        if key == "date":
            return Text(row.date[:room])
        if not row.good and key in ("cases", "iterations", "warnings"):
            return Text("!" if key == "warnings" else "–")
        if key == "iterations":
            return Text(f"{row.counted}" + (f"/{row.iterations}" if row.counted != row.iterations else ""))
        if key == "cases":
            return Text(str(len(row.cases)))
        if key == "warnings":
            return Text(str(row.warnings) if row.warnings else "")
        return Text(self._names[key][getattr(row, key)])

    def _mark(self, row: Row, room: int) -> Text:
        word = self._marks.word(row.path)
        bold = Style(bold=True)
        return Text(word if room > 1 else word[:1].upper(), style=bold if word == "baseline" else "")

    def _against(self, row: Row, room: int) -> Text:
        if row.path == self._marks.base:
            return Text("")
        if not row.good:
            return Text("–")
        return verdict_cell(self._verdicts.get(row.path), room, self._colours)

    def on_mount(self) -> None:
        """Draw verdicts in the colours of the theme."""
        self._colours = Styles(self.app.theme_variables)
        self.app.theme_changed_signal.subscribe(self, lambda _: self._recolour())

    def _recolour(self) -> None:
        self._colours = Styles(self.app.theme_variables)
        for path, found in list(self._verdicts.items()):
            self.tell(path, found)

    def on_resize(self, event: events.Resize) -> None:
        """Add or drop columns to fit the width, and tell that other rows may be in view."""
        if self._wide() != self._columns:
            self.show(list(self._rows.values()), self._marks, self._sorted, self._wanted, self._verdicts)
        self.post_message(self.Resized())

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """From the first move on, the cursor follows a session instead of the top row."""
        if self.has_focus and (event.cursor_row > 0 or self._chosen is not None):
            self._chosen = str(event.row_key.value)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        """Sort by a clicked column, except the marks."""
        event.stop()
        key = str(event.column_key.value)
        if key in SORTABLE:
            self.post_message(self.SortBy(key))


def _names(wide: Sequence[Column], rows: Sequence[Row]) -> dict[str, Mapping[str, str]]:
    """How the names are shown in each column that has some."""
    shown: dict[str, Mapping[str, str]] = {}
    for column in wide:
        if column.key in _NAMES:
            texts = [str(getattr(row, column.key)) for row in rows]
            shown[column.key] = dict(zip(texts, shorten_apart(texts, column.width), strict=True))
    return shown


def _renamed(
    old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]
) -> set[tuple[str, str]]:
    """The column and the full text of each name that is shown differently now."""
    return {
        (key, text)
        for key, shown in new.items()
        for text, short in shown.items()
        if old[key].get(text) != short
    }


def _medians(row: Row, room: int, wanted: str) -> str:
    """As many cases as fit, and how many more there are."""
    text = row.remark
    cases = cases_first(row, wanted)
    for place, case in enumerate(cases):
        part = f"{case.name} {case.median}"
        more = len(cases) - place - 1
        longer = f"{text}  {part}" if text else part
        if columns_of(longer) + (len(f"  +{more}") if more else 0) > room:
            if place == 0 and not text:
                value = f" {case.median}" + (f"  +{more}" if more else "")
                name = shorten(case.name, room - len(value)) if room - len(value) >= _NAME else ""
                return f"{name}{value}" if name else shorten(case.median, room)
            return f"{text}  +{more + 1}"
        text = longer
    return text or "–"
