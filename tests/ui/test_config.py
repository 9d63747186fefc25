"""config.toml and state.json: what is right is used, what is wrong is told, and nothing ends the app."""

import json
import multiprocessing
import re
from pathlib import Path

import pytest
from textual.widgets import Static
from waiting import press, until

from fwdtui.ui.common import config, state
from fwdtui.ui.common.state import Memory, State
from fwdtui.ui.sessions.folds import Folds
from fwdtui.ui.shell import key_names, keymap
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.help_panel import help_text
from fwdtui.ui.theme import themes

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "themes-and-keys.md"


def write(text: str) -> Path:
    path = config.folder() / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def notices(app: FwdtuiApp) -> list[str]:
    return [notice.message for notice in app._notifications]


def test_the_users_folders_are_those_that_xdg_says(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    assert config.folder() == tmp_path / "c" / "fwdtui" and config.themes_folder().parent == config.folder()
    assert state.folder() == tmp_path / "s" / "fwdtui"


def test_without_a_file_there_are_defaults_and_nothing_to_tell(tmp_path):
    assert config.read(tmp_path / "config.toml") == config.Config()


def test_everything_that_can_be_set(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('theme = "fwdtui-light"\nconfirm_quit = false\n[keys]\n"live.cut" = "x,ctrl+s"\n')
    assert config.read(path) == config.Config("fwdtui-light", {"live.cut": "x,ctrl+s"}, False)


@pytest.mark.parametrize(
    ("text", "message", "kept"),
    [
        ("theme = ", "Invalid value", {}),
        (
            "theme = 1\nconfirm_quit = false",
            "theme: expected the name of a theme, got 1",
            {"confirm_quit": False},
        ),
        ('confirm_quit = "no"', "confirm_quit: expected true or false, got 'no'", {}),
        ('colour = "red"\ntheme = "x"', "colour: no such setting", {"theme": "x"}),
        ("keys = 3", r"keys: expected a table: \[keys\], got 3", {}),
        (
            '[keys]\n"live.cut" = ["k"]\n"app.quit" = "Q"',
            'keys."live.cut": expected',
            {"keys": {"app.quit": "Q"}},
        ),
        ("[keys]\nlive.cut = 'k'", 'keys.live: write the id in quotes: "live.cut"', {}),
        ('[keys]\n"live.cut" = "k,"', 'keys."live.cut": expected', {}),
    ],
)
def test_a_wrong_entry_is_named_and_the_others_count(tmp_path, text, message, kept):
    path = tmp_path / "config.toml"
    path.write_text(text)
    found = config.read(path)
    assert len(found.problems) == 1
    assert found.problems[0].startswith(f"{path}: ") and re.search(message, found.problems[0])
    assert {name: getattr(found, name) for name in kept} == kept


async def test_a_wrong_file_is_told_in_the_app_which_starts_all_the_same(folder, pair):
    path = write("theme = [")
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)):
        await until(lambda: bool(notices(app)))
        assert any(str(path) in text and "the defaults are used" in text for text in notices(app))
        assert app.theme == themes.DEFAULT


async def test_a_key_of_ones_own_works_and_the_old_one_no_longer_does(folder, pair):
    write('[keys]\n"app.mode_compare" = "f8,ctrl+g"\n"app.mode_sessions" = "f9"\n"sessions.compare" = "k"\n')
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "f4")
        assert app.current_mode == "sessions"
        await press(pilot, "ctrl+g")
        assert app.current_mode == "compare"
        # texts name the user's keys, also those of another screen
        told = str(app.screen.query_one("#how", Static).render())
        assert "F9 shows the sessions." in told and "and k compares them" in told
        assert "the sessions (`F9`)" in help_text(app.screen)
        await until(lambda: "fwdtui-light" in app.available_themes)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert notices(app) == []


def test_ids_keys_and_clashes_are_checked():
    path = Path("config.toml")

    def found(**keys: str) -> list[str]:
        return keymap.check({name.replace("__", "."): value for name, value in keys.items()}, path)

    assert found(live__cut="x,ctrl+s") == []
    assert found(live__kut="k") == ['config.toml: keys."live.kut": no such key id']
    assert found(live__cut="ctrl+bananas") == ["config.toml: keys.\"live.cut\": 'ctrl+bananas' is not a key"]
    assert found(live__cut="esc") == ["config.toml: keys.\"live.cut\": 'esc' is not a key; write 'escape'"]
    assert any("q is also the key of app.quit" in text for text in found(live__cut="q"))
    assert any("space is also the key of live.pause" in text for text in found(live__cut="space"))
    # both moved out of each other's way
    assert found(live__cut="B", live__unit="s") == []


async def test_an_unknown_id_and_a_clash_are_told_in_the_app(folder, pair):
    path = write('[keys]\n"live.kut" = "k"\n"live.cut" = "q"\n"app.help" = "esc"\n')
    app = FwdtuiApp(folder)
    assert "app.help" not in app._keymap
    async with app.run_test(size=(100, 30)):
        await until(lambda: len(notices(app)) >= 2)
        assert any(f'{path}: keys."live.kut"' in text for text in notices(app))
        assert any("q is also the key of app.quit" in text for text in notices(app))


@pytest.mark.parametrize(
    "name",
    [
        *("k", "A", "?", "question_mark", "section_sign", "ctrl+s", "ctrl+shift+s", "alt+ctrl+s", "f5"),
        *("shift+f5", "shift+left", "ctrl+shift+left", "shift+space", "alt+1", "plus", "slash", "full_stop"),
        *("ctrl+@", "ä"),
    ],
)
def test_a_key_is_what_a_terminal_can_send(name):
    assert key_names.is_key(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        *(("", ""), ("bananas", ""), ("ctrl+", ""), ("strg+s", ""), ("ctrl+bananas", ""), ("shift+1", "")),
        # as on keyboards and in the footer, or in another order than the app gets them
        *(("esc", "escape"), ("del", "delete"), ("pgup", "pageup"), ("return", "enter"), ("F6", "f6")),
        *(("ctrl+S", "ctrl+s"), ("Ctrl+s", "ctrl+s"), ("shift+a", "A"), ("ctrl+alt+s", "alt+ctrl+s")),
        ("bel", ""),
    ],
)
def test_anything_else_is_not_and_what_was_meant_is_told(name, meant):
    assert not key_names.is_key(name) and key_names.instead(name) == meant


def test_an_id_without_a_usable_key_keeps_its_own():
    wanted = {"app.quit": "Ctrl+x", "live.cut": "esc, x", "app.help": "f1,ctrl+h"}
    assert key_names.usable(wanted) == {"live.cut": "x", "app.help": "f1,ctrl+h"}


def test_every_key_has_an_id_and_a_sentence():
    assert keymap.unnamed() == []
    assert [entry.id for entry in keymap.entries() if not entry.meaning] == []


def test_the_documentation_names_every_key_as_it_is_now():
    text = DOCUMENT.read_text("utf-8")
    assert text == keymap.put(text), f"run: python -m fwdtui.ui.shell.keymap {DOCUMENT.name} in docs/"


# what is remembered


def test_what_is_remembered_is_there_the_next_time(tmp_path):
    Memory(tmp_path / "s" / "state.json").change(theme="x", comparison=("a", "b"))
    again = Memory(tmp_path / "s" / "state.json")
    again.choose("live.span", 120.0)
    assert Memory(again.path).state == State(theme="x", comparison=("a", "b"), choices={"live.span": 120.0})
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["state.json", "state.lock"]


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"version": 0}', b'{"theme": 3}', b"\xff\xfe", b'{"version": "1"}', b"[]"]
)
def test_damaged_state_is_left_out_with_a_notice_and_mended(tmp_path, data):
    path = tmp_path / "state.json"
    path.write_bytes(data)
    memory = Memory(path)
    assert memory.state == State() and str(path) in memory.problem
    memory.change(theme="x")
    assert Memory(path).state == State(theme="x") and not Memory(path).problem


def test_what_a_newer_version_remembers_is_left_alone_and_told(tmp_path):
    path = tmp_path / "state.json"
    newer = '{"version": 2, "theme": {"name": "x"}, "labs": ["a", "b"]}'
    path.write_text(newer)
    memory = Memory(path)
    assert memory.state == State() and "version 2 is newer" in memory.problem
    memory.change(theme="dark")
    memory.choose("live.span", 120.0)
    assert memory.state.theme == "dark", "until the end of this app"
    assert path.read_text() == newer and "nothing is remembered" in memory.problem


def test_two_instances_keep_each_others_choices_and_folded_groups(tmp_path):
    """Each wrote all that it had itself, so that what the other one had chosen meanwhile was undone."""
    path = tmp_path / "state.json"
    one, other = Memory(path), Memory(path)
    one.choose("live.span", 120.0)
    other.choose("live.unit", "bps")
    Folds(one, tmp_path / "a").fold(["x"], shut=True)
    Folds(other, tmp_path / "b").fold(["x", "y"], shut=True)
    Folds(one, tmp_path / "a").fold(["x"], shut=False)
    now = Memory(path)
    assert now.state.choices == {"live.span": 120.0, "live.unit": "bps"}
    assert ["x" in Folds(now, tmp_path / name) for name in "ab"] == [False, True]


def test_a_folder_that_cannot_be_written_is_told_and_nothing_more(tmp_path):
    (tmp_path / "file").write_text("")
    memory = Memory(tmp_path / "file" / "state.json")
    memory.change(theme="x")
    assert memory.state.theme == "x" and "nothing is remembered" in memory.problem


def _changing(path: Path, name: str) -> None:
    memory = Memory(path)
    for number in range(60):
        memory.change(**{name: f"{name} {number}"})


def test_two_instances_neither_damage_the_file_nor_undo_each_others_changes(tmp_path):
    path = tmp_path / "state.json"
    context = multiprocessing.get_context("fork")
    both = [context.Process(target=_changing, args=(path, name)) for name in ("theme", "lab")]
    for process in both:
        process.start()
    while any(process.is_alive() for process in both):
        if path.exists():
            json.loads(path.read_bytes())
    for process in both:
        process.join()
        assert process.exitcode == 0
    state_now = Memory(path).state
    assert (state_now.theme, state_now.lab) == ("theme 59", "lab 59")


async def test_a_chosen_theme_is_remembered_and_config_toml_is_stronger(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "fwdtui-light" in app.available_themes)
        app.choose_theme("fwdtui-light")
        await pilot.pause()
    assert FwdtuiApp(folder).theme == "fwdtui-light"
    write('theme = "fwdtui-high-contrast"')
    app = FwdtuiApp(folder)
    assert app.theme == "fwdtui-high-contrast"
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "fwdtui-light" in app.available_themes)
        app.choose_theme("fwdtui-light")
        await pilot.pause()
        assert any("applies at the next start" in text for text in notices(app))


async def test_a_theme_that_is_not_there_is_told(folder, pair):
    write('theme = "no-such"')
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)):
        await until(lambda: bool(notices(app)))
        assert any("there is no theme 'no-such'" in text for text in notices(app))


async def test_the_folder_of_sessions_is_remembered(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)):
        await until(lambda: bool(app.settings.memory.state.sessions))
    assert Memory(state.folder() / "state.json").state.sessions == str(folder.resolve())
