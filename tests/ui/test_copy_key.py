"""What is put into the clipboard: plain text that runs nothing; and a file, for terminals that take none."""

import base64
from pathlib import Path

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection
from textual.widgets import Input, Static
from waiting import done, press, until

from fwdtui.ui.common import state
from fwdtui.ui.common.copying import Copy, lines, row, table
from fwdtui.ui.shell import copy_key
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.welcome import WelcomeScreen


async def told(pilot: Pilot[None]) -> list[str]:
    """The notices on the screen, the newest last."""
    await pilot.pause()
    return [notice.message for notice in pilot.app._notifications]


def kept() -> Path:
    return state.folder() / "copied.txt"


def at_home() -> str:
    return f"~/{kept().relative_to(Path.home())}"


@pytest.mark.parametrize(
    ("copied", "expected"),
    [
        (
            row("a", ["a", "1 000 291", "−45.2 % ± 1.0 %"]),
            ("row a, 3 values", "a\t1 000 291\t−45.2 % ± 1.0 %"),
        ),
        (row("b", ["b"]), ("row b, 1 value", "b")),
        (row("a\x1b[2J", ["x\ty", "1\n2"]), ("row a[2J, 2 values", "x y\t1 2")),  # a cell is no two cells
        (table("queues", [("q", "pps"), ("q0", "")]), ("queues, 2 lines", "q\tpps\nq0\t")),
        (lines("the log", "a\n\nb\n\n"), ("the log, 3 lines", "a\n\nb\n\n")),
        (lines("the log", "a"), ("the log, 1 line", "a")),
    ],
)
def test_rows_have_tabs_and_are_counted(copied: Copy, expected: tuple[str, str]):
    assert copied == expected


async def test_what_is_pasted_into_a_shell_runs_nothing_and_acts_on_no_terminal(tmp_path):
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        for given, clipboard in (
            ("pkt-gen -f tx\n", "pkt-gen -f tx"),
            ("\n\na\r\nb\n\n", "a\nb"),
            ("a\x1b]52;c;eA==\x07\x1b[201~rm\x9b", "a]52;c;eA==[201~rm"),
            ("name\u202ecod.exe", "namecod.exe"),
            ("one   \n\ttwo\t\t \n", "one\n\ttwo\t\t"),  # empty cells stay, blanks at a line's end do not
        ):
            copy_key.copy(app, Copy("it", given))
            assert app.clipboard == clipboard and kept().read_text() == f"{clipboard}\n"
            assert len(await told(pilot)) == 1, "the last one, not all of them"
        assert kept().stat().st_mode & 0o777 == 0o600


async def test_where_nothing_can_be_copied_the_clipboard_stays_and_the_reason_is_told(tmp_path):
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        copy_key.copy(app, Copy("it", "before"))
        for given in ("", " \n\x07"):
            copy_key.copy(app, Copy("There is no row.", given))
            assert app.clipboard == "before" and (await told(pilot))[-1] == "There is no row."
        await done(app)
        app.clear_notifications()
        await press(pilot, "y")  # an empty list of sessions
        assert (await told(pilot))[0].startswith("There is no session to copy.") and app.clipboard == "before"


@pytest.mark.parametrize(("letters", "sent"), [(700_000, True), (700_001, False)])
async def test_what_no_terminal_takes_is_only_in_the_file(tmp_path, letters, sent):
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        text = "x" * letters
        copy_key.copy(app, Copy("the log, 9 lines", text))
        assert (app.clipboard == text) is sent and kept().read_text() == f"{text}\n"
        begins = "Copied: the log" if sent else "Too long for a terminal's clipboard: the log"
        assert (await told(pilot))[-1].startswith(begins)
        assert len(base64.b64encode(text.encode())) < 1 << 20


async def test_the_file_is_named_once_and_a_folder_that_takes_none_changes_nothing_else(tmp_path):
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        kept().mkdir(parents=True)
        copy_key.copy(app, Copy("it", "a"))
        assert app.clipboard == "a" and (await told(pilot))[-1] == "Copied: it"
        kept().rmdir()
        copy_key.copy(app, Copy("it", "b"))
        assert app.clipboard == "b"
        assert (await told(pilot))[
            -1
        ] == f"Copied: it\nAlso saved in {at_home()}, since not every terminal supports copying (OSC 52)"
        copy_key.copy(app, Copy("it", "c"))
        assert (await told(pilot))[-1] == "Copied: it" and kept().read_text() == "c\n"


async def test_text_selected_with_the_mouse_or_in_a_field_comes_first_and_is_told_too(tmp_path):
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(WelcomeScreen(tmp_path))
        await done(app)
        hello = app.screen.query_one("#hello", Static)
        app.screen.selections = {hello: Selection(Offset(0, 0), Offset(6, 0))}
        for key in ("y", "ctrl+c"):
            app.clear_notifications()
            await press(pilot, key)
            assert app.clipboard == "fwdtui" and (await told(pilot))[-1].startswith(
                "Copied: the selected text, 1 line"
            )
            app._clipboard = ""
        app.screen.clear_selection()
        await app.screen.mount(Input("abc def", id="field"))
        app.screen.query_one("#field").focus()
        await press(pilot, "home", "shift+right", "shift+right", "ctrl+c")
        await until(lambda: app.clipboard == "ab")
        assert (await told(pilot))[-1].startswith("Copied: the selected text, 1 line")


async def test_letters_typed_into_a_field_copy_nothing(tmp_path, session):
    session("n311215", {"inet4": [1.0, 2.0]})
    app = FwdtuiApp(tmp_path / "sessions")
    async with app.run_test(size=(80, 24)) as pilot:
        await done(app)
        await press(pilot, "slash", "y", "M")
        assert app.clipboard == "" and app.screen.query_one("#filter", Input).value == "yM"
