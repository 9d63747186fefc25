"""The names of keys in config.toml: which a terminal can send, and what to write instead of another one."""

from collections.abc import Mapping
from functools import cache

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import REPLACED_KEYS, _character_to_key, key_to_character

_MODIFIERS = {"alt", "ctrl", "hyper", "meta", "shift", "super"}
_INSTEAD = {  # as on keyboards, and as the footer shows them
    "esc": "escape",
    "del": "delete",
    "ins": "insert",
    "return": "enter",
    "control": "ctrl",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "page_up": "pageup",
    "page_down": "pagedown",
}


@cache
def _sent() -> frozenset[str]:
    """The keys that are no characters, with the modifiers that terminals have sequences for."""
    return frozenset(
        key.value for keys in ANSI_SEQUENCES_KEYS.values() if isinstance(keys, tuple) for key in keys
    )


def is_key(name: str) -> bool:
    """Whether a terminal could send this: ``k``, ``?``, ``question_mark``, ``ctrl+s``, ``f5``.

    Only the name that the app gets counts: it never gets ``shift+a`` or ``ctrl+S``, but ``A`` and ``ctrl+s``.
    """
    if len(name) == 1 or name in _sent():
        return True
    *modifiers, key = name.split("+")
    if not set(modifiers) <= _MODIFIERS or modifiers != sorted(set(modifiers)):
        return False
    if key in _sent():
        return True
    character = key_to_character(REPLACED_KEYS.get(key, key))
    if character is None or _character_to_key(character) != key:
        return False
    return modifiers != ["shift"] and not (modifiers and key.isupper())


def instead(name: str) -> str:
    """The key that was probably meant by a name that is not a key; "" if none is known."""
    *modifiers, key = (_INSTEAD.get(part.lower(), part.lower()) for part in name.split("+"))
    if modifiers == ["shift"] and len(key) == 1:
        meant = key.upper() if key.isalpha() else ""
    else:
        meant = "+".join([*sorted(set(modifiers)), key])
    return meant if meant and is_key(meant) else ""


def usable(keys: Mapping[str, str]) -> dict[str, str]:
    """The user's keys without names that are not keys. An id that would have no key left keeps its own."""
    good = {}
    for name, value in keys.items():
        if known := [key for key in (part.strip() for part in value.split(",")) if is_key(key)]:
            good[name] = ",".join(known)
    return good
