"""An error that nobody foresaw is told and written down; the app and what is recorded go on."""

import ast
import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_rig import Control, Rig
from textual import work
from textual.app import ComposeResult
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widgets import Button, Input, Static
from waiting import press, until

from fwdtui.core.errors import FwdtuiError
from fwdtui.ui.common import errors
from fwdtui.ui.common.errors import TroubleScreen
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.shell.app import FwdtuiApp


class Breaking(Screen[None]):
    """Fails wherever a screen can."""

    BINDINGS = [("x", "fail", "fail"), ("y", "work('worker')", "work"), ("z", "work('thread')", "work")]  # noqa: RUF012
    error: Exception = ZeroDivisionError("[red]7[/] / 0\x1b[2J")

    def __init__(self) -> None:
        super().__init__()
        self.worked = 0

    def compose(self) -> ComposeResult:
        yield Static("here", id="text")
        yield Button("press", id="press")
        yield Input(id="typed")

    def action_fail(self) -> None:
        raise self.error

    def on_button_pressed(self) -> None:
        self.worked += 1
        if self.worked == 1:
            raise self.error

    def action_work(self, kind: str) -> None:
        self.in_thread() if kind == "thread" else self.in_loop()

    @work
    async def in_loop(self) -> None:
        raise self.error

    @work(thread=True)
    def in_thread(self) -> None:
        raise self.error


class Unpaintable(Static):
    """Cannot be drawn until it is mended."""

    mended = False

    def render(self) -> str:
        if not self.mended:
            raise RuntimeError("no picture")
        return "a picture"


class Dark(Screen[None]):
    """A screen that nothing can be shown on."""

    def compose(self) -> ComposeResult:
        yield Unpaintable(id="dark")


class UnfinishedScreen(Screen[None]):
    """Fails before it is there."""

    BINDINGS = [("escape", "app.pop_screen", "back")]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        raise KeyError("no such part")

    def on_mount(self) -> None:
        raise ValueError("not mounted")


@pytest.fixture
def forgiven(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FwdtuiApp]:
    """The app as it is in a terminal, where cli/screen.py says so."""
    # put back afterwards: a test that fails by itself shall go on to fail
    monkeypatch.setattr(MessagePump, "_dispatch_message", MessagePump._dispatch_message)
    errors.survive()
    rig = Rig()
    rig.run(20)
    app = FwdtuiApp(folder, live=Control(rig, folder))
    app.forgiving = True
    yield app


def told(app: FwdtuiApp) -> list[str]:
    return [notice.message for notice in app._notifications if notice.title == "Something went wrong"]


def logged(text: str) -> str:
    """What the file that a message names has in it."""
    return Path(text.rpartition("bug report: ")[2].strip()).read_text()


@pytest.mark.parametrize("key", ["x", "y", "z"])
async def test_an_action_and_a_worker_that_fail_are_told_in_words(forgiven, key):
    app = forgiven
    async with app.run_test(size=(100, 30)) as pilot:
        await app.push_screen(Breaking())
        app.screen.query_one("#press").focus()
        await pilot.press(key)
        await until(lambda: bool(told(app)))
        text = told(app)[0]
        assert text.startswith("ZeroDivisionError: [red]7[/] / 0") and "\x1b" not in text
        assert "The app and any recording go on." in text
        written = logged(text)
        assert "Traceback" in written and "ZeroDivisionError" in written


def test_no_worker_of_the_app_is_told_to_fail_unseen():
    """With exit_on_error=False Textual says nothing when a worker fails; else `Trouble.tell` gets it."""
    for file in Path(errors.__file__).parent.rglob("*.py"):
        calls = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
        assert not any(word.arg == "exit_on_error" for call in calls for word in call.keywords), file


async def test_a_screen_whose_handler_failed_answers_the_next_time(forgiven):
    app = forgiven
    async with app.run_test(size=(100, 30)) as pilot:
        screen = Breaking()
        await app.push_screen(screen)
        screen.query_one(Button).press()
        await until(lambda: bool(told(app)))
        screen.query_one(Button).press()
        await until(lambda: screen.worked == 2)
        await pilot.click("#typed")
        await press(pilot, *"words")
        assert screen.query_one(Input).value == "words"


async def test_an_expected_error_is_one_line_without_a_word_about_bugs(forgiven):
    app = forgiven
    async with app.run_test(size=(100, 30)) as pilot:
        screen = Breaking()
        screen.error = FwdtuiError("lab.toml: dut.in: no such interface")
        await app.push_screen(screen)
        app.screen.query_one("#press").focus()
        await pilot.press("x")
        await until(lambda: bool(told(app)))
        assert told(app) == ["lab.toml: dut.in: no such interface"]


async def test_an_error_that_comes_again_and_again_is_told_once(forgiven, monkeypatch):
    app = forgiven
    async with app.run_test(size=(100, 30)) as pilot:

        def fail(self: LiveScreen) -> None:
            raise RuntimeError("ten times a second")

        monkeypatch.setattr(LiveScreen, "_take", fail)
        looked = app.screen._ticks
        await until(lambda: app.screen._ticks > looked + 5)
        await pilot.pause()
        assert len(told(app)) == 1
        monkeypatch.undo()
        await press(pilot, "space", "space")
        assert app.is_running and "paused" not in app.screen.query_one("#heading-line").plain()


async def test_a_screen_that_cannot_be_drawn_gives_way_to_one_that_says_so(forgiven):
    app = forgiven
    async with app.run_test(size=(100, 30)) as pilot:
        dark = Dark()
        app.push_screen(dark)
        await until(lambda: isinstance(app.screen, TroubleScreen))
        await pilot.pause()
        text = str(app.screen.query_one("#how").render())
        assert "RuntimeError: no picture" in text and "F2 F3 F4" in text
        dark.query_one(Unpaintable).mended = True
        await pilot.press("escape")
        await until(lambda: app.screen is dark)
        await pilot.pause()
        assert "a picture" in app.export_screenshot().replace("&#160;", " ")
        await press(pilot, "f3")
        assert app.current_mode == "sessions"


async def test_a_screen_that_fails_before_it_is_there_can_be_left(forgiven):
    app = forgiven
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(UnfinishedScreen())
        await until(lambda: len(told(app)) == 2)
        assert any("no such part" in text for text in told(app))
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, LiveScreen))


@pytest.mark.parametrize("key", ["x", "y", "z"])
async def test_tests_are_not_forgiven(folder, key):
    app = FwdtuiApp(folder)
    with pytest.raises(Exception, match=r"7.* / 0"):
        async with app.run_test(size=(100, 30)) as pilot:
            await app.push_screen(Breaking())
            app.screen.query_one("#press").focus()
            await pilot.press(key)
            await asyncio.sleep(0.2)


async def test_the_recording_goes_on_through_an_error_of_the_screen(forgiven, tmp_path):
    from fwdtui.labs.simulated.lab import SimulatedLab
    from fwdtui.ui.live.bench_control import BenchControl

    async with SimulatedLab() as lab:
        control = BenchControl(lab.lab_toml, tmp_path / "into", "s", "c")
        app = FwdtuiApp(tmp_path / "into", live=control)
        app.forgiving = True
        async with app.run_test(size=(100, 30)) as pilot:

            def samples() -> int:
                return sum(path.stat().st_size for path in (tmp_path / "into").rglob("*.jsonl"))

            end = time.monotonic() + 30.0
            while not samples():
                assert time.monotonic() < end, "nothing is recorded"
                await asyncio.sleep(0.05)
            await app.push_screen(Breaking())
            before = samples()
            app.screen.query_one("#press").focus()
            await pilot.press("x", "y", "enter")
            await until(lambda: bool(told(app)))
            await until(lambda: samples() > before + 1000, 20.0)
            await app.close_live()
