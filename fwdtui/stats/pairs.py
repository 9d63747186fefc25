"""The pairs that can be tested, scaled so that nothing overflows, and the reason why the others cannot."""

from typing import NamedTuple

from fwdtui.core.metrics import LESS, better
from fwdtui.core.model import Caution
from fwdtui.stats.describe import common_exponent, first_not_finite, scaled_moments
from fwdtui.stats.gate import FEWEST_VALUES
from fwdtui.stats.moments import Moments
from fwdtui.stats.results import ResultSet

_NO_SPREAD = 1e-250  # squared error relative to the largest value: far below any double's resolution


class Pair(NamedTuple):
    """One comparison before its tests. The moments are those of the values times 2**-exponent."""

    case: str
    base: ResultSet
    other: ResultSet
    impossible: Caution | None = None  # why there is no test; its text begins "cannot say, because"
    doubtful: Caution | None = None  # why there is no verdict although there is a test; begins likewise
    exponent: int = 0
    base_moments: Moments = Moments(0, 0.0, 0.0)
    other_moments: Moments = Moments(0, 0.0, 0.0)

    @property
    def unlike(self) -> Caution | None:
        """Why a verdict would mean nothing, whatever the values are; its text begins likewise."""
        why = self.other.unlike
        return Caution("cannot-say", f"cannot say, because {why}.") if why else None

    @property
    def unit(self) -> str:
        """Of the values of both; a set that names none is taken to have the other's."""
        return self.base.unit or self.other.unit

    @property
    def less(self) -> bool:
        """Whether less is better."""
        return better(self.unit) == LESS


def prepare(case: str, base: ResultSet, other: ResultSet) -> Pair:
    """Moments of both sets.

    A test needs two finite values in each set and a spread in at least one; a verdict needs FEWEST_VALUES.
    """
    for side in (base, other):
        impossible = _unusable(case, side)
        if impossible is not None:
            return Pair(case, base, other, impossible)
    exponent = common_exponent(base.values, other.values)
    of_base, of_other = (scaled_moments(side.values, exponent) for side in (base, other))
    if of_base.squared_error + of_other.squared_error > _NO_SPREAD:
        return Pair(case, base, other, None, _doubtful(base, other), exponent, of_base, of_other)
    text = (
        f"cannot say, because neither {base.label} nor {other.label} has any spread: "
        "where all values of a set are equal, chance cannot be distinguished from change."
    )
    return Pair(case, base, other, Caution("cannot-say", text))


def _unusable(case: str, side: ResultSet) -> Caution | None:
    if not side.values:
        if any(caution.code == "dropped" for caution in side.cautions):
            advice = "restore what was dropped, or measure it again."
            text = f"cannot say, because no iteration of {side.label} is left for {case}: {advice}"
            return Caution("cannot-say", text)
        advice = "measure the case there, or leave it out."
        return Caution("not-shared", f"cannot say, because {side.label} has no values for {case}: {advice}")
    odd = first_not_finite(side.values)
    if odd is not None:
        which = f"value {odd + 1} of {side.label}"
        return Caution("cannot-say", f"cannot say, because {which} is not a finite number: measure it again.")
    if len(side.values) < 2:
        text = (
            f"cannot say, because {side.label} has a single value, which shows no spread: measure at least 5."
        )
        return Caution("cannot-say", text)
    return None


def _doubtful(base: ResultSet, other: ResultSet) -> Caution | None:
    for side in (base, other):
        n = len(side.values)
        if n < FEWEST_VALUES:
            text = f"{side.label} has only {n} values, whose spread is too uncertain for a reliable test"
            return Caution("cannot-say", f"cannot say, because {text}: measure at least 5.")
    return None
