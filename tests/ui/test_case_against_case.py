"""Cases of one session, or of two, compared by marking their rows."""

from compare_rig import active, press, row, settled, shown
from sessions_rig import read
from waiting import rest, until

from fwdtui.report import comparison
from fwdtui.ui.common.selection import Marks
from fwdtui.ui.compare import case_table
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.report.preview import PreviewScreen
from fwdtui.ui.sessions.iteration_table import CaseTable, IterationTable
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.shell.app import FwdtuiApp


async def test_two_cases_of_a_session_are_marked_and_compared(folder, session):
    session("one", {"inet4": [100.0, 101.0, 102.0], "inet6": [90.0, 91.0, 92.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await read(pilot)
        await press(pilot, "enter")
        await until(
            lambda: isinstance(app.screen, SessionScreen) and app.screen.query_one(CaseTable).row_count
        )
        app.screen.query_one(CaseTable).focus()
        await press(pilot, "b", "down", "space")
        cases = app.screen.query_one(CaseTable)
        assert [str(cases.get_row_at(place)[0]) for place in (0, 1)] == ["B", "C"]
        await press(pilot, "c")
        await settled(pilot)
        assert isinstance(app.screen, CompareScreen)
        assert row(pilot, 0)["case"] == "inet4 / inet6" and row(pilot, 0)["n"] == "3/3"
        for key, tab in (("4", "iterations"), ("9", "statistics")):
            await press(pilot, key)
            assert active(pilot) == tab and shown(pilot, tab)
        await press(pilot, "e")
        await until(lambda: isinstance(app.screen, PreviewScreen))


async def test_a_session_that_is_read_again_while_a_key_is_handled_shows_the_case_under_the_cursor(
    folder, session
):
    session("one", {"inet4": [100.0, 101.0, 102.0], "inet6": [90.0, 91.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await read(pilot)
        await press(pilot, "enter")
        await until(lambda: isinstance(app.screen, SessionScreen) and app.screen._view)
        cases = app.screen.query_one(CaseTable)
        cases.focus()
        await press(pilot, "down", "up")
        cases.move_cursor(row=1, animate=False)  # what a key does at once; its message comes later
        app.screen._show(app.screen._view)
        await rest(app)
        assert cases.current == "inet6" and app.screen.query_one(IterationTable).row_count == 2


def test_a_case_remains_marked_as_long_as_its_session_is_there() -> None:
    marks = Marks()
    marks.baseline("/s/one:inet4")
    marks.candidate("/s/two:inet6")
    marks.keep({"/s/one"})
    assert (marks.base, marks.candidates) == ("/s/one:inet4", [])
    marks.keep(set())
    assert marks.base is None
    marks.baseline("/s/one:udp:64")
    marks.keep({"/s/one"})
    assert marks.base == "/s/one:udp:64"


def test_marks_that_went_with_a_session_come_back_with_it_unless_another_baseline_is_marked() -> None:
    marks = Marks()
    marks.baseline("/s/one:inet4")
    for path in ("/s/two", "/s/one:inet6"):
        marks.candidate(path)
    gone = marks.of("/s/one")
    assert (gone.base, gone.candidates) == ("/s/one:inet4", ["/s/one:inet6"])
    marks.keep({"/s/two"})
    marks.again(gone)
    assert (marks.base, marks.candidates) == ("/s/one:inet4", ["/s/two", "/s/one:inet6"])
    marks.baseline("/s/two")
    marks.again(gone)
    assert (marks.base, marks.candidates) == ("/s/two", ["/s/one:inet6"])


def test_chosen_cases_are_looked_up_under_their_own_names_and_none_is_missing(session) -> None:
    one = session("one", {"inet4": [100.0, 101.0, 102.0], "inet6": [90.0, 91.0, 92.0]})
    paths = [one.with_name("one:inet4"), one.with_name("one:inet6")]
    compared = comparison.judge(comparison.load(paths), 1.0, 95.0)
    (judged,) = compared.judged
    assert judged.comparison.case == "inet4 / inet6" and compared.unpaired == []
    base, other = compared.sides
    assert [one.value for one in comparison.used(other, "inet4 / inet6")] == [90.0, 91.0, 92.0]
    first = comparison.used(base, "inet4 / inet6")[0]
    assert comparison.folder(base, "inet4 / inet6", first) == one / "inet4" / "001"


def test_the_matrix_has_every_comparison_of_chosen_cases(session) -> None:
    one = session("one", {name: [100.0, 101.0, 102.0] for name in ("inet4", "inet6", "pf")})
    two = session("two", {"inet4": [90.0, 91.0, 92.0]})
    paths = [one.with_name(f"one:{name}") for name in ("inet4", "inet6", "pf")]
    compared = comparison.judge(comparison.load([*paths, two.with_name("two:inet4")]), 1.0, 95.0)
    grid = case_table.matrix(compared, 160, Styles({}))
    assert [str(row[0]) for row in grid.rows] == ["inet4", "inet4 / inet6", "inet4 / pf"]
    there = [entry for row in grid.entries for entry in row[2:] if entry is not None]
    assert sorted(map(id, there)) == sorted(map(id, compared.judged))


def test_a_case_of_one_side_never_seems_to_be_in_the_side_that_lacks_it(session) -> None:
    values = [100.0, 101.0, 102.0]
    base = session("n311215", {"inet4": values, "pf": values})
    other = session("n311215-D27401", {"inet4": values, "ipfw": values})
    compared = comparison.judge(comparison.load([base, other]), 1.0, 95.0)
    grid = case_table.listing(compared, 5.0, 80, Styles({}))
    told = {str(row[0]): " ".join(map(str, row)) for row in grid.rows}
    assert "only in n311215 " in told["pf"] and "in n311215-D27401" not in told["pf"]
    assert "only in n31121…D27401 " in told["ipfw"]
