"""What a metric's unit says: whether more or less is better, and whether the offered load is a bound."""

from collections.abc import Iterable

from fwdtui.core.errors import FwdtuiError

SAME_LOAD = 0.02
"""Loads that differ by up to this share count as the load of one test."""
MORE, LESS = "more", "less"

_BETTER = {
    "pps": MORE,
    "b/s": MORE,
    "kb/s": MORE,
    "Mb/s": MORE,
    "Gb/s": MORE,
    "%": LESS,  # of loss
    "ns": LESS,
    "us": LESS,
    "ms": LESS,
    "s": LESS,
}
_A_PACKET = "/packet"  # what a forwarded packet cost: microseconds, cycles, cache misses
_A_CORE = "/core"  # what a busy core forwards
_OF_THE_LOAD = frozenset({"", "pps", "b/s", "kb/s", "Mb/s", "Gb/s"})


def better(unit: str) -> str:
    """``"more"`` or ``"less"``. An unknown unit is a rate, as every value was before there were others."""
    return LESS if unit.endswith(_A_PACKET) else _BETTER.get(unit, MORE)


def is_unit(text: str) -> bool:
    """Whether `better` knows this text as a unit, and does not just take it for a rate."""
    return text in _BETTER or text.endswith((_A_PACKET, _A_CORE))


def bounded_by_load(unit: str) -> bool:
    """Whether a value in this unit is a part of what was offered, which is then the most that it can be.

    Packets per busy core are not, though more of them are better. An unknown unit is a rate.
    """
    return unit in _OF_THE_LOAD or (unit not in _BETTER and "/" not in unit)


def is_cost(unit: str) -> bool:
    """Whether a value in this unit is what a packet costs: this depends on the load, but is no part of it."""
    return unit.endswith((_A_PACKET, _A_CORE))


def one_unit(units: Iterable[tuple[str, str]]) -> str:
    """The unit that all have, from pairs of a name for messages and a unit; "" if none has one.

    Raises FwdtuiError, naming two that differ: their values cannot be compared.
    """
    first: tuple[str, str] | None = None
    for what, unit in units:
        if not unit:
            continue
        if first is None:
            first = what, unit
        elif unit != first[1]:
            raise FwdtuiError(f"{first[0]} is in {first[1]} and {what} in {unit}: they cannot be compared")
    return first[1] if first else ""
