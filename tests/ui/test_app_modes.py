"""Live, Sessions and Compare from anywhere; each stays as it was left, and a run goes on behind them."""

from pathlib import Path

import pytest
from live_rig import LAB, Control, Rig
from textual.widgets import DataTable, OptionList
from waiting import done, press, until

from fwdtui.ui.common.bars import ModeBar
from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.compare.no_comparison import NoComparison
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.lab.doctor import DoctorScreen
from fwdtui.ui.live.bench_control import BenchControl
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.welcome import WelcomeScreen


async def settled(pilot) -> None:
    await done(pilot.app)
    await pilot.app.workers.wait_for_complete()
    await done(pilot.app)


def run_on(folder: Path) -> tuple[FwdtuiApp, Control]:
    rig = Rig()
    rig.run(20)
    control = Control(rig, folder)
    return FwdtuiApp(folder, live=control), control


def bar(app: FwdtuiApp) -> str:
    return str(app.screen.query_one(ModeBar).render())


async def test_three_keys_lead_to_three_modes_from_anywhere(folder, pair):
    app, _ = run_on(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        assert isinstance(app.screen, LiveScreen)
        for key, kind in (
            ("f3", SessionsScreen), ("f4", NoComparison), ("f2", LiveScreen), ("f4", NoComparison),
            ("f3", SessionsScreen), ("l", LiveScreen),
        ):  # fmt: skip
            await pilot.press(key)
            await settled(pilot)
            assert isinstance(app.screen, kind)


async def test_the_run_goes_on_whatever_is_shown_and_the_line_of_modes_says_so(folder, pair):
    app, control = run_on(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f3")
        await settled(pilot)
        before = control.rig.monitor.snapshot().now
        control.unfinished = True
        control.rig.run(40)
        assert "running: n311215-UDP2 ▸ forwarding.on" in bar(app)
        await pilot.press("f2")
        await settled(pilot)
        assert control.rig.monitor.snapshot().now > before and not control.closed
        assert "goes on" not in bar(app)


async def test_a_run_that_sends_nothing_is_not_said_to_be_running(folder, pair):
    """A demo whose sessions are recorded, for one, stays connected."""
    app, control = run_on(folder)
    control.generator_running = True
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f3")
        await settled(pilot)
        painted = app.screen.query_one(ModeBar)
        lines = lambda: "".join(one.text for one in painted.render_lines(painted.size.region))  # noqa: E731
        await until(lambda: "● running: n311215-UDP2 ▸ forwarding.on" in lines())
        control.generator_running = False
        await until(lambda: "● open in Live: n311215-UDP2 ▸ forwarding.on" in lines())
        assert "running" not in lines()


async def test_a_generator_that_sends_while_no_sample_comes_any_more_is_said_to_run(folder, pair):
    app, control = run_on(folder)
    control.measuring, control.generator_running, control.recorded = False, True, [folder / "s"]
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f3")
        await settled(pilot)
        assert app.elsewhere() == "running: n311215-UDP2 ▸ forwarding.on"
        control.generator_running = False
        assert app.elsewhere() == ""


async def test_each_mode_is_as_it_was_left(folder, pair, session):
    session("third", {"forwarding.off": [1.0, 2.0, 3.0]})
    app, _ = run_on(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("Z", "f3")
        await until(
            lambda: app.screen.query(DataTable) and app.screen.query(DataTable).first().row_count == 3
        )
        await settled(pilot)
        await press(pilot, "down", "down")
        row = app.screen.query(DataTable).first().cursor_row
        sessions = app.screen
        await pilot.press("f2")
        await settled(pilot)
        assert app.screen.query_one("#graph").border_subtitle == "2 min"
        await pilot.press("f3")
        await settled(pilot)
        assert app.screen is sessions and app.screen.query(DataTable).first().cursor_row == row > 0


async def test_compare_without_a_comparison_says_how_to_get_one(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f4")
        await settled(pilot)
        text = str(app.screen.query_one("#how").render())
        assert "b marks the baseline, space the candidates, and c compares them" in text
        assert "last" not in text
        await press(pilot, "escape")
        assert isinstance(app.screen, SessionsScreen)


async def test_the_last_comparison_stays_and_is_offered_again_another_day(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        app.compare(pair[0], [pair[1]])
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, CompareScreen) and app.current_mode == "compare"
        await press(pilot, "escape")
        assert isinstance(app.screen, SessionsScreen)
        await press(pilot, "f4")
        assert app.screen is screen
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f4")
        await settled(pilot)
        assert "n311215 with n311215-UDP2" in str(app.screen.query_one("#how").render())
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(app.screen, CompareScreen)


async def test_escape_in_a_comparison_goes_back_to_where_one_came_from(folder, pair):
    app, _ = run_on(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "f4", "escape")
        assert isinstance(app.screen, LiveScreen)
        app.compare(pair[0], [pair[1]])
        await settled(pilot)
        app.compare(pair[1], [pair[0]])  # another one, in place of the one that is shown
        await settled(pilot)
        await press(pilot, "escape")
        assert isinstance(app.screen, LiveScreen)
        await press(pilot, "f3", "f4", "escape")
        assert isinstance(app.screen, SessionsScreen)


async def test_another_comparison_takes_the_place_of_the_one_that_is_shown(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        app.compare(pair[0], [pair[1]])
        await settled(pilot)
        first = app.screen
        app.compare(pair[1], [pair[0]])
        await settled(pilot)
        await until(lambda: not first.is_attached)
        assert isinstance(app.screen, CompareScreen) and app.screen is not first
        assert len(app.screen_stack) == 1


async def test_without_a_run_live_is_the_welcome_and_l_is_nothing(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "l")
        assert isinstance(app.screen, SessionsScreen)
        await pilot.press("f2")
        await settled(pilot)
        assert isinstance(app.screen, WelcomeScreen)


async def test_a_run_that_is_opened_takes_the_place_of_the_welcome_and_another_closes_it(folder):
    app = FwdtuiApp(folder, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        assert isinstance(app.screen, WelcomeScreen)
        first, second = Control(Rig(), folder), Control(Rig(), folder)
        app.open(folder, live=first)
        await settled(pilot)
        assert isinstance(app.screen, LiveScreen) and app.screen.control is first
        app.open(folder, live=second)
        await settled(pilot)
        assert isinstance(app.screen, LiveScreen) and app.screen.control is second
        assert first.closed and not second.closed
        await pilot.press("q")
        await settled(pilot)
    assert second.closed


async def test_a_click_goes_to_a_mode(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert bar(app).split() == ["F2", "Live", "F3", "Sessions", "F4", "Compare"]
        await pilot.click(ModeBar, offset=(bar(app).index("Compare"), 0))
        await pilot.pause()
        assert app.current_mode == "compare"
        await pilot.click(ModeBar, offset=(2, 0))
        await pilot.pause()
        assert app.current_mode == "live"


async def test_the_line_of_modes_names_the_users_keys(folder, pair, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "fwdtui").mkdir()
    (tmp_path / "fwdtui/config.toml").write_text('[keys]\n"app.mode_live" = "ctrl+l"\n')
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert bar(app).split() == ["ctrl+l", "Live", "F3", "Sessions", "F4", "Compare"]
        await pilot.click(ModeBar, offset=(bar(app).index("Live") + len("Liv"), 0))  # it was Sessions there
        await pilot.pause()
        assert app.current_mode == "live"


async def test_the_line_of_modes_is_only_there_where_it_costs_nothing(folder, pair, subtests):
    app, _ = run_on(folder)
    async with app.run_test(size=(80, 5)) as pilot:
        for height, live, elsewhere in ((5, 0, 0), (15, 0, 0), (24, 0, 1), (40, 1, 1)):
            with subtests.test(height=height):
                await pilot.resize_terminal(80, height)
                for key, rows in (("f2", live), ("f3", elsewhere)):
                    await pilot.press(key)
                    await settled(pilot)
                    assert app.screen.size.height == height
                    assert app.screen.query_one(ModeBar).outer_size.height == rows, key


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_leaving_while_the_generator_runs_asks_first_and_ctrl_q_does_not(folder, key):
    app, control = run_on(folder)
    control.generator_running = True
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        if key == "q":
            await until(lambda: isinstance(app.screen, Confirm))
            assert not control.closed
            await pilot.press("escape")
            await until(lambda: not isinstance(app.screen, Confirm))
            assert app.is_running and not control.closed
            await pilot.press("q")
            await until(lambda: isinstance(app.screen, Confirm))
            await pilot.press("y")
        await until(lambda: control.closed)


async def test_the_window_of_the_live_screen_is_that_of_last_time(folder):
    app, _ = run_on(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "Z", "B")
    app, _ = run_on(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert app.screen.query_one("#graph").border_subtitle == "2 min"
        assert "bps" in app.screen.query_one("#numbers").plain()


async def test_the_lab_of_last_time_is_offered_where_there_is_none(folder, tmp_path, monkeypatch):
    lab = tmp_path / "elsewhere" / "lab.toml"
    lab.parent.mkdir()
    lab.write_text(LAB.format(interval=1000))
    monkeypatch.chdir(tmp_path)
    control = BenchControl(lab, folder, "s", "c")
    app = FwdtuiApp(folder, live=control)
    async with app.run_test(size=(80, 24)):
        await until(lambda: app.settings.memory.state.lab == str(lab))
    app = FwdtuiApp(folder, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        offered = app.screen.query_one(OptionList).options[-1]
        assert offered.id == "last" and str(lab.parent) in str(offered.prompt).replace("\n", "")
        await pilot.press(str(len(app.screen.query_one(OptionList).options)))
        await until(lambda: isinstance(app.screen, DoctorScreen))
        await app.workers.wait_for_complete()
    lab.unlink()
    app = FwdtuiApp(folder, welcome=True)
    async with app.run_test(size=(80, 24)):
        assert "last" not in [option.id for option in app.screen.query_one(OptionList).options]
