"""Is a set's rate the DUT's own limit, or only all that it was offered?

A value at the offered load or at line rate is censored: the DUT may be able to do more. Such a value is a
lower bound, and is never "equal" to another one.
"""

import math
from typing import NamedTuple

from fwdtui.stats.model import ResultSet
from fwdtui.stats.values import LargeValues

TOLERANCE = 0.005
"""A value within 0.5 % of the offered load or of line rate is at it."""


class Cap(NamedTuple):
    """How many iterations are at the limit, and which limit: "generator" (offered load) or "line-rate"."""

    kind: str
    pinned: int
    total: int

    @property
    def whole(self) -> bool:
        """All iterations are at the limit: the set says "at least", nothing more."""
        return self.pinned == self.total

    @property
    def limit(self) -> str:
        """The limit in words."""
        return "line rate" if self.kind == "line-rate" else "its offered load"


def whole_cap(cap: Cap | None) -> Cap | None:
    """The cap where it holds for every iteration, so that the whole set is a lower bound."""
    return cap if cap is not None and cap.whole else None


def cap_of(results: ResultSet) -> Cap | None:
    """The cap of a set, None where no iteration is known to be at one.

    Line rate is named where every pinned iteration is at line rate, the generator otherwise.
    """
    values = results.values
    if results.line_rate is None and not results.offered:
        return None
    if isinstance(values, LargeValues):
        from fwdtui.stats.large import within

        limits = results.offered if len(results.offered) == len(values) else ()
        line_only, found = within(values.data, limits, results.line_rate, TOLERANCE)
        return _cap(line_only, found, len(values))
    offered = results.offered if len(results.offered) == len(values) else (None,) * len(values)
    at_line = [_within(value, results.line_rate) for value in values]
    at_either = [
        line or _within(value, load) for value, line, load in zip(values, at_line, offered, strict=True)
    ]
    return _cap(sum(at_line), sum(at_either), len(values))


def _cap(at_line: int, pinned: int, total: int) -> Cap | None:
    if not pinned:
        return None
    return Cap("line-rate" if at_line == pinned else "generator", pinned, total)


def _within(value: float, limit: float | None) -> bool:
    if limit is None or not math.isfinite(limit) or limit <= 0.0:
        return False
    return abs(value - limit) <= TOLERANCE * limit
