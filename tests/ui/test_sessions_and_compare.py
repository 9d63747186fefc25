"""From a folder of sessions to verdicts, by looking."""

from pathlib import Path

import pytest
from textual.widgets import DataTable, Static, TabbedContent

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
        rows = cells(app.screen.query_one("#cases", DataTable))
        assert [row[0] for row in rows] == ["forwarding.off", "forwarding.on", "pf.inet4"]
        assert rows[0][1] == "▼ slower" and rows[1][1] == "▲ faster"
        assert rows[2][1].startswith("? inconclusive")


async def test_every_verdict_says_what_it_is_without_colour(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        assert "1 faster, 1 slower, 1 inconclusive" in shown(app, "heading")


async def test_an_interval_that_crosses_zero_is_drawn_across_the_zero_line(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(160, 40)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        rows = cells(app.screen.query_one("#cases", DataTable))
        middle = rows[0][3].index("│")
        assert rows[1][3].index("●") > middle > rows[0][3].index("●")
        assert rows[2][3][middle] in "┼●├┤"


async def test_the_numbers_on_the_screen_are_those_of_the_command(folder, pair, capsys):
    from fwdtui.cli import main

    assert main(["compare", str(pair[0]), str(pair[1])]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    app = FwdtuiApp(folder)
    async with app.run_test(size=(160, 40)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        for case, verdict, difference, _bar, base, other, _n in cells(
            app.screen.query_one("#cases", DataTable)
        ):
            for cell in (case, verdict[2:], difference, base, other):
                assert " ".join(cell.split()) in printed


async def test_the_tabs_show_why_charts_ministat_warnings_and_facts(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 50)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        assert "slowed down by" in shown(app, "why") and "Welch" in shown(app, "why")
        assert "histogram" in shown(app, "charts")
        assert "Student's t" in shown(app, "ministat")
        assert "n311215-UDP2" in shown(app, "facts") and "igb" not in shown(app, "facts")
        tabs = app.screen.query_one(TabbedContent)
        seen = [tabs.active]
        for _ in range(4):
            await pilot.press("n")
            seen.append(tabs.active)
        assert seen == ["tab-why", "tab-charts", "tab-ministat", "tab-warnings", "tab-facts"]


async def test_margin_and_confidence_change_live(folder, session):
    session("a", {"x": [1000, 1001, 999, 1000.5, 999.5]})
    session("b", {"x": [1005, 1006, 1004, 1005.5, 1004.5]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)

        def verdict() -> str:
            return cells(app.screen.query_one("#cases", DataTable))[0][1]

        assert verdict() == "= equivalent"
        await pilot.press("minus", "minus")
        await settled(pilot)
        assert verdict() == "▲ faster" and "margin 0.25 %" in shown(app, "heading")
        await pilot.press("right_parenthesis")
        await settled(pilot)
        assert "confidence 98 %" in shown(app, "heading")


async def test_export_writes_the_report_that_the_command_writes(folder, pair, tmp_path, monkeypatch):
    from fwdtui.cli import main

    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        await pilot.press("e")
        await settled(pilot)
    written = here / "n311215-n311215-UDP2.md"
    there = tmp_path / "there"
    there.mkdir()
    monkeypatch.chdir(there)
    assert main(["report", str(pair[0]), str(pair[1]), "-o", written.name]) == 0
    assert written.read_bytes() == (there / written.name).read_bytes()


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


async def test_escape_goes_back_to_the_sessions(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        await pilot.press("escape")
        assert isinstance(app.screen, SessionsScreen)


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


async def test_sessions_without_a_common_case_are_a_readable_message(folder, session):
    session("a", {"x": [1, 2, 3]})
    session("b", {"y": [1, 2, 3]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        assert "no case in common" in shown(app, "heading")
        await pilot.press("escape")
        assert isinstance(app.screen, SessionsScreen)


async def test_hostile_names_are_shown_and_do_nothing(folder, session):
    evil = "\x1b]0;owned\x07[bold red]x[/] [link=https://x]y"
    session(evil, {"[/]case\x1b[2J": [1, 2, 3]}, name="a", facts={"[k]": "[/v]\x1b"})
    session("b", {"[/]case\x1b[2J": [1, 2, 3]}, name="b")
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        assert app.is_running
        heading = shown(app, "heading")
        assert "[bold red]x[/]" in heading and "\x1b" not in heading
        assert "\x1b" not in app.export_screenshot()


async def test_an_empty_or_missing_folder_says_so(tmp_path):
    app = FwdtuiApp(tmp_path / "nowhere")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "no such folder" in shown(app, "where")


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60), (250, 70)])
async def test_every_size_draws(folder, pair, size):
    app = FwdtuiApp(folder)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        await pilot.press("n", "question_mark")
        await pilot.pause()
        await pilot.resize_terminal(90, 30)
        await pilot.pause()
        assert app.is_running


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
