"""`j` and `k` move as the arrows do, on screens and in dialogs, and are text where text is typed."""

from live_pilot import blasting, settled
from sessions_rig import read
from textual import events
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from waiting import done, press, seen, until

from fwdtui.ui.common.choosers import ChooseBaseline
from fwdtui.ui.shell import keymap
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
    for label in ("a", "b", "c", "d"):
        session(label, {"inet4": [1.0, 2.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        await press(pilot, "home")
        for key in ("b", "j", "space", "j", "j", "enter"):
            app.post_message(events.Key(key, {"space": " ", "enter": None}.get(key, key)))
        await until(lambda: app.screen is not screen)
        await done(app)
        assert screen.table.cursor_row == 3
        marks = app.selection.marks
        assert marks.base is not None and len(marks.candidates) == 1 and marks.base not in marks.candidates


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


def test_no_dialog_with_a_list_is_without_them():
    without = {"Writing"}  # it has nothing to move in
    for kind in keymap._classes():
        ids = {binding.id for binding in keymap._declared(kind)}
        if issubclass(kind, ModalScreen) and "list.copy" in ids and kind.__name__ not in without:
            assert ids >= {"list.down", "list.up"} or ids >= {"dialog.down", "dialog.up"}, kind.__name__
