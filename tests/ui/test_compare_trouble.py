"""A comparison or report that cannot be loaded says so where it would be, and can be tried again."""

import threading
from dataclasses import replace

import pytest
from compare_rig import comparing, press, row, settled, shown
from preview_rig import told
from textual.widgets import DataTable
from waiting import seen

from fwdtui.core.model import Caution, Iteration
from fwdtui.report import comparison, export
from fwdtui.report.comparison import Compared
from fwdtui.report.sides import Side
from fwdtui.store import SessionWriter
from fwdtui.ui.common import errors
from fwdtui.ui.compare import case_table
from fwdtui.ui.compare.details import VerdictTabs
from fwdtui.ui.compare.factor_choice import ChooseFactors
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.compare.tab_texts import heading
from fwdtui.ui.compare.time_series import SeriesRead
from fwdtui.ui.draw.styles import Styles

LONG = RuntimeError("the first line of it\n" + "and more\n" * 20)


@pytest.mark.parametrize("place", [(comparison, "judge"), (case_table, "listing")], ids=["read", "draw"])
async def test_whatever_fails_is_told_in_place_and_enter_tries_again(folder, pair, monkeypatch, place):
    def fail(*args: object) -> None:
        raise LONG

    monkeypatch.setattr(*place, fail)
    async with comparing(pair, (80, 24)) as pilot:
        text = shown(pilot, "heading")
        assert "Cannot compare these: RuntimeError: the first line of it (details: " in text
        assert "and more" not in text and "Enter or F5 tries again" in text
        assert not pilot.app.screen.query_one(DataTable).loading
        assert not list(pilot.app._notifications)
        monkeypatch.undo()
        await press(pilot, "enter")
        assert row(pilot, 0)["verdict"] == "▼ slower"


async def test_a_report_that_fails_is_told_in_place_and_what_cannot_be_compared_any_more_has_none(
    folder, pair, monkeypatch
):
    """That of the comparison before would be of what is not there."""

    def fail(*args: object) -> None:
        raise LONG

    async with comparing(pair) as pilot:
        screen = pilot.app.screen
        assert screen.check_action("retry", ()) is False, "nothing failed"
        with monkeypatch.context() as patched:
            patched.setattr(export, "plan", fail)
            await press(pilot, "e")
            await seen(pilot, lambda: "F5 tries again" in told(pilot, "heading"))
            assert "RuntimeError: the first line of it" in told(pilot, "heading")
        await press(pilot, "f5")
        await seen(pilot, lambda: "fwdtui report" in told(pilot, "command"))
        await press(pilot, "escape")

        await press(pilot, "down")  # the cursor stays on its case when the sessions are read again
        entry = screen._entry()
        for path in pair:
            with SessionWriter(path) as writer:
                for value in (5.0, 5.1, 5.2):
                    writer.begin("a.first").commit(Iteration(0, value))
        await press(pilot, "f5")
        assert row(pilot, 0)["case"] == "a.first"
        assert screen._entry().comparison.case == entry.comparison.case

        (pair[1] / "session.toml").write_text("no session any more")
        await press(pilot, "f5")
        assert "Cannot compare these" in shown(pilot, "heading")
        await press(pilot, "e")
        assert isinstance(pilot.app.screen, CompareScreen)
        offered = {one.binding.action.partition("(")[0] for one in pilot.app.screen.active_bindings.values()}
        assert offered >= {"retry", "back", "again"}
        assert not offered & {"export", "replay", "next_tab", "enlarge", "zoom", "iteration"}


async def test_advice_of_the_screen_before_is_gone_and_escape_takes_along_what_was_said_here(folder, pair):
    async with comparing(pair) as pilot:
        app = pilot.app
        app.notify("u takes it back")
        app.notify("a host is gone", severity="error")
        app.push_screen(CompareScreen(pair[0], [pair[1]]))
        await settled(pilot)
        assert [one.message for one in app._notifications] == ["a host is gone"]
        await press(pilot, "escape")
        assert not list(app._notifications)


def test_an_error_is_one_short_line():
    assert errors.in_short(RuntimeError("one\ntwo")) == "RuntimeError: one"
    assert errors.in_short(RuntimeError()) == "RuntimeError"
    assert len(errors.in_short(RuntimeError("x" * 1000))) == 120


async def test_factors_that_cannot_be_compared_are_asked_about_again_on_this_screen_only(folder, pair):
    async with comparing(pair) as pilot:
        app, screen = pilot.app, pilot.app.screen
        await press(pilot, "f3")
        other = app.screen
        screen._view = replace(screen._view, by="x")
        screen._refused("no two levels of x are left")
        await pilot.pause(0.7)
        assert app.screen is other
        assert [note.message for note in app._notifications] == ["The dialog is in Compare: press F4."]
        await press(pilot, "f4")
        await seen(pilot, lambda: isinstance(app.screen, ChooseFactors))


async def test_what_was_read_of_a_recording_before_f5_is_not_shown_after_it(folder, pair, monkeypatch):
    go_on, begun, old = threading.Event(), threading.Event(), SeriesRead.read
    reads = []

    def waits(path, session):
        reads.append(path)
        begun.set()
        go_on.wait(30)
        return old(path, session)

    monkeypatch.setattr(SeriesRead, "read", staticmethod(waits))
    async with comparing(pair) as pilot:
        tabs = pilot.app.screen.query_one(VerdictTabs)
        tabs.open("time")
        await seen(pilot, begun.is_set)
        before = tabs._series_read
        tabs.forget()
        go_on.set()
        await settled(pilot)
        assert tabs._series_read is not before
        assert len(reads) == 4, "both were read again"


def test_the_heading_says_how_many_more_notes_there_are_and_where():
    left_out = [
        Caution("left-out", f"{name} cannot be read and is left out: {name}/session.toml: damaged")
        for name in ("b", "c")
    ]
    sides = tuple(Side(name, name, {}, False) for name in ("base", "a"))

    def noted(count: int, width: int) -> str:
        compared = Compared(sides, (), left_out=tuple(left_out[:count]), given=("base", "a"))
        return heading(compared, width, Styles({}), legend=False).plain.split("\n")[-1]

    assert noted(1, 120) == "! b cannot be read and is left out: b/session.toml: damaged"
    assert noted(2, 120) == f"{noted(1, 120)} (and 1 more)", "no row is compared: there is no tab to see"
    assert noted(2, 60).endswith(" (and 1 more)") and len(noted(2, 60)) <= 60
