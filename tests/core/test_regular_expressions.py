"""Regular expressions that every supported Python reads alike."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fwdtui
from fwdtui.core.parse.valuefile import read_number

FILES = sorted(Path(fwdtui.__file__).parent.rglob("*.py"))
# a group, repeated without giving back: before 3.11.5 it matches too much (python/cpython#106052)
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9,]*\}|\{\{[0-9,]*\}\})\+|\(\?>")


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """Every string and bytes literal, also those inside an f-string."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            value = node.value
            yield node.lineno, value if isinstance(value, str) else value.decode("latin-1")


def test_no_group_is_repeated_without_giving_back() -> None:
    found = [
        f"{file.name}:{line}: {text}"
        for file in FILES
        for line, text in texts(file)
        if POSSESSIVE_GROUP.search(text)
    ]
    assert found == []


@pytest.mark.parametrize("text", ["(a)?+", "(?:a|b)*+c", "(?:a){2,3}+", "(?>a)"])
def test_such_a_group_is_found(text: str) -> None:
    assert POSSESSIVE_GROUP.search(text)


@pytest.mark.parametrize("text", [r"a++[b]*+c?+", r"\)++", "(a)+b", "(?:a)*"])
def test_a_single_character_that_gives_nothing_back_is_none(text: str) -> None:
    assert not POSSESSIVE_GROUP.search(text)


def test_what_such_a_group_does_before_3_11_5() -> None:
    assert bool(re.fullmatch(rb"[0-9]++(?:e[+-]?[0-9]++)?+", b"1e")) == (sys.version_info < (3, 11, 5))
    assert read_number(b"1e") is None
