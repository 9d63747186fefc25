"""What tests of the session screens look at, and how they wait."""

import shutil
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Static
from waiting import seen

from fwdtui.ui.sessions.iteration_graph import IterationGraph
from fwdtui.ui.sessions.iteration_table import IterationTable
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.sessions.session_table import SessionTable
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp

EXAMPLES = Path(__file__).resolve().parents[1] / "recorded"


def browser(app: FwdtuiApp) -> SessionsScreen:
    assert isinstance(app.screen, SessionsScreen)
    return app.screen


def opened(app: FwdtuiApp) -> SessionScreen:
    assert isinstance(app.screen, SessionScreen)
    return app.screen


async def read(pilot: Pilot) -> SessionsScreen:
    """The browser when it has read its folder."""
    await seen(pilot, lambda: isinstance(pilot.app.screen, SessionsScreen) and settled(pilot.app.screen))
    return browser(pilot.app)


def settled(screen: SessionsScreen) -> bool:
    return screen.is_mounted and not screen.reading and not screen.workers


def verdicts(screen: SessionsScreen) -> list[str]:
    """The column of verdicts against the baseline; empty if there is none."""
    return column(screen, "against") if "against" in screen.table.columns else []


async def open_first(pilot: Pilot) -> SessionScreen:
    """The session under the cursor, opened and its first iteration looked behind."""
    await read(pilot)
    await pilot.press("enter")
    await seen(pilot, lambda: isinstance(pilot.app.screen, SessionScreen) and looked(pilot.app.screen))
    return opened(pilot.app)


def looked(screen: SessionScreen) -> bool:
    """Everything that stands behind the iteration under the cursor is shown."""
    return screen.behind is not None and screen.behind.iteration is screen.iteration and not screen.workers


def column(screen: SessionsScreen, key: str) -> list[str]:
    """What stands in a column, from the top."""
    table = screen.query_one(SessionTable)
    return [str(table.get_cell(row.key, key)) for row in table.ordered_rows]


def labels(screen: SessionsScreen) -> list[str]:
    return column(screen, "label")


def heads(screen: SessionsScreen) -> str:
    return "|".join(str(column.label) for column in screen.query_one(SessionTable).ordered_columns)


def lines(screen: SessionsScreen) -> list[str]:
    """The list as it is drawn, without its head."""
    table = screen.table
    drawn = (table.render_line(y).text.rstrip() for y in range(1, table.size.height))
    return [line for line in drawn if line]


def iterations(screen: SessionScreen) -> list[list[str]]:
    table = screen.query_one(IterationTable)
    return [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]


def said(screen, name: str) -> str:
    return str(screen.query_one(f"#{name}", Static).render())


def series(screen: SessionScreen) -> str:
    return screen.query_one(IterationGraph).plain()


def example(name: str, folder: Path) -> Path:
    """A copy of a recorded example session."""
    shutil.copytree(EXAMPLES / name, folder / name)
    return folder / name


async def type_text(pilot: Pilot, text: str) -> None:
    await pilot.press(*("space" if letter == " " else letter for letter in text))
