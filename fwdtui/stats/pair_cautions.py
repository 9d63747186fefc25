"""Warnings about a pair of sets: what makes two fair sets an unfair comparison."""

from fwdtui.core.model import Caution
from fwdtui.core.units import counted
from fwdtui.stats.design import SEQUENTIAL
from fwdtui.stats.gate import FEWEST_VALUES
from fwdtui.stats.results import ResultSet
from fwdtui.stats.same_data import same_data
from fwdtui.stats.wording import ENOUGH_ITERATIONS

_BOOT = "the interval does not cover differences between boots; reboot the DUT between iterations"
_AFTER = " if the claim must hold after the next boot."


def pair_cautions(
    base: ResultSet, other: ResultSet, shown: int = 1, tested: tuple[ResultSet, ResultSet] | None = None
) -> list[Caution]:
    """Everything to say about the two sets together; `shown` as in set_cautions.

    `tested`: the same sets with the means of boots or blocks that the tests see, if they see these.
    """
    unequal = _unequal_n(*(tested or (base, other)))
    boots = [*_one_boot(base, other), *boots_partly_known(base), *boots_partly_known(other)]
    return [*same_data(base, other, shown), *unequal, *boots, *_sequential(base, other)]


def _sequential(base: ResultSet, other: ResultSet) -> list[Caution]:
    """The two were measured one after the other in one experiment, which takes a drift for a difference.

    The rates are those of a drift by two standard deviations over ten runs (benchmarks/design_rates.py,
    --table drift).
    """
    mine, theirs = base.placed, other.placed
    if mine is None or theirs is None or mine.experiment != theirs.experiment:
        return []
    if SEQUENTIAL not in (mine.order, theirs.order):
        return []
    text = (
        f"{base.label} and {other.label} were measured one after the other: a drift of the lab counts as a "
        "difference. A drift of two standard deviations over ten runs causes 28 % false claims in sequential "
        "order, but no more than the promised 5 % in interleaved (ABBA) or random order."
    )
    return [Caution("sequential", text)]


def _unequal_n(base: ResultSet, other: ResultSet) -> list[Caution]:
    """One side has so few values that even the stricter of two tests exceeds its error rate.

    At 3 against 20 with the spread of the three twice as large, seven comparisons without a difference make a
    false claim in 8.6 % of the reports (benchmarks/error_rates.py).
    """
    few, many = sorted((base, other), key=lambda side: len(side.values))
    if not (FEWEST_VALUES <= len(few.values) < ENOUGH_ITERATIONS and len(many.values) > 2 * len(few.values)):
        return []  # fewer get no verdict at all
    text = (
        f"{few.label} has {len(few.values)} values and {many.label} has {len(many.values)}: the test errs "
        f"too often if the smaller set spreads more; measure {few.label} at least {ENOUGH_ITERATIONS} times."
    )
    return [Caution("unequal-n", text)]


def one_boot(side: ResultSet) -> list[Caution]:
    """What every comparison of a side that ran on a single boot says of it."""
    if _only_boot(side) is None:
        return []
    return [Caution("one-boot", f"all iterations ran on one boot of the DUT: {_BOOT}{_AFTER}")]


def boots_partly_known(side: ResultSet) -> list[Caution]:
    """The boots of some iterations are known, and of others not: means of boots are then out of reach.

    The side is compared by its iterations, like one whose boots nobody recorded (design.py), although those
    of one boot have its level in common.
    """
    known = [boot for boot in side.boots if boot]
    total, unknown = len(side.values), len(side.values) - len(known)
    if not known or not unknown or len(side.boots) != total:
        return []
    whose = f" of {side.label}" if side.label else ""
    text = (
        f"the DUT's boot is not known for {unknown} of {total} iterations{whose}, and the others ran on "
        f"{counted(len(set(known)), 'boot')}: boots cannot be compared, and iterations of one boot count as "
        f"if they were independent; drop {'it' if unknown == 1 else 'them'}, or measure again."
    )
    return [Caution("boot-unknown", text)]


def _one_boot(base: ResultSet, other: ResultSet) -> list[Caution]:
    """All iterations of a side ran on one boot, whose own level is then taken for the build's."""
    boots = {side.label: _only_boot(side) for side in (base, other)}
    one = [label for label, boot in boots.items() if boot is not None]
    if not one:
        return []
    if len(one) == 2 and len(set(boots.values())) == 1:
        text = f"both sides, {base.label} and {other.label}, ran on the same boot of the DUT"
    elif len(one) == 2:
        text = f"all iterations of each side, {base.label} and {other.label}, ran on one boot of the DUT"
    else:
        text = f"all iterations of {one[0]} ran on one boot of the DUT"
    return [Caution("one-boot", f"{text}: {_BOOT}{_AFTER}")]


def _only_boot(side: ResultSet) -> str | None:
    """The boot of all iterations; None if there are several, one is unknown or there is a single value."""
    boots = set(side.boots)
    if len(side.values) < 2 or len(side.boots) != len(side.values) or len(boots) != 1:
        return None
    return boots.pop() or None
