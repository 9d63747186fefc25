"""A disk that fills up while the app records: said on every screen until it is cured, with the path."""

from functools import partial

import pytest
import waiting
from experiment_rig import TWO, Still, experiment, running
from live_pilot import blasting, settled
from small_disk import SmallDisk

from fwdtui.store import read_session
from fwdtui.ui.common.bars import StorageBanner
from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.common.table_screen import TableScreen
from fwdtui.ui.experiment.blast_screen import BlastScreen
from fwdtui.ui.experiment.screen import ExperimentScreen
from fwdtui.ui.live.bench_control import BenchControl
from fwdtui.ui.live.heading import Heading
from fwdtui.ui.live.run_control import RunControl
from fwdtui.ui.live.run_screen import RunScreen
from fwdtui.ui.sessions.sweep_screen import SweepScreen
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.help_panel import HelpPage
from fwdtui.ui.shell.messages import MessagesScreen

FULL = "NOT SAVED  /srv/sessions/s: No space left on device"

until = partial(waiting.until, seconds=90.0)


def banner(app: FwdtuiApp) -> str:
    """What is to be read on the screen that is shown."""
    found = app.screen.query_one(StorageBanner)
    return found.said if found.display and found.size.height else ""


async def test_what_is_not_saved_stands_on_every_screen_until_it_is_saved(lab_file, small_disk):
    control = RunControl(lab_file, small_disk.folder, "s", "c", None)
    app = FwdtuiApp(small_disk.folder, live=control, live_screen=RunScreen)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: control.snapshot(0).blast is not None)
        assert banner(app) == ""
        small_disk.fill()
        await until(lambda: f"{small_disk.folder}/s: No space left on device" in banner(app))
        await until(lambda: "paused: cannot save" in app.screen.query_one(Heading).plain())
        assert not any("was cut" in event.text for event in control.snapshot(0).events)
        for size in ((80, 24), (200, 60)):
            await pilot.resize_terminal(*size)
            await until(lambda: "NOT SAVED" in banner(app))
            for key in ("f3", "f4", "f2", "m"):  # the other modes, back, and one panel alone
                await waiting.press(pilot, key)
                await until(lambda: "NOT SAVED" in banner(app))
            await waiting.press(pilot, "m")
        small_disk.empty()
        await until(lambda: banner(app) == "")
        # complete, or incomplete if a busy machine starved its blast
        assert any(event.text.startswith("Iteration 1 is ") for event in control.snapshot(0).events)
        await until(lambda: control.finished)
        await app.close_live()
    assert control.kept == 2 and control.unsaved == ""
    assert read_session(small_disk.folder / "s", verify=True).problems == ()


async def test_what_is_not_saved_stands_on_pages_and_questions_too(live, session):
    control = blasting()
    control.storage = FULL
    app, run = live(control, (80, 24))
    async with run as pilot:
        await settled(pilot)
        pages = ("T", TableScreen), ("M", MessagesScreen), ("question_mark", HelpPage), ("g", Confirm)
        for key, kind in pages:
            await waiting.press(pilot, key)
            assert isinstance(app.screen, kind)
            await until(lambda: banner(app) == FULL)
            assert app.screen.query_one(StorageBanner).region.y == 0
            await waiting.press(pilot, "escape")
        app.sweep([str(session("r1", {"inet4": [1.0, 2.0, 3.0]}))])
        await waiting.done(app)
        assert isinstance(app.screen, SweepScreen)
        await until(lambda: banner(app) == FULL)
        control.storage = ""
        await until(lambda: banner(app) == "")
        await waiting.done(app)


async def test_the_banner_of_a_question_covers_the_one_below_it(live):
    control = blasting()
    control.storage = FULL
    app, run = live(control, (200, 60))
    async with run as pilot:
        await settled(pilot)
        await until(lambda: banner(app) == FULL)
        below = app.screen.query_one(StorageBanner).region
        assert below.y == 1, "the line of the modes is above it"
        await waiting.press(pilot, "g")
        assert isinstance(app.screen, Confirm)
        await until(lambda: banner(app) == FULL)
        assert app.screen.query_one(StorageBanner).region == below


async def test_what_is_not_saved_stands_on_the_live_screen_of_an_experiment(tmp_path):
    class Full(Still):
        storage = FULL

    made = experiment(TWO)
    control = Full(made, tmp_path, running(made, 9))
    app = FwdtuiApp(tmp_path, live=control, live_screen=ExperimentScreen)
    async with app.run_test(size=(80, 24)) as pilot:
        await waiting.press(pilot, "l")
        assert isinstance(app.screen, BlastScreen)
        await until(lambda: banner(app) == FULL)


async def test_leaving_asks_while_something_is_not_saved_and_says_what_is_lost(lab_file, small_disk):
    control = BenchControl(lab_file, small_disk.folder, "s", "c")
    app = FwdtuiApp(small_disk.folder, live=control)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: control.measuring)
        small_disk.fill()
        await until(lambda: "NOT SAVED" in banner(app))
        await pilot.press("q")
        await until(lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(lambda: not app.is_running)
    assert "not everything is saved; not saved: " in app.unsaved


async def test_a_generator_is_not_started_by_hand_while_nothing_can_be_saved(lab_file, small_disk):
    control = BenchControl(lab_file, small_disk.folder, "s", "c")
    app = FwdtuiApp(small_disk.folder, live=control)
    async with app.run_test(size=(80, 24)):
        await until(lambda: control.measuring)
        small_disk.fill()
        with pytest.raises(Exception, match=r"the generator is not started: .*No space left on device"):
            await control.start_generator()
        assert not control.generator_running
        await app.close_live()


async def test_a_disk_that_is_full_from_the_start_is_said_and_nothing_is_measured(
    lab_file, small_disk: SmallDisk
):
    small_disk.fill()
    control = BenchControl(lab_file, small_disk.folder, "s", "c")
    app = FwdtuiApp(small_disk.folder, live=control)
    async with app.run_test(size=(80, 24)):
        await until(lambda: "NOTHING IS RECORDED" in banner(app))
        assert "No space left on device" in banner(app)
        assert not control.measuring and str(small_disk.folder) in banner(app)
        await app.close_live()
    assert app.unsaved
    assert [path.name for path in small_disk.folder.iterdir()] == ["filler"]


async def test_a_folder_that_is_renamed_is_told_with_its_new_place(lab_file, tmp_path):
    into = tmp_path / "sessions"
    control = BenchControl(lab_file, into, "s", "c")
    app = FwdtuiApp(into, live=control)
    async with app.run_test(size=(80, 24)):
        await until(lambda: control.measuring)
        (into / "s").rename(into / "new")
        await until(lambda: f"recording goes on in {into}/new" in banner(app))
        assert control.folder == into / "new"
        await app.close_live()
    assert app.unsaved == ""
