"""Which way a metric is better, by its unit: more packets per second, but fewer microseconds."""

from collections.abc import Iterable

from fwdtui.core.errors import FwdtuiError

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
    "cycles/packet": LESS,
    "ns/packet": LESS,
}


def better(unit: str) -> str:
    """``"more"`` or ``"less"``. An unknown unit is a rate, as every value was before there were others."""
    return _BETTER.get(unit, MORE)


def one_unit(found: Iterable[tuple[str, str]]) -> str:
    """The unit that all have, from pairs (what, its unit); "" if none has one.

    Raises FwdtuiError, naming two that differ: their values cannot be compared.
    """
    first: tuple[str, str] | None = None
    for what, unit in found:
        if not unit:
            continue
        if first is None:
            first = what, unit
        elif unit != first[1]:
            raise FwdtuiError(f"{first[0]} is in {first[1]} and {what} in {unit}: they cannot be compared")
    return first[1] if first else ""
