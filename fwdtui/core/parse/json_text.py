"""JSON documents of unknown origin: read without raising, and each value accepted only if its type is right.

Python's reader accepts NaN, Infinity and 1e999, counts True as an integer, raises RecursionError on deep
nesting and ValueError on integers of more than 4300 digits.
"""

import json
import math
from typing import Any


def load_json(text: str) -> tuple[object, str | None]:
    """A JSON document and why it could not be read (None: it could)."""
    try:
        return json.loads(text), None
    except RecursionError:
        return None, "JSON nested too deeply"
    except ValueError as error:
        return None, f"not JSON: {str(error)[:80]}"


def load_documents(text: str, limit: int = 1000) -> tuple[list[object], str | None]:
    """A sequence of JSON documents, and why the rest could not be read (None: all were read)."""
    decoder = json.JSONDecoder()
    documents: list[object] = []
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return documents, None
        if len(documents) == limit:
            return documents, f"more than {limit} JSON documents"
        try:
            value, at = decoder.raw_decode(text, at)
        except RecursionError:
            return documents, "JSON nested too deeply"
        except ValueError as error:
            return documents, f"not JSON: {str(error)[:80]}"
        documents.append(value)


def count(value: object) -> int | None:
    """A non-negative whole number of at most 64 bits, or None. A float counts if it is whole.

    cJSON prints numbers from 10**15 on with an exponent, which Python reads as a float.
    """
    if type(value) is int and 0 <= value < 2**64:
        return value
    if type(value) is float and math.isfinite(value) and value.is_integer() and 0 <= value < 2**64:
        return int(value)
    return None


def integer(value: object) -> int | None:
    """Like `count`, but it may be negative."""
    if type(value) in (int, float):
        assert isinstance(value, int | float)
        size = count(abs(value))
        return None if size is None else (-size if value < 0 else size)
    return None


def real(value: object) -> float | None:
    """A number of plausible size (below 2**64) for a measurement, or None; always finite."""
    if type(value) in (int, float):
        assert isinstance(value, int | float)
        return float(value) if abs(value) < 2**64 else None  # false for NaN
    return None


def truth(value: object) -> bool | None:
    """true, false, 0 or 1; None for anything else."""
    return bool(value) if type(value) is bool or (type(value) is int and value in (0, 1)) else None


def mapping(value: object) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """The value if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []
