"""Names and numbers that are not plain decimals, out of hostile text.

Python's own int() and float() take more than tools print (underscores, other scripts' digits, `nan`,
`inf`) and raise on what is too long, so text is checked before it is converted.
"""

import re

from fwdtui.core.text import clean

MAX_NAME = 64  # IFNAMSIZ is 16; alternative names and rule names are longer
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{1,16}")
_DECIMAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")


def hexadecimal(token: str) -> int | None:
    """A hexadecimal number of at most 64 bits without a prefix, or None."""
    return int(token, 16) if _HEXADECIMAL.fullmatch(token) else None


def decimal(token: str) -> float | None:
    """A non-negative number with an optional fraction and no exponent, or None; always finite."""
    return float(token) if _DECIMAL.fullmatch(token) else None


def phrase(value: object, limit: int = 200) -> str | None:
    """One cleaned line of at most `limit` characters from a text, or None where there is none.

    JSON escapes can carry control characters and lone surrogates past the cleaning of the raw text.
    """
    if not isinstance(value, str):
        return None
    safe = clean(value.encode("utf-8", "backslashreplace").decode("utf-8"))
    return safe.strip()[:limit].strip() or None


def identifier(value: object) -> str | None:
    """A name: one cleaned word without white space of at most MAX_NAME characters, or None."""
    word = phrase(value, MAX_NAME + 1)
    if word is None or len(word) > MAX_NAME or len(word.split()) != 1:
        return None
    return word
