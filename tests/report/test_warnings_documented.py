"""docs/warnings.md has every code that the program gives, and says which of them bear on a verdict."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import fwdtui
from fwdtui.core import diagnosed
from fwdtui.core.refused import CAUSES
from fwdtui.report import bearing

PACKAGE = Path(fwdtui.__file__).parent
DOCS = PACKAGE.parent / "docs" / "warnings.md"
OF_EVENTS = frozenset(("link-down", "host-lost", "reboot", "tool-failed"))
"""Codes that a warning takes from an event (monitor/live/iteration.py)."""
CAPS = frozenset(("capped-by-generator", "capped-by-line-rate"))
"""Made of the kind of cap (stats/caps.py)."""


def calls(name: str) -> Iterator[tuple[ModuleType, ast.expr]]:
    """The first argument of each call of `name` in the program, and the module that it is in."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        if f"{name}(" not in text:
            continue
        module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield module, node.args[0]


def constant(module: ModuleType, node: ast.expr) -> str | None:
    """The text that an argument always is; None if it is computed."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Name):
        value = getattr(module, node.id, None)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        value = getattr(getattr(module, node.value.id, None), node.attr, None)
    else:
        value = None
    return value if isinstance(value, str) else None


def given(name: str) -> set[str]:
    return {code for module, node in calls(name) if (code := constant(module, node)) is not None}


def table(title: str) -> dict[str, str]:
    """Code -> mark of the tables below a title of the document."""
    section = DOCS.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `([a-z-]+)` \| *(!{0,2}) *\|", section, re.MULTILINE))


def test_every_warning_is_documented_and_no_other() -> None:
    documented = table("Iterations") | table("Comparisons") | table("Notes") | table("Designs")
    assert set(documented) == given("Caution") | OF_EVENTS | CAPS


def test_the_marks_are_those_of_verdicts() -> None:
    for title in ("Iterations", "Comparisons"):
        for code, mark in table(title).items():
            bears = "!!" if code in bearing.UNSOUND else "!" if code in bearing.MEANING else ""
            assert mark == bears, code
    assert {*table("Iterations"), *table("Comparisons")} >= bearing.MEANING.keys()


def test_what_no_gate_takes_for_a_proof_is_listed_where_gates_are_described() -> None:
    text = (PACKAGE.parent / "docs" / "statistics.md").read_text()
    listed = text.partition("numbers are not what they seem: ")[2].partition(".")[0]
    assert set(re.findall(r"`([a-z-]+)`", listed)) == bearing.UNSOUND


def test_every_limit_is_documented() -> None:
    section = DOCS.read_text().partition("\n## What limited a blast\n")[2].partition("\n## ")[0]
    documented = re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)
    of_cards = {one.code for one in CAUSES.values()}
    assert set(documented) == given("Diagnosis") | of_cards
    assert set(documented) >= diagnosed.AVERAGED
