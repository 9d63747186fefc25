"""What became of a demo: where it is, that it is found again, and that nothing empty is left behind."""

from pathlib import Path

import pytest
from live_pilot import asked, blasting, settled
from textual.widgets import OptionList
from waiting import seen

from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter
from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.demo import demo_control, demo_folders
from fwdtui.ui.demo.demo_control import DemoControl
from fwdtui.ui.demo.stage import SimulatedStage
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp


def played(folder: Path, iterations: int = 1) -> None:
    with SessionWriter.create(folder / "1-one", label="1-one", created="2026-01-01T00:00:00+00:00") as writer:
        for _ in range(iterations):
            writing = writer.begin("forwarding.inet4")
            writing.commit(Iteration(index=writing.index, value=1e6))


def offered(app: FwdtuiApp) -> list[str | None]:
    return [option.id for option in app.screen.query_one(OptionList).options]


async def test_the_welcome_offers_the_sessions_of_the_last_demo_that_recorded_something(tmp_path: Path):
    mine = demo_folders.new("simulated")
    played(mine)
    played(demo_folders.new("simulated"), iterations=0)
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        assert offered(app)[-1] == "recorded"
        await pilot.press(str(len(offered(app))))
        await seen(pilot, lambda: isinstance(app.screen, SessionsScreen))
        assert app.sessions == mine


async def test_without_a_demo_nothing_is_offered_of_it(tmp_path: Path):
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(80, 24)):
        assert "recorded" not in offered(app)


@pytest.mark.parametrize("iterations", [0, 1])
async def test_a_demo_folder_is_kept_when_something_was_measured_and_else_removed(iterations: int):
    control = demo_control.simulated()
    played(control.into, iterations)
    await control.close()
    assert control.into.is_dir() is (iterations > 0)


async def test_a_folder_that_the_user_named_is_not_removed_with_what_is_in_it(tmp_path: Path):
    control = demo_control.simulated(into=tmp_path / "own")
    played(control.into, 0)
    await control.close()
    assert (tmp_path / "own" / "1-one" / "session.toml").is_file()


@pytest.mark.parametrize(("running", "title"), [(True, "the generator runs"), (False, "a blast is measured")])
async def test_leaving_in_a_blast_asks_and_names_the_folder_and_the_keys(live, tmp_path, running, title):
    control = blasting()
    control.sessions = tmp_path / "sessions"
    control.generator_running, control.unfinished = running, True
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("q")
        await asked(pilot, Confirm)
        question = str(app.screen.query_one("#question").render())
        assert f"Leave while {title}?" in question
        assert str(tmp_path / "sessions") in question.replace("\n", "")
        labels = [str(app.screen.query_one(name).label) for name in ("#yes", "#no")]
        assert labels == ["y  leave", "n  stay"]
        await pilot.press("y")
        await seen(pilot, lambda: control.closed)


async def test_the_question_before_leaving_follows_what_the_run_does(live, tmp_path):
    """A demo goes on behind it: its generator ends, and starts again."""
    control = blasting()
    control.sessions = tmp_path / "sessions"
    control.generator_running = control.unfinished = True
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("q")
        await asked(pilot, Confirm)
        question = app.screen.query_one("#question")
        assert "Leave while the generator runs?" in str(question.render())
        control.generator_running = False
        await seen(pilot, lambda: "Leave while a blast is measured?" in str(question.render()), 5.0)
        control.unfinished = False
        await seen(
            pilot, lambda: str(question.render()).startswith("Leave?\n\nWhat was recorded so far"), 5.0
        )
        control.generator_running = True
        await seen(pilot, lambda: "Leave while the generator runs?" in str(question.render()), 5.0)
        await pilot.press("y")
        await seen(pilot, lambda: control.closed)


async def test_a_lab_that_is_closed_while_its_generator_starts_has_nothing_to_end_later(tmp_path: Path):
    control = DemoControl(SimulatedStage(), tmp_path)

    class Closed:
        """A session that is closed before its generator has started."""

        async def start_generator(self) -> None:
            control._run = None

    control._run = Closed()  # type: ignore[assignment]
    await control.start_generator()
    assert control._ending is None
