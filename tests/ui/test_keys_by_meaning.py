"""One meaning a key, on every screen and in every dialog."""

from collections import defaultdict

from textual.binding import BindingsMap

from fwdtui.ui.shell import keymap
from fwdtui.ui.shell.meanings import MEANINGS, meanings_of

TWICE = {"space": 2, "y": 2, "n": 2}
"""Keys with a second meaning, as docs/themes-and-keys.md says: a mark in lists, yes and no to questions."""


def declared() -> set[tuple[str, str]]:
    """(key, id) of every binding of every screen, dialog and widget, each time that it is declared."""
    return {
        (key, binding.id or "")
        for kind in keymap._classes()
        for key, binding in BindingsMap(keymap._declared(kind))
    }


def test_every_key_of_every_screen_has_the_meaning_that_the_table_lists_for_it():
    wrong = [(key, name) for key, name in sorted(declared()) if len(meanings_of(key, name)) != 1]
    assert not wrong, "no meaning, or two, in fwdtui/ui/shell/meanings.py"


def test_a_key_has_one_meaning():
    listed = defaultdict(list)
    for one in MEANINGS:
        for key in one.keys.split():
            listed[key].append(one.words)
    assert {key: len(words) for key, words in listed.items() if len(words) > 1} == TWICE


def test_the_table_lists_no_key_and_no_id_that_is_not_there():
    there = declared()
    for one in MEANINGS:
        keys, ids = one.keys.split(), one.ids.split()
        found = {(key, name) for key, name in there if key in keys and name in ids}
        assert {key for key, _ in found} == set(keys), one.words
        assert {name for _, name in found} == set(ids), one.words


def test_a_key_that_is_given_another_meaning_is_found():
    assert meanings_of("m", "live.maximise") and not meanings_of("m", "preview.source")
    assert meanings_of("y", "app.copy") and meanings_of("y", "app.copy") != meanings_of("y", "dialog.yes")
