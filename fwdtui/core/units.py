"""Packets and bits per second: reading what people write, writing what people read."""

import math
import re

from fwdtui.core.errors import FwdtuiError

_SCALE = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
# possessive, and on short text only: else three runs of optional white space would backtrack in every way
_RATE = re.compile(r"([0-9]++(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]++)?)\s*+([kKMGT]?)\s*+((?:pps|bps|b/s)?)")
_LONGEST = 1000  # characters; a double written in full has fewer than 400
_SHOWN = 40
_MULTIPLES = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"))
_NO_MULTIPLE = 1e100  # figures beyond it are written with an exponent; rounded up they may be infinite


def parse_rate(text: str) -> float:
    """``"14.88M"`` -> 14880000.0 packets per second (decimal multiples k, M, G, T; an optional pps).

    Raises FwdtuiError on anything else, including bits per second and infinity.
    """
    match = _RATE.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if not match:
        raise FwdtuiError(
            f"{quoted(text)} is not a rate: write a number with an optional k, M or G, such as 14.88M"
        )
    number, multiple, unit = match.groups()
    if unit in ("bps", "b/s"):
        raise FwdtuiError(f"{quoted(text)} is in bits per second: write packets per second, such as 14.88M")
    rate = float(number) * _SCALE[multiple]
    if not math.isfinite(rate):
        raise FwdtuiError(f"{quoted(text)} is not a rate: no link carries that much")
    return rate


def quoted(text: str) -> str:
    """What a user wrote, as a message shows it: in quotation marks, and shortened if it is long."""
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")


def si(value: float, digits: int = 4) -> str:
    """A rate for people: `digits` significant figures and a decimal multiple: ``1.456 M``, ``12``."""
    if not abs(value) < _NO_MULTIPLE:  # NaN and infinity too
        return f"{value:.{digits}g}"
    # the comparison is against the rounded figure, so that 999,999 becomes 1.000 M and not 1000 k
    rounded = float(f"{value:.{digits - 1}e}")
    for scale, suffix in _MULTIPLES:
        if abs(rounded) >= scale:
            scaled = rounded / scale
            whole = len(str(int(abs(scaled))))
            return f"{scaled:.{max(digits - whole, 0)}f}{suffix}"
    return f"{value:.{digits}g}"


def pps(value: float, digits: int = 4) -> str:
    """``1.456 Mpps``, ``455 pps``."""
    text = si(value, digits)
    return f"{text}pps" if " " in text else f"{text} pps"


def grouped(value: float, decimals: int = 0) -> str:
    """A number with its digits in groups of three: ``1 001 291`` (ISO 80000-1; no locale, no comma)."""
    return f"{value:,.{decimals}f}".replace(",", " ")


def counted(number: int, thing: str) -> str:
    """``1 sample``, ``2 samples``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def in_full(value: float) -> str:
    """A number with all of its digits, as a person would write it: ``1``, ``0.1234567``."""
    return repr(float(value)).removesuffix(".0")


def in_digits(value: float, digits: int) -> str:
    """`digits` significant figures like ``:g``, but no exponent for large numbers: ``1540`` for 1540.2."""
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < _NO_MULTIPLE else text


_DURATION = re.compile(r"([0-9]++(?:\.[0-9]*+)?)\s*+(ms|s|m|min|h)?")
_SECONDS = {"ms": 1e-3, "s": 1.0, None: 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def parse_duration(text: str) -> float:
    """``"100ms"``, ``"12s"``, ``"5m"`` or a bare number of seconds -> seconds. Raises FwdtuiError."""
    match = _DURATION.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if not match:
        raise FwdtuiError(f"{quoted(text)} is not a duration: write a number with ms, s, m or h, such as 60s")
    seconds = float(match[1]) * _SECONDS[match[2]]
    if not math.isfinite(seconds):
        raise FwdtuiError(f"{quoted(text)} is not a duration: nothing takes that long")
    return seconds
