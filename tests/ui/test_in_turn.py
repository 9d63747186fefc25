"""Keys that come in one burst do what they do when they are typed slowly; a paste is text, or nothing."""

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from live_rig import Control, Rig
from sessions_rig import labels, read
from textual import events
from textual.keys import _character_to_key
from textual.widgets import Input, TextArea
from waiting import done, until

from fwdtui.store import read_session
from fwdtui.ui.common.dialogs import Confirm, Prompt
from fwdtui.ui.common.filter import Filter
from fwdtui.ui.lab.new_lab import NewLabScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp

_NAMES = {"⏎": "enter", "⎋": "escape", "␣": "space", "↓": "down", "⇥": "tab", "†": "ctrl+s", "‡": "ctrl+p"}


def keys(text: str) -> list[events.Key]:
    """What a terminal sends for this text; the signs above stand for keys without a letter."""
    found = []
    for letter in text:
        name = _NAMES.get(letter) or _character_to_key(letter)
        found.append(events.Key(name, " " if letter == "␣" else None if letter in _NAMES else letter))
    return found


def burst(app: FwdtuiApp, text: str) -> None:
    """All at once, as the terminal's driver hands on what it read in one piece."""
    assert app._driver is not None
    for key in keys(text):
        key.set_sender(app)
        app._driver.send_message(key)


async def slowly(app: FwdtuiApp, text: str) -> None:
    """One after the other, as somebody types who waits for what each of them does."""
    for key in keys(text):
        key.set_sender(app)
        assert app._driver is not None
        app._driver.send_message(key)
        await done(app)


async def paste(app: FwdtuiApp, text: str) -> None:
    event = events.Paste(text)
    event.set_sender(app)
    assert app._driver is not None
    app._driver.send_message(event)
    await done(app)


def state(app: FwdtuiApp, folder: Path) -> dict[str, object]:
    """Where the keys led: the screen, what has the focus, what was typed, marked, and written to disk."""
    screen = app.screen
    fields = [(field.id, field.value) for field in screen.query(Input)]
    areas = [(area.id, area.text) for area in screen.query(TextArea)]
    marks = app.selection.marks
    sessions = {path.parent.name: read_session(path.parent) for path in sorted(folder.glob("*/session.toml"))}
    return {
        "mode": app.current_mode,
        "screens": [type(one).__name__ for one in app.screen_stack],
        "focus": app.focused.id if app.focused else None,
        "fields": fields,
        "areas": areas,
        "marks": (marks.base and Path(marks.base).name, [Path(one).name for one in marks.candidates]),
        "sessions": {
            name: (one.label, one.note, [[i.dropped for i in case.iterations] for case in one.cases])
            for name, one in sessions.items()
        },
        "rows": labels(screen) if isinstance(screen, SessionsScreen) else None,
    }


async def led_to(tmp_path: Path, make: Callable[[Path], None], text: str, at_once: bool) -> dict[str, object]:
    folder = tmp_path / ("burst" if at_once else "slow")
    folder.mkdir()
    make(folder)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await read(pilot)
        await until(lambda: app.screen.query_one("SessionTable").row_count)
        if at_once:
            burst(app, text)
            await done(app)
        else:
            await slowly(app, text)
        await pilot.pause()
        return state(app, folder)


@pytest.fixture
def make(session, folder) -> Callable[[Path], None]:
    values = [1000.0 + n for n in range(5)]
    for number, label in enumerate(("plain", "rules-10", "rules-100", "slow")):
        session(label, {"inet4": [v + 100 * number for v in values], "inet6": values})

    def copy(into: Path) -> None:
        shutil.copytree(folder, into, dirs_exist_ok=True)

    return copy


@pytest.mark.parametrize(
    "text",
    [
        "/ru⎋d⎋/slow⏎t",  # Esc in a field is a key as any other
        "/rules⏎b↓␣c",  # the mark goes to the row that is left, not to the one that was on top
        "/slow⏎d",
        "R name with x and y⏎d",  # a question that a worker asks
        "tone⏎two†",
        "⏎dthe cable⏎⎋u",
        "⏎2⇥⎋/pl",
        "b↓␣cetmy title⏎",
        "‡theme⏎",
        "obad⎋",
    ],
)
async def test_keys_sent_at_once_do_what_they_do_when_they_are_typed(text: str, tmp_path, make):
    assert await led_to(tmp_path, make, text, True) == await led_to(tmp_path, make, text, False)


async def test_the_letters_of_a_filter_are_no_commands(tmp_path, make):
    found = await led_to(tmp_path, make, "/rules", True)
    assert found["fields"] == [("filter", "rules")]
    assert found["rows"] is not None and sorted(found["rows"]) == ["rules-10", "rules-100"]  # type: ignore[call-overload]


async def test_esc_in_the_form_waits_for_the_keys_before_it_and_loses_none_after_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(100, 30)):
        await until(lambda: app.screen.query("#choices"))
        await done(app)
        burst(app, "3ab⏎cd⎋nef")  # leave? no: the answer leads back to the field
        await done(app)
        assert isinstance(app.screen, NewLabScreen)
        fields = app.screen.fields()
        assert (fields.name, fields.generator_host) == ("ab", "cdef")


async def test_what_is_typed_into_the_form_lands_in_its_fields(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(100, 30)):
        await until(lambda: app.screen.query("#choices"))
        await done(app)
        burst(app, "3ab⏎cd⏎ef")
        await done(app)
        assert isinstance(app.screen, NewLabScreen)
        fields = app.screen.fields()
        assert (fields.name, fields.generator_host, fields.generator_interface) == ("ab", "cd", "ef")
        assert app.focused is app.screen.query_one("#generator_interface")


async def test_a_question_from_the_live_screen_is_answered_by_the_key_after_it(folder):
    rig = Rig()
    rig.run(70)
    control = Control(rig, folder)
    app = FwdtuiApp(folder, live=control)
    async with app.run_test(size=(100, 30)):
        await until(lambda: app.screen.query("#queues"))
        await done(app)
        burst(app, "gygn")  # start: yes; stop: no
        await until(lambda: control.generator_running)
        await done(app)
        assert control.generator_running and len(app.screen_stack) == 1
        burst(app, "Bz␣B")
        await done(app)
        assert app.screen._view.paused and app.screen._view.unit == "pps"  # type: ignore[attr-defined]


async def test_the_key_that_leaves_waits_for_nothing(tmp_path, make):
    make(tmp_path)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await read(pilot)
        app.run_worker(asyncio.sleep(60))
        begun = time.monotonic()
        burst(app, "b↓␣")
        app._driver.send_message(events.Key("ctrl+q", None))  # type: ignore[union-attr]
        await until(lambda: not app.is_running)
        assert time.monotonic() - begun < 2.0


async def test_whoever_sees_the_screen_is_not_kept_waiting_by_what_it_loads(tmp_path, make):
    make(tmp_path)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await read(pilot)
        await asyncio.sleep(0.6)
        app.run_worker(asyncio.sleep(60))
        burst(app, "d")
        await until(lambda: isinstance(app.screen, Confirm), 2.5)
        await until(lambda: app.screen.is_mounted and app.focused)  # before that it cannot be left


# pastes


async def test_a_paste_into_a_screen_without_a_line_presses_no_keys(tmp_path, make):
    make(tmp_path)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await read(pilot)
        before = state(app, tmp_path)
        await paste(app, "xy\nq")
        assert state(app, tmp_path) == before and app.is_running
        assert any("Nothing here takes text" in one.message for one in app._notifications)


async def test_a_paste_into_a_filter_is_what_it_looks_for(tmp_path, make):
    make(tmp_path)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await read(pilot)
        burst(app, "/")
        await paste(app, "rules\n  100\x1b[2J\r\n")
        assert app.screen.query_one(Filter).value == "rules 100[2J"
        await paste(app, "x")
        burst(app, "⏎")
        await done(app)
        assert isinstance(app.screen, SessionsScreen)


async def test_a_paste_of_lines_into_the_form_fills_its_fields_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await read(pilot)
        app.push_screen(NewLabScreen(tmp_path / "lab.toml"))
        await done(app)
        await paste(app, "apu2\nroot@gen\nix0\n")
        assert isinstance(app.screen, NewLabScreen)
        fields = app.screen.fields()
        assert (fields.name, fields.generator_host, fields.generator_interface) == ("apu2", "root@gen", "ix0")
        await paste(app, "\n".join("abcdefghijkl"))
        assert not (tmp_path / "lab.toml").exists() and isinstance(app.screen, NewLabScreen)
        assert any("left out" in one.message for one in app._notifications)


async def test_a_note_keeps_the_lines_of_a_paste(tmp_path, make):
    make(tmp_path)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await read(pilot)
        burst(app, "t")
        await paste(app, "one\r\ntwo\n")
        assert isinstance(app.screen, Prompt)
        assert app.screen.query_one(TextArea).text == "one\ntwo"
