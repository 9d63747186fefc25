"""From a folder of sessions to verdicts, by looking."""

from pathlib import Path

import pytest
from textual.widgets import DataTable, Static

from fwdtui.ui.app import FwdtuiApp
from fwdtui.ui.screens.compare import CompareScreen
from fwdtui.ui.screens.sessions import SessionsScreen


async def settled(pilot) -> None:
    """Wait until nothing is being read or compared any more."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def cells(table: DataTable) -> list[list[str]]:
    return [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]


def shown(app: FwdtuiApp, name: str) -> str:
    return str(app.screen.query_one(f"#{name}", Static).render())


async def test_two_sessions_are_marked_by_themselves_and_one_key_compares_them(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        marks = [row[0] for row in cells(app.screen.query_one("#sessions", DataTable))]
        assert marks == ["baseline", "candidate"]
        await pilot.press("c")
        await settled(pilot)
        assert isinstance(app.screen, CompareScreen)


async def test_marks_are_chosen_with_keys_and_a_missing_one_is_asked_for(folder, pair, session):
    session("third", {"forwarding.off": [1.0, 2.0, 3.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        assert isinstance(app.screen, SessionsScreen)
        await pilot.press("down", "b", "up", "space")
        marks = [row[0] for row in cells(app.screen.query_one("#sessions", DataTable))]
        assert marks == ["candidate", "baseline", ""]


async def test_a_damaged_session_is_listed_and_explained(folder, pair):
    (pair[0] / "session.toml").write_text("label = ")
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        table = app.screen.query_one("#sessions", DataTable)
        assert table.row_count == 2
        assert "damaged" in cells(table)[0][4]
        assert "session.toml" in shown(app, "session")
        await pilot.press("b")
        assert "baseline" not in [row[0] for row in cells(table)]


async def test_an_empty_or_missing_folder_says_so(tmp_path):
    app = FwdtuiApp(tmp_path / "nowhere")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "no such folder" in shown(app, "where")


async def test_every_shipped_theme_names_every_meaning():
    from fwdtui.stats.model import VERDICTS
    from fwdtui.ui import themes

    loaded = themes.load_all()
    assert themes.DEFAULT in [theme.name for theme in loaded]
    for theme in loaded:
        wanted = {f"verdict-{verdict}" for verdict in VERDICTS}
        wanted |= {f"graph-{name}" for name in ("offered", "forwarded", "received", "drops", "base", "other")}
        assert set(theme.variables) == wanted, theme.name


def test_a_wrong_theme_names_file_and_key(tmp_path: Path):
    from fwdtui.core.errors import FwdtuiError
    from fwdtui.ui import themes

    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\ndark = "yes"\n[colors]\n[graph]\n[verdict]\n')
    with pytest.raises(FwdtuiError, match=r"mine.toml: Expected `bool`, got `str` - at `\$.dark`"):
        themes.load(path)
