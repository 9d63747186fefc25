"""One pair as ministat decides it, for people and programs that want the numbers and not the text."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from fwdtui.stats.ministat.model import FEWEST_VALUES, NamedSet
from fwdtui.stats.ministat.tables import CONFIDENCES
from fwdtui.stats.ministat.verdict import verdict
from fwdtui.stats.ministat.vitals import vitals

if TYPE_CHECKING:
    from fwdtui.stats.model import MinistatResult


def pair(
    base_values: Sequence[float],
    other_values: Sequence[float],
    confidence: float = 95.0,
    flavour: str = "current",
) -> MinistatResult:
    """`other` against `base`. What ministat cannot say is None.

    Nothing can be said of fewer than three values or of values that are not finite. At a confidence that is
    none of ministat's six there is a difference but no verdict and no error.
    """
    from fwdtui.stats.model import MinistatResult  # here: ministat's own text needs no msgspec

    few = min(len(base_values), len(other_values)) < FEWEST_VALUES
    if few or not all(map(isfinite, (*base_values, *other_values))):
        return MinistatResult(None, None, None, None, None, None)
    known = confidence in CONFIDENCES
    base = vitals(NamedSet("base", base_values), flavour)
    other = vitals(NamedSet("other", other_values), flavour)
    found = verdict(base, other, confidence if known else CONFIDENCES[0], flavour)
    decided = known and isfinite(found.error)
    return MinistatResult(
        differs=found.differs if decided else None,
        absolute=_finite(found.absolute),
        error=_finite(found.error) if known else None,
        percent=_finite(found.percent),
        percent_error=_finite(abs(found.percent_error)) if known else None,
        pooled_s=_finite(found.pooled_s),
    )


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
