"""Names, keys, notes and messages are shown as they are written: nothing of them is ever read as markup."""

from collections.abc import Callable
from pathlib import Path

import pytest
import waiting
from live_rig import LAB, Control, Rig
from textual.command import CommandList, CommandPalette
from textual.widgets import Input
from waiting import done, press

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import parse
from fwdtui.core.model import Caution, Iteration, Summary
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.store import SessionWriter, annotations
from fwdtui.transport.errors import UnknownHostKey
from fwdtui.ui.common import choosers, dialogs
from fwdtui.ui.common.errors import TroubleScreen
from fwdtui.ui.lab.doctor import DoctorScreen
from fwdtui.ui.lab.new_lab import NewLabScreen
from fwdtui.ui.replay.choose import ChooseRecording
from fwdtui.ui.report.dialogs import Destination
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.welcome import WelcomeScreen

# One that nothing can read as markup, and one that would be read: neither it nor a part of it would be shown,
# and a click on it would end the app. A backslash before a bracket is what is lost where one is escaped.
NAMES = ("[/]\\[", "[red]x[@click=app.quit]y[/]")
FILE_NAME = "[red]x\\["  # a folder cannot have a stroke in its name
SIZE = 200, 60


def screen_text(app: FwdtuiApp) -> str:
    """What stands on the screen, line by line; dialogs, notices and tooltips with it."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def until(app: FwdtuiApp, wanted: str | Callable[[], object]) -> str:
    """Wait until this stands on the screen, or is true."""
    await done(app)  # to look at the whole screen is work
    await waiting.until(lambda: wanted in screen_text(app) if isinstance(wanted, str) else wanted())
    assert app._exception is None
    return screen_text(app)


def record(folder: Path, name: str, number: int) -> Path:
    """A session whose every text is `name`; the folder too, as far as a folder can be called that."""
    path = folder / f"{number}{name.replace('/', '')}"
    facts = {"kernel": f"kernel {name}", f"fact {name}": f"value {name}"}
    with SessionWriter.create(
        path, label=f"label {name}", created="2026-01-02T03:04:05+00:00", facts=facts
    ) as w:
        for place in range(5):
            value = 1000.0 + place + 100 * number
            writing = w.begin(f"case {name}")
            writing.attach("receiver.log", f"log {name}\n".encode())
            writing.commit(
                Iteration(
                    0,
                    value,
                    metrics={"received": Summary(value, value, value, value, 60)},
                    warnings=(Caution(f"code {name}", f"warning {name}"),),
                    limit=Caution(f"limit {name}", f"because {name}"),
                )
            )
    annotations.annotate(path, f"note {name}")
    annotations.drop(path, f"case {name}", 5, f"reason {name}")
    return path


class Hostile(Rig):
    """The lab of the live screen's tests with a name that is markup, in every place that a lab names."""

    def __init__(self, name: str) -> None:
        super().__init__()
        quoted = name.replace("\\", "\\\\")
        text = LAB.format(interval=1000).replace('"apu2"', f'"lab {quoted}"')
        self.lab = parse(text.replace("pkt-gen -f tx", f"pkt-gen {quoted}"))
        self.monitor = Monitor(self.lab)


def control(name: str, folder: Path) -> Control:
    rig = Hostile(name)
    rig.run(70)
    rig.event("host-lost", f"event {name}", "dut")
    found = Control(rig, folder)
    found.where = found.case = f"case {name}"
    found.generator_command = f"gen: pkt-gen {name}"
    return found


@pytest.mark.parametrize("name", NAMES)
async def test_the_sessions_and_one_of_them(name: str, folder):
    path = record(folder, name, 1)
    app = FwdtuiApp(folder, note=f"note on the folder {name}")
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        text = await until(app, f"note {name}")
        for wanted in ("label", "kernel", "case", "note on the folder"):
            assert f"{wanted} {name}" in text
        for key in ("R", "t", "d"):
            await pilot.press(key)
            await until(app, lambda: app.screen.has_class("dialog") and app.screen.is_running)
            await until(app, f"label {name}")
            await pilot.press("escape")
        app.open_session(path)
        text = await until(app, f"reason {name}")
        assert f"label {name}" in text and f"code {name}" in text
        seen_there = (f"warning {name}", f"log {name}", "dmesg", f"case {name}", f"value {name}")
        for key, seen in zip("23456", seen_there, strict=True):
            await pilot.press(key)
            await until(app, seen)
        await pilot.press("d")
        await until(app, f"of case {name}")


@pytest.mark.parametrize("name", NAMES)
async def test_the_comparison_and_its_report(name: str, folder):
    base, other = record(folder, name, 1), record(folder, name, 2)
    annotations.rename(other, f"other {name}")
    app = FwdtuiApp(folder)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        app.compare(base, [other])
        text = await until(app, "faster")
        for wanted in ("label", "other", "case"):
            assert f"{wanted} {name}" in text
        for _ in range(8):
            await press(pilot, "tab")
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert f"case {name}" in screen_text(app)
        await pilot.press("e")
        text = await until(app, "not written yet")
        assert f"label {name}" in text and f"other {name}" in text
        await pilot.press("x")
        await until(app, "```")
        await pilot.press("e")
        await until(app, lambda: isinstance(app.screen, Destination))
        app.screen.query_one(Input).value = f"nowhere {name.replace('/', '')}/report.md"
        await until(app, f"nowhere {name.replace('/', '')}")


@pytest.mark.parametrize("name", NAMES)
async def test_the_live_screen_its_dialogs_and_its_notices(name: str, folder):
    record(folder, name, 1)
    app = FwdtuiApp(folder, live=control(name, folder))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        text = await until(app, f"event {name}")
        assert f"case {name}" in text
        await pilot.press("g")
        await until(app, f"pkt-gen {name}")
        await press(pilot, "escape", "b")
        await until(app, f"label {name}")
        await press(pilot, "escape")
        app.screen._trouble(f"title {name}", FwdtuiError(f"message {name}"))  # type: ignore[attr-defined]
        text = await until(app, f"message {name}")
        assert f"title {name}" in text
        app.notify(f"notice {name}", markup=True)
        await until(app, f"notice {name}")
        for screen in (
            choosers.ChooseInterfaces((f"if {name}", "b"), ()),
            choosers.ChooseScenario((f"if {name}",)),
            dialogs.Prompt(f"if {name}", [f"line {name}"], name, does=name, hint=name, needed=name),
            dialogs.Confirm(f"if {name}", [f"line {name}"], f"y {name}", f"n {name}"),
            dialogs.host_key(UnknownHostKey(f"if {name}", name, 22, name, name, name, name)),
            TroubleScreen(f"if {name}", name),
            DoctorScreen(Path(f"if {name}")),
            WelcomeScreen(folder, name, last=None),
            NewLabScreen(Path(f"if {name}")),
        ):
            app.push_screen(screen)
            await until(app, lambda screen=screen: screen.is_running)
            if not isinstance(screen, (WelcomeScreen, NewLabScreen)):
                await until(app, f"if {name}")
            await press(pilot, "escape")
            if screen is app.screen:
                app.pop_screen()


async def test_a_recording_is_chosen_by_a_name_that_looks_like_markup(folder):
    record(folder, FILE_NAME, 1)
    app = FwdtuiApp(folder)
    async with app.run_test(size=SIZE, notifications=True):
        app.push_screen(ChooseRecording(folder, None))
        await until(app, f"1{FILE_NAME}")


async def test_the_palette_lists_and_finds_it(folder):
    record(folder, FILE_NAME, 1)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(200, 100), notifications=True) as pilot:  # high enough for every action
        await pilot.press("ctrl+p")
        await until(app, f"session: 1{FILE_NAME}")
        await pilot.press(*f"1{FILE_NAME}")
        await until(app, lambda: app.screen.query_one(CommandList).option_count == 1)
        assert f"session: 1{FILE_NAME}" in screen_text(app)


async def test_the_palette_of_the_replay_has_its_keys_as_they_are():
    app = FwdtuiApp(Path(__file__).parents[1] / "recorded")
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        app.replay(Path(__file__).parents[1] / "recorded" / "no-rules")
        await until(app, "[/] speed")
        await pilot.press("ctrl+p")
        await until(app, "speed  (])")
        await pilot.press(*"speed")
        await until(app, lambda: app.screen.query_one(CommandList).option_count < 4)
        assert "speed  (])" in screen_text(app)
        assert isinstance(app.screen, CommandPalette)


async def test_a_tooltip_of_a_key_that_looks_like_markup_is_drawn(folder):
    app = FwdtuiApp(Path(__file__).parents[1] / "recorded")
    async with app.run_test(size=SIZE, tooltips=True) as pilot:
        app.replay(Path(__file__).parents[1] / "recorded" / "no-rules")
        line = (await until(app, "[/] speed")).split("\n")[-1]
        await pilot.hover(offset=(line.index("[/]"), SIZE[1] - 1))
        await until(app, "Faster")
        await pilot.press("question_mark")
        await until(app, "[ ")  # the key panel has them one by one
