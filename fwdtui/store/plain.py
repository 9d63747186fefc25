"""TOML and JSON of unknown origin as plain dicts, lists, texts and numbers, within bounds.

Both parsers recurse once a level, tomllib's time grows with the square of the length of a dotted key, and an
integer of thousands of digits cannot even be printed. What is out of bounds is damage like any other.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from fwdtui.core.errors import FwdtuiError

DEEPEST = 64
"""Levels of tables, arrays and parts of a dotted key."""
_BOM = "\ufeff"  # some editors put it first
_LEAST, _MOST = -(2**63), 2**64 - 1
# the parts of a dotted key; a part is only looked at from its beginning, so this takes linear time
_KEY = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DOTTED = re.compile(rf"(?<![\w-]){_KEY}(?:[ \t]*+\.[ \t]*+{_KEY}){{{DEEPEST}}}")
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_LONG = b"0" * 19  # of 19 digits on, an integer may have more than 64 bits
_OPENING = bytes(byte for byte in range(256) if byte not in b"[{")


def toml(data: bytes, path: Path | str) -> dict[str, Any]:
    """Raises FwdtuiError that names file and place: not UTF-8, not TOML, out of bounds."""
    try:
        text = data.decode("utf-8").removeprefix(_BOM)
        if _DOTTED.search(text):
            raise FwdtuiError(_too_deep(path))
        found = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise FwdtuiError(f"{path}: not UTF-8 at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise FwdtuiError(f"{path}: {error}") from None
    except RecursionError:
        raise FwdtuiError(_too_deep(path)) from None
    except ValueError:  # int() of thousands of digits, or a date that no calendar has
        raise FwdtuiError(f"{path}: a number or a date in it is out of range") from None
    _check(found, path)
    return found


def json(data: bytes, path: Path | str) -> Any:
    """Raises FwdtuiError that names file and place: not JSON, out of bounds."""
    import msgspec

    try:
        found = msgspec.json.decode(data.removeprefix(_BOM.encode()))
    except UnicodeDecodeError as error:
        raise FwdtuiError(f"{path}: not UTF-8 at byte {error.start}") from None
    except msgspec.MsgspecError as error:
        raise FwdtuiError(f"{path}: {_said(str(error))}") from None
    except RecursionError:
        raise FwdtuiError(_too_deep(path)) from None
    if has_long_number(data) or len(data.translate(None, _OPENING)) > DEEPEST:
        _check(found, path)
    return found


def _said(error: str) -> str:
    """Without the parser's own notation of a place, which names no key."""
    text = error.split(" - at `", 1)[0]
    if text == "Input data was truncated":
        return "the JSON ends too early"
    return "a number in it is out of range" if "out of range" in text else text


def has_long_number(data: bytes) -> bool:
    """Whether JSON may hold an integer of more than 64 bits: it has 19 digits in a row."""
    return _LONG in data.translate(_DIGITS)


def _check(found: Any, path: Path | str) -> None:
    """Depth and integers, level by level, without calling itself."""
    level = [found]
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
    raise FwdtuiError(_too_deep(path))


def _too_deep(path: Path | str) -> str:
    return f"{path}: nested more than {DEEPEST} levels deep"
