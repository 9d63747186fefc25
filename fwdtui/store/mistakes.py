"""A wrong type in a file, in the words of its format: the key, what belongs there and what stands there."""

import re
from collections.abc import Iterator
from typing import Any

_KINDS = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "a boolean",
    "array": "an array",
    "object": "a table",
    "null": "null",
}
_TYPES: list[tuple[type, str]] = [
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (str, "str"),
    (list, "array"),
    (dict, "object"),
    (type(None), "null"),
]
_WHERE = re.compile(r" - at `\$(.*)`$")
_EXPECTED = re.compile(r"Expected `([^`]+)`, got `([^`]+)`$")
_MISSING = re.compile(r"Object missing required field `([^`]+)`$")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]|\[\.\.\.\]")


def mistake(error: Exception, plain: Any, path: object) -> str:
    """One sentence on a msgspec.ValidationError of `plain`, what the file at `path` holds."""
    text = str(error)
    where = _WHERE.search(text)
    steps, text = (where[1], text[: where.start()]) if where else ("", text)
    found = list(_at(plain, steps))
    if missing := _MISSING.match(text):
        name = missing[1]
        keys = (key for key, value in found if isinstance(value, dict) and name not in value)
        return f"{_joined(next(keys, ''), name)}: missing"
    if expected := _EXPECTED.match(text):
        keys = (key for key, value in found if _kind(value) == expected[2])
        key = next(keys, found[0][0] if found else "")
        words = [_word(kind, path) for kind in expected[1].split(" | ")]
        wanted = " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
        return f"{key + ': ' if key else ''}expected {wanted}, got {_word(expected[2], path)}"
    key = found[0][0] if found else ""
    return f"{key + ': ' if key else ''}{text[:1].lower()}{text[1:].replace('`', '')}"


def _at(plain: Any, steps: str) -> Iterator[tuple[str, Any]]:
    """What stands there, with its key; several, as ``[...]`` stands for any key of a table."""
    found: list[tuple[str, Any]] = [("", plain)]
    for step in _STEP.finditer(steps):
        name, index = step[1], step[2]
        deeper: list[tuple[str, Any]] = []
        for key, value in found:
            if isinstance(value, dict):
                deeper += [(_joined(key, k), v) for k, v in value.items() if name is None or k == name]
            elif isinstance(value, list) and index is not None and int(index) < len(value):
                deeper.append((f"{key}[{index}]", value[int(index)]))
        found = deeper
    yield from found


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _kind(value: Any) -> str:
    return next((name for kind, name in _TYPES if isinstance(value, kind)), type(value).__name__)


def _word(kind: str, path: object) -> str:
    if kind == "object" and str(path).endswith(".json"):
        return "an object"
    return _KINDS.get(kind, f"a {kind}")
