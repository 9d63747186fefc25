"""Escape closes what was opened and leaves everything as it was before."""

from pathlib import Path

from live_pilot import asked, blasting, settled, text
from preview_rig import previewed, told
from sessions_rig import labels, open_first, read
from textual.widgets import Input, TabbedContent
from waiting import press, seen

from fwdtui.ui.common.choosers import ChooseInterfaces
from fwdtui.ui.common.filter import Filter
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.report.page import Page
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp

CLOSE, CHOOSE_WHAT_IS_CHOSEN = ("escape",), ("space", "space", "enter")


async def test_the_choice_of_interfaces_on_the_live_screen(live):
    app, run = live(blasting(), (80, 24))
    async with run as pilot:
        for size, ways in (
            ((80, 24), (CLOSE, ("down", "space", "escape"), ("enter",), CHOOSE_WHAT_IS_CHOSEN)),
            ((200, 60), (CLOSE, CHOOSE_WHAT_IS_CHOSEN)),
        ):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            before = text(app, "queues"), app.screen._view.interfaces
            for keys in ways:
                await pilot.press("i")
                await asked(pilot, ChooseInterfaces)
                await pilot.press(*keys)
                await settled(pilot)
                assert (text(app, "queues"), app.screen._view.interfaces) == before, (size, keys)


async def test_the_filter_of_the_sessions(folder, session):
    for label in ("one", "two", "two-b"):
        session(label, {"inet4": [1.0, 2.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await read(pilot)
        await pilot.press("slash", "t", "w", "o", "enter")
        await seen(pilot, lambda: len(labels(screen)) == 2)
        await pilot.press("slash", "minus", "b")
        await seen(pilot, lambda: labels(screen) == ["two-b"])
        await pilot.press("escape")
        await seen(pilot, lambda: len(labels(screen)) == 2)
        assert screen.query_one(Filter).value == "two" and screen.focused is screen.table
        await pilot.press("escape")  # now it is the filter itself that is closed
        await seen(pilot, lambda: len(labels(screen)) == 3)
        assert not screen.query_one(Filter).display


async def test_the_search_in_the_facts_leads_back_to_the_tab_it_was_begun_from(folder, session):
    session("one", {"inet4": [1.0, 2.0]}, facts={"kernel": "n1"})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await open_first(pilot)
        focus = screen.focused
        await press(pilot, "slash", "k", "e")
        assert screen.query_one(TabbedContent).active == "tab-facts"
        await pilot.press("escape")
        await seen(pilot, lambda: screen.query_one(TabbedContent).active == "tab-series")
        await seen(pilot, lambda: screen.focused is focus)
        assert app.screen is screen
        await pilot.press("slash", "k", "e", "enter")
        await seen(pilot, lambda: not isinstance(screen.focused, Filter))
        assert screen.query_one(TabbedContent).active == "tab-facts"


async def test_the_title_of_a_report(folder, pair):
    async with previewed(folder, pair) as pilot:
        screen = pilot.app.screen
        title = screen.query_one("#title", Input).value
        command = told(pilot, "command")
        await pilot.press("t", "x", "y")
        await seen(pilot, lambda: "xy" in told(pilot, "command"))
        await pilot.press("escape")
        await seen(pilot, lambda: told(pilot, "command") == command and isinstance(screen.focused, Page))
        assert screen.query_one("#title", Input).value == title
        await pilot.press("t", "x", "y", "enter")
        await seen(pilot, lambda: "xy" in told(pilot, "command") and isinstance(screen.focused, Page))
        assert pilot.app.screen is screen


async def test_a_tab_that_fills_the_comparison(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        app.compare(pair[0], [pair[1]])
        await seen(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen._compared)
        screen = app.screen
        key = next(binding.key for binding in screen.BINDINGS if binding.action == "enlarge")
        await press(pilot, key)
        assert screen.has_class("-enlarged")
        await press(pilot, "escape")
        assert not screen.has_class("-enlarged") and app.screen is screen
        await pilot.press("escape")
        await seen(pilot, lambda: isinstance(app.screen, SessionsScreen))


async def test_every_dialog_of_a_session_leaves_it_as_it_was(folder, session):
    path = session("one", {"inet4": [1.0, 2.0]})

    def files() -> dict[Path, bytes]:
        return {found: found.read_bytes() for found in sorted(folder.rglob("*")) if found.is_file()}

    before = files()
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await read(pilot)
        for keys in ("Rx", "tx", "d", "ox"):
            await pilot.press(*keys[:1])
            await seen(pilot, lambda: app.screen.has_class("dialog"))
            await pilot.press(*keys[1:], "escape")
            await seen(pilot, lambda: isinstance(app.screen, SessionsScreen))
        await open_first(pilot)
        for keys in ("dx", "tx"):
            await pilot.press(*keys[:1])
            await seen(pilot, lambda: app.screen.has_class("dialog"))
            await pilot.press(*keys[1:], "escape")
            await seen(pilot, lambda: not app.screen.has_class("dialog"))
        assert files() == before and path.is_dir() and not app._notifications
