"""The sessions browser: find a session among many, mark what is to be compared, keep order among them."""

import pytest
from sessions_rig import browser, column, heads, labels, read, said, settled, type_text, verdicts
from textual.widgets import DataTable, Input
from waiting import press, rest, seen

from fwdtui.core.model import Caution
from fwdtui.store import annotations, lock
from fwdtui.store.reader import read_session
from fwdtui.ui.common.dialogs import Confirm, Prompt
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.shell.app import FwdtuiApp


@pytest.fixture
def three(folder, session):
    """Three builds, and facts and notes to find them by."""
    return [
        session("n1", {"inet4": [100.0, 102.0, 101.0]}, facts={"lab": "apu2", "dut.kernel": "15.0-CURRENT"}),
        session("n2", {"inet4": [300.0], "pf": [50.0]}, facts={"lab": "xeon"}),
        session("n3", {"inet4": [200.0]}, warnings=[Caution("outage", "It fell.")]),
    ]


async def test_the_list_shows_more_where_there_is_room_is_sorted_and_its_sessions_are_opened(folder, three):
    annotations.annotate(three[2], "fan was loud")
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        assert heads(screen) == "|session|date ▼|iter|median of each case, pps|!"
        assert column(screen, "median") == ["inet4 101", "inet4 300  pf 50", "inet4 200"]
        await pilot.resize_terminal(200, 50)
        await seen(pilot, lambda: "kernel" in heads(screen))
        assert heads(screen) == "|session|date ▼|lab|kernel|cases|iter|median of each case, pps|warn"
        assert column(screen, "kernel") == ["15.0-CURRENT", "", ""]

        await pilot.resize_terminal(120, 40)
        await rest(app)
        assert "101 pps   spread  1.98 %   n 3   ▁█▅" in said(screen, "session")
        await pilot.press("down", "enter")
        await seen(pilot, lambda: isinstance(app.screen, SessionScreen) and "n2" in said(app.screen, "where"))
        await pilot.press("escape")
        await read(pilot)
        assert screen.table.current.label == "n2"
        await pilot.press("down")
        await seen(pilot, lambda: "note fan was loud" in said(screen, "session"))
        assert "! outage inet4: iteration 1: it fell." in said(screen, "session")

        await pilot.resize_terminal(120, 30)
        await press(pilot, *["greater_than_sign"] * 3, "less_than_sign")
        assert "median of each case, pps ▼" in heads(screen) and labels(screen) == ["n2", "n3", "n1"]
        await press(pilot, "I")
        assert "median of each case, pps ▲" in heads(screen) and labels(screen) == ["n1", "n3", "n2"]
        assert await pilot.click("#sessions", offset=(14, 0))
        await seen(pilot, lambda: "session ▲" in heads(screen))
        assert labels(screen) == ["n1", "n2", "n3"]
        await pilot.click("#sessions", offset=(14, 0))
        await seen(pilot, lambda: "session ▼" in heads(screen))
        assert labels(screen) == ["n3", "n2", "n1"]


async def test_a_list_that_is_drawn_again_while_a_key_is_handled_keeps_the_cursor(folder, three):
    """New verdicts draw it, at any time; the key's own message may still be under way."""
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await read(pilot)
        for before in ((), ("end", "home")):
            await press(pilot, *before)
            screen.table.move_cursor(row=2, animate=False)  # what a key does at once
            screen.draw()
            await rest(app)
            assert screen.table.current.label == labels(screen)[2]
            screen.table.move_cursor(row=0, animate=False)
            await rest(app)


async def test_the_filter_looks_at_label_case_kernel_and_lab_as_it_is_typed(folder, three, subtests):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await read(pilot)
        for wanted, found in (("n2", ["n2"]), ("PF", ["n2"]), ("current", ["n1"]), ("apu", ["n1"])):
            with subtests.test(wanted):
                await pilot.press("slash")
                await type_text(pilot, wanted)
                await seen(pilot, lambda found=found: labels(screen) == found)
                assert f"1 with “{wanted}”" in said(screen, "where")
                await pilot.press("escape")
                await seen(pilot, lambda: len(labels(screen)) == 3)
                assert screen.focused is screen.table

        await pilot.press("slash", "z", "z", "enter")  # nothing is found, and the way back is said
        await seen(pilot, lambda: labels(screen) == [])
        assert "Esc shows all" in said(screen, "session")
        await press(pilot, "b", "d", "enter")
        assert browser(app) is screen
        await pilot.press("escape")
        await seen(pilot, lambda: len(labels(screen)) == 3)


async def test_marks_and_the_cursor_survive_filter_sort_and_reload(folder, three, session):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(140, 30)) as pilot:
        screen = await read(pilot)
        await pilot.press("down", "b", "down", "space")
        wanted = {"n2": "baseline", "n3": "candidate", "n1": ""}

        def marks():
            return dict(zip(labels(screen), column(screen, "mark"), strict=True))

        assert marks() == wanted
        await pilot.press("greater_than_sign", "I", "slash", "n", "2", "enter")
        await seen(pilot, lambda: labels(screen) == ["n2"])
        assert marks() == {"n2": "baseline"}
        await pilot.press("escape")
        session("n4", {"inet4": [1.0]})
        await pilot.press("f5")
        await seen(pilot, lambda: "n4" in labels(screen))
        assert marks() == wanted | {"n4": ""}
        assert screen.table.current.label == "n3"


async def test_the_only_two_are_marked_by_themselves_until_there_is_a_third(folder, pair, session):
    """Else what nobody has marked would be swept, and the third would be one more candidate."""
    app = FwdtuiApp(folder)
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await read(pilot)
        assert column(screen, "mark") == ["baseline", "candidate"]
        assert "baseline n311215  candidate n311215-UDP2   the only two: c compares" in said(screen, "where")
        # a verdict is never that of data which have changed
        await pilot.resize_terminal(120, 40)
        await seen(pilot, lambda: verdicts(screen) == ["", "▼ −45.55 % (+2)"])
        annotations.drop(pair[1], "forwarding.off", 1, "spoiled")
        await press(pilot, "f5")
        await seen(pilot, lambda: verdicts(screen)[1].startswith("▼ −45.5") and "!" in verdicts(screen)[1])
        await press(pilot, "down")
        await seen(pilot, lambda: "! dropped" in said(screen, "session"))

        session("n3", {"inet4": [1.0]})
        await pilot.press("f5")
        await seen(pilot, lambda: "n3" in labels(screen) and settled(screen))
        assert column(screen, "mark") == ["", "", ""]


async def test_all_marks_are_removed_by_one_key_and_esc_leaves_them(folder, three):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(140, 30)) as pilot:
        screen = await read(pilot)
        await press(pilot, "b", "down", "space", "down", "space", "escape")
        assert sorted(column(screen, "mark")) == ["baseline", "candidate", "candidate"]
        await press(pilot, "U")
        assert column(screen, "mark") == ["", "", ""]
        assert (app.selection.marks.base, app.selection.marks.candidates) == (None, [])
        await press(pilot, "U")
        told = [note.message for note in app._notifications]
        assert told == ["3 marks removed.", "Nothing is marked."]


async def test_two_sessions_are_not_marked_again_after_their_marks_were_removed(folder, session):
    for label in ("n1", "n2"):
        session(label, {"inet4": [1.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(140, 30)) as pilot:
        screen = await read(pilot)
        assert sorted(column(screen, "mark")) == ["baseline", "candidate"]
        await press(pilot, "U", "f5")
        assert column(screen, "mark") == ["", ""]


async def test_compare_asks_for_what_is_not_marked_and_its_mode_says_what_is(folder, three):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await read(pilot)
        await press(pilot, "c", "b", "space", "c")
        assert browser(app) is screen
        told = [note.message for note in app._notifications]
        unmark = "This is the baseline: press b to unmark it, then it can be a candidate."
        assert told == ["Mark a baseline with b first.", unmark, "Mark a candidate with space first."]
        assert "mark a candidate with space" in said(screen, "where")
        await pilot.press("f4")
        await seen(pilot, lambda: "also mark a candidate with space" in said(app.screen, "how"))
        await pilot.press("f3", "down", "space", "f4")
        await seen(pilot, lambda: "Marked: n1 with n2. Press F3, then c" in said(app.screen, "how"))
        await press(pilot, "f3", "space")
        assert app.selection.marks.candidates == []
        # on another session it is clear what is meant
        await press(pilot, "c")
        await seen(pilot, lambda: isinstance(app.screen, CompareScreen))
        assert app.selection.marks.candidates == [str(three[1])]


async def test_with_a_baseline_each_session_has_its_worst_verdict_and_the_rest_beside_the_list(
    folder, pair, session
):
    session("alone", {"ipfw": [5.0, 6.0, 7.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        assert labels(screen) == ["alone", "n311215", "n311215-UDP2"] and verdicts(screen) == []
        await press(pilot, "down", "b")
        await seen(pilot, lambda: verdicts(screen) == ["–", "", "▼ −45.55 % (+2)"])
        await press(pilot, "down")
        shown = said(screen, "session")
        assert "against n311215\nforwarding.off ▼ slower" in shown and "forwarding.on  ▲ faster" in shown
        await press(pilot, "up", "up")
        assert "against n311215  no case in common: n311215 has forwarding.off" in said(screen, "session")
        await press(pilot, "down", "b")
        await seen(pilot, lambda: verdicts(screen) == [])


async def test_every_size_draws_and_is_left_again(folder, three):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(20, 5)) as pilot:
        screen = await read(pilot)
        for size in ((20, 5), (40, 12), (250, 70)):
            await pilot.resize_terminal(*size)
            await rest(app)
            assert screen.query_one(DataTable).row_count == 3
            await pilot.press("down", "greater_than_sign", "slash", "n", "escape")
            await pilot.resize_terminal(90, 30)
            await seen(pilot, lambda: "date" in heads(screen))


async def test_a_new_label_and_a_note_are_kept_beside_the_session_and_undone_one_by_one(folder, three):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await read(pilot)
        recorded = (three[0] / "session.toml").read_bytes()
        await pilot.press("R")
        await seen(pilot, lambda: isinstance(app.screen, Prompt))
        app.screen.query_one(Input).value = "radix [red]fix[/]"
        await pilot.press("enter")
        await seen(pilot, lambda: "radix [red]fix[/]" in labels(screen))
        await pilot.press("t")
        await seen(pilot, lambda: isinstance(app.screen, Prompt))
        await type_text(pilot, "loud fan")
        await pilot.press("ctrl+s")
        await seen(pilot, lambda: read_session(three[0]).note == "loud fan")
        assert (three[0] / "session.toml").read_bytes() == recorded
        await read(pilot)
        await pilot.press("u")
        await seen(pilot, lambda: read_session(three[0]).note == "")
        await pilot.press("ctrl+z")
        await seen(pilot, lambda: "n1" in labels(screen))
        await pilot.press("u")
        await seen(pilot, lambda: any("nothing to undo" in note.message for note in app._notifications))


async def test_deleting_asks_moves_to_the_trash_and_comes_back(folder, three):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await read(pilot)
        await pilot.press("down", "d")
        await seen(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("enter")
        await read(pilot)
        assert labels(screen) == ["n1", "n2", "n3"], "a stray Enter deletes nothing"
        await pilot.press("b", "d")
        await seen(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await seen(pilot, lambda: labels(screen) == ["n1", "n3"])
        assert not three[1].exists() and app.selection.marks.base is None
        await pilot.press("u")
        await seen(pilot, lambda: labels(screen) == ["n1", "n2", "n3"])
        assert three[1].is_dir() and app.selection.marks.base == str(three[1]), "with its mark"


async def test_a_session_being_recorded_is_listed_as_that_and_cannot_be_deleted(folder, three):
    held = lock.take(three[0] / lock.RECORDING)
    app = FwdtuiApp(folder)
    try:
        async with app.run_test(size=(120, 30)) as pilot:
            screen = await read(pilot)
            assert column(screen, "median")[0].startswith("being recorded")
            assert "is being recorded" in said(screen, "session")
            await pilot.press("d")
            await seen(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press("y")
            await seen(pilot, lambda: any("recording into" in note.message for note in app._notifications))
            assert three[0].is_dir()
    finally:
        held.release()


async def test_damaged_and_unfinished_sessions_are_listed_and_explained(folder, three):
    (three[0] / "session.toml").write_text("label = ")
    (three[1] / "pf" / "001" / "iteration.json").unlink()
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await read(pilot)
        assert labels(screen) == ["n2", "n3", "n1"]
        assert column(screen, "median")[2] == "damaged: see below"
        assert column(screen, "iterations")[0] == "1/2"
        assert "unfinished: it has no iteration.json" in said(screen, "session")
        await pilot.press("end")
        await seen(pilot, lambda: "session.toml" in said(screen, "session"))
        await press(pilot, "b", "enter")
        assert browser(app) is screen and app.selection.marks.base != str(three[0])


async def test_an_empty_folder_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my results").mkdir()
    app = FwdtuiApp(tmp_path / "my results")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        for way in (
            "fwdtui demo",
            "import DIR --into 'my results'",
            "live --into 'my results'",
            "another folder",
        ):
            assert way in said(screen, "way")
        await press(pilot, "c", "b", "enter", "d", "greater_than_sign", "slash")
        assert browser(app) is screen and not app._notifications


async def test_no_key_is_typed_into_a_filter_that_is_hidden(tmp_path, session, folder):
    """A hidden list loses the focus, and a dialog that closes gives it to the first that may have it."""
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        screen.set_focus(None)
        await press(pilot, "ctrl+p")
        await press(pilot, "escape", "escape")
        assert browser(app) is screen and not isinstance(app.focused, Input)
        await pilot.press("o")
        await seen(pilot, lambda: isinstance(app.screen, Prompt))
        await press(pilot, "escape")
        session("n1", {"inet4": [100.0]})
        screen.set_focus(None)
        await press(pilot, "f5")
        await seen(pilot, lambda: labels(screen) == ["n1"])
        assert app.focused is screen.table


async def test_a_folder_that_is_not_there_has_a_way_on(tmp_path, folder, three):
    app = FwdtuiApp(tmp_path / "nowhere")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        assert "no such folder of sessions" in said(screen, "way")
        await pilot.press("o")
        await seen(pilot, lambda: isinstance(app.screen, Prompt))
        app.screen.query_one(Input).value = str(folder)
        await pilot.press("enter")
        await seen(pilot, lambda: labels(screen) == ["n1", "n2", "n3"])


async def test_long_names_that_differ_only_in_their_middle_differ_in_the_list_too(folder, session):
    builds = [f"FreeBSD-16.0-CURRENT-main-n31121{number}-GENERIC-NODEBUG-amd64-apu2" for number in (5, 6, 7)]
    for build in builds[:2]:
        session(build, {"inet4": [100.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        first = labels(screen)
        assert len(set(first)) == 2 and ["5" in first[0], "6" in first[1]] == [True, True], first
        session(builds[2], {"inet4": [100.0]})
        await pilot.press("f5")
        await seen(pilot, lambda: len(labels(screen)) == 3 and not screen.reading)
        assert len(set(labels(screen))) == 3


async def test_only_the_sessions_in_view_are_judged_until_others_scroll_into_it(folder, session):
    for number in range(40):
        session(f"n{number:02}", {"inet4": [100.0 + number, 102.0 + number, 101.0 + number]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        await press(pilot, "b")
        height = screen.table.size.height
        await seen(pilot, lambda: verdicts(screen)[1][0] in "▲▼=?")
        await seen(pilot, lambda: settled(screen) and "…" not in verdicts(screen)[: height - 1])
        assert verdicts(screen)[height:] == ["…"] * (40 - height)
        await press(pilot, "end")
        await seen(pilot, lambda: verdicts(screen)[-1][0] in "▲▼=?")


async def test_names_are_in_the_order_of_the_numbers_in_them(folder, session):
    for number in (1, 2, 10, 11):
        session(f"q.{number}", {"inet4": [1.0, 2.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await read(pilot)
        names = [row.label for family in screen.table.families() for row in family]
        assert names == ["q.1", "q.2", "q.10", "q.11"]
