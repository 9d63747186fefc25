"""Candidates compared with a baseline: a verdict per case, and the evidence for it."""

import contextlib
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.css.query import NoMatches
from textual.widgets import DataTable, Static

from fwdtui.report.comparison import Compared, Unpaired
from fwdtui.stats.results import Judged
from fwdtui.ui.common import errors
from fwdtui.ui.common.copying import Copy, row
from fwdtui.ui.common.filter import Filter
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import shell
from fwdtui.ui.compare import case_table, cross_table, keys, tab_texts
from fwdtui.ui.compare.comparing_screen import ComparingScreen
from fwdtui.ui.compare.details import TWO_TABS, VerdictTabs
from fwdtui.ui.compare.time_cursor import TimeChart
from fwdtui.ui.draw.interval import farther, nearer, reach_of, usual_reach
from fwdtui.ui.draw.profile_panel import ProfileTable
from fwdtui.ui.draw.styles import Styles

_WIDE = 132  # columns from which the tabs' long names fit
_LOW = 14  # rows; with fewer, there is room for the table and little else
_LEAST_REACH = 0.5  # percent at the ends of the shortest axis
_OF_A_COMPARISON = {
    *("tab", "next_tab", "scroll", "enlarge", "matrix", "zoom", "axis", "table"),
    *("iteration", "replay", "swap", "open", "export"),
}
"""Actions that are not offered after a failure, as they need a comparison."""


class CompareScreen(ComparingScreen):
    """Shows every case that the sessions have in common, and every case that only one of them has."""

    CSS_PATH = "screen.tcss"
    HELP = keys.HELP
    BINDINGS: ClassVar[list[BindingType]] = [*keys.BINDINGS]
    FOOTER = keys.FOOTER
    _matrix = False
    _reach: float | None = None  # None: shows most intervals whole
    _grid: case_table.Grid | None = None
    _drawn_width = 0  # columns that the table was drawn for

    def compose(self) -> ComposeResult:
        yield Static(id="heading", markup=False)
        yield DataTable(id="cases", cursor_type="row")
        yield Static(id="selected", markup=False)
        yield VerdictTabs(id="below")
        yield Footer()

    def on_mount(self) -> None:
        """Read and compare in a thread, so that the screen appears at once."""
        errors.let_go(self.app)
        self.query_one(DataTable).loading = True
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw())
        self._compare()

    def _other_pairs(self) -> None:
        self._reach = None

    def _forget(self) -> None:
        self.query_one(VerdictTabs).forget()

    def _failed(self, reason: str) -> None:
        self._compared = None  # otherwise keys would act on the previous comparison
        self.query_one(DataTable).loading = False
        self.add_class("-failed")
        text = Text(f"! Cannot compare these: {reason}\n\n")
        again = f"or {key('compare.again', 'F5')} tries again"
        back = key("compare.back", "Esc")
        for pressed, what in ((key("compare.retry", "Enter"), again), (back, "goes back, to choose others")):
            text.append(pressed, style="bold").append(f" {what}\n")
        self.query_one("#heading", Static).update(text)
        self.set_focus(None)
        self.refresh_bindings()

    def on_verdict_tabs_resized(self) -> None:
        """Fit the bars to the width, also beside the help panel."""
        self.set_class(self.size.height < _LOW, "-low")
        with contextlib.suppress(NoMatches):  # the screen is being left
            tabs = self._width if self._width < TWO_TABS else self._width // 2
            self.query_one(VerdictTabs).title(wide=tabs >= _WIDE)
            self._draw(table=self._drawn_width != self._width)

    @property
    def _width(self) -> int:
        return self.query_one(VerdictTabs).outer_size.width or self.size.width

    def _draw(self, *, table: bool = True) -> None:
        """Draw heading, table and details, or the details only; or what is wrong."""
        if self._compared is None or self.has_class("-failed"):
            return
        try:
            if table:
                self._draw_all(self._compared)
            else:
                self._show_details()
        except NoMatches:
            pass  # while the screen closes, its parts are removed one after the other
        except Exception as error:
            self._failed(errors.in_place(error))

    def _draw_all(self, compared: Compared) -> None:
        styles, width = self._styles, self._width
        self._drawn_width = width
        self.query_one("#heading", Static).update(
            tab_texts.heading(compared, width, styles, legend=len(compared.sides) > 2)
        )
        before = self._entry()  # cases may have come or gone: the cursor stays on its case
        reach = self._reach or usual_reach(case_table.bounds(compared))
        if self._matrix and cross_table.possible(compared):
            self._grid = cross_table.cross(compared, width, styles)
        elif self._matrix and len(compared.sides) > 2:
            self._grid = case_table.matrix(compared, width, styles)
        else:
            self._matrix = False
            self._grid = case_table.listing(compared, reach, width, styles)
        table = self.query_one(DataTable)
        at = table.cursor_coordinate
        row, column = self._grid.place(before) or (at.row, at.column)
        table.loading = False
        table.cursor_type = "cell" if self._matrix else "row"
        table.clear(columns=True)
        for head, wide in zip(self._grid.heads, self._grid.widths, strict=True):
            # given, as the table would measure widths late, and keep until then what it drew
            table.add_column(head, width=wide)
        for cells in self._grid.rows:
            table.add_row(*cells)
        table.fixed_columns = 1 if self._matrix else 0
        stays = min(max(row, 0), max(table.row_count - 1, 0))
        table.move_cursor(row=stays, column=min(column, len(self._grid.heads) - 1))
        if not isinstance(self.focused, TimeChart | ProfileTable | Filter):
            table.focus()
        self._show_details()

    @property
    def _styles(self) -> Styles:
        return Styles(self.app.theme_variables)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show the details of the case under the cursor."""
        self._show_details()

    def on_data_table_cell_highlighted(self, event: DataTable.CellHighlighted) -> None:
        """Show the details of the cell under the cursor."""
        self._show_details()

    def _entry(self) -> Judged | Unpaired | None:
        """The entry under the cursor."""
        at = self.query_one(DataTable).cursor_coordinate
        return self._grid.at(at.row, at.column) if self._grid and self._compared else None

    def _show_details(self) -> None:
        """Show the selected case in words, and the open tab."""
        entry, compared = self._entry(), self._compared
        if compared is None:
            return
        width = max(self._width - 4, 20)
        headline = Text("neither of these two has this case")
        if entry is not None:
            omitted = None if self._grid is None or self.has_class("-enlarged") else self._grid.dropped
            headline = tab_texts.headline(entry, omitted, width, self._styles)
        self.query_one("#selected", Static).update(headline)
        self.query_one(VerdictTabs).show(compared, entry, width, self._styles)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer "try again" after a failure, and the matrix with several candidates."""
        if action == "retry":
            return self.has_class("-failed")
        if action in _OF_A_COMPARISON and self.has_class("-failed"):
            return False
        if action == "search":
            functions = self.query_one(VerdictTabs).open_functions if self._compared else None
            return functions is not None and functions.has_rows
        compared = self._compared
        if compared is None:
            return action not in ("factors", "metric") and (action != "matrix" or len(self._paths) > 2)
        return action != "matrix" or len(compared.sides) > 2 or cross_table.possible(compared)

    def action_retry(self) -> None:
        """Try again after a failure."""
        self.query_one("#heading", Static).update(Text("reading the sessions …"))
        self.action_again()

    def action_back(self) -> None:
        """From an enlarged tab to the table; from there to the previous screen, clearing the notices."""
        if self.has_class("-enlarged"):
            self.action_enlarge()
            return
        self.app.clear_notifications()
        self.app.pop_screen()

    def to_copy(self) -> Copy | None:
        """The row under the cursor; if a tab is enlarged, what the tab shows."""
        from fwdtui.ui.common.usual_copies import usual

        entry = self._entry()
        if self.has_class("-failed"):
            return usual(self.query_one("#heading"))
        if self.has_class("-enlarged"):
            return self.query_one(VerdictTabs).to_copy()
        compared = self._compared
        if entry is None or compared is None:
            why = "Neither of these two has this case." if compared else "Nothing is compared yet."
            return Copy(why, "")
        case = entry.comparison.case if isinstance(entry, Judged) else entry.case
        # not by the number of sessions: a factor may have more levels than that, or fewer
        copied = row(case, case_table.values(entry, len(compared.sides) > 2, self._styles))
        how = f"{key('compare.enlarge', 'm')} enlarges the tab, {key('app.copy', 'y')} then copies it"
        return copied._replace(what=f"{copied.what}; {how}")

    def action_tab(self, name: str) -> None:
        """Open one of the tabs below the table."""
        self.query_one(VerdictTabs).open(name)
        self._give_keys()

    def action_next_tab(self, step: int) -> None:
        """Open the next or previous tab."""
        self.query_one(VerdictTabs).step(step)
        self._give_keys()

    def _give_keys(self) -> None:
        """Focus the time series or the tree of functions if it is enlarged, else the table."""
        tabs = self.query_one(VerdictTabs)
        chart, functions = tabs.open_chart, tabs.open_functions
        if chart is not None and self.has_class("-enlarged"):
            chart.focus()
        elif functions is not None and self.has_class("-enlarged"):
            functions.listing.focus()
        elif isinstance(self.focused, TimeChart | ProfileTable):
            self.query_one(DataTable).focus()

    def action_search(self) -> None:
        """Type a part of a function's name."""
        if (functions := self.query_one(VerdictTabs).open_functions) is not None:
            functions.search()

    def action_scroll(self, step: int) -> None:
        """Scroll the open tab a page up or down."""
        self.query_one(VerdictTabs).scroll_page(step)

    def action_enlarge(self) -> None:
        """Show the open tab alone, or with the table again."""
        self.toggle_class("-enlarged")
        self._give_keys()
        self.call_after_refresh(self._show_details)

    def action_zoom(self, step: int) -> None:
        """Use a shorter (-1) or a longer (+1) axis for the bars, up to the one that shows them all."""
        if self._compared is not None:
            bounds = case_table.bounds(self._compared)
            now = self._reach or usual_reach(bounds)
            self._reach = (nearer(now, _LEAST_REACH) if step < 0 else farther(now, reach_of(bounds))) or now
            self._draw()

    def action_axis(self) -> None:
        """Draw the time series from zero, or close around the measured rates."""
        self.query_one(VerdictTabs).turn_axis()

    def action_matrix(self) -> None:
        """Show cases against candidates, or one row for each; the same entry stays selected."""
        entry = self._entry()
        self._matrix = not self._matrix
        self._draw()
        if self._grid is not None:
            place, column = self._grid.find(entry)
            self.query_one(DataTable).move_cursor(row=place, column=column)

    def action_iteration(self, which: str, step: int) -> None:
        """Choose another iteration for time series and profile; `which` is "base" or "other"."""
        self.query_one(VerdictTabs).choose(which, step)

    def action_replay(self) -> None:
        """Replay the chosen iterations of both sides."""
        if folders := self.query_one(VerdictTabs).folders():
            shell(self).replay(*folders)

    def action_table(self) -> None:
        """Show the samples of both chosen iterations as a table; they are read with the tab "time series"."""
        from fwdtui.ui.common.table_screen import TableScreen

        if tables := self.query_one(VerdictTabs).tables():
            name = " ".join(table.title for table in tables)
            at = self.query_one(TimeChart).recorded_cursor
            self.app.push_screen(TableScreen(tables, name, at=at))
        else:
            self.notify("Open the time series first: the table shows its samples.", markup=False)

    def action_open(self) -> None:
        """Open the session of the selected candidate."""
        entry, compared = self._entry(), self._compared
        if compared is not None and entry is not None:
            label = entry.other.label if isinstance(entry, Judged) else entry.candidate
            side = compared.side(label)
            case = entry.comparison.case if isinstance(entry, Judged) else entry.case
            one = side.cases.get(side.own_name(case))
            session = side.sessions[0] if one is None or one.session is None else one.session
            shell(self).open_session(Path(session.path))

    def action_sweep(self) -> None:
        """Medians over a factor of what is compared."""
        shell(self).sweep([str(path) for path in self._paths], self._view)

    def action_export(self) -> None:
        """Preview the report on this comparison."""
        if self._compared is not None:
            shell(self).preview(self._compared, self._changed)
