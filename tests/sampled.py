"""Which part of many examples the suite tries, the same part each time; with FWDTUI_RANDOM all of them."""

import os
from collections.abc import Iterator

EVERY = 1 if os.environ.get("FWDTUI_RANDOM") else 5


def prefixes(length: int, nth: int, longest: int | None = None) -> Iterator[int]:
    """Ends of the nth text's prefixes: a fifth of the short ones, another in each text; few of the rest."""
    short = min(length, 400)
    yield from range(nth % EVERY, short, EVERY)
    yield from range(400, min(length, longest or length), 23 * min(EVERY, 3))
