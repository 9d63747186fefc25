"""One pair as ministat decides it, for people and programs that want the numbers and not the text."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from fwdtui.stats.ministat.inputs import FEWEST_VALUES, FLAVOURS, NamedSet
from fwdtui.stats.ministat.t_test import t_test
from fwdtui.stats.ministat.tables import CONFIDENCES
from fwdtui.stats.ministat.vitals import Vitals, root, vitals
from fwdtui.stats.values import LargeValues

if TYPE_CHECKING:
    from fwdtui.stats.results import MinistatResult


def pair(
    base_values: Sequence[float],
    other_values: Sequence[float],
    confidence: float = 95.0,
    flavour: str = "current",
) -> MinistatResult:
    """`other` against `base`. What ministat cannot say is None.

    Nothing can be said of fewer than three values or of values that are not finite. At a confidence that is
    not one of ministat's six there is a difference, but no verdict and no error.
    """
    from fwdtui.stats.results import MinistatResult  # here: ministat's own text needs no msgspec

    few = min(len(base_values), len(other_values)) < FEWEST_VALUES
    if few or not (_finite_all(base_values) and _finite_all(other_values)):
        return MinistatResult(None, None, None, None, None, None)
    known = confidence in CONFIDENCES
    base, other = _vitals("base", base_values, flavour), _vitals("other", other_values, flavour)
    result = t_test(base, other, confidence if known else CONFIDENCES[0], flavour)
    decided = known and isfinite(result.error)
    return MinistatResult(
        differs=result.differs if decided else None,
        absolute=_finite(result.absolute),
        error=_finite(result.error) if known else None,
        percent=_finite(result.percent),
        percent_error=_finite(abs(result.percent_error)) if known else None,
        pooled_s=_finite(result.pooled_s),
    )


def _finite_all(values: Sequence[float]) -> bool:
    if isinstance(values, LargeValues):
        return values.digest.not_finite is None
    return all(map(isfinite, values))


def _vitals(name: str, values: Sequence[float], flavour: str) -> Vitals:
    """The vital statistics. From a digest, which has the sums of the current flavour, they lack `ordered`."""
    if not isinstance(values, LargeValues):
        return vitals(NamedSet(name, values), flavour)
    if not FLAVOURS[flavour].two_pass:
        return vitals(NamedSet(name, values.data), flavour)
    n, known = len(values), values.digest
    variance = known.squares / (n - 1.0)
    median = sum(known.middle) / 2
    mean = known.total / n
    return Vitals(name, n, (), known.low, known.high, median, mean, variance, root(variance))


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
