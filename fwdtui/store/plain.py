"""Parses TOML and JSON of unknown origin into plain dicts, lists, strings and numbers, within bounds.

Both parsers recurse once per level; what is out of bounds is damage like any other. See core/bounded.py.
"""

from pathlib import Path
from typing import Any

from fwdtui.core import bounded
from fwdtui.core.errors import FwdtuiError

_ALIKE = bytes.maketrans(b"123456789[", b"000000000{")  # digits are counted together, and so are brackets
_LONG = b"0" * 19  # with 19 digits or more, an integer may need more than 64 bits


def toml(data: bytes, path: Path | str, *, stated: bool = False, doubtful: bool = False) -> dict[str, Any]:
    """Parse TOML. Raises FwdtuiError naming file and position: not UTF-8, not TOML, out of bounds.

    `stated`: people state factors in it. `doubtful`: numbers that may be meant as names are accepted as well,
    see core/factors_toml.py.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FwdtuiError(f"{path}: not UTF-8 at byte {error.start}") from None
    if not stated:
        return bounded.toml(text, path)
    from fwdtui.core import factors_toml

    return factors_toml.toml(text, path, doubtful=doubtful)


def json(data: bytes, path: Path | str) -> Any:
    """Parse JSON. Raises FwdtuiError naming file and position: not JSON, out of bounds."""
    import msgspec

    try:
        content = msgspec.json.decode(data.removeprefix(bounded.BOM.encode()))
    except UnicodeDecodeError as error:
        raise FwdtuiError(f"{path}: not UTF-8 at byte {error.start}") from None
    except msgspec.MsgspecError as error:
        raise FwdtuiError(f"{path}: {_said(str(error))}") from None
    except RecursionError:
        raise FwdtuiError(bounded.too_deep(path)) from None
    alike = data.translate(_ALIKE)
    if _LONG in alike or alike.count(b"{") > bounded.DEEPEST:
        bounded.check(content, path)
    return content


def _said(error: str) -> str:
    """The parser's message without its own notation for a position."""
    text = error.partition(" - at `")[0]
    if text == "Input data was truncated":
        return "the JSON ends too early"
    return "a number in it is out of range" if "out of range" in text else text


def has_long_number(data: bytes) -> bool:
    """Whether JSON may hold an integer of more than 64 bits: it has 19 digits in a row."""
    return _LONG in data.translate(_ALIKE)
