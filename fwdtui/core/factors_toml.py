"""TOML in which people state factors: a value that is a name stays as it is written.

TOML reads ``image = 6.10`` without quotation marks as the number 6.1, which is another image. If a factor is
not one of the usual ones (``kernel = 6.10``), its value may be a name or a number: it is refused.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from fwdtui.core import bounded
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FIELD, factor_name, is_named

# strings and comments: where a number's text may occur without being that number
_ASIDE = (
    r'"{3}(?:\\.|(?!"{3})[^\\])*"{3}|\'{3}(?:(?!\'{3}).)*\'{3}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*+\'|#[^\n]*+'
)


class _Written(float):
    """A number with a fraction, its text in the file, and how many numbers with the same text precede it."""

    __slots__ = ("before", "text")
    text: str
    before: int


def toml(text: str, path: object, *, doubtful: bool = False) -> dict[str, Any]:
    """Like `bounded.toml`, but where the value of a factor is a name, ``6.10`` and ``14.0`` are texts.

    Raises FwdtuiError for a level that may be a name. With `doubtful` it is a number, as it always has been
    for the readers of that file.
    """
    seen: dict[str, int] = {}

    def written(text: str) -> float:
        number = _Written(text)
        number.text, number.before = text, seen.get(text, 0)
        seen[text] = number.before + 1
        return number

    content = bounded.toml(text, path, written)
    for name, level in () if doubtful else _levels(content):
        if isinstance(level, _Written) and _may_be_name(name, level):
            number = repr(float(level)).removesuffix(".0")
            where = f"{path}: line {_line(text, level)}"
            raise FwdtuiError(
                f"{where}: {name} = {level.text} is the number {number} in TOML: "
                f'write "{level.text}" with quotation marks if it is a name such as a version, else {number}'
            )
    settled = _settled(content)
    assert isinstance(settled, dict)
    return settled


def _levels(content: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """The names and values of factors that are stated in a file of any kind."""
    for key, inner in content.items():
        if key in ("factors", "variables") and isinstance(inner, dict):
            yield from inner.items()
        elif key == "cells" and isinstance(inner, list):
            for cell in _tables(inner):
                yield from cell.items()
        elif key == "factor" and isinstance(inner, list):
            for factor in _tables(inner):
                levels = factor.get("levels")
                for one in levels if isinstance(levels, list) else ():
                    yield str(factor.get("name")), one.get("value") if isinstance(one, dict) else one
        elif isinstance(inner, dict):
            yield from _levels(inner)
        elif isinstance(inner, list):
            for table in _tables(inner):
                yield from _levels(table)


def _tables(content: Iterable[Any]) -> Iterator[dict[str, Any]]:
    return (one for one in content if isinstance(one, dict))


def _may_be_name(name: str, level: _Written) -> bool:
    """Whether a level ends with zeros that a version would lose.

    The levels of the usual factors are not doubtful, nor are shares such as 0.50.
    """
    try:
        if factor_name(name) in FIELD:
            return False
    except FwdtuiError:  # what reads the file will refuse it
        return False
    zeros = re.fullmatch(r"[1-9][0-9]{0,4}\.[0-9]*0", level.text)
    return zeros is not None and level.text != repr(float(level))


def _line(text: str, level: _Written) -> int:
    """The line in which a number is written."""
    found = re.finditer(rf"{_ASIDE}|(?<![\w.:+-])({re.escape(level.text)})(?![\w.])", text, re.DOTALL)
    places = [match.start() for match in found if match[1]]
    # a key may look like the number: then there are more places than numbers, and any one of them will do
    return text.count("\n", 0, places[min(level.before, len(places) - 1)] if places else 0) + 1


def _settled(one: Any, name: bool = False) -> Any:
    """`one` with texts and floats instead of `_Written`; `name`: the values of its factor are names.

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
