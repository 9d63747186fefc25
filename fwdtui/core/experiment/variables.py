"""Variables in an experiment's commands: ``{frame_size}``, ``{frame_size-4}``, ``{flows}``.

``{{name}}`` stands for the text ``{name}``. Everything else stays as it is: the shell's ``${name}`` and
``{a,b}``, awk's ``{ print }``, nft's ``{ policy accept; }``.
"""

import re
from collections.abc import Mapping
from decimal import Decimal

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue, level
from fwdtui.core.units import quoted

_NAME = r"[A-Za-z_][A-Za-z0-9_.]{0,63}"
_OFFSET = r"[+-][0-9]{1,9}"
_USE = re.compile(
    rf"\$\{{|\{{\{{(?P<literal>{_NAME}(?:{_OFFSET})?)\}}\}}|\{{(?P<name>{_NAME})(?P<offset>{_OFFSET})?\}}"
)
_ALMOST = re.compile(
    rf"(?<![${{])\{{(?:\s*(?P<name>{_NAME})\s*[-+*/]\s*[0-9.]+\s*|(?P<spelled>[A-Za-z]\w*(?:-[A-Za-z]\w*)+))\}}"
)


def filled(text: str, values: Mapping[str, str]) -> str:
    """`text` with its variables replaced. Raises FwdtuiError for one that is not in `values`."""

    def replaced(use: re.Match[str]) -> str:
        if use["literal"]:
            return f"{{{use['literal']}}}"
        return _value(use, values) if use["name"] else use[0]

    return _USE.sub(replaced, text)


def filled_strictly(text: str, values: Mapping[str, str]) -> str:
    """Like `filled`, for text from a file. Raises FwdtuiError also for what only looks like a variable.

    It would stay as it is, perhaps without its author noticing: ``{frame_size - 4}``, ``{rate/1000}``.
    """
    for use in _ALMOST.finditer(text):
        name = use["name"] or use["spelled"].lower().replace("-", "_")
        if name in values and not _USE.fullmatch(use[0]):
            raise FwdtuiError(
                f"{use[0]} looks like the variable {{{name}}}: expected {{{name}}}, or {{{name}+1}} or"
                f" {{{name}-1}} without spaces for another whole number"
            )
    return filled(text, values)


def names(text: str) -> frozenset[str]:
    """The variables that occur in `text`."""
    return frozenset(use["name"] for use in _USE.finditer(text) if use["name"])


def written(name: str, value: FactorValue) -> str:
    """What a variable stands for: a quantity as a bare number in its base unit, anything else as it is.

    ``"64 B"`` -> ``64``, ``"300 kpps"`` -> ``300000``, ``"inet4"`` -> ``inet4``.
    """
    one = level(name, value)
    if one.number is None:
        return one.text
    return str(int(one.number)) if one.number.is_integer() else f"{Decimal(repr(one.number)):f}"


def _value(use: re.Match[str], values: Mapping[str, str]) -> str:
    name, offset = use["name"], use["offset"]
    if name not in values:
        known = ", ".join(f"{{{one}}}" for one in values) or "none here"
        raise FwdtuiError(
            f"{{{name}}} is not a variable (known: {known}); write {{{{{name}}}}} for the text {{{name}}}"
        )
    value = values[name]
    if not offset:
        return value
    if not re.fullmatch(r"-?[0-9]{1,18}", value):
        raise FwdtuiError(f"{use[0]}: expected a whole number as {name}, got {quoted(value)}")
    return str(int(value) + int(offset))
