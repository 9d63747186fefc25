"""The app that opens on a comparison, as `fwdtui compare --tui` does: all cases, or the same one of each."""

from collections.abc import Sequence
from pathlib import Path

from compare_rig import press, rows, settled, shown
from sessions_rig import said
from waiting import until

from fwdtui.store import drop
from fwdtui.ui.common.ports import FirstComparison
from fwdtui.ui.common.state import Memory, folder
from fwdtui.ui.compare.no_comparison import NoComparison
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.sessions.session_table import SessionTable
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp


def opened(pair: Sequence[Path], case: str = "") -> FwdtuiApp:
    specs = [Path(f"{path}{case}") for path in pair]
    first = FirstComparison(specs, pair, lambda: CompareScreen(specs[0], specs[1:], 2.0, 99.0))
    app = FwdtuiApp(pair[0].parent, comparison=first)
    app.animation_level = "none"
    return app


def remembered() -> tuple[str, ...]:
    """What the next start offers."""
    return Memory(folder() / "state.json").state.comparison


async def test_it_is_the_first_screen_and_escape_leads_to_its_sessions_marked(pair):
    app = opened(pair)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, CompareScreen)
        assert "‹ 2 % ›" in shown(pilot, "heading") and "‹ 99 % ›" in shown(pilot, "heading")
        await press(pilot, "escape")
        assert isinstance(app.screen, SessionsScreen)
        table = app.screen.query_one(SessionTable)
        listed = [[str(cell).strip() for cell in table.get_row_at(row)[:2]] for row in range(table.row_count)]
        marks = {name: mark for mark, name in listed}
        assert "baseline".startswith(marks["n311215"].lower()) and marks["n311215"]
        assert "candidate".startswith(marks["n311215-UDP2"].lower()) and marks["n311215-UDP2"]


async def test_one_case_of_each_is_compared_alone_and_offered_again_at_the_next_start(pair):
    app = opened(pair, ":pf.inet4")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(remembered)  # after the first frame
        await settled(pilot)
        assert [row[0] for row in rows(pilot)] == ["pf.inet4"] and rows(pilot)[0][1] == "5/5"
        drop(pair[0], "pf.inet4", 1, "spoiled")
        await press(pilot, "f3", "f4")  # it is read again when its session changes
        assert rows(pilot)[0][1] == "4/5"
        await press(pilot, "o")
        assert isinstance(app.screen, SessionScreen)
        await press(pilot, "f4")  # the comparison is behind it, in the same mode
        assert [row[0] for row in rows(pilot)] == ["pf.inet4"]
    assert remembered() == tuple(f"{path}:pf.inet4" for path in pair)
    app = FwdtuiApp(pair[0].parent)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "f4")
        assert isinstance(app.screen, NoComparison)
        await press(pilot, "enter")
        assert [row[0] for row in rows(pilot)] == ["pf.inet4"]
    pair[1].rename(pair[1].with_name("elsewhere"))
    app = FwdtuiApp(pair[0].parent)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "f4")
        assert app.screen.check_action("last", ()) is False, "a session of it is gone"


async def test_the_next_start_repeats_it_with_its_settings_and_so_does_the_command(pair):
    async with opened(pair).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "plus")
        await settled(pilot)
        assert "‹ 3 % ›" in shown(pilot, "heading")
        await until(lambda: Memory(folder() / "state.json").state.compared_how.margin == 3.0)
    app = FwdtuiApp(pair[0].parent)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "f4")
        names = " with ".join(path.name for path in pair)
        assert f"repeats the last comparison: {names} --margin 3% --confidence 99" in said(app.screen, "how")
        assert app.screen.to_copy().text.endswith(f"{pair[1]} --margin 3% --confidence 99")
        await press(pilot, "enter")
        await settled(pilot)
        assert "‹ 3 % ›" in shown(pilot, "heading") and "‹ 99 % ›" in shown(pilot, "heading")


async def test_what_was_made_of_a_comparison_is_in_the_command_that_is_told_after_leaving(pair):
    app = FwdtuiApp(pair[0].parent)
    async with app.run_test(size=(120, 40)) as pilot:
        app.compare(pair[0], [pair[1]])
        await settled(pilot)
        assert (app.compared, app.compared_how.options()) == ([*pair], [])
        await press(pilot, "plus", "b")  # a wider margin, and the candidate as the baseline
        await settled(pilot)
        assert (app.compared, app.compared_how.options()) == ([*pair[::-1]], ["--margin", "2%"])
