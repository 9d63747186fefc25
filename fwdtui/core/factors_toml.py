"""TOML in which people state factors: a value that is a name stays as it is written.

TOML reads ``image = 6.10`` without quotation marks as the number 6.1, which is another image.
"""

from typing import Any

from fwdtui.core import bounded
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import factor_name, is_named


class _Written(float):
    """A number with a fraction, and its text in the file."""

    __slots__ = ("text",)
    text: str


def toml(text: str, path: object) -> dict[str, Any]:
    """As `bounded.toml`; where the value of a factor is a name, ``6.10`` and ``14.0`` are texts."""
    content = _settled(bounded.toml(text, path, _written))
    assert isinstance(content, dict)
    return content


def _written(text: str) -> float:
    number = _Written(text)
    number.text = text
    return number


def _settled(one: Any, name: bool = False) -> Any:
    """`one` without what is only known here; `name`: it is the value of a factor whose values are names.

    In experiment.toml ``[[factor]]`` has the factor's name beside its levels, each a value or a table.
    """
    if isinstance(one, dict):
        mine = _takes_names(one.get("name"))
        return {
            key: _settled(inner, _takes_names(key) or (key == "levels" and mine) or (key == "value" and name))
            for key, inner in one.items()
        }
    if isinstance(one, list):
        return [_settled(inner, name) for inner in one]
    if isinstance(one, _Written):
        # as the level of a factor a number has no ".0"
        return one.text if name and one.text != repr(float(one)).removesuffix(".0") else float(one)
    return one


def _takes_names(key: object) -> bool:
    try:
        return isinstance(key, str) and is_named(factor_name(key))
    except FwdtuiError:
        return False
