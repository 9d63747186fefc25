"""Every key of the app by its id: what config.toml may change, what clashes, and the tables of the docs.

`python -m fwdtui.ui.shell.keymap docs/themes-and-keys.md` writes the tables into the documentation.
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import _character_to_key, key_to_character
from textual.screen import ModalScreen

from fwdtui.ui.shell import key_names
from fwdtui.ui.shell.meanings import MEANINGS, Meaning

BEGIN, END = "<!-- keys: python -m fwdtui.ui.shell.keymap FILE -->", "<!-- end of keys -->"
BEGIN_MEANINGS, END_MEANINGS = BEGIN.replace("keys:", "meanings:"), END.replace("keys", "meanings")
_ROOMS = {"lab": "labs", "shell": "welcome", "common": "dialogs", "report": "report preview"}


class Entry(NamedTuple):
    """One binding and the class that declares it."""

    id: str
    keys: str
    meaning: str
    where: type[DOMNode]


def entries() -> list[Entry]:
    """Every binding with an id, sorted by id. Loads every screen: never call it before the first frame."""
    by_id: dict[str, Entry] = {}
    for kind in _classes():
        for binding in _declared(kind):
            if binding.id is not None:
                by_id.setdefault(binding.id, Entry(binding.id, binding.key, meaning(kind, binding), kind))
    return [by_id[name] for name in sorted(by_id)]


def unnamed() -> list[str]:
    """Our own bindings without an id, which users could not change."""
    return [
        f"{kind.__name__} {binding.key}"
        for kind in _classes()
        for binding in _declared(kind)
        if not binding.id
    ]


def meaning(node: object, binding: Binding) -> str:
    """What a binding does, in a sentence. `node` is the class or widget that has the action."""
    text = more(node, binding)
    if binding.tooltip and binding.description:
        small = text[1:2].islower() or text[1:2] == " "  # the first word is none in capitals
        return f"{binding.description}: {text[0].lower() if small else text[0]}{text[1:]}"
    return text or binding.description or binding.action.partition("(")[0].rpartition(".")[2]


def face(app: App[Any], binding: Binding) -> str:
    """The key of this binding as text, without others that the footer shows with it: ``n``, not ``n/p``."""
    shown = binding.key_display or ""
    several = len(shown) == len("n/p") and shown[1] in "/-"
    return app.get_key_display(replace(binding, key_display=None) if several else binding)


def more(node: object, binding: Binding) -> str:
    """What to say of a binding besides its name: its tooltip, else the first line of our own action's
    docstring, else "".
    """
    if binding.tooltip:
        return binding.tooltip
    if "(" in binding.action:
        return ""  # one action with several arguments, such as two directions
    place, _, name = binding.action.rpartition(".")
    method = getattr(_own_app() if place == "app" else node, f"action_{name}", None)
    own = getattr(method, "__module__", "").startswith("fwdtui.")
    return (inspect.getdoc(method) or "").partition("\n")[0] if own else ""


def check(keys: Mapping[str, str], path: Path) -> list[str]:
    """What is wrong with the user's keys: unknown ids, unknown keys and clashes, one line each."""
    known = {entry.id for entry in entries()}
    problems = []
    for name, value in keys.items():
        if name not in known:
            problems.append(f'{path}: keys."{name}": no such key id')
        for key in (part.strip() for part in value.split(",")):
            if not key_names.is_key(key):
                meant = key_names.instead(key)
                told = f"; write {meant!r}" if meant else ""
                problems.append(f'{path}: keys."{name}": {key!r} is not a key{told}')
    return problems + [f"{path}: {text}" for text in _clashes(key_names.usable(keys))]


def _clashes(keys: Mapping[str, str]) -> Iterator[str]:
    """Keys that the user's choice gives to two actions of one screen, or of a screen and the app."""
    everywhere = _pairs(_own_app())
    said = set()
    for kind in _classes():
        before = _pairs(kind) | (set() if issubclass(kind, ModalScreen) else everywhere)
        names = {name for _, name in before}
        after = {(key, name) for key, name in before if name not in keys}
        after |= {(key, name) for name in names & keys.keys() for key in _split(keys[name])}
        for key, name in sorted(after - before):
            others = sorted(other for at, other in after if at == key and other != name)
            if others and (key, name, *others) not in said:
                said.add((key, name, *others))
                yield f'keys."{name}": {key} is also the key of {", ".join(others)}'


def _pairs(kind: type[DOMNode]) -> set[tuple[str, str]]:
    return {(key, binding.id) for key, binding in kind._merge_bindings() if binding.id}


def _split(keys: str) -> list[str]:
    parts = [part.strip() for part in keys.split(",")]
    return [_character_to_key(part) if len(part) == 1 else part for part in parts]


def _own_app() -> type[DOMNode]:
    from fwdtui.ui.shell.app import FwdtuiApp

    return FwdtuiApp


def _declared(kind: type[DOMNode]) -> list[Binding]:
    return [binding for binding in kind.__dict__.get("BINDINGS", ()) if isinstance(binding, Binding)]


def _classes() -> list[type[DOMNode]]:
    """The app's classes that declare keys, in a fixed order."""
    import fwdtui.ui

    by_name: dict[str, type[DOMNode]] = {}
    for module in pkgutil.walk_packages(fwdtui.ui.__path__, "fwdtui.ui."):
        if module.name == __name__:
            continue
        members: dict[str, Any] = vars(importlib.import_module(module.name))
        for value in members.values():
            if not isinstance(value, type) or not value.__module__.startswith("fwdtui."):
                continue
            if issubclass(value, DOMNode) and "BINDINGS" in value.__dict__:
                by_name[f"{value.__module__}.{value.__qualname__}"] = value
    return [by_name[name] for name in sorted(by_name)]


def table() -> str:
    """A Markdown table of every id."""
    rows = [f"| `{one.id}` | {_shown(one.keys)} | {one.meaning} |" for one in entries()]
    return "\n".join([BEGIN, "| id | keys | what it does |", "|---|---|---|", *rows, END])


def _shown(keys: str) -> str:
    return " ".join(f"`{key}`" for key in keys.replace(",", " ").split())


def meanings_table() -> str:
    """A Markdown table of what each key means, and where."""
    rows = [f"| {_printed(one.keys)} | {one.words} | {_where(one)} |" for one in MEANINGS]
    return "\n".join([BEGIN_MEANINGS, "| keys | meaning | where |", "|---|---|---|", *rows, END_MEANINGS])


def _printed(keys: str) -> str:
    named = ((key, key_to_character(key) or "") for key in keys.split())
    return " ".join(f"`{sign if sign.isprintable() and sign.strip() else key}`" for key, sign in named)


def _where(one: Meaning) -> str:
    """The features whose screens and dialogs declare such a key, or "everywhere"."""
    ids = set(one.ids.split())
    kinds = [kind for kind in _classes() if ids & {binding.id for binding in _declared(kind)}]
    if _own_app() in kinds or any(issubclass(_own_app(), kind) for kind in kinds):
        return "everywhere"
    rooms = [kind.__module__.split(".")[2] for kind in kinds]
    return ", ".join(sorted({_ROOMS.get(room, room) for room in rooms}))


def put(text: str) -> str:
    """`text`, a document, with its tables of keys brought up to date."""
    for begin, end, made in ((BEGIN_MEANINGS, END_MEANINGS, meanings_table), (BEGIN, END, table)):
        before, _, rest = text.partition(begin)
        text = before + made() + rest.partition(end)[2]
    return text


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(put(document.read_text("utf-8")), "utf-8")
