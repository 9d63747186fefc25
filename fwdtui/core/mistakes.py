"""Says what is wrong in a file, in the terms of its format: the key, what was expected and what was found."""

import re
from collections.abc import Iterator
from typing import Any

from fwdtui.core.text import clean

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
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`$", re.DOTALL)
_OWN = "expected "  # how the messages of a value's own type begin, see lab_tables
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]|\[\.\.\.\]")


def mistake(error: Exception, plain: Any, path: object, kind: Any = None) -> str:
    """One sentence about a msgspec.ValidationError in `plain`, the content of the file at `path`.

    With `kind`, the type that it should have become, the sentence lists the valid keys and says what a
    missing one should contain.
    """
    text = str(error)
    where = _WHERE.search(text)
    steps, text = (where[1], text[: where.start()]) if where else ("", text)
    return clean(_told(text, list(_at(plain, steps)), path, list(_tables(kind, steps))))


def _told(text: str, values: list[tuple[str, Any]], path: object, tables: list[Any]) -> str:
    """The sentence. `values`: those at the mistake's place, with their keys. `tables`: the types of tables
    that belong there."""
    if unknown := _UNKNOWN.match(text):
        name = unknown[1]
        keys = (key for key, value in values if isinstance(value, dict) and name in value)
        known = ", ".join(field.encode_name for table in tables for field in table.fields)
        wanted = f"; expected one of {known}" if known else ""
        return f"{_joined(next(keys, ''), name)}: unknown key{wanted}"
    if missing := _MISSING.match(text):
        name = missing[1]
        keys = (key for key, value in values if isinstance(value, dict) and name not in value)
        types = (field.type for table in tables for field in table.fields if field.encode_name == name)
        wanted = _wanted(next(types, None))
        return f"{_joined(next(keys, ''), name)}: missing{wanted and '; expected ' + wanted}"
    if expected := _EXPECTED.match(text):
        keys = (key for key, value in values if _kind(value) == expected[2])
        key = next(keys, values[0][0] if values else "")
        # TOML has no null: it stands for a key that is left out
        kinds = [kind for kind in expected[1].split(" | ") if kind != "null" or _is_json(path)]
        words = [_word(kind, path) for kind in kinds]
        wanted = " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
        return f"{key + ': ' if key else ''}expected {wanted}, got {_word(expected[2], path)}"
    if not text.startswith(_OWN):
        text = f"{text[:1].lower()}{text[1:].replace('`', '')}"
    key = values[0][0] if values else ""
    return f"{key + ': ' if key else ''}{text}"


def _tables(kind: Any, steps: str) -> Iterator[Any]:
    """The struct types (msgspec.inspect) that are allowed at one place of a value of type `kind`."""
    if kind is None:
        return
    from msgspec import inspect  # only a mistake needs it

    level: list[Any] = [inspect.type_info(kind)]
    for step in [*_STEP.finditer(steps), None]:
        level = [one for each in level for one in getattr(each, "types", (each,))]
        if step is None:
            yield from (one for one in level if isinstance(one, inspect.StructType))
        elif step[1] is None:
            level = [getattr(one, "item_type", getattr(one, "value_type", None)) for one in level]
        else:
            structs = (one for one in level if isinstance(one, inspect.StructType))
            level = [field.type for one in structs for field in one.fields if field.encode_name == step[1]]


def _wanted(kind: Any) -> str:
    """What a key of this type (msgspec.inspect) expects: a table, or what its own type says; else ""."""
    if hasattr(kind, "fields"):
        return "a table"
    return str(getattr(getattr(kind, "cls", None), "expected", ""))


def _at(plain: Any, steps: str) -> Iterator[tuple[str, Any]]:
    """The values at a place, with their keys; several, since ``[...]`` means any key of a table."""
    values: list[tuple[str, Any]] = [("", plain)]
    for step in _STEP.finditer(steps):
        name, index = step[1], step[2]
        deeper: list[tuple[str, Any]] = []
        for key, value in values:
            if isinstance(value, dict):
                deeper += [(_joined(key, k), v) for k, v in value.items() if name is None or k == name]
            elif isinstance(value, list) and index is not None and int(index) < len(value):
                deeper.append((f"{key}[{index}]", value[int(index)]))
        values = deeper
    yield from values


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _kind(value: Any) -> str:
    return next((name for kind, name in _TYPES if isinstance(value, kind)), type(value).__name__)


def _word(kind: str, path: object) -> str:
    if kind == "object" and _is_json(path):
        return "an object"
    return _KINDS.get(kind, f"a {kind}")


def _is_json(path: object) -> bool:
    return str(path).endswith(".json")
