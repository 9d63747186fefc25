"""Texts that name a key name the one that the user gave the action."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual._context import active_app

import fwdtui.ui
from fwdtui.cli import demo
from fwdtui.ui.common.own_keys import in_help, key, plain_name, with_keys
from fwdtui.ui.shell import keymap

SOURCES = sorted(Path(fwdtui.ui.__file__).parent.rglob("*.py"))
# files about keys themselves, and texts of which the key is not the user's to move, or is replaced later
NO_TEXTS = {"config.py", "commands.py", "meanings.py", "own_keys.py"}
GENERAL = {
    "? or Esc closes it",
    "F5",  # how the footer shows it
    "A samples",
    "B samples",
    " Choose with ↑ ↓ and Enter, or by number:",
    "Second recording beside this one: Enter chooses, ",
    "The dialog is behind this screen: press Esc to get back to it.",
    "Press Esc to leave the text field; the dialog then appears.",
}
LATER = re.compile(r"<([a-z_]+\.[a-z_0-9]+) ([^<> ]+)>")  # of texts that were made before there is an app
NAMED = re.compile(
    r"\b(Enter|Esc|F[2-5]|ctrl\+[a-z])\b|\b[Pp]ress [A-Za-z]\b"  # Enter, press x
    r"|^[A-Za-z1-9] [a-z]+s\b|(^|  )[a-z]: |[a-z] \([A-Za-z]\)|[.;:,] [b-zB-Z?] [a-z]+s\b"  # by hand (x)
)


@pytest.mark.parametrize(
    ("moved", "shown"),
    [
        ("x,ctrl+s", "x"),
        ("f6", "F6"),
        ("ctrl+s", "ctrl+s"),
        ("question_mark", "?"),
        ("escape", "Esc"),
        ("shift+left", "shift+←"),
    ],
)
def test_a_key_that_was_moved_is_named_as_texts_name_keys(moved, shown):
    app = SimpleNamespace(moved_keys={"live.cut": moved})
    before = active_app.set(app)  # type: ignore[arg-type]
    try:
        assert with_keys("in /a/<b>; <live.cut s> saves") == f"in /a/<b>; {shown} saves"
        assert (key("live.cut", "s"), key("live.unit", "B")) == (shown, "B")
    finally:
        active_app.reset(before)


def test_a_help_names_the_users_keys():
    text = "`s` saves, `F3` leaves, as do `Esc` and `←`; `page up` is *s*, and `fwdtui s` a command."
    moved = {"s": "x", "f3": "F6", "escape": "ctrl+g", "left": "h", "pageup": "U"}
    told = "`x` saves, `F6` leaves, as do `ctrl+g` and `h`; `U` is *s*, and `fwdtui s` a command."
    assert in_help(text, moved) == told and in_help(text, {}) == text


def asked() -> Iterator[tuple[str, str, str]]:
    """Each call of `key` with its file, id and usual key; a call with an id made at run time has none."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "key":
                name, usual = node.args
                if isinstance(name, ast.Constant) and isinstance(usual, ast.Constant):
                    yield path.name, str(name.value), str(usual.value)
    for path in (*SOURCES, Path(demo.__file__)):
        if path.name not in NO_TEXTS:
            yield from ((path.name, *found) for found in LATER.findall(path.read_text("utf-8")))


def test_each_text_asks_for_a_key_that_is_there_and_names_its_usual_one():
    there = {entry.id: entry.keys.replace(" ", "").split(",") for entry in keymap.entries()}
    calls = list(asked())
    assert len(calls) > 80
    wrong = []
    for file, name, usual in calls:
        plain = usual.replace("^", "ctrl+") if usual else there.get(name, [""])[0]
        if plain_name(plain) not in there.get(name, []):
            wrong.append((file, name, usual))
    assert wrong == []


def literals(tree: ast.Module) -> Iterator[str]:
    """A module's texts, without docstrings, bindings, arguments of `key`, and help (replaced later)."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        named = {getattr(one, "id", "") for one in node.targets} if isinstance(node, ast.Assign) else set()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        elif called in ("key", "Binding", "Meaning", "_session_key") or any("HELP" in one for one in named):
            skipped |= set(ast.walk(node))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield node.value


def test_no_text_has_a_key_written_into_it():
    found = [
        (path.name, text)
        for path in SOURCES
        if path.name not in NO_TEXTS
        for text in literals(ast.parse(path.read_text("utf-8")))
        if NAMED.search(LATER.sub("", text)) and text not in GENERAL
    ]
    assert found == []
