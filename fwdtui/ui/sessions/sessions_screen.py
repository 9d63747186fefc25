"""Find a session, see what is in it, choose what to compare."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.timer import Timer
from textual.widgets import DataTable, Static
from textual.worker import get_current_worker

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Session
from fwdtui.core.text import clean
from fwdtui.store import Damaged, list_sessions
from fwdtui.ui.common.dialogs import Prompt
from fwdtui.ui.common.filter import Filter
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.ports import shell
from fwdtui.ui.sessions import examples, keys
from fwdtui.ui.sessions.folder_text import heading, marked, nothing_here
from fwdtui.ui.sessions.judging_screen import JudgingScreen
from fwdtui.ui.sessions.row import Row, in_order, matching, row_of
from fwdtui.ui.sessions.session_table import FALLING, SORTABLE, SessionTable
from fwdtui.ui.sessions.text import session_text

_FIRST, _BATCH = (
    0.02,
    0.25,
)  # seconds of reading before rows are shown: the first ones soon, the rest in batches
_BREATH = 0.0002  # seconds after each session in which the screen gets the interpreter
_TYPING = 0.05  # seconds to wait for the next letter before the list is filtered
_NEED_ONE = (
    "baseline",
    "candidate",
    "compare",
    "sweep",
    "filter",
    "sort",
    "turn",
    "replay",
    "rename",
    "annotate",
    "delete",
)

Found = tuple[Session | Damaged, Row]


class SessionsScreen(JudgingScreen):
    """The sessions of one folder; the marked ones are compared."""

    CSS_PATH = "sessions_screen.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (8, "-low"), (14, "-usual")]  # noqa: RUF012 - Textual declares it so
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (160, "-wide")]  # noqa: RUF012
    HELP = keys.SESSIONS_HELP
    BINDINGS: ClassVar[list[BindingType]] = [*keys.SESSIONS]
    FOOTER = keys.SESSIONS_FOOTER

    def __init__(self, folder: Path, note: str = "") -> None:
        super().__init__()
        self._folder = folder
        self._note = note
        self._found: dict[str, Found] = {}
        self._sorted: tuple[str, bool] = "date", True
        self._wanted = ""
        self._typing: Timer | None = None
        self.reading = False
        """Whether the folder is being read at this moment."""
        self._problem = ""
        self._both = False  # there are exactly two, marked automatically

    def compose(self) -> ComposeResult:
        yield Static(id="where", markup=False)
        yield Filter("label, case, kernel, lab or note", id="filter")
        with Container(id="both"):
            yield SessionTable(id="sessions")
            yield Static(id="way", markup=False)
            with VerticalScroll(id="detail"):
                yield Static(id="session", markup=False)
        yield Footer()

    @property
    def table(self) -> SessionTable:
        """The list."""
        return self.query_one(SessionTable)

    def on_mount(self) -> None:
        """Focus the list."""
        self.table.focus()
        self.follow(self.table)

    def on_screen_resume(self) -> None:
        """Read again: other screens drop iterations and record new ones."""
        self.action_reload()

    @property
    def folder(self) -> Path:
        """The folder whose sessions are shown."""
        return self._folder

    def stay(self, path: str) -> None:
        """Keep the cursor on this session, wherever it is after a change."""
        self.table.choose(path)

    def changed(self) -> None:
        """Read again after a change on disk."""
        self.action_reload()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that need a session if there is none."""
        return action not in _NEED_ONE or not self.has_class("-nothing")

    def action_reload(self) -> None:
        """Read the folder again; what is shown stays until it is read."""
        self.reading = True
        self._read(self._folder)

    @work(thread=True, exclusive=True, group="read")
    def _read(self, folder: Path) -> None:
        worker = get_current_worker()
        seen: dict[str, Found] = {}
        batch: list[Found] = []
        due = time.monotonic() + _FIRST
        problem = ""
        try:
            folder, why = examples.at_hand(folder)
            if why:
                self.app.call_from_thread(self._originals, folder, why)
            for entry in list_sessions(folder):
                if worker.is_cancelled:
                    return
                time.sleep(_BREATH)
                one = entry, row_of(entry)
                seen[entry.path] = one
                batch.append(one)
                if time.monotonic() >= due:
                    self.app.call_from_thread(self._add, batch)
                    batch, due = [], time.monotonic() + _BATCH
        except (FwdtuiError, OSError) as error:
            problem = str(error)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._whole, seen, problem)

    def _originals(self, folder: Path, why: str) -> None:
        """Show the original examples, read-only, because they could not be copied."""
        shell(self).selection.originals = self._folder = folder
        self._note = f"{clean(why)}. These are the originals: look and compare; they cannot be changed."

    def _add(self, batch: Sequence[Found]) -> None:
        self._found |= {entry.path: (entry, row) for entry, row in batch}
        self._draw()

    def _whole(self, seen: dict[str, Found], problem: str) -> None:
        """Show the complete list; sessions that no longer exist go."""
        self._found, self.reading, self._problem = seen, False, problem
        good = sorted((row for _, row in seen.values() if row.good), key=lambda row: (row.moment, row.path))
        marks = shell(self).selection.marks
        marks.keep({row.path for row in good})
        self._both = len(good) == 2 and not marks.own
        if self._both:
            marks.suggest(good[0].path, good[1].path)
        self._draw()

    def _draw(self) -> None:
        if not self.there:
            return
        rows = [row for _, row in self._found.values()]
        shown = in_order(matching(rows, self._wanted), *self._sorted, self._wanted)
        if self.has_class("-nothing") == bool(rows or self.reading):
            self.toggle_class("-nothing")
            self.refresh_bindings()
        verdicts = self.verdicts(one for one, _ in self._found.values())
        self.table.show(shown, shell(self).selection.marks, self._sorted, self._wanted, verdicts)
        if not shown:
            none = "No session matches in its label, case, kernel, lab or note. Esc shows all."
            self.query_one("#session", Static).update(none if self._wanted else "")
        self.query_one("#way", Static).update(nothing_here(self._folder, self._problem))
        self._say(len(shown))
        self.judge_soon()

    def _say(self, shown: int) -> None:
        names = {path: row.label for path, (_, row) in self._found.items()}
        state = "reading …" if self.reading else ""
        text = heading(self._folder, len(names), shown, self._wanted, state, max(self.size.width - 2, 1))
        lines = text, marked(shell(self).selection.marks, names, self._both), Text(self._note)
        self.query_one("#where", Static).update(Text("\n").join(line for line in lines if line.plain))

    @on(DataTable.RowHighlighted)
    def _show_session(self) -> None:
        """The session under the cursor."""
        row = self.table.current
        if row is not None:
            entry = self._found[row.path][0]
            self.query_one("#session", Static).update(session_text(entry, self.verdict_text(entry)))

    def judged(self, path: str) -> None:
        """Show a new verdict beside the list too."""
        row = self.table.current
        if row is not None and row.path == path:
            self._show_session()

    def entry(self, path: str) -> Session | Damaged | None:
        """The session at this path, as it was read last."""
        found = self._found.get(path)
        return None if found is None else found[0]

    @on(DataTable.RowSelected)
    def _enter(self, event: DataTable.RowSelected) -> None:
        self.action_open()

    @on(SessionTable.SortBy)
    def _sort_by(self, event: SessionTable.SortBy) -> None:
        """Sort by this column; a second time, reverse."""
        key, falling = self._sorted
        self._sorted = (key, not falling) if event.key == key else (event.key, event.key in FALLING)
        self._draw()

    def action_sort(self, step: int) -> None:
        """Sort by the next (1) or the previous (-1) column."""
        there = [key for key in SORTABLE if key in self.table.columns]
        place = there.index(self._sorted[0]) + step if self._sorted[0] in there else 0
        key = there[place % len(there)]
        self._sorted = key, key in FALLING
        self._draw()

    def action_turn(self) -> None:
        """Reverse the order."""
        self._sorted = self._sorted[0], not self._sorted[1]
        self._draw()

    def action_filter(self) -> None:
        """Type what to search for."""
        self.query_one(Filter).use()

    def action_show_all(self) -> None:
        """Clear the filter."""
        self.query_one(Filter).forget()

    @on(Filter.Narrowed)
    def _narrow(self, event: Filter.Narrowed) -> None:
        self._wanted = event.text
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(_TYPING, self._draw)

    @on(Filter.Left)
    def _back_to_list(self) -> None:
        self.table.focus()

    def current(self, readable: bool = True) -> Row | None:
        """The session under the cursor; None if there is none, or if it cannot be read."""
        row = self.table.current
        if row is not None and readable and not row.good:
            self.notify("This session cannot be read; the reason is below the list.", severity="warning")
            return None
        return row

    def action_open(self) -> None:
        """Open its facts, cases and iterations."""
        if row := self.current():
            shell(self).open_session(Path(row.path))

    def action_replay(self) -> None:
        """Replay its recording on the live screen."""
        if row := self.current():
            shell(self).replay(Path(row.path))

    def action_sweep(self) -> None:
        """A sweep over what is marked, else over what the filter shows, else over this session."""
        marks = shell(self).selection.marks
        paths = [path for path in (marks.base, *marks.candidates) if path is not None]
        if not paths and self._wanted:
            shown = matching([row for _, row in self._found.values()], self._wanted)
            paths = [row.path for row in shown if row.good]
        if not paths and (row := self.current()):
            paths = [row.path]
        if paths:
            self.show_sweep(paths)

    def to_mark(self) -> str | None:
        """The session under the cursor."""
        row = self.current()
        return None if row is None else row.path

    def marked(self) -> None:
        """Redraw the rows with their marks."""
        self._both = False
        self._draw()

    @work(group="ask")
    async def action_folder(self) -> None:
        """Open another folder of sessions."""
        lines = ["A folder of sessions. It is only read."]
        folder = await self.app.push_screen_wait(
            Prompt(
                "Open a folder", lines, str(self._folder), does="open", needed="Type the path of a folder."
            )
        )
        if folder is not None:
            self._open_folder(Path(folder))

    def _open_folder(self, folder: Path) -> None:
        self._folder, self._note, self._found, self._both = folder.expanduser(), "", {}, False
        self.action_reload()
        self._draw()
