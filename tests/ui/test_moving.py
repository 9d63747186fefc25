"""`j` and `k` move as the arrows do, on screens and in dialogs, and are text where text is typed."""

from live_pilot import blasting, settled
from sessions_rig import read
from textual.widgets import Input, OptionList
from waiting import press, seen, until

from fwdtui.ui.common.choosers import ChooseBaseline
from fwdtui.ui.shell.app import FwdtuiApp


async def test_they_move_the_cursor_of_a_list_and_are_letters_in_a_filter(folder, session):
    for label in ("a", "b", "jk"):
        session(label, {"inet4": [1.0, 2.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        first = screen.table.cursor_row
        await press(pilot, "j", "j")
        assert screen.table.cursor_row == first + 2
        await press(pilot, "k")
        assert screen.table.cursor_row == first + 1
        await press(pilot, "slash", "j", "k")
        assert screen.query_one(Input).value == "jk"
        await seen(pilot, lambda: screen.table.row_count == 1)


async def test_a_burst_keeps_its_order(folder, session):
    for label in ("a", "b", "c"):
        session(label, {"inet4": [1.0, 2.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        wanted = screen.table.cursor_row + 1
        await press(pilot, "j", "enter")
        await until(lambda: app.screen is not screen)
        assert screen.table.cursor_row == wanted


async def test_they_move_in_dialogs_which_the_apps_own_keys_do_not_reach(live, session):
    session("one", {"inet4": [1.0, 2.0]})
    session("two", {"inet4": [1.0, 2.0]})
    app, run = live(blasting(), (80, 24))
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "b")
        await seen(pilot, lambda: isinstance(app.screen, ChooseBaseline))
        options = app.screen.query_one(OptionList)
        before = options.highlighted or 0
        await press(pilot, "j")
        assert options.highlighted == before + 1
        await press(pilot, "k")
        assert options.highlighted == before
