"""Is a set's rate the DUT's own limit, or only all that it was offered?

A value at the offered load or at line rate is censored: the DUT may be able to do more. Such a value is a
lower bound, and is never "equal" to another one.
"""

import math
from typing import NamedTuple

from fwdtui.core.metrics import bounded_by_load
from fwdtui.core.offered import is_above
from fwdtui.stats.results import ResultSet
from fwdtui.stats.values import LargeValues

TOLERANCE = 0.005
"""A value counts as at the offered load or line rate from 0.5 % below it.

It does so up to where it counts as impossible (offered.TOLERANCE): there is no gap between the two.
"""


class Cap(NamedTuple):
    """How many iterations are at the limit, and which limit: "generator" (offered load) or "line-rate"."""

    kind: str
    pinned: int
    total: int

    @property
    def whole(self) -> bool:
        """Whether all iterations are at the limit: the set then says "at least", nothing more."""
        return self.pinned == self.total

    @property
    def limit(self) -> str:
        """The limit in words."""
        return "line rate" if self.kind == "line-rate" else "its offered load"

    def clause(self, label: str) -> str:
        """Which set is at which limit: ``new is at line rate``, ``2 of 5 iterations of new are at ...``."""
        if self.whole:
            return f"{label} is at {self.limit}"
        if self.pinned == 1:
            return f"1 of {self.total} iterations of {label} is at {self.limit}"
        limit = self.limit.replace("its", "their")
        return f"{self.pinned} of {self.total} iterations of {label} are at {limit}"


def reach(results: ResultSet) -> float:
    """The lowest limit that the set's values could have reached; infinite where none is known."""
    if not bounded_by_load(results.unit):
        return math.inf
    limits = [load for load in results.offered if load is not None and math.isfinite(load) and load > 0.0]
    if results.line_rate is not None and math.isfinite(results.line_rate) and results.line_rate > 0.0:
        limits.append(results.line_rate)
    return min(limits, default=math.inf)


def cap_of(results: ResultSet) -> Cap | None:
    """The cap of a set, None where no iteration is known to be at one.

    Line rate is named where every pinned iteration is at line rate, the generator otherwise.
    """
    values = results.values
    if not bounded_by_load(results.unit) or (results.line_rate is None and not results.offered):
        return None
    if isinstance(values, LargeValues):
        from fwdtui.stats.large import within

        limits = results.offered if len(results.offered) == len(values) else ()
        line_only, capped = within(values.data, limits, results.line_rate, TOLERANCE)
        return _cap(line_only, capped, len(values))
    if max(values, default=0.0) < (1.0 - 2.0 * TOLERANCE) * reach(results):
        return None  # nearly always: all are far below the lowest limit
    offered = results.offered if len(results.offered) == len(values) else (None,) * len(values)
    line_rate = results.line_rate
    at_line = [line_rate is not None and _within(value, line_rate) for value in values]
    at_either = [
        line or _within(value, load) for value, line, load in zip(values, at_line, offered, strict=True)
    ]
    return _cap(sum(at_line), sum(at_either), len(values))


def _cap(at_line: int, pinned: int, total: int) -> Cap | None:
    if not pinned:
        return None
    return Cap("line-rate" if at_line == pinned else "generator", pinned, total)


def _within(value: float, limit: float | None) -> bool:
    if limit is None or not limit - value <= TOLERANCE * limit:
        return False
    return math.isfinite(limit) and limit > 0.0 and not is_above(value, limit)
