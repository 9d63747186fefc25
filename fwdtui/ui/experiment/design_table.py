"""The design as a table of cells; only cells that changed are drawn again."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.coordinate import Coordinate
from textual.message import Message
from textual.widgets import DataTable

from fwdtui.core.text import clean
from fwdtui.monitor.experiment.view import CellView, ExperimentView
from fwdtui.report.cells import columns_of, shorten_apart
from fwdtui.ui.common.copying import Copy, row
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.experiment import cell_text
from fwdtui.ui.experiment.cell_text import Verdicts
from fwdtui.ui.experiment.design import Design

_LEAST, _MOST = 19, 34  # columns of a cell in a table of two factors
_NAME = 24  # the most columns of a level's name
_LIST = (("state", 10), ("done", 5), ("mean so far", 11), ("difference", 12), ("trouble", 8))
_DIFFERENCE = 3  # the place of "difference" in _LIST, which gets what is left of the width, up to _WIDEST
_WIDEST = 40


def list_widths(cells: Sequence[CellView]) -> list[tuple[str, int]]:
    """The list's columns after those of the factors, wide enough, as the table cuts without a mark."""
    most = max((2 * len(str(cell.planned)) + 1 for cell in cells), default=0)
    return [(head, max(wide, most) if head == "done" else wide) for head, wide in _LIST]


class DesignTable(DataTable[Text]):
    """The table. `show` takes each snapshot.

    The cursor stays on its cell, also if the table becomes a list or the list a table.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "iterations", id="experiment.open"),
    ]

    class Resized(Message):
        """The size has changed, so the columns may no longer fit."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, cursor_type="cell")
        self._layout: Design | None = None
        self._drawn: dict[tuple[int, int], tuple[Text, object]] = {}
        self._view: ExperimentView | None = None
        self._verdicts: Verdicts = {}
        self._made_for: object = None
        self._room = _LEAST  # columns of a table's cell; in a list, columns of the difference
        self._part: object = None  # the data that were drawn last
        self.drawings = 0
        """How many cells were drawn, for tests."""

    @property
    def current(self) -> CellView | None:
        """The cell under the cursor."""
        if self._layout is None or self._view is None:
            return None
        at = self.cursor_coordinate
        number = self._layout.cells.get((at.row, at.column if self._layout.is_table else 0))
        return None if number is None else self._view.cells[number]

    def on_resize(self, event: events.Resize) -> None:
        """Ask the screen to draw again, so that the columns fit."""
        self.post_message(self.Resized())

    def show(self, view: ExperimentView, layout: Design, verdicts: Verdicts, styles: Styles) -> None:
        """Draw the cells that have changed."""
        before = self.current
        self._view, self._verdicts = view, verdicts
        part = view.cells, layout, verdicts, self.app.theme, self.size.width
        if part == self._part:
            return
        self._part = part
        if self._made_for != (layout, self.size.width):
            self._make(layout)
            if before is not None:
                self._move_to(layout, before.number)
        for place, text in self._texts(view, layout, verdicts, styles):
            look = text, text.style  # equal texts may have different styles
            if self._drawn.get(place) != look:
                self._drawn[place] = look
                self.drawings += 1
                self.update_cell_at(Coordinate(*place), text)

    def _texts(
        self, view: ExperimentView, layout: Design, verdicts: Verdicts, styles: Styles
    ) -> list[tuple[tuple[int, int], Text]]:
        if layout.is_table:
            return [
                (place, cell_text.in_table(view.cells[number], view, layout, verdicts, styles, self._room))
                for place, number in layout.cells.items()
            ]
        return [
            ((at, column + len(layout.heads)), text)
            for (at, _), number in layout.cells.items()
            for column, text in enumerate(
                cell_text.in_list(view.cells[number], view, layout, verdicts, styles, self._room)
            )
        ]

    def _make(self, layout: Design) -> None:
        self._layout, self._made_for = layout, (layout, self.size.width)
        self._drawn.clear()
        self.clear(columns=True)
        self.show_row_labels = layout.is_table
        self.cursor_type = "cell" if layout.is_table else "row"
        self.zebra_stripes = not layout.is_table
        if layout.is_table:
            self._make_table(layout)
        else:
            self._make_list(layout)

    def _make_table(self, layout: Design) -> None:
        labels = shorten_apart([f"{layout.heads[0]}={clean(name)}" for (name,) in layout.rows], _NAME)
        left = max(map(columns_of, labels), default=0) + 2
        wide = (self.size.width - left - 2) // max(len(layout.columns), 1) - 2 * self.cell_padding
        wide = max(_LEAST, min(wide, _MOST))
        self._room = wide
        heads = shorten_apart([f"{layout.across}={clean(name)}" for name in layout.columns], wide)
        for head in heads:
            self.add_column(Text(head), width=wide)
        for label in labels:
            self.add_row(*[Text("") for _ in heads], label=Text(label), height=2)

    def _make_list(self, layout: Design) -> None:
        columns = [
            shorten_apart([clean(one) for one in names], _NAME) for names in zip(*layout.rows, strict=True)
        ]
        wides = [
            max(map(columns_of, [*names, head])) for head, names in zip(layout.heads, columns, strict=True)
        ]
        listed = list_widths(self._view.cells if self._view else ())
        taken = sum(wides) + sum(wide for _, wide in listed)
        spare = self.size.width - taken - 2 * self.cell_padding * (len(wides) + len(listed)) - 2
        for head, wide in zip(layout.heads, wides, strict=True):
            self.add_column(Text(clean(head)), width=wide)
        for place, (head, wide) in enumerate(listed):
            if place == _DIFFERENCE:
                wide = self._room = max(wide, min(wide + spare, _WIDEST))
            right = head in ("done", "mean so far")
            self.add_column(Text(head, justify="right" if right else "left"), width=wide)
        for names in zip(*columns, strict=True):
            self.add_row(*map(Text, names), *[Text("") for _ in listed])

    def _move_to(self, layout: Design, cell: int) -> None:
        at, column = layout.place(cell)
        self.move_cursor(row=at, column=column, animate=False)

    def to_copy(self) -> Copy | None:
        """The cell under the cursor with its values."""
        cell, view, layout = self.current, self._view, self._layout
        if cell is None or view is None or layout is None:
            return Copy("There is no cell here.", "")
        told, word = cell_text.difference(cell, view, layout, self._verdicts), ""
        if verdict := self._verdicts.get(cell.number):
            told, word = f"{verdict.whole}{verdict.doubt}", verdict.word
        values = [cell.name, cell_text.state(cell), f"{cell.done}/{cell.planned}", cell_text.mean(cell), told]
        values += [word, cell_text.bad(cell), *(f"{value:.0f}" for value in cell.values)]
        return row(cell.name, [value for value in values if value])
