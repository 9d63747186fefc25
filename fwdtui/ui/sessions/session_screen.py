"""One session: its facts, its cases, and every iteration with everything that was recorded."""

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import DataTable, Log, Static, TabbedContent, TabPane

from fwdtui.core.model import Case, Iteration
from fwdtui.core.text import clean
from fwdtui.report.iterations import iteration_folder
from fwdtui.report.recordings import unfinished_text
from fwdtui.ui.common.copying import Copy, lines
from fwdtui.ui.common.filter import Filter
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import shell
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions import keys
from fwdtui.ui.sessions.functions_tab import SessionFunctions
from fwdtui.ui.sessions.iteration_graph import IterationGraph
from fwdtui.ui.sessions.iteration_table import CaseTable, IterationTable
from fwdtui.ui.sessions.reading_screen import ReadingScreen
from fwdtui.ui.sessions.session_view import IterationView, SessionView

_TABS_HEIGHT = 2
_NONE = "There is no iteration to show."


class BehindTable(TabbedContent):
    """The tabs below the tables, which get the rows that the tables leave."""

    class Resized(Message):
        """The width or height changed."""

    def on_resize(self) -> None:
        """Report the new size, for which charts have to be drawn again."""
        self.post_message(self.Resized())


class SessionScreen(ReadingScreen):
    """The screen of the session at `path`."""

    CSS_PATH = "session_screen.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (9, "-low"), (16, "-usual")]  # noqa: RUF012 - Textual declares it so
    HELP = keys.SESSION_HELP
    BINDINGS: ClassVar[list[BindingType]] = [*keys.SESSION]
    FOOTER = keys.SESSION_FOOTER
    _before: tuple[str, Widget | None] = ("", None)
    """The tab and the focus from which the search of the facts was started."""

    def __init__(self, path: Path, case: str = "") -> None:
        """`case`: the case to begin with, if there is one of this name."""
        super().__init__(path)
        self._wanted = case

    def compose(self) -> ComposeResult:
        yield Static("reading …", id="where", markup=False)
        yield CaseTable(id="cases")
        yield IterationTable(id="iterations")
        with BehindTable(id="behind", initial="tab-series"):
            with _pane("series"):
                yield IterationGraph(id="series")
            with _pane("account"), VerticalScroll():
                yield Static(id="account", classes="scrolled", markup=False)
            with _pane("logs"):
                yield Log(id="logs", auto_scroll=False)
            with _pane("dmesg"):
                yield Log(id="dmesg", auto_scroll=False)
            with _pane("distribution"), VerticalScroll():
                yield Static(id="distribution", markup=False)
            with _pane("facts"):
                yield Filter("a part of a fact's name or value", id="find")
                with VerticalScroll(id="facts-scroll"):
                    yield Static(id="facts", classes="scrolled", markup=False)
            with _pane("functions"):
                yield SessionFunctions(id="functions")
        yield Footer()

    def on_mount(self) -> None:
        """Focus the iterations, so that the arrows work at once."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw_distribution())
        self.query_one(IterationTable).focus()
        self.action_reload()

    def _failed(self, reason: str) -> None:
        if not self.there:
            return
        self.set_class(True, "-nothing")
        back, again = key("session.back", "Esc"), key("session.reload", "F5")
        said = f"This session cannot be read; {back} goes back, {again} tries again."
        self.query_one("#where", Static).update(Text(f"{clean(reason)}\n{said}"))

    def _show(self, view: SessionView) -> None:
        if not self.there:
            return
        self._view = view
        cases = view.session.cases
        self.query_one(CaseTable).set_class(
            len(cases) == 1, "-alone"
        )  # not the screen: all of it is styled then
        self.set_class(not cases, "-nothing")
        self._say()
        self._search(self.query_one("#find", Filter).value)
        # not self._case: the message that the cursor was moved may still be on its way
        chosen = self.query_one(CaseTable).current or self._wanted
        self._show_cases()
        if cases:
            case = view.case(chosen) or cases[0]
            self._show_case(case)
            with self.prevent(DataTable.RowHighlighted):
                self.query_one(CaseTable).move_cursor(row=cases.index(case), animate=False)
        else:
            self._say_no_iteration()

    def _say_no_iteration(self) -> None:
        """Say it in every tab that would show one."""
        self._case = self.iteration = None
        self._nothing_behind(_NONE)
        self.query_one("#distribution", Static).update(_NONE)
        self.query_one(SessionFunctions).say(_NONE)

    def _say(self) -> None:
        if self._view is None:
            return
        text = self._view.heading()
        if mark := shell(self).selection.marks.word(self._view.session.path):
            text = Text(f"[{mark}] ", style="bold").append_text(text)
        self.query_one("#where", Static).update(text)

    def _show_case(self, case: Case) -> None:
        assert self._view is not None
        self._case = case
        view = self._view
        table = self.query_one(IterationTable)
        table.show(case, view.described(case), view.wrong(case), view.odd(case))
        self._draw_distribution()
        self._choose_iteration()

    @on(BehindTable.Resized)
    def _draw_distribution(self) -> None:
        """Draw the charts, but only if their tab is open: they take longer than everything else together."""
        if self._view is None or self._case is None or not self.query("#distribution"):
            return
        if self.query_one(TabbedContent).active != "tab-distribution":
            return
        columns, rows = max(self.size.width - 4, 40), self.query_one("#behind").size.height - _TABS_HEIGHT
        drawn = self._view.distribution(self._case, columns, rows, Styles(self.app.theme_variables))
        self.query_one("#distribution", Static).update(drawn)

    @on(DataTable.RowHighlighted, "#cases")
    def _case_chosen(self, event: DataTable.RowHighlighted) -> None:
        case = self._view.case(str(event.row_key.value)) if self._view else None
        if case is not None and self._case is not None and case.name != self._case.name:
            self._show_case(case)

    @on(DataTable.RowSelected, "#cases")
    def _into_case(self) -> None:
        self.query_one(IterationTable).focus()

    @on(DataTable.RowHighlighted, "#iterations")
    def _choose_iteration(self) -> None:
        """Read the details of the iteration under the cursor once the cursor stays on it."""
        if self._case is None:
            return
        row = self.query_one(IterationTable).cursor_row
        if not 0 <= row < len(self._case.iterations):
            return
        self._choose(self._case.iterations[row])
        self._choose_functions(self._case.iterations[row])

    def _choose_functions(self, iteration: Iteration) -> None:
        if self._view is not None and self._case is not None:
            functions = self.query_one(SessionFunctions)
            functions.choose(self._view.sets[self._case.name], iteration)
            self._look_at_functions()

    @on(TabbedContent.TabActivated)
    def _tab_opened(self) -> None:
        self._draw_distribution()
        self._look_at_functions()

    def _look_at_functions(self) -> None:
        """Read the profile, but only if its tab is open."""
        if self.query_one(TabbedContent).active == "tab-functions":
            self.query_one(SessionFunctions).look()

    def _nothing_behind(self, reason: str) -> None:
        if not self.there:
            return
        self.behind = None
        self.query_one(IterationGraph).show(None, None, clean(reason))
        self.query_one("#account", Static).update(Text(clean(reason)))
        for name in ("#logs", "#dmesg"):
            self.query_one(name, Log).clear().write_line(clean(reason), scroll_end=False)

    def _show_behind(self, shown: IterationView) -> None:
        if not self.there:
            return
        self.behind = shown
        problems = " ".join(shown.series.problems)
        instead = problems or "No samples were recorded with this iteration."
        self.query_one(IterationGraph).show(shown.series, shown.iteration, instead)
        self.query_one("#account", Static).update(shown.account)
        for name, log in (("#logs", shown.logs), ("#dmesg", shown.dmesg)):
            self.query_one(name, Log).clear().write_lines(log, scroll_end=False)

    @on(Filter.Narrowed)
    def _searched(self, event: Filter.Narrowed) -> None:
        self._search(event.text)

    def _search(self, wanted: str) -> None:
        if self._view is not None:
            self.query_one("#facts", Static).update(self._view.facts(wanted))

    @on(Filter.Left)
    def _found(self, event: Filter.Left) -> None:
        tab, focus = self._before
        if event.unused and tab:
            self.set_focus(focus)  # first: otherwise the pane that has the focus would open again
            self.query_one(TabbedContent).active = tab
        else:
            self.query_one("#facts-scroll").focus()

    def action_search(self) -> None:
        """Type a part of a fact's name or value; of a function's where these are shown."""
        functions = self.query_one(SessionFunctions)
        if self.query_one(TabbedContent).active == "tab-functions" and functions.has_rows:
            functions.search()
            return
        tabs, line = self.query_one(TabbedContent), self.query_one("#find", Filter)
        if self.focused is not line:
            self._before = tabs.active, self.focused
        tabs.active = "tab-facts"
        line.use()

    def to_copy(self) -> Copy | None:
        """The iteration under the cursor; if the tabs have the focus, what the open tab shows."""
        from fwdtui.ui.common.usual_copies import usual, within

        if self.has_class("-nothing"):
            return usual(self.query_one("#where"))
        tabs = self.query_one(TabbedContent)
        pane = tabs.active_pane
        if pane is not None and self.focused is not None and tabs in self.focused.ancestors:
            copied = within(pane) or Copy("This tab is empty.", "")
            title = keys.TABS[tabs.active.removeprefix("tab-")]
            return lines(f"the tab {title}", copied.text) if copied.text else copied
        return self.query_one(IterationTable).to_copy()

    def action_tab(self, name: str) -> None:
        """Open one of the tabs."""
        self.query_one(TabbedContent).active = f"tab-{name}"

    def action_other(self, step: int) -> None:
        """Go to the previous or next iteration without leaving the tab."""
        table = self.query_one(IterationTable)
        row = table.cursor_row + step
        if table.is_valid_row_index(row):
            table.move_cursor(row=row, animate=False)

    @on(DataTable.RowSelected, "#iterations")
    def _replay_iteration(self) -> None:
        self.action_replay()

    def action_replay(self) -> None:
        """Replay the iteration under the cursor or, if the cases are in focus, the whole case.

        Of a session that broke off before its first iteration was finished, replay what there is.
        """
        if self._view is not None and not self._view.session.cases and unfinished_text(self._view.session):
            shell(self).replay(Path(self._view.session.path))
        if self._view is None or self._case is None or self.iteration is None:
            return
        folder = Path(iteration_folder(self._view.session, self._case, self.iteration))
        shell(self).replay(folder.parent if self.query_one(CaseTable).has_focus else folder)

    def action_table(self) -> None:
        """Show the samples of the iteration under the cursor as a table."""
        from fwdtui.ui.common.table_screen import TableScreen

        shown, view = self.behind, self._view
        graph = self.query_one(IterationGraph)
        if view is None or self.iteration is None:
            return
        if shown is None:
            self.notify(f"Iteration {self.iteration.index} is not read yet.", markup=False)
            return
        # named after what is shown: the cursor may be on another case already
        table = graph.table(f"{view.session.label} ▸ {shown.case} ▸ {shown.iteration.index}")
        if table is None:
            self.notify("No samples were recorded with this iteration.", markup=False)
        else:
            self.app.push_screen(TableScreen([table], table.title, at=graph.cursor))

    def action_sweep(self) -> None:
        """A sweep over this session."""
        if self._view is not None:
            shell(self).sweep([self._view.session.path])

    def to_mark(self) -> str | None:
        """The session, once it is read; if the cases have the focus, the case under the cursor."""
        if self._view is None:
            return None
        path = self._view.session.path
        several = len(self._view.session.cases) > 1
        if several and self._case is not None and self.query_one(CaseTable).has_focus:
            return f"{path}:{self._case.name}"
        return path

    def marked(self) -> None:
        """Redraw the marks in the heading and in the list of cases."""
        self._say()
        self._show_cases()

    def _show_cases(self) -> None:
        view = self._view
        if view is None:
            return
        marks = shell(self).selection.marks
        words = {case.name: marks.word(f"{view.session.path}:{case.name}") for case in view.session.cases}
        cases = [(case, view.described(case)) for case in view.session.cases]
        self.query_one(CaseTable).show(cases, words)

    def action_back(self) -> None:
        """Go back to where it was opened."""
        self.app.pop_screen()


def _pane(name: str) -> TabPane:
    """A tab with its key and its title."""
    number = list(keys.TABS).index(name) + 1
    pressed = key(f"session.tab_{name}", str(number))
    return TabPane(f"{pressed} {keys.TABS[name]}", id=f"tab-{name}")
