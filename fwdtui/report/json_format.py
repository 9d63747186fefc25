"""`compare --format json`: the contract's structs, field by field; a number that does not exist is null."""

from collections.abc import Sequence

import msgspec

from fwdtui.stats.model import Comparison

SCHEMA = 1


class _Document(msgspec.Struct, frozen=True):
    schema: int
    comparisons: tuple[Comparison, ...]


def render(comparisons: Sequence[Comparison]) -> str:
    """One JSON document, indented, with a line end. NaN and infinity come out as null.

    An interval that does not exist is ``[null, null]``: it is its two numbers that do not exist.
    """
    plain = msgspec.to_builtins(_Document(SCHEMA, tuple(comparisons)))
    for one in plain["comparisons"]:
        for name in ("ci_absolute", "ci_percent"):
            one["difference"][name] = one["difference"][name] or (None, None)
    data = msgspec.json.encode(plain)
    return msgspec.json.format(data, indent=2).decode() + "\n"
