"""Reads TOML of unknown origin into plain dicts, lists, strings and numbers, within bounds.

tomllib recurses once per level, its time grows with the square of a dotted key's length, and an integer of
thousands of digits cannot even be printed. Input out of bounds is treated as damage like any other.
"""

import re
from collections.abc import Callable
from typing import Any

from fwdtui.core.errors import FwdtuiError

DEEPEST = 64
"""The most levels of tables and arrays, and the most parts of a dotted key."""
BOM = "\ufeff"  # some editors put it first
_LEAST, _MOST = -(2**63), 2**64 - 1
# the parts of a dotted key; a part is only looked at from its beginning, so this takes linear time
_KEY = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DOTTED = re.compile(rf"(?<![\w-]){_KEY}(?:[ \t]*+\.[ \t]*+{_KEY}){{{DEEPEST}}}")


def toml(text: str, path: object, number: Callable[[str], float] = float) -> dict[str, Any]:
    """Parses `text`. Raises FwdtuiError with the file and position if it is not TOML or is out of bounds.

    `number` converts the text of a number with a fraction, as tomllib's `parse_float` does.
    """
    import tomllib  # takes as long as reading ten logs, and not every command has TOML to read

    try:
        text = text.removeprefix(BOM)
        if _DOTTED.search(text):
            raise FwdtuiError(too_deep(path))
        content = tomllib.loads(text, parse_float=number)
    except tomllib.TOMLDecodeError as error:
        raise FwdtuiError(f"{path}: {error}") from None
    except RecursionError:
        raise FwdtuiError(too_deep(path)) from None
    except ValueError:  # int() of thousands of digits, or an impossible date
        raise FwdtuiError(f"{path}: a number or a date in it is out of range") from None
    check(content, path)
    return content


def check(content: Any, path: object) -> None:
    """Checks depth and integers level by level, without recursion. Raises FwdtuiError."""
    level = [content]
    for _ in range(DEEPEST):
        deeper: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                deeper += one.values()
            elif isinstance(one, list):
                deeper += one
            elif isinstance(one, int) and not _LEAST <= one <= _MOST:
                raise FwdtuiError(f"{path}: an integer in it has more than 64 bits")
        if not deeper:
            return
        level = deeper
    raise FwdtuiError(too_deep(path))


def too_deep(path: object) -> str:
    """The message for a file that is nested too deeply."""
    return f"{path}: nested more than {DEEPEST} levels deep"
