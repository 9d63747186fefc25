"""Find a session, see what is in it, choose what to compare."""

from pathlib import Path
from statistics import median
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Session
from fwdtui.core.units import grouped
from fwdtui.store import Damaged, list_sessions
from fwdtui.ui.session_text import session_text


class SessionsScreen(Screen[None]):
    """The sessions of one folder; the marked ones are compared."""

    HELP = """\
# Sessions
Each row is one session: a build or a setting of the DUT. Mark a **baseline** (`b`) and one or more
**candidates** (`space`), then press `c`: every case they have in common is compared.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "baseline", "baseline", id="sessions.baseline"),
        Binding("space", "candidate", "candidate", id="sessions.candidate"),
        Binding("c,enter", "compare", "compare", key_display="c", priority=True, id="sessions.compare"),
        Binding("r", "reload", "reload", id="sessions.reload"),
    ]

    def __init__(self, folder: Path, note: str = "") -> None:
        super().__init__()
        self._folder = folder
        self._note = note
        self._entries: dict[str, Session | Damaged] = {}
        self._base: str | None = None
        self._candidates: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static(id="where", markup=False)
        yield DataTable(id="sessions", cursor_type="row", zebra_stripes=True)
        with VerticalScroll(id="detail"):
            yield Static(id="session", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Columns now, rows as they are read."""
        table = self.query_one(DataTable)
        for key, label in (
            ("mark", ""),
            ("label", "session"),
            ("cases", "cases"),
            ("iterations", "iterations"),
            ("medians", "median of each case, pps"),
            ("warnings", "warnings"),
        ):
            table.add_column(label, key=key)
        self.action_reload()

    def action_reload(self) -> None:
        """Read the folder again."""
        self._entries.clear()
        self.query_one(DataTable).clear()
        self._read()

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _read(self) -> None:
        try:
            for entry in list_sessions(self._folder):
                self.app.call_from_thread(self._add, entry)
            self.app.call_from_thread(self._ready)
        except (FwdtuiError, OSError) as error:
            self.app.call_from_thread(self._say, str(error))

    def _add(self, entry: Session | Damaged) -> None:
        self._entries[entry.path] = entry
        self.query_one(DataTable).add_row(*_row(entry), key=entry.path)

    def _ready(self) -> None:
        good = [path for path, entry in self._entries.items() if isinstance(entry, Session)]
        if self._base not in good:
            self._base = None
        self._candidates = [path for path in self._candidates if path in good]
        if self._base is None and len(good) == 2:
            # with two there is only one question to ask
            self._base, self._candidates = good[0], [good[1]]
        self._say(self._note or f"{len(self._entries)} sessions in {self._folder}")
        self._draw_marks()
        self.query_one(DataTable).focus()

    def _say(self, text: str) -> None:
        self.query_one("#where", Static).update(Text(text))

    def _draw_marks(self) -> None:
        table = self.query_one(DataTable)
        for path in self._entries:
            mark = Text("")
            if path == self._base:
                mark = Text("baseline", style="bold")
            elif path in self._candidates:
                mark = Text("candidate")
            table.update_cell(path, "mark", mark, update_width=True)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show the session under the cursor."""
        entry = self._entries.get(str(event.row_key.value))
        if entry is not None:
            self.query_one("#session", Static).update(session_text(entry))

    def _current(self) -> Session | None:
        table = self.query_one(DataTable)
        if not table.row_count:
            return None
        key = table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value
        entry = self._entries.get(str(key))
        if isinstance(entry, Damaged):
            self.notify("This session cannot be read, so it cannot be compared.", severity="warning")
            return None
        return entry

    def action_baseline(self) -> None:
        """Compare the others with this one."""
        if entry := self._current():
            self._base = entry.path
            self._candidates = [path for path in self._candidates if path != entry.path]
            self._draw_marks()

    def action_candidate(self) -> None:
        """Take this one into the comparison, or out of it."""
        entry = self._current()
        if entry is None:
            return
        if entry.path in self._candidates:
            self._candidates.remove(entry.path)
        else:
            self._candidates.append(entry.path)
            if entry.path == self._base:
                self._base = None
        self._draw_marks()

    def action_compare(self) -> None:
        """Open the comparison of what is marked."""
        if self._base is None or not self._candidates:
            missing = "a baseline with b" if self._base is None else "a candidate with space"
            self.notify(f"Mark {missing} first.", severity="warning")
            return
        from fwdtui.ui.screens.compare import CompareScreen

        self.app.push_screen(CompareScreen(Path(self._base), [Path(path) for path in self._candidates]))


def _row(entry: Session | Damaged) -> list[Text]:
    if isinstance(entry, Damaged):
        name = Path(entry.path).name
        return [Text(cell) for cell in ("", name, "–", "–", "damaged: its reason stands below", "1")]
    medians = []
    for case in entry.cases:
        values = [i.value for i in case.iterations if i.value is not None]
        medians.append(f"{case.name} {grouped(median(values)) if values else '–'}")
    warnings = sum(len(i.warnings) for case in entry.cases for i in case.iterations) + len(entry.problems)
    return [
        Text(""),
        Text(entry.label),
        Text(str(len(entry.cases)), justify="right"),
        Text(str(sum(len(case.iterations) for case in entry.cases)), justify="right"),
        Text("  ".join(medians)),
        Text(str(warnings) if warnings else "", justify="right"),
    ]
