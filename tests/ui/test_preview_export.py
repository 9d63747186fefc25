"""The report written from the app: the same bytes as the command's, said where, stopped without a trace."""

import asyncio
import os
import shlex
import sys
import threading
from asyncio.subprocess import PIPE
from pathlib import Path
from threading import Event

import pytest
from compare_rig import comparing
from preview_rig import previewed, told
from textual.events import Key
from textual.widgets import Input, Label, Static
from waiting import press, seen

from fwdtui.cli import main
from fwdtui.report import export, svgchart
from fwdtui.report.document import Choices
from fwdtui.store import SessionWriter, drop, read_session
from fwdtui.ui.report.choices_panel import ChoicesPanel
from fwdtui.ui.report.dialogs import Destination, Writing
from fwdtui.ui.report.preview import PreviewScreen

NAME, SMALL = "n311215-n311215-UDP2.md", "a-b.md"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the app was started."""
    made = tmp_path / "here"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def one(session) -> list[Path]:
    """One case alone, which is soon drawn."""
    return [session(name, {"x": [1.0, 2.0, 3.0]}) for name in ("a", "b")]


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Where the command is run; relative paths lead to the same sessions."""
    made = tmp_path / "there"
    made.mkdir()
    return made


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def answer(pilot) -> str:
    return "".join(str(found.render()) for found in pilot.app.screen.query("#answer").results(Static))


async def write(pilot) -> None:
    """Export to the place that is offered, and wait until it is written."""
    await pilot.press("e")
    await seen(pilot, lambda: isinstance(pilot.app.screen, Destination) and answer(pilot))
    await pilot.press("enter")
    await seen(
        pilot,
        lambda: isinstance(pilot.app.screen, PreviewScreen) and told(pilot, "told").startswith("written "),
    )


async def test_with_nothing_chosen_it_writes_what_the_command_writes_byte_for_byte(
    folder, pair, here, there, monkeypatch
):
    relative = [Path("..", path.parent.name, path.name) for path in pair]
    with SessionWriter(pair[0]) as writer:
        writing = writer.begin(read_session(pair[0]).cases[0].name)
        writing.attach("a.log", b"raw")
        writing.commit(read_session(pair[0]).cases[0].iterations[0])
        (writing.folder / "a.log").write_bytes(b"edited")  # a comparison does not look, a report does
    async with previewed(folder, relative) as pilot:
        await write(pilot)
        assert str(here / NAME) in told(pilot, "told")
    monkeypatch.chdir(there)
    assert main(["report", *map(str, relative), "-o", NAME]) == 0
    written = tree(here)
    assert written == tree(there)
    assert len(written) == 1 + 6 + 4
    assert written[NAME].count(b"checksum does not match") == 1


async def test_whatever_was_chosen_the_command_shown_writes_the_same_bytes(folder, pair, here, there):
    title = 'it\'s "half" $(of) `it` # *all*'
    async with previewed(folder, pair, margin=2.5, confidence=99.0) as pilot:
        await pilot.press("t", "ctrl+u")
        pilot.app.screen.query_one("#title", Input).value = title
        await pilot.press("enter", "i", "space", "down", "down", "space", *("down",) * 4, "space")
        await seen(pilot, lambda: "--without" in told(pilot, "command"))
        await pilot.press("escape")
        await write(pilot)
        command = told(pilot, "command").removeprefix("$ ")
    words = shlex.split(command)
    assert words[-8:] == [
        *("--margin", "2.5%", "--confidence", "99", "--title", title),
        *("--without", "charts,cases,method"),
    ]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    shell = await asyncio.create_subprocess_exec(
        "sh", "-c", command, cwd=there, env=environment, stdout=PIPE, stderr=PIPE
    )
    _, errors = await asyncio.wait_for(shell.communicate(), 60)
    assert (shell.returncode, errors) == (0, b"")
    assert tree(here) == tree(there)
    assert b'# it\'s "half" \\$(of) \\`it\\` \\# \\*all\\*\n' in (here / NAME).read_bytes()


async def test_a_place_where_nothing_can_be_written_is_told_and_a_folder_means_the_offered_name_in_it(
    folder, one, here
):
    import resource

    async with previewed(folder, one) as pilot:
        await pilot.press("y")
        await seen(pilot, lambda: pilot.app.clipboard)
        assert tree(here) == {} and told(pilot, "told").startswith("not written yet")
        copied = pilot.app.clipboard

        await pilot.press("e")
        await seen(pilot, lambda: answer(pilot))
        for text, said in (
            ("no/where.md", "no: no such folder"),
            ("x.d", "choose another ending"),
            ("~nobody-here/x.md", "home directory"),
            ("x" * 300, "too long"),
        ):
            pilot.app.screen.query_one(Input).value = text
            await seen(pilot, lambda said=said: said in answer(pilot))
            assert " instead" in answer(pilot)
        await pilot.press("escape")
        assert tree(here) == {}

        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))  # a disk that refuses
        try:
            await pilot.press("e")
            await seen(pilot, lambda: answer(pilot))
            await pilot.press("enter")
            await seen(pilot, lambda: any("too large" in n.message for n in pilot.app._notifications))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert told(pilot, "told").startswith("not written yet")
        assert list(here.iterdir()) == []

        (here / "out").mkdir()
        await pilot.press("e")
        await seen(pilot, lambda: isinstance(pilot.app.screen, Destination) and answer(pilot))
        pilot.app.screen.query_one(Input).value = "out"
        await seen(pilot, lambda: f"out/{SMALL}" in answer(pilot))
        await pilot.press("enter")
        await seen(pilot, lambda: told(pilot, "told").startswith("written "))
        assert told(pilot, "command").endswith(f"-o out/{SMALL}")
        assert (here / "out" / SMALL).read_text().rstrip("\n") == copied, "what was copied"
        await pilot.press("i", "end", "space")
        await seen(pilot, lambda: told(pilot, "told").startswith("changed since it was written"))


async def test_a_file_of_ones_own_is_never_overwritten_and_a_free_name_is_offered(folder, one, here):
    own = here / "README.md"
    own.write_text("# mine, about fwdtui\n")
    (here / SMALL).write_text("mine\n")
    async with previewed(folder, one) as pilot:
        await write(pilot)
        assert "a-b-2.md" in told(pilot, "told")
        await pilot.press("e")
        await seen(pilot, lambda: answer(pilot).startswith("replaces the earlier report"))
        pilot.app.screen.query_one(Input).value = "README.md"
        await pilot.press("enter")
        await seen(pilot, lambda: "not written by fwdtui report" in answer(pilot))
        assert isinstance(pilot.app.screen, Destination), "Enter does not write over it"
        assert "README-2.md" in answer(pilot)
        await pilot.press("ctrl+n")
        await seen(pilot, lambda: answer(pilot).startswith("writes "))
        await pilot.press("enter")
        await seen(pilot, lambda: "README-2.md" in told(pilot, "told"))
        assert told(pilot, "told").startswith("written ")

        # keys pressed twice close one dialog, and nothing below
        await pilot.press("e")
        await seen(pilot, lambda: isinstance(pilot.app.screen, Destination) and answer(pilot))
        pilot.app.screen.query_one(Input).value = "again.md"
        await seen(pilot, lambda: "again.md" in answer(pilot))
        for key in ("enter", "enter"):  # as a terminal sends them: both before either is answered
            pilot.app.post_message(Key(key, None))
        await seen(pilot, lambda: "again.md" in told(pilot, "told"))
        assert told(pilot, "told").startswith("written ")
        for key in ("escape", "escape"):
            pilot.app.post_message(Key(key, None))
        await seen(pilot, lambda: not isinstance(pilot.app.screen, PreviewScreen))
        await pilot.pause()
        assert pilot.app.is_running and pilot.app.screen.is_current
    assert own.read_text() == "# mine, about fwdtui\n"
    assert (here / SMALL).read_text() == "mine\n"
    assert (here / "README-2.md").is_file() and (here / "again.md").is_file()


async def test_it_can_be_stopped_while_charts_are_drawn_and_leaves_nothing(folder, one, here, monkeypatch):
    go_on, draw = Event(), svgchart.overview
    monkeypatch.setattr(svgchart, "overview", lambda judged: go_on.wait(20) and draw(judged))  # a long one
    async with previewed(folder, one) as pilot:
        await pilot.press("e")
        await seen(pilot, lambda: answer(pilot))
        await pilot.press("enter")
        await seen(pilot, lambda: isinstance(pilot.app.screen, Writing))
        assert pilot.app.screen.focused is None, "a second Enter does not stop it"
        await pilot.press("escape")
        await seen(pilot, lambda: "stopping" in str(pilot.app.screen.query_one("#at", Label).render()))
        go_on.set()
        await seen(pilot, lambda: isinstance(pilot.app.screen, PreviewScreen))
        await pilot.pause()
        assert told(pilot, "told").startswith("not written yet")
    assert list(here.iterdir()) == []


async def test_while_it_is_written_the_time_left_is_told_once_two_charts_are_drawn(
    folder, one, here, monkeypatch
):
    """The first chart loads modules: a time that counts it would be wrong many times over."""
    now = 100.0
    monkeypatch.setattr(Writing, "_write", lambda self: None)  # the test says what is done
    async with previewed(folder, one) as pilot:
        await pilot.press("e")
        await seen(pilot, lambda: answer(pilot))
        writing = Writing(pilot.app.screen._answer.plan, lambda: now)
        pilot.app.push_screen(writing)
        await seen(pilot, lambda: pilot.app.screen is writing and bool(writing.query("#at")))
        told_at = []

        def at() -> str:
            return str(writing.query_one("#at", Label).render())

        for done, seconds in enumerate((0.0, 60.0, 2.0, 2.0)):
            now += seconds
            writing.post_message(Writing.Advanced(done, 5, f"{done}.svg"))
            await seen(pilot, lambda done=done: f"{done}.svg" in at())
            told_at.append(at())
        assert told_at == ["0.svg", "1.svg", "2.svg  6 s left", "3.svg  4 s left"]
        assert not writing.query("ETAStatus"), "Textual's own estimate starts with the first chart"


async def test_a_report_on_sessions_that_have_changed_is_not_written(one, here):
    """Its own command would write another one."""
    async with previewed(one[0].parent, one) as pilot:
        drop(one[1], "x", 2, "the cable was touched")
        await pilot.press("e")
        await seen(pilot, lambda: list(pilot.app._notifications) or isinstance(pilot.app.screen, Destination))
        assert isinstance(pilot.app.screen, PreviewScreen), "it does not ask for a file"
        (said,) = pilot.app._notifications
        assert (said.title, said.severity) == ("not written", "warning")
        assert said.message == (
            "The sessions have changed since they were compared. Esc goes back, and compares them again."
        )
        assert pilot.app.screen.to_copy().text == "", "nor is it copied"
    assert tree(here) == {}


async def test_a_report_on_sessions_that_changed_before_the_preview_was_opened_is_not_written(one, here):
    """The comparison that it is made of has not seen the change."""
    async with comparing(one) as pilot:
        drop(one[1], "x", 2, "the cable was touched")
        await press(pilot, "e")
        await seen(pilot, lambda: isinstance(pilot.app.screen, PreviewScreen) and told(pilot, "command"))
        await press(pilot, "e")
        assert isinstance(pilot.app.screen, PreviewScreen), "it does not ask for a file"
        assert [note.title for note in pilot.app._notifications] == ["not written"]
        await press(pilot, "escape", "e")  # compared again
        await seen(pilot, lambda: isinstance(pilot.app.screen, PreviewScreen) and told(pilot, "command"))
        await press(pilot, "e")
        assert isinstance(pilot.app.screen, Destination)


async def test_what_is_copied_is_never_the_report_with_the_choices_before(one, here, monkeypatch):
    async with previewed(one[0].parent, one) as pilot:
        screen = pilot.app.screen
        assert "Markdown" in screen.to_copy().what
        go_on, plan = threading.Event(), export.plan

        def waits(*given):
            go_on.wait(30)
            return plan(*given)

        monkeypatch.setattr(export, "plan", waits)
        screen.query_one(ChoicesPanel).post_message(ChoicesPanel.Changed(Choices(title="Another")))
        await seen(pilot, lambda: screen._choices.title == "Another")
        assert screen.to_copy().text == "" and screen.query_one("#below").to_copy() is None
        go_on.set()
        await seen(pilot, lambda: screen.to_copy().text.startswith("# Another"))
