"""The examples are opened in a copy that belongs to the user; what was shipped is never changed."""

from pathlib import Path

import pytest
from sessions_rig import EXAMPLES, labels, read, said, type_text
from textual.widgets import Input
from waiting import seen

from fwdtui.cli import demo
from fwdtui.ui.common.dialogs import Confirm, Prompt
from fwdtui.ui.sessions import examples
from fwdtui.ui.shell.app import FwdtuiApp


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_everything_can_be_tried_on_the_examples_and_the_shipped_ones_stay(tmp_path):
    before = content(EXAMPLES)
    app = FwdtuiApp(examples.place())
    async with app.run_test(size=(200, 30)) as pilot:  # the folder of a test has a long name
        screen = await read(pilot)
        assert sorted(labels(screen)) == ["no-rules", "rules-100"]
        assert str(examples.place()) in said(screen, "where").replace("\n", "")
        await pilot.press("d")
        await seen(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await seen(pilot, lambda: len(labels(screen)) == 1)
        await pilot.press("R")
        await seen(pilot, lambda: isinstance(app.screen, Prompt))
        app.screen.query_one(Input).value = ""
        await type_text(pilot, "mine")
        await pilot.press("enter")
        await seen(pilot, lambda: labels(screen) == ["mine"])
    assert content(EXAMPLES) == before and not (EXAMPLES / ".trash").exists()
    assert (examples.place() / ".trash").is_dir()


@pytest.mark.parametrize("how", ["welcome", "examples"])
def test_the_copy_is_what_is_opened_and_it_is_not_made_before_the_first_frame(monkeypatch, tmp_path, how):
    opened = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "open_app", lambda folder, *rest, **more: opened.append(folder) or 0)
    if how == "welcome":
        demo.without_lab()
    else:
        import argparse

        demo.run(argparse.Namespace(examples=True, kernel=False, drop_reasons=False))
    assert opened == [examples.place()] and not opened[0].exists()


def test_a_copy_that_is_there_is_kept_as_the_user_left_it():
    folder, why = examples.at_hand(examples.place())
    (folder / "no-rules" / "annotations.toml").write_text('label = "mine"\n')
    assert (folder, why) == (examples.place(), "")
    assert examples.at_hand(folder) == (folder, "")
    assert (folder / "no-rules" / "annotations.toml").exists()
    assert [path.name for path in folder.parent.iterdir()] == [folder.name], "nothing half-made is left"


async def test_where_no_copy_can_be_made_the_originals_are_shown_and_refuse_to_be_changed(tmp_path):
    (tmp_path / "state").write_text("a file where the folder should be")
    before = content(EXAMPLES)
    app = FwdtuiApp(examples.place())
    async with app.run_test(size=(200, 30)) as pilot:  # the folder of a test has a long name
        screen = await read(pilot)
        assert sorted(labels(screen)) == ["no-rules", "rules-100"]
        assert "could not be copied" in said(screen, "where") and "cannot be changed" in said(screen, "where")
        await pilot.press("d")
        await seen(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await seen(pilot, lambda: any("cannot be changed" in note.message for note in app._notifications))
    assert content(EXAMPLES) == before
