"""Factors that people state for a recording, in lab.toml or with --factor, checked before it begins."""

import math
from collections.abc import Iterable, Mapping

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import (
    CASE,
    SESSION,
    UNITS,
    FactorValue,
    assignment,
    factor_name,
    is_named,
    level,
    merged,
    spelled,
    unit_of,
)
from fwdtui.core.text import clean

_RATE = 'a rate such as "300 kpps" or "1 Gb/s"'
_COUNT = "a whole number such as 24"
_QUANTITIES = {
    "frame_size": ("B", 'the length of a frame, such as 64 or "64 B"'),
    "rate": ("pps", _RATE),
    "attack_rate": ("pps", _RATE),
    "flows": ("", _COUNT),
    "queues": ("", _COUNT),
    "cores": ("", _COUNT),
}
"""The usual factors that are quantities: their unit, and what is expected of their value."""
_RATES = ("pps", "b/s")
_RESERVED = {SESSION: "--session", CASE: "--case"}
_LONGEST = 200  # characters of a value


def stated(given: Mapping[str, FactorValue], where: str = "") -> dict[str, FactorValue]:
    """Factors under the names that everything uses. `where` comes before a name in messages: ``factors.``.

    Raises FwdtuiError: ``factors.rate: expected a rate such as "300 kpps" or "1 Gb/s", got 'fast'``.
    """
    factors: dict[str, FactorValue] = {}
    for written, value in given.items():
        try:
            name = factor_name(written)
        except FwdtuiError as error:
            raise FwdtuiError(f"{where or '--factor: '}{error}") from None
        if name in factors:
            raise FwdtuiError(f"{where}{name}: given twice")
        if name in _RESERVED:
            raise FwdtuiError(f"{where}{name}: cannot be given as a factor; use {_RESERVED[name]}")
        value = clean(value).strip() if isinstance(value, str) else value
        if expected := expected_of(name, value):
            raise FwdtuiError(f"{where}{name}: expected {expected}, got {value!r}")
        factors[name] = value
    return factors


def options(texts: Iterable[str]) -> dict[str, FactorValue]:
    """What ``--factor NAME=VALUE``, given once or several times, states. Raises FwdtuiError."""
    given: dict[str, FactorValue] = {}
    for text in texts:
        try:
            name, value = assignment(text)
        except FwdtuiError as error:
            raise FwdtuiError(f"--factor: {error}") from None
        if name in given:
            raise FwdtuiError(f"--factor {name}: given twice")
        given[name] = value
    return stated(given, "--factor ")


def told(factors: Mapping[str, FactorValue], attacked: bool, frame: int | None = None) -> list[str]:
    """The lines to show when a recording with these factors begins. `attacked`: its lab sends an attack.

    `frame`: bytes with FCS of the frames of its wanted traffic; None: not known.
    """
    lines = [f"Recorded with {spelled(merged(factors))}."] if factors else []
    size = level("frame_size", factors.get("frame_size", ""))
    if frame is not None and size.number is not None and size.number != frame:
        lines.append(
            f"frame_size={size.shown} is stated, but according to lab.toml the generators send frames of"
            f" {frame} bytes with their FCS: one of the two is wrong."
        )
    if attacked and "attack_rate" not in factors:
        lines.append(
            "An attack is sent and its rate is not stated; state it with --factor attack_rate='10 Mpps'."
        )
    return lines


def expected_of(name: str, value: FactorValue) -> str:
    """What was expected instead of `value`; "" if it is a value of this factor."""
    if isinstance(value, str) and (not value or len(value) > _LONGEST):
        return f"a value of 1 to {_LONGEST} characters"
    if isinstance(value, float) and not math.isfinite(value):
        return "a finite number"
    if name in _QUANTITIES:
        unit, expected = _QUANTITIES[name]
        return "" if _is_quantity(name, value, unit) else expected
    unit = "" if is_named(name) else unit_of(value)
    return "" if unit in ("", *UNITS) else f"a name, or a number with a known unit ({', '.join(UNITS)})"


def _is_quantity(name: str, value: FactorValue, unit: str) -> bool:
    one = level(name, value)
    if one.number is None or one.number < 0:
        return False
    if unit == "pps":
        return one.unit in _RATES
    return one.unit == unit and one.number >= 1 and one.number.is_integer()
