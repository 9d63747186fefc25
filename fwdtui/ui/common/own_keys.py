"""The keys that the user gave the app's actions, for texts that name a key.

config.toml may move every key, so no text has one written into it: it asks for the key of an action. A test
holds the id and the usual key of each call against the bindings.
"""

import re
from collections.abc import Mapping

from textual._context import active_app
from textual.keys import _character_to_key, format_key

_NAMES = {"enter": "Enter", "escape": "Esc", "space": "space"}  # as our texts write them
_LATER = re.compile(r"<([a-z_]+\.[a-z_0-9]+) ([^<> ]+)>")
_CODE = re.compile(r"`([^`\n]+)`")


def key(name: str, usual: str) -> str:
    """The key of the binding with the id `name`: the user's first one, or `usual`, as it is before."""
    app = active_app.get(None)
    moved: Mapping[str, str] = getattr(app, "moved_keys", {})
    return first(moved[name]) if name in moved else usual


def with_keys(text: str) -> str:
    """A text that was made before there is an app: ``<live.cut s>`` in it becomes the key of that binding."""
    return _LATER.sub(lambda found: key(found[1], found[2]), text)


def first(keys: str) -> str:
    """The first of several keys as text: ``x`` of ``x,ctrl+s``, ``F6`` of ``f6``."""
    # a comma is the name of no key: that is "comma"
    *modifiers, last = keys.partition(",")[0].strip().split("+")
    shown = _NAMES.get(last) or (last.upper() if re.fullmatch(r"f\d+", last) else format_key(last))
    return "+".join([*modifiers, shown])


def in_help(text: str, instead: Mapping[str, str]) -> str:
    """A help text with the keys of `instead` (key: the user's) replaced where they are marked as code.

    The keys of `instead` are Textual's names.
    """
    return _CODE.sub(lambda found: f"`{instead.get(plain_name(found[1]), found[1])}`", text)


def plain_name(shown: str) -> str:
    """Textual's name of a key that a text shows: ``escape`` of ``Esc``, ``left`` of ``←``."""
    arrows = {"←": "left", "→": "right", "↑": "up", "↓": "down", "⏎": "enter"}
    if len(shown) == 1:
        return arrows.get(shown) or _character_to_key(shown)
    lowered = shown.lower().replace(" ", "")
    return "escape" if lowered == "esc" else lowered
