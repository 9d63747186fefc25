"""The live screen asks before traffic, before a new host is trusted, and loses nothing when it is left."""

import asyncio
from types import SimpleNamespace

import msgspec
import pytest
from live_pilot import asked, blasting, settled, text
from live_rig import LAB, Control, Rig
from sessions_rig import read, type_text
from textual import events
from waiting import done, press, seen

from fwdtui.collectors.source import LabSource
from fwdtui.monitor.run.lab_tools import LabTools
from fwdtui.transport.errors import ChangedHostKey, UnknownHostKey
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool
from fwdtui.ui.common.choosers import ChooseInterfaces
from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.live.bench_control import BenchControl
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.leaving import _asked


async def test_starting_the_generator_asks_first_and_shows_the_command(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("g")
        await asked(pilot, Confirm)
        assert "pkt-gen -f tx -i igb0 [bold]-l 60[/]" in str(app.screen.query_one("#question").render())
        await pilot.press("enter")
        await settled(pilot)
        assert not control.generator_running, "Enter alone starts nothing"
        await pilot.press("g")
        await asked(pilot, Confirm)
        await pilot.press("y")
        await settled(pilot)
        assert control.generator_running and "generator running" in text(app, "heading-line")
        await pilot.press("g")
        await asked(pilot, Confirm)
        assert "Stop the generator?" in str(app.screen.query_one("#question").render())
        await pilot.press("y")
        await settled(pilot)
        assert not control.generator_running


class Slow(Control):
    """Its generator is started and stopped when `may` is set."""

    def __init__(self, rig: Rig) -> None:
        super().__init__(rig)
        self.may = asyncio.Event()
        self.begun: list[str] = []

    async def start_generator(self) -> None:
        self.begun.append("started")
        await self.may.wait()
        await super().start_generator()

    async def stop_generator(self) -> None:
        self.begun.append("stopped")
        await self.may.wait()
        await super().stop_generator()


@pytest.mark.parametrize("done_to_it", ["started", "stopped"])
async def test_g_neither_cancels_nor_repeats_a_start_or_stop_that_is_under_way_but_says_so(live, done_to_it):
    control = Slow(Rig())
    control.generator_running = done_to_it == "stopped"
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("g")
        await asked(pilot, Confirm)
        await pilot.press("y")
        await seen(pilot, lambda: isinstance(app.screen, LiveScreen) and control.begun)
        await seen(pilot, lambda: f"generator being {done_to_it}" in text(app, "heading-line"))
        await pilot.press("g")
        await seen(pilot, lambda: notices(app))
        assert f"The generator is being {done_to_it}. Wait until it " in notices(app)[0]
        assert isinstance(app.screen, LiveScreen), "nothing is asked"
        control.may.set()
        await settled(pilot)
        assert control.begun == [done_to_it]
        assert control.generator_running == (done_to_it == "started")
        assert "being" not in text(app, "heading-line")


async def test_where_only_the_receiver_still_runs_no_generator_is_said_to_run(live):
    control = blasting()
    control.generator_running = control.only_receiver = True
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        heading = text(app, "heading-line")
        assert "receiver running" in heading and "generator" not in heading
        for pressed, asks in (("g", "Stop the receiver?"), ("q", "Leave while the receiver runs?")):
            await pilot.press(pressed)
            await asked(pilot, Confirm)
            assert asks in str(app.screen.query_one("#question").render())
            await pilot.press("n")
            await settled(pilot)


@pytest.mark.parametrize(
    ("start", "stop", "says"),
    [
        ("pkt-gen -f tx", None, "It will be stopped, and what was recorded so far will be saved"),
        (
            "sudo trafgen",
            "sudo pkill trafgen",
            "It will be stopped by its stop command, and what was recorded so far",
        ),
        (
            "sudo trafgen",
            None,
            "Programs started through sudo may keep running: lab.toml has no stop command for them.",
        ),
    ],
)
def test_leaving_says_only_what_is_known_of_the_generator(start, stop, says):
    control = blasting()
    control.generator_running = True
    (generator,) = control.lab.generators
    generator = msgspec.structs.replace(generator, start=start, stop=stop)
    control.lab = msgspec.structs.replace(control.lab, generators=(generator,), receiver=None)
    assert _asked(control)[1][0].startswith(says)


def test_what_may_still_run_on_the_hosts_is_told_after_leaving(tmp_path):
    (tmp_path / "lab.toml").write_text(LAB.format(interval=1000))
    control = BenchControl(tmp_path / "lab.toml", tmp_path, "s", "c")
    app = FwdtuiApp(tmp_path, live=control)
    assert app.left == ""
    control._bench = SimpleNamespace(left=["trafgen on gen may still run", "x"])  # type: ignore[assignment]
    assert app.left == "trafgen on gen may still run; x"


@pytest.mark.parametrize(
    ("ended", "running", "only"),
    [((), True, False), (("generator",), True, True), (("generator", "receiver"), False, False)],
)
def test_a_bench_knows_what_of_its_tools_still_runs(tmp_path, ended, running, only):
    (tmp_path / "lab.toml").write_text(LAB.format(interval=1000))
    control = BenchControl(tmp_path / "lab.toml", tmp_path, "s", "c")
    assert (control.generator_running, control.only_receiver) == (False, False)
    pool = SshPool(SshSettings())
    tools = LabTools(pool, tmp_path / "lab.toml", LabSource(control.lab, pool))
    tools.running = [
        SimpleNamespace(origin=SimpleNamespace(role=role), ended="ended" if role in ended else None)  # type: ignore[misc]
        for role in ("receiver", "generator")
    ]
    control._bench = SimpleNamespace(tools=tools)  # type: ignore[assignment]
    assert (control.generator_running, control.only_receiver) == (running, only)


def key(kind: type, **more) -> UnknownHostKey | ChangedHostKey:
    return kind("dut", "192.0.2.7", 22, "ssh-ed25519", "SHA256:abcDEF", **more)


async def test_a_first_key_is_confirmed_with_its_fingerprint(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        error = key(UnknownHostKey, pattern="dut", public_key="ssh-ed25519 AAAA")
        for answer in ("n", "y"):
            answered = asyncio.ensure_future(control.ask(error))
            await asked(pilot, Confirm)
            assert "SHA256:abcDEF" in str(app.screen.query_one("#question").render())
            await press(pilot, answer)
            assert await answered is (answer == "y")


async def test_a_changed_key_is_told_and_never_offered(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        error = key(ChangedHostKey, known="SHA256:old", pattern="dut")
        answered = asyncio.ensure_future(control.ask(error))
        await asked(pilot, Confirm)
        assert "THE HOST KEY HAS CHANGED" in str(app.screen.query_one("#question").render())
        assert not app.screen.query("#yes")
        await pilot.press("y")
        await pilot.pause(0.1)
        assert not answered.done()
        await press(pilot, "escape")
        assert await answered is False


async def test_two_unknown_hosts_are_asked_about_one_after_the_other(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        error = key(UnknownHostKey, pattern="dut", public_key="k")
        both = [asyncio.ensure_future(control.ask(error)) for _ in range(2)]
        await asked(pilot, Confirm)
        await settled(pilot)
        assert [type(one).__name__ for one in app.screen_stack].count("Confirm") == 1
        first = app.screen
        await pilot.press("y")
        await seen(pilot, lambda: app.screen is not first and isinstance(app.screen, Confirm))
        await asked(pilot, Confirm)
        await press(pilot, "n")
        assert await asyncio.gather(*both) == [True, False]


UNKNOWN = key(UnknownHostKey, pattern="dut", public_key="ssh-ed25519 AAAA")


def notices(app) -> list[str]:
    return [f"{note.title}. {note.message}" for note in app._notifications]


@pytest.mark.parametrize("word", ["by", "in"])  # with a letter that would trust the key, or refuse it
async def test_a_key_is_not_asked_about_under_the_letters_of_a_note(live, session, word):
    session("base", {"forwarding.on": [900000, 910000]})
    control = blasting()
    app, run = live(control, (120, 40))
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "f3")
        await read(pilot)
        await press(pilot, "t")
        typing = app.screen
        answered = asyncio.ensure_future(control.ask(UNKNOWN))
        waits = ["dut: accept its host key?. The dialog is in Live: press F2."]
        await seen(pilot, lambda: notices(app) == waits)
        await type_text(pilot, word)
        await pilot.pause(1.0)  # longer than somebody who types lets pass
        assert app.screen is typing and typing.query_one("#typed").text == word and not answered.done()
        assert notices(app) == waits
        await press(pilot, "escape", "f2")
        await asked(pilot, Confirm)
        assert notices(app) == []
        await press(pilot, "y")
        assert await answered is True


async def test_a_key_is_not_asked_about_above_what_is_open_on_the_live_screen(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "ctrl+p")  # the commands, in which text is typed
        commands = app.screen
        answered = asyncio.ensure_future(control.ask(UNKNOWN))
        await seen(pilot, lambda: any("is behind this screen: press Esc" in one for one in notices(app)))
        await pilot.pause(0.8)
        assert app.screen is commands and not answered.done()
        await press(pilot, "escape")
        await asked(pilot, Confirm)
        await press(pilot, "n")
        assert await answered is False


async def test_a_key_pressed_before_the_question_could_be_seen_is_no_answer(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        early = events.Key("y", "y")  # dated here, whenever it is read
        answered = asyncio.ensure_future(control.ask(UNKNOWN))
        await seen(pilot, lambda: isinstance(app.screen, Confirm), 5.0)
        app.post_message(early)
        await done(app)
        assert isinstance(app.screen, Confirm) and not answered.done()
        await asked(pilot, Confirm)
        await press(pilot, "y")
        assert await answered is True


async def test_a_question_does_not_come_while_keys_are_pressed(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "Z")
        answered = asyncio.ensure_future(control.ask(UNKNOWN))
        for _ in range(6):
            await press(pilot, "p")
            await pilot.pause(0.1)
        assert isinstance(app.screen, LiveScreen) and notices(app) == []
        await asked(pilot, Confirm)
        await press(pilot, "n")
        assert await answered is False


async def test_a_question_of_a_run_that_is_left_is_refused(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "f3")
        await read(pilot)
        answered = asyncio.ensure_future(control.ask(UNKNOWN))
        await seen(pilot, lambda: notices(app))
        app.open(control.sessions, live=blasting())
        assert await answered is False
        await seen(pilot, lambda: not any("accept its host key" in one for one in notices(app)))


async def test_chosen_interfaces_are_what_is_shown(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        assert "igb1 rx" in text(app, "queues") and "igb2 tx" in text(app, "queues")
        await pilot.press("i")
        await asked(pilot, ChooseInterfaces)
        await pilot.press("down", "space", "enter")  # without the DUT's input
        await settled(pilot)
        assert "igb1" not in text(app, "queues") and "igb2 tx" in text(app, "queues")
        assert "dut igb1" not in text(app, "interfaces") and "dut igb2" in text(app, "interfaces")
        await pilot.press("i")
        await asked(pilot, ChooseInterfaces)
        await pilot.press("a")
        await settled(pilot)
        assert "igb1 rx" in text(app, "queues")


async def test_leaving_closes_the_control_so_that_nothing_is_lost(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("q")
        await seen(pilot, lambda: control.closed and not app.is_running)
    assert control.ask is None and not app.is_running


async def test_f3_goes_to_the_sessions_and_l_comes_back_to_the_same_picture(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("Z", "f3")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(app.screen, SessionsScreen) and not control.closed
        looks = control.looks
        control.rig.run(85)
        await pilot.pause(0.25)  # two looks, if it looked
        assert control.looks == looks, "what is not seen is not drawn"
        await pilot.press("l")
        await settled(pilot)
        assert isinstance(app.screen, LiveScreen) and "quiet" in text(app, "heading-line")
        assert app.screen.query_one("#graph").border_subtitle == "2 min"
