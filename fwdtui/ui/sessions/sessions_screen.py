"""Find a session, see what is in it, choose what to compare."""

import time
from collections.abc import Collection, Sequence
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
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.common.dialogs import Prompt
from fwdtui.ui.common.filter import Filter
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.own_keys import key, with_keys
from fwdtui.ui.common.ports import shell
from fwdtui.ui.common.threads import from_thread
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions import examples, keys
from fwdtui.ui.sessions.arranging import ArrangingScreen
from fwdtui.ui.sessions.folder_text import heading, marked, nothing_here, progress
from fwdtui.ui.sessions.group_text import group_text
from fwdtui.ui.sessions.grouping import GROUPINGS
from fwdtui.ui.sessions.row import Row, row_of
from fwdtui.ui.sessions.session_table import SessionTable
from fwdtui.ui.sessions.text import session_text

_FIRST, _BATCH = (
    0.02,
    0.25,
)  # seconds of reading before rows are shown: the first ones soon, the rest in batches
_BREATH = 0.0002  # seconds after each session in which the screen gets the interpreter
_TYPING = 0.05  # seconds to wait for the next letter before the list is filtered
_AGAIN = 0.5  # seconds between drawings of the list while the verdicts arrive that it is arranged by
_WHAT = "label, case, kernel, lab, tree or note"  # what the filter searches
Found = tuple[Session | Damaged, Row]


class SessionsScreen(ArrangingScreen):
    """The list of the sessions in one folder; the marked ones are compared."""

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
        self._typing: Timer | None = None
        self._again: Timer | None = None
        self.reading = False
        """Whether the folder is being read at this moment."""
        self._problem = ""
        self._both = False  # whether there are exactly two sessions, marked automatically

    def compose(self) -> ComposeResult:
        yield Static(id="where", markup=False)
        yield Filter(_WHAT, id="filter")
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
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show_session())

    def on_screen_resume(self) -> None:
        """Read the folder again: other screens drop iterations and record new ones."""
        self.action_reload()

    @property
    def folder(self) -> Path:
        """The folder whose sessions are shown."""
        return self._folder

    def stay(self, path: str) -> None:
        """Keep the cursor on the session at `path`, wherever it is listed after a change."""
        self.table.choose(path)

    def changed(self) -> None:
        """Read the folder again after a change on disk."""
        self.action_reload()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that need a session if there is none."""
        return action not in keys.NEED_ONE or not self.has_class("-nothing")

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
                from_thread(self, self._originals, folder, why)
            for entry in list_sessions(folder):
                if worker.is_cancelled:
                    return
                time.sleep(_BREATH)
                one = entry, row_of(entry)
                seen[entry.path] = one
                batch.append(one)
                if time.monotonic() >= due:
                    from_thread(self, self._add, batch)
                    batch, due = [], time.monotonic() + _BATCH
        except (FwdtuiError, OSError) as error:
            problem = str(error)
        from_thread(self, self._whole, seen, problem)

    def _originals(self, folder: Path, why: str) -> None:
        """Show the original examples, read-only, because they could not be copied."""
        shell(self).selection.originals = self._folder = folder
        self._note = f"{clean(why)}. These are the originals: look and compare; they cannot be changed."

    def _add(self, batch: Sequence[Found]) -> None:
        self._found |= {entry.path: (entry, row) for entry, row in batch}
        self.draw()

    def _whole(self, seen: dict[str, Found], problem: str) -> None:
        """Show the complete list, without sessions that no longer exist."""
        self._found, self.reading, self._problem = seen, False, problem
        good = sorted((row for _, row in seen.values() if row.good), key=lambda row: (row.moment, row.path))
        marks = shell(self).selection.marks
        marks.keep({row.path for row in good})
        self._both = len(good) == 2 and not marks.own
        if self._both:
            marks.suggest(good[0].path, good[1].path)
        else:
            marks.suggest_none()
        self.draw()

    def draw(self) -> None:
        """Draw the list, the session under the cursor, and the lines above."""
        if self._again is not None:
            self._again.stop()
            self._again = None
        if not self.there:
            return
        rows = [row for _, row in self._found.values()]
        verdicts = self.verdicts(self.entries())
        shown = self.arranged(rows, verdicts)
        if self.has_class("-nothing") == bool(rows or self.reading):
            self.toggle_class("-nothing")
            self.refresh_bindings()
            if self.focused is None:  # a hidden list loses the focus
                self.table.focus()
        marks, against = shell(self).selection.marks, self.baseline is not None
        self.table.show(shown, marks, self.sorted_by, self._wanted, verdicts, against)
        if not shown:
            none = f"No session matches in its {_WHAT}. {key('sessions.show_all', 'Esc')} shows all."
            self.query_one("#session", Static).update(none if self._wanted else "")
        self.query_one("#way", Static).update(nothing_here(self._folder, self._problem))
        self._say(sum(len(group.rows) for group in self.table.groups) or len(shown), len(verdicts))
        self.judge_soon()

    def _say(self, shown: int, judged: int) -> None:
        names = {path: row.label for path, (_, row) in self._found.items()}
        there = sum(isinstance(one, Session) for one in self.entries()) - 1 if self.baseline else 0
        state = progress(self.reading, judged, there if self.judges_all else judged)
        width = max(self.size.width - 2, 1)
        by = GROUPINGS[self.grouping]
        text = heading(self._folder, len(names), shown, self._wanted, by, state, width)
        lines = text, marked(shell(self).selection.marks, names, self._both), Text(with_keys(self._note))
        self.query_one("#where", Static).update(Text("\n").join(line for line in lines if line.plain))

    @on(DataTable.RowHighlighted)
    def _show_session(self) -> None:
        """Show the session or the group under the cursor beside the list."""
        row, group, text = self.table.current, self.table.group, Text()
        if row is not None:
            entry = self._found[row.path][0]
            text = session_text(entry, self.verdict_text(entry))
        elif group is not None:
            base = "" if self.baseline is None else self.baseline.label
            text = group_text(group, Styles(self.app.theme_variables), clean(base))
        else:
            return
        self.query_one("#session", Static).update(text)

    def judged(self, paths: Collection[str]) -> None:
        """Show new verdicts also beside the list and, soon, in its order and in the headings of groups."""
        row = self.table.current
        if row is not None and row.path in paths:
            self._show_session()
        if self.judges_all and self._again is None:
            self._again = self.set_timer(_AGAIN, self.draw)

    def entries(self) -> Collection[Session | Damaged]:
        """All sessions of the folder that have been read."""
        return [entry for entry, _ in self._found.values()]

    def entry(self, path: str) -> Session | Damaged | None:
        """The session at this path, as it was read last."""
        read = self._found.get(path)
        return None if read is None else read[0]

    @on(DataTable.RowSelected)
    def _enter(self, event: DataTable.RowSelected) -> None:
        if (group := self.table.group) is not None:
            self.table.action_fold(not group.folded)
        else:
            self.action_open()

    def action_filter(self) -> None:
        """Type what to search for."""
        self.query_one(Filter).use()

    def action_show_all(self) -> None:
        """Clear the filter."""
        self.query_one(Filter).forget()

    @on(Filter.Narrowed)
    def _narrow(self, event: Filter.Narrowed) -> None:
        self.filtered(event.text)
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(_TYPING, self.draw)

    @on(Filter.Left)
    def _back_to_list(self) -> None:
        self.table.focus()

    def current(self, readable: bool = True) -> Row | None:
        """The session under the cursor; None if there is none, or if it cannot be read."""
        row = self.table.current
        if self.table.group is not None:
            self.notify("This is a group: move to one of its sessions.", severity="warning", markup=False)
        if row is not None and readable and not row.good:
            self.notify("This session cannot be read; the reason is below the list.", severity="warning")
            return None
        return row

    def to_copy(self) -> Copy | None:
        """The row under the cursor, or why there is none; None if the text beside the list has the focus."""
        if self.focused is self.query_one("#detail"):
            return None
        return self.table.to_copy() or Copy(f"There is no session to copy. {self._problem}".strip(), "")

    def action_open(self) -> None:
        """Open its facts, cases and iterations."""
        if row := self.current():
            shell(self).open_session(Path(row.path))

    def action_replay(self) -> None:
        """Replay its recording on the live screen."""
        if row := self.current():
            shell(self).replay(Path(row.path))

    def to_mark(self) -> str | None:
        """The session under the cursor."""
        row = self.current()
        return None if row is None else row.path

    def marked(self) -> None:
        """Redraw the rows with their marks."""
        self._both = False
        self.draw()

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
        shell(self).sessions = self._folder  # for the command palette, which lists its sessions
        self.action_reload()
        self.draw()
