"""The list of sessions in groups: one key groups it, groups are folded, everything else works inside them."""

import threading
from collections.abc import Sequence

import pytest
from sessions_rig import browser, labels, lines, read, said, settled, type_text, verdicts
from textual.widgets import Input
from waiting import press, seen

from fwdtui.core.model import Session
from fwdtui.report.against import Against, against
from fwdtui.store import annotations
from fwdtui.ui.common.dialogs import Prompt
from fwdtui.ui.sessions import judging_screen
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp

MAY, JUNE = {"imported_from": "may"}, {"imported_from": "june"}


@pytest.fixture
def trees(session):
    """Two sessions of our own, three of a tree, one of another."""
    own = [session("own", {"inet4": around(1000)}, facts={"lab": "apu2"})]
    own.append(session("own-too", {"inet4": around(1002)}, facts={"lab": "apu2"}))
    may = [
        session(f"may.{n}", {"inet4": around(value)}, facts=MAY) for n, value in enumerate((900, 500, 1100))
    ]
    return [*own, *may, session("june.1", {"pf": around(7)}, facts=JUNE)]


def around(middle: float) -> list[float]:
    return [middle, middle + 1, middle - 1, middle + 2, middle - 2]


def shown(screen: SessionsScreen) -> list[str]:
    """The first words of each line of the list; the triangle of a heading belongs to them."""
    return [" ".join(line.split()[: 3 if line[1] in "▾▸" else 1]) for line in lines(screen)]


async def test_one_key_groups_by_tree_by_lab_and_not_at_all_and_the_next_start_shows_it_as_it_was(
    folder, trees
):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        await press(pilot, "G")
        assert shown(screen) == [
            *("▾ recorded here", "own", "own-too"),
            *("▾ june 1", "june.1", "▾ may 3", "may.0", "may.1", "may.2"),
        ]
        assert lines(screen)[0] == " ▾ recorded here  2 sessions" and "by result tree" in said(
            screen, "where"
        )
        assert said(screen, "session").startswith("recorded here\n2 sessions")
        # folded and unfolded; to a session's heading and back
        await press(pilot, "enter")
        assert shown(screen)[:2] == ["▸ recorded here", "▾ june 1"]
        await press(pilot, "right", "right")
        assert screen.table.current.label == "own"
        await press(pilot, "left", "left", "down", "left")
        assert shown(screen) == ["▸ recorded here", "▸ june 1", "▾ may 3", "may.0", "may.1", "may.2"]
        # a session in a folded group: the cursor stands on its heading
        await press(pilot, "end", "G")
        assert "by lab" in said(screen, "where") and screen.table.current.label == "may.2"
        assert shown(screen)[:4] == ["▾ apu2 2", "own", "own-too", "▾ no lab"]
        await press(pilot, "home", "right", "G", "G")
        assert screen.table.group.name == "recorded here"
        await press(pilot, "shift+right")
        assert shown(screen)[1] == "own"
        await press(pilot, "shift+left", "down", "right")
        assert shown(screen) == ["▸ recorded here", "▾ june 1", "june.1", "▸ may 3"]
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        assert shown(screen) == ["▸ recorded here", "▾ june 1", "june.1", "▸ may 3"]
        # a click, and another one on the same heading
        await pilot.click("#sessions", offset=(5, 4))
        await pilot.click("#sessions", offset=(5, 4))
        await seen(pilot, lambda: shown(screen)[3:5] == ["▾ may 3", "may.0"])
        await press(pilot, "G", "G")
        assert labels(screen) == ["june.1", "may.0", "may.1", "may.2", "own", "own-too"]


async def test_a_heading_counts_verdicts_and_the_list_is_sorted_by_them_within_its_groups(folder, trees):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await read(pilot)
        await press(pilot, "G", "b")
        assert app.selection.marks.base is None and "This is a group" in list(app._notifications)[-1].message
        await press(pilot, "down", "b")
        await seen(pilot, lambda: settled(screen) and "…" not in "".join(lines(screen)))
        assert [line.split("  ", 1)[1].strip() for line in lines(screen) if "▾" in line] == [
            "2 sessions  = 1 equivalent  baseline",
            "1 session   – 1 not comparable",
            "3 sessions  ▼ 2 slower  ▲ 1 faster",
        ]
        await press(pilot, *["greater_than_sign"] * 3)
        assert shown(screen)[5:] == ["▾ may 3", "may.1", "may.0", "may.2"]
        assert [shown(screen)[1], shown(screen)[2]] == ["own-too", "baseline"], "the baseline has no verdict"
        await press(pilot, "I")
        assert shown(screen)[5:] == ["▾ may 3", "may.2", "may.0", "may.1"]
        await press(pilot, "end", "up", "left")
        assert "against own, each session by its worst case\n▼ 2 slower\n▲ 1 faster" in said(
            screen, "session"
        )
        # folded, it is judged again when its data change
        await press(pilot, "left")
        for number in (1, 2, 3, 4):
            annotations.drop(trees[3], "inet4", number, "spoiled")
        await press(pilot, "f5")
        await seen(pilot, lambda: "▼ 1 slower  ? 1 inconclusive  ▲ 1 faster" in lines(screen)[-1])
        # without a baseline nothing can be sorted by its verdict
        await press(pilot, "home", "down", "down", "b")
        await seen(pilot, lambda: verdicts(screen) == [])
        assert lines(screen)[0] == " ▾ recorded here  2 sessions" and screen.sorted_by == ("date", True)
        # a baseline that is one case of a session is not what the list judges by
        app.selection.marks.base = f"{trees[0]}:inet4"
        screen.draw()
        assert verdicts(screen) == [] and "slower" not in "".join(lines(screen))


async def test_marks_filter_rename_delete_and_open_work_inside_groups(folder, trees, monkeypatch):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(200, 60)) as pilot:
        screen = await read(pilot)
        await press(pilot, "G", "shift+left", "R", "t", "d", "r", "space", "c")
        assert browser(app) is screen and app.selection.marks.candidates == []
        swept: list[Sequence[str]] = []
        monkeypatch.setattr(app, "sweep", lambda paths, instead: swept.append(paths))
        await press(pilot, "end", "S")
        assert swept == [[str(path) for path in trees[2:5]]], "a sweep over the group"
        # what is folded is found, and hidden again without the filter
        await pilot.press("slash")
        await type_text(pilot, "may.1")
        await seen(pilot, lambda: shown(screen) == ["▾ may 1", "may.1"])
        assert lines(screen)[0].endswith("1 of 3 sessions") and "1 with “may.1”" in said(screen, "where")
        await press(pilot, "enter", "left")
        await seen(pilot, lambda: shown(screen) == ["▸ may 1"])
        await press(pilot, "right", "down", "space", "escape")
        await seen(pilot, lambda: len(lines(screen)) == 3)
        assert app.selection.marks.candidates == [str(trees[3])]
        assert screen.table.group.name == "may", "the session under the cursor is in a folded group"
        await press(pilot, "right", "down", "R")
        await seen(pilot, lambda: isinstance(app.screen, Prompt))
        app.screen.query_one(Input).value = "first"
        await pilot.press("enter")
        await seen(
            pilot, lambda: shown(screen)[3:] == ["first", "may.1", "may.2"] or "first" in shown(screen)
        )
        await seen(pilot, lambda: settled(screen) and screen.table.current.label == "first")
        await press(pilot, "d", "y")
        await seen(pilot, lambda: "▾ may 2" in shown(screen) and "first" not in shown(screen))
        await press(pilot, "end", "enter")
        await seen(pilot, lambda: isinstance(app.screen, SessionScreen))
        await press(pilot, "escape")
        assert (await read(pilot)).table.current.label == "may.2"


async def test_every_session_of_a_group_is_judged_and_counted_in_view_or_not(folder, session):
    for number in range(40):
        session(f"build.r3352.{number:02}-of-a-series", {"inet4": around(1000 + 20 * number)}, facts=MAY)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        await press(pilot, "G", "down", "b")
        await seen(pilot, lambda: settled(screen) and "…" not in "".join(verdicts(screen)[2:]))
        await seen(pilot, lambda: lines(screen)[0] == " ▾ may  40 sessions  ▲ 39 faster  baseline")
        assert "judging" not in said(screen, "where")
        names = labels(screen)[1:]
        assert names == [f"build.r3352.{number:02}…ries" for number in range(40)]
        # folded far down in the list, the heading stays where it was
        await press(pilot, "end", "left")
        assert screen.table.cursor_row == 0 and len(lines(screen)) == screen.table.size.height - 1


async def test_no_key_waits_for_verdicts_and_a_long_list_says_how_many_are_there(folder, trees, monkeypatch):
    held = threading.Event()

    def slowly(base: Session, other: Session) -> Against:
        held.wait(60)
        return against(base, other)

    monkeypatch.setattr(judging_screen, "against", slowly)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await read(pilot)
        try:
            await press(pilot, "G", "down", "b")
            await seen(pilot, lambda: screen.workers)
            await press(pilot, "down", "down", "down", "space")
            assert screen.table.current.label == "june.1" and not app._in_turn._slow
            assert "judging 0 of 5 …" in said(screen, "where")
            assert any("… 3 not judged yet" in line for line in lines(screen))
            await press(pilot, "f4")
            assert all(worker.is_cancelled for worker in screen.workers if worker.node is screen)
            await press(pilot, "f3")
        finally:
            held.set()
        await seen(pilot, lambda: "judging" not in said(screen, "where"))
        assert "▼ 2 slower  ▲ 1 faster" in "".join(lines(screen))
