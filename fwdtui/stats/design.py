"""What one value of the tests is, and which values are compared with which: the analysis follows the design.

Iterations on one boot share that boot's level, and those of one block share what the lab was like then. Where
the boots or blocks are known, the mean over one of them is one value, so that degrees of freedom come from
what was really repeated (Kalibera & Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, section 6:
the top level of repetition decides). A boot with more iterations than another has a more certain mean; all
means still weigh the same, which is exact if boots differ more than iterations do, and else loses some power
but keeps the error rate (`benchmarks/design_rates.py --table boots` counts both).
"""

import math
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from fwdtui.stats.gate import FEWEST_VALUES
from fwdtui.stats.results import BLOCK, BOOT, ITERATION, ResultSet
from fwdtui.stats.sittings import together

SEQUENTIAL = "sequential"
"""The same as in core/experiment/model.py, whose import would load all that lab.toml needs."""

Group = TypeVar("Group", str, int)


class Units(NamedTuple):
    """The values of one side that the tests see, and how many iterations each is the mean of."""

    values: Sequence[float]
    sizes: tuple[int, ...] = ()  # empty: each value is an iteration
    boots: tuple[str, ...] = ()  # all boots of the side, each once; empty: not known


class Design(NamedTuple):
    """How two sets are compared.

    `blocks`: those that both sides have, if the comparison is paired; each side then has one value for each
    of them, in this order. `left_out`: blocks that only one side has, or that are `apart`. `unpaired`: why a
    comparison within one experiment is not paired, a clause; "" if it is, or if there is nothing to pair.
    `apart`: blocks with no values that were measured together with the other side's (sittings.py); `parted`:
    blocks with only some such values.
    """

    unit: str
    base: Units
    other: Units
    blocks: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    paired: bool = False
    unpaired: str = ""
    order: str = ""
    rebooted: bool = False  # no two values of a side come from the same boot
    apart: tuple[int, ...] = ()
    parted: tuple[int, ...] = ()

    @property
    def by_iteration(self) -> bool:
        """Whether each value is an iteration, and nothing is paired: the plain comparison."""
        return self.unit == ITERATION

    def unit_of(self, side: Units) -> str:
        """What a value of one side is: a side that ran on one boot keeps its iterations."""
        return self.unit if side.sizes else ITERATION

    def log_ratios(self) -> tuple[float, ...]:
        """ln(other / base) of each block; empty if the comparison is not paired."""
        if not self.paired:
            return ()
        return tuple(
            math.log(b) - math.log(a) for a, b in zip(self.base.values, self.other.values, strict=True)
        )


def design_of(base: ResultSet, other: ResultSet) -> Design:
    """How these two sets are compared: by block if one experiment measured both in blocks, else by boot.

    By boot, too, if a boot lasts longer than a block, or if too few blocks were measured in one sitting; and
    where no side ran on several boots, by iteration. Every value must be finite.
    """
    mine, theirs = base.placed, other.placed
    if mine is None or theirs is None or mine.experiment != theirs.experiment:
        return _by_boots(base, other)
    if SEQUENTIAL in (mine.order, theirs.order):
        return _by_boots(base, other)._replace(order=SEQUENTIAL, unpaired="it was measured in sequence")
    close = together(base, other)
    one, two = close.base, close.other
    both = tuple(sorted({*_blocks(one)} & {*_blocks(two)}))
    plain = _by_boots(base, other)._replace(order=mine.order, apart=close.apart)
    if close.apart and len(both) < FEWEST_VALUES:
        return plain._replace(unpaired=f"{_few(len(both))} measured in one sitting")
    if _boot_lasts(one, two, {*both}):
        return plain._replace(unpaired="a boot lasts longer than a block")
    left_out = tuple(sorted({*mine.blocks, *theirs.blocks} - {*both}))
    first, second = _by_block(one, both), _by_block(two, both)
    rebooted = all(_own_boots(side, both) for side in (one, two))
    if all(value > 0.0 for side in (first, second) for value in side.values):
        paired = Design(BLOCK, first, second, both, left_out, True, "", mine.order, rebooted)
        return paired._replace(apart=close.apart, parted=close.parted)
    first, second = _by_block(base, sorted({*mine.blocks})), _by_block(other, sorted({*theirs.blocks}))
    why = "a value is not above zero"
    return Design(BLOCK, first, second, unpaired=why, order=mine.order, rebooted=rebooted, apart=close.apart)


def _blocks(side: ResultSet) -> Sequence[int]:
    return () if side.placed is None else side.placed.blocks


def _few(blocks: int) -> str:
    return (
        "no block was" if not blocks else "only 1 block was" if blocks == 1 else f"only {blocks} blocks were"
    )


def seen(results: ResultSet, units: Units) -> ResultSet:
    """The set with the values that the tests see; the set itself if these are its iterations."""
    if not units.sizes:
        return results
    return replace(results, values=units.values, offered=(), boots=(), placed=None)


def _by_boots(base: ResultSet, other: ResultSet) -> Design:
    """Means of boots where a side ran on several; a side of a single boot keeps its iterations."""
    first, second = _boot_means(base), _boot_means(other)
    if not first.sizes and not second.sizes:
        return Design(ITERATION, first, second)
    return Design(BOOT, first, second, rebooted=bool(first.sizes and second.sizes))


def known_boots(results: ResultSet) -> tuple[str, ...]:
    """The boot of each value; empty unless all are known."""
    boots = tuple(boot for boot in results.boots if boot)
    return boots if len(boots) == len(results.values) else ()


def _boot_means(results: ResultSet) -> Units:
    boots = known_boots(results)
    if len(different := tuple(dict.fromkeys(boots))) < 2:
        return Units(results.values, boots=different)
    return _means(results.values, boots, different)._replace(boots=different)


def _by_block(results: ResultSet, blocks: Sequence[int]) -> Units:
    assert results.placed is not None
    means = _means(results.values, results.placed.blocks, blocks)
    return means._replace(boots=tuple(dict.fromkeys(known_boots(results))))


def _boot_lasts(base: ResultSet, other: ResultSet, blocks: Container[int]) -> bool:
    """Whether the level of one boot is in the ratios of several blocks, which are then not independent.

    It is in the ratio of a block if one side ran on that boot more than the other did: what both share
    cancels. If such blocks were paired all the same, 4 of them, with boots that differ by twice the spread of
    iterations, would claim a difference in 12 % of the comparisons without one, and 10 blocks in 14 %
    (`benchmarks/design_rates.py --table shared`).
    """
    homes: list[Counter[tuple[str, int]]] = []
    sizes: list[Counter[int]] = []
    for side in (base, other):
        boots, placed = known_boots(side), side.placed
        if not boots or placed is None:
            return False
        there = [home for home in zip(boots, placed.blocks, strict=True) if home[1] in blocks]
        homes.append(Counter(there))
        sizes.append(Counter(block for _, block in there))
    (mine, theirs), (all_mine, all_theirs) = homes, sizes
    seen_in = Counter(
        boot
        for boot, block in {**mine, **theirs}
        if mine[boot, block] * all_theirs[block] != theirs[boot, block] * all_mine[block]
    )
    return any(count > 1 for count in seen_in.values())


def _own_boots(results: ResultSet, blocks: Sequence[int]) -> bool:
    """Whether the set was rebooted between its blocks: no boot is in two of them."""
    boots, placed = known_boots(results), results.placed
    if not boots or placed is None:
        return False
    homes = {(boot, block) for boot, block in zip(boots, placed.blocks, strict=True) if block in blocks}
    return len({boot for boot, _ in homes}) == len(homes)


def _means(values: Sequence[float], groups: Sequence[Group], wanted: Iterable[Group]) -> Units:
    """The mean of the values of each group, in the order of `wanted`."""
    held: dict[Group, list[float]] = {group: [] for group in wanted}
    for value, group in zip(values, groups, strict=True):
        if group in held:
            held[group].append(value)
    return Units(tuple(map(mean, held.values())), tuple(map(len, held.values())))


def mean(values: Sequence[float]) -> float:
    """The mean of at least one finite value. No sum overflows; the mean of equal values is exactly theirs."""
    low, high = min(values), max(values)
    if low == high:
        return low
    largest = max(abs(low), abs(high))
    return min(max(math.fsum(value / largest for value in values) / len(values) * largest, low), high)
