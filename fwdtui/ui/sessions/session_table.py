"""The table of sessions: any number of rows, which are identified by path when sorted or read again."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable

from fwdtui.report.against import Against
from fwdtui.report.cells import shorten
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.common.copying import row as copy_row
from fwdtui.ui.common.selection import Marks
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions.columns import Column, columns
from fwdtui.ui.sessions.group_text import group_values, headings
from fwdtui.ui.sessions.grouping import GROUP, Group
from fwdtui.ui.sessions.row import Row
from fwdtui.ui.sessions.row_cells import Label, Look, Names, names
from fwdtui.ui.sessions.spanning import SpanningTable

_SCROLLBAR = 2
_FEW = 20  # rows that are removed one by one; for more the table is refilled
SORTABLE = "date", "label", "median", "against", "iterations", "warnings", "cases", "lab", "kernel"
FALLING = "date", "median", "iterations", "warnings", "cases"
"""Columns that are first sorted in descending order."""

ENDS = (
    Binding("home", "scroll_top", "first", show=False, id="table.first"),
    Binding("end", "scroll_bottom", "last", show=False, id="table.last"),
)
"""Keys of a table with a row cursor, in which Textual's own Home and End would move within the row."""


class SessionTable(SpanningTable):
    """The table. `show` takes all rows in order; the cursor stays on its session or its group's heading."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *ENDS,
        Binding("enter", "select_cursor", "open", id="sessions.open"),
        Binding("left", "fold(True)", "fold the group", show=False, id="sessions.fold"),
        Binding("right", "fold(False)", "unfold the group", show=False, id="sessions.unfold"),
        Binding("shift+left", "fold_all(True)", "fold all groups", show=False, id="sessions.fold_all"),
        Binding("shift+right", "fold_all(False)", "unfold all groups", show=False, id="sessions.unfold_all"),
    ]

    class Resized(Message):
        """Other rows may be in view now."""

    class SortBy(Message):
        """The user asked to sort by this column."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Fold(Message):
        """The user asked to fold the groups with these keys, or to unfold them."""

        def __init__(self, keys: Iterable[str], shut: bool) -> None:
            super().__init__()
            self.keys, self.shut = tuple(keys), shut

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._entries: dict[str, Row | Group] = {}  # by path or by the group's key
        self._homes: dict[str, str] = {}  # the group's key of each session, also in folded groups
        self._columns: tuple[Column, ...] = ()
        self._drawn: dict[str, object] = {}  # what each row shows: see _state
        self._sorted: tuple[str, bool] = "date", True
        self._against = False
        self._look = Look(Marks(), {}, "", Names(), Styles({}))
        self._chosen: str | None = None

    @property
    def current(self) -> Row | None:
        """The session under the cursor; None: it is on a heading, or there is no row."""
        entry = self._entries.get(self._key)
        return entry if isinstance(entry, Row) else None

    @property
    def group(self) -> Group | None:
        """The group whose heading is under the cursor; None: it is not on a heading."""
        entry = self._entries.get(self._key)
        return entry if isinstance(entry, Group) else None

    @property
    def groups(self) -> list[Group]:
        """All groups, from the top."""
        return [entry for entry in self._entries.values() if isinstance(entry, Group)]

    @property
    def _key(self) -> str:
        if not self.row_count or not self.is_valid_row_index(self.cursor_row):
            return ""
        return str(self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value)

    def to_copy(self) -> Copy | None:
        """The row under the cursor, with every column and every case, however narrow the list is."""
        if (group := self.group) is not None:
            return copy_row(group.name, group_values(group))
        row = self.current
        return None if row is None else copy_row(row.label, self._look.values(row))

    def show(
        self,
        entries: Sequence[Row | Group],
        marks: Marks,
        sorted_by: tuple[str, bool],
        wanted: str,
        verdicts: Mapping[str, Against],
        against: bool = False,
    ) -> None:
        """Draw these sessions and headings in this order.

        `sorted_by`: the column, and whether in descending order. `wanted`: the filter; cases that it names
        come first in a row. `verdicts`: those that are known, by path. `against`: there is a baseline, so
        that verdicts have a column.
        """
        before, old, line = self._key, self._entries, self.cursor_row - self.scroll_offset.y
        if self.has_focus and before and self._moved():
            self._chosen = before
        others = sorted_by != self._sorted or wanted != self._look.wanted
        self._entries = {_key_of(entry): entry for entry in entries}
        self._homes = {row.path: group.key for group in self.groups for row in group.rows}
        self._sorted, self._against = sorted_by, against
        wide = self._wide()
        self._look = Look(marks, dict(verdicts), wanted, names(wide, self.families()), self._look.colours)
        removed = [key for key in old if key not in self._entries]
        if wide != self._columns or others or len(removed) > _FEW:
            self._columns = wide
            self._fill()
            self.call_after_refresh(self._hold, before, line)
        else:
            for key in removed:
                self.remove_row(key)
                del self._drawn[key]
            self._update()
        self._head()
        self._place_cursor(before)

    def families(self) -> list[Sequence[Row]]:
        """The sessions of each group, folded or not; without groups, one list of all sessions."""
        return [group.rows for group in self.groups] or [self._rows()]

    def _rows(self) -> list[Row]:
        return [entry for entry in self._entries.values() if isinstance(entry, Row)]

    def _wide(self) -> tuple[Column, ...]:
        rows = [row for family in self.families() for row in family]
        groups = self.groups
        repeated = groups and all(row.lab == group.name for group in groups for row in group.rows)
        return columns(self._room, rows, self._against, labs=not repeated)

    @property
    def _room(self) -> int:
        return max(self.size.width - _SCROLLBAR, 1)

    def _head(self) -> None:
        """Draw the headings of the groups."""
        self.span(headings(self.groups, self._room, self._look.colours))

    def _fill(self) -> None:
        self.clear(columns=True)
        key, falling = self._sorted
        for column in self._columns:
            arrow = (" ▼" if falling else " ▲") if column.key == key else ""
            title = Text(shorten(column.title, column.width - len(arrow)) + arrow, no_wrap=True)
            title.justify = "right" if column.right else "left"
            self.add_column(title, key=column.key, width=column.width)
        self._drawn = {key: self._state(entry) for key, entry in self._entries.items()}
        for key, entry in self._entries.items():
            self.add_row(*self._cells(entry), key=key)

    def _update(self) -> None:
        """Add new rows, update changed ones, and sort."""
        for key, entry in self._entries.items():
            state = self._state(entry)
            there = key in self._drawn
            if there and state == self._drawn[key]:
                continue
            self._drawn[key] = state
            cells = self._cells(entry)
            if not there:
                self.add_row(*cells, key=key)
                continue
            for column, cell in zip(self._columns, cells, strict=True):
                if self.get_cell(key, column.key) != cell:
                    self.update_cell(key, column.key, cell)
        rank = {key: place for place, key in enumerate(self._entries)}
        self.sort("label", key=lambda cell: rank.get(cell.key, 0))

    def _state(self, entry: Row | Group) -> object:
        """Everything that the cells of a row depend on; a heading has no cells of its own."""
        if isinstance(entry, Group):
            return None
        look = self._look
        return entry, look.marks.word(entry.path), look.verdicts.get(entry.path), look.names.of(entry)

    def tell(self, verdicts: Mapping[str, Against]) -> None:
        """Draw new verdicts, by path."""
        self._look = self._look.knowing(verdicts)
        against = next((column for column in self._columns if column.key == "against"), None)
        for path in verdicts:
            row = self._entries.get(path)
            if isinstance(row, Row) and path in self._drawn:
                self._drawn[path] = self._state(row)
                if against is not None:
                    self.update_cell(path, against.key, self._cell(row, against))

    def in_view(self) -> list[str]:
        """The paths of the sessions that can be seen now."""
        first = max(round(self.scroll_y), 0)
        keys = (str(row.key.value) for row in self.ordered_rows[first : first + self.size.height])
        return [key for key in keys if isinstance(self._entries.get(key), Row)]

    def _place_cursor(self, before: str) -> None:
        """Put the cursor on what the user chose, or on its group if that is folded, else on the first row."""
        if not self.row_count:
            return
        chosen = self._chosen
        if chosen is not None and chosen not in self._entries:
            chosen = self._homes.get(chosen)
        if chosen in self._entries:
            self.move_cursor(row=self.get_row_index(str(chosen)), animate=False)
        elif not before or self._chosen is None or self._chosen.startswith(GROUP):
            self.move_cursor(row=0, animate=False)
        # another session may now be at the cursor's place
        self.post_message(self.RowHighlighted(self, self.cursor_row, self.ordered_rows[self.cursor_row].key))

    def _moved(self) -> bool:
        """Whether the cursor may have left the chosen row, before the message that says so is handled."""
        return self._chosen in self._entries if self._chosen else self.cursor_row > 0

    def _hold(self, key: str, line: int) -> None:
        """Scroll so that the row under the cursor is in the same line as before the table was refilled."""
        if key == self._key:
            self.scroll_to(y=self.cursor_row - line, animate=False)

    def choose(self, path: str) -> None:
        """Put the cursor on this session, now or once it is listed."""
        self._chosen = path
        if path in self._entries:
            self.move_cursor(row=self.get_row_index(path), animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to fold only if there are groups."""
        return action not in ("fold", "fold_all") or bool(self._homes)

    def action_fold(self, shut: bool) -> None:
        """Fold the group, or go from a session to its heading; unfold it, or go to its first session."""
        group = self.group
        if group is not None and group.folded != shut:
            self.post_message(self.Fold([group.key], shut))
        elif group is not None and not shut:
            self.action_cursor_down()
        elif group is None and shut and (home := self._homes.get(self._key)):
            self.move_cursor(row=self.get_row_index(home), animate=False)

    def action_fold_all(self, shut: bool) -> None:
        """Fold all groups, or unfold them."""
        self.post_message(self.Fold((group.key for group in self.groups), shut))

    def _cells(self, entry: Row | Group) -> list[Text]:
        return [self._cell(entry, column) for column in self._columns]

    def _cell(self, entry: Row | Group, column: Column) -> Text:
        cell = self._look.cell(entry, column) if isinstance(entry, Row) else Text()
        if column.key == "label":
            cell = Label.of(_key_of(entry), cell)
        cell.no_wrap, cell.overflow, cell.justify = True, "ellipsis", "right" if column.right else "left"
        return cell

    def on_mount(self) -> None:
        """Draw verdicts in the colours of the theme."""
        self._recolour()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._recolour())

    def _recolour(self) -> None:
        self._look = self._look.coloured(Styles(self.app.theme_variables))
        self.tell(dict(self._look.verdicts))
        self._head()

    def on_resize(self, event: events.Resize) -> None:
        """Add or drop columns to fit the width, and report that other rows may be in view."""
        if self._wide() != self._columns:
            look = self._look
            entries = list(self._entries.values())
            self.show(entries, look.marks, self._sorted, look.wanted, look.verdicts, self._against)
        self.post_message(self.Resized())

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """From the first move on, the cursor follows a session instead of the top row."""
        if self.has_focus and (event.cursor_row > 0 or self._chosen is not None):
            self._chosen = str(event.row_key.value)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        """Sort by the column whose head was clicked, except by the marks."""
        event.stop()
        key = str(event.column_key.value)
        if key in SORTABLE:
            self.post_message(self.SortBy(key))


def _key_of(entry: Row | Group) -> str:
    return entry.path if isinstance(entry, Row) else entry.key
