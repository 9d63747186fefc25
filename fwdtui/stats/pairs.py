"""The pairs that can be tested, scaled so that nothing overflows, and the reason why the others cannot."""

from typing import NamedTuple

from fwdtui.core.metrics import LESS, better
from fwdtui.core.model import Caution
from fwdtui.stats.describe import common_exponent, first_not_finite, scaled_moments
from fwdtui.stats.design import Design, Units, design_of, seen
from fwdtui.stats.gate import FEWEST_VALUES
from fwdtui.stats.moments import Moments, moments
from fwdtui.stats.results import BLOCK, BOOT, ITERATION, ResultSet

_NO_SPREAD = 1e-250  # squared error relative to the largest value: far below any double's resolution
SAME_RATIO = 1e-30  # squared error of logarithms, which are rounded to some 1e-16
_PLAIN = Design(ITERATION, Units(()), Units(()))


class Pair(NamedTuple):
    """One comparison before its tests. The moments are those of the values times 2**-exponent.

    The values are those of the `design`: iterations, or means of boots or blocks. `logs`: the moments of the
    logarithms of the blocks' ratios, if it is paired.
    """

    case: str
    base: ResultSet
    other: ResultSet
    impossible: Caution | None = None  # why there is no test; its text begins "cannot say, because"
    doubtful: Caution | None = None  # why there is no verdict although there is a test; begins so, too
    exponent: int = 0
    base_moments: Moments = Moments(0, 0.0, 0.0)
    other_moments: Moments = Moments(0, 0.0, 0.0)
    design: Design = _PLAIN
    logs: Moments | None = None

    @property
    def tested(self) -> tuple[ResultSet, ResultSet]:
        """Both sets with the values that the tests see, which may be fewer than the iterations."""
        return seen(self.base, self.design.base), seen(self.other, self.design.other)

    @property
    def unlike(self) -> Caution | None:
        """Why a verdict would mean nothing, whatever the values are; its text begins as in `impossible`."""
        why = self.other.unlike
        return Caution("cannot-say", f"cannot say, because {why}.") if why else None

    @property
    def unit(self) -> str:
        """The unit of both sets' values; a set that names none is taken to have the other's."""
        return self.base.unit or self.other.unit

    @property
    def less(self) -> bool:
        """Whether less is better."""
        return better(self.unit) == LESS


def prepare(case: str, base: ResultSet, other: ResultSet) -> Pair:
    """The pair with its design and its moments, or with the reason why it cannot be tested.

    A test needs two finite values in each set and a spread in at least one; a verdict needs FEWEST_VALUES.
    """
    for side in (base, other):
        impossible = _unusable(case, side)
        if impossible is not None:
            return Pair(case, base, other, impossible)
    design = design_of(base, other)
    if few := _too_few(base, other, design):
        return Pair(case, base, other, few, design=design)
    values = design.base.values, design.other.values
    exponent = common_exponent(*values)
    of_base, of_other = (scaled_moments(side, exponent) for side in values)
    logs = moments(design.log_ratios()) if design.paired else None
    if logs is not None and logs.squared_error <= SAME_RATIO:
        text = f"every block has the same ratio of {other.label} to {base.label}"
        text = f"cannot say, because {text}: without any spread, chance cannot be distinguished from change."
        return Pair(case, base, other, Caution("cannot-say", text), design=design)
    if of_base.squared_error + of_other.squared_error > _NO_SPREAD:
        doubtful = _doubtful(base, other, design)
        return Pair(case, base, other, None, doubtful, exponent, of_base, of_other, design, logs)
    text = (
        f"cannot say, because neither {base.label} nor {other.label} has any spread: "
        "where all values of a set are equal, chance cannot be distinguished from change."
    )
    return Pair(case, base, other, Caution("cannot-say", text), design=design)


def in_one_experiment(first: Pair, second: Pair) -> bool:
    """Whether both pairs are paired by the blocks of the same experiment."""
    one, two = first.base.placed, second.base.placed
    if first.logs is None or second.logs is None or one is None or two is None:
        return False
    return one.experiment == two.experiment


def in_common_blocks(first: Pair, second: Pair) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """ln(other / base) of the first and of the second pair, in each block that both have.

    Empty unless both are paired, in one experiment.
    """
    if not in_one_experiment(first, second):
        return (), ()
    sides = (dict(zip(pair.design.blocks, pair.design.log_ratios(), strict=True)) for pair in (first, second))
    of_first, of_second = sides
    both = [block for block in of_first if block in of_second]
    return tuple(of_first[block] for block in both), tuple(of_second[block] for block in both)


def contrast(first: Pair, second: Pair) -> tuple[float, ...]:
    """ln(other / base) of the second pair minus that of the first, as `in_common_blocks`."""
    return tuple(two - one for one, two in zip(*in_common_blocks(first, second), strict=True))


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


def _too_few(base: ResultSet, other: ResultSet, design: Design) -> Caution | None:
    """Why the blocks do not even allow a test; boots always do, a side of one boot keeping its iterations."""
    if design.unit != BLOCK or min(len(side.values) for side in (design.base, design.other)) > 1:
        return None
    both = f"{base.label} and {other.label}"
    if not design.base.values:
        text = f"no block has values of both {both}: measure at least 5 blocks."
    else:
        text = f"only one block has values of both {both}, and shows no spread: measure at least 5 blocks."
    return Caution("cannot-say", f"cannot say, because {text}")


def _few_boots(side: ResultSet, units: Units, planned: bool) -> Caution:
    """Why a side of two boots gets no verdict. `planned`: an experiment made them, and none was an accident.

    Two boots tell next to nothing of how boots differ, and to take their iterations for the unit claims a
    difference in 30 to 46 % of the comparisons without one (boots varying as iterations do).
    """
    sizes = sorted(units.sizes)
    text = (
        f"cannot say, because {side.label} ran on only {len(sizes)} boots of the DUT (of {sizes[-1]} and "
        f"{sizes[0]} iterations), whose spread is too uncertain for a reliable test: measure on 1 more boot, "
        "preferably on 3."
    )
    if sizes[-1] >= FEWEST_VALUES and not planned:
        few = "iteration" if sizes[0] == 1 else f"{sizes[0]} iterations"
        text += (
            f" If a reboot in between was an accident, drop the {few} of the smaller boot: the others are "
            "then compared as those of one boot, with a warning."
        )
    return Caution("cannot-say", text)


def _doubtful(base: ResultSet, other: ResultSet, design: Design) -> Caution | None:
    for side, units in ((base, design.base), (other, design.other)):
        n = len(units.values)
        if n >= FEWEST_VALUES:
            continue
        if design.unit == BLOCK:
            text = f"only {n} blocks have values of both {base.label} and {other.label}"
            end = "measure at least 5 blocks."
        elif design.unit == BOOT and units.sizes:
            return _few_boots(side, units, bool(design.unpaired))
        else:
            text = f"{side.label} has only {n} values"
            end = "measure at least 5."
        text = f"{text}, whose spread is too uncertain for a reliable test"
        return Caution("cannot-say", f"cannot say, because {text}: {end}")
    return None
