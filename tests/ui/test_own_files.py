"""config.toml, themes and state.json: whatever lies in their place is one line at once; defaults go on."""

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.ui.common import config
from fwdtui.ui.common.state import Memory, State
from fwdtui.ui.theme import themes

THEME = 'name = "mine"\ndark = true\n[colors]\nprimary = "#112233"\n'


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "a named pipe": (os.mkfifo, "a named pipe, not a regular file"),
    "a link to a device": (lambda path: path.symlink_to("/dev/zero"), "a device, not a regular file"),
    "a folder": (Path.mkdir, "a folder, not a regular file"),
    "a loop of links": (lambda path: path.symlink_to(path.name), "(?i)loop|levels of symbolic"),
    "a gigabyte": (lambda path: (path.touch(), os.truncate(path, 1 << 30)), "larger than the 1 MiB"),
    "brackets": (
        lambda path: path.write_text("a = " + "[" * 200_000),
        "nested more|too early|Invalid|malformed",
    ),
    "objects": (lambda path: path.write_text('{"a":' * 200_000), "nested more|too early|Invalid|malformed"),
    "a dotted key": (lambda path: path.write_text("a." * 200_000 + "b = 1"), "nested more|malformed"),
    "digits": (lambda path: path.write_text("theme = " + "1" * 5000), "out of range|malformed|64 bits"),
    "bytes": (lambda path: path.write_bytes(b"\xff\xfe\x00"), "not UTF-8|malformed"),
    "long values": (
        lambda path: path.write_text(f"theme = [{'1, ' * 50_000}]\n"),
        "expected|unknown key|malformed",
    ),
}


def of_config(path: Path) -> str:
    found = config.read(path)
    assert (found.theme, dict(found.keys), found.confirm_quit) == ("", {}, True)
    (problem,) = found.problems
    return problem


def of_theme(path: Path) -> str:
    with pytest.raises(FwdtuiError) as told:
        themes.load(path)
    return str(told.value)


def of_state(path: Path) -> str:
    memory = Memory(path)
    assert memory.state == State()
    return memory.problem


@pytest.mark.parametrize("reader", [of_config, of_theme, of_state])
@pytest.mark.parametrize("kind", BROKEN)
def test_what_cannot_be_read_is_one_line_at_once(tmp_path, kind, reader):
    make, reason = BROKEN[kind]
    path = tmp_path / "file.toml"
    make(path)
    begun = time.process_time()
    problem = reader(path)
    assert problem.startswith(f"{path}: ") and "\n" not in problem and len(problem) < 500
    assert re.search(reason, problem), problem
    assert time.process_time() - begun < 2.0


def test_a_byte_order_mark_is_accepted(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(f"\ufeff{THEME}", "utf-8")
    assert themes.load(path).name == "mine"
    path.write_text('\ufefftheme = "mine"\n', "utf-8")
    assert config.read(path) == config.Config("mine")
    path.write_text('\ufeff{"theme": "mine"}', "utf-8")
    memory = Memory(path)
    assert (memory.state, memory.problem) == (State(theme="mine"), "")


def test_settings_that_are_kept_elsewhere_are_read_through_a_link(tmp_path):
    real = tmp_path / "dotfiles.toml"
    real.write_text('theme = "mine"\n')
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    assert config.read(link) == config.Config("mine")


def test_a_bad_state_is_replaced_and_a_pipe_for_a_lock_holds_nobody_up(tmp_path):
    path = tmp_path / "state.json"
    os.mkfifo(path)
    os.mkfifo(path.with_suffix(".lock"))
    memory = Memory(path)
    memory.change(theme="mine")
    assert Memory(path).state.theme == "mine"
