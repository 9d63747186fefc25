"""Which values of a block were measured in one sitting: only these are a pair.

A drift of the lab cancels in the ratio of two values if they were measured close in time. The order of an
experiment sees to that, since the trials of a block follow each other. It cannot if a trial is measured
later than the others of its block, as after `--resume`: it had been given up or dropped, or the experiment
was stopped or killed in that block.

A sitting is what was measured of a block with no iteration of another block in between and without a long
break. A break is long if it exceeds half an hour, or twice what a block usually takes from its first trial to
its last: the order of an experiment takes values for close in time that are as far apart as a block lasts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from fwdtui.stats.results import Attempt, Placed, ResultSet

BREAK = 1800.0
"""Seconds without any measurement that never part a block."""

Value = TypeVar("Value")

Sittings = Mapping[tuple[int, float], int]
"""The number of the sitting, by block and beginning of an attempt."""


class Together(NamedTuple):
    """Two sets without the values that were not measured together with the other side's of their block.

    `apart`: blocks with no values left; `parted`: blocks from which only some values were left out.
    """

    base: ResultSet
    other: ResultSet
    apart: tuple[int, ...] = ()
    parted: tuple[int, ...] = ()


def together(base: ResultSet, other: ResultSet) -> Together:
    """What may be compared within blocks: of each block that both sides have, the values of one sitting.

    Of the sittings in which both sides were measured, that is the one with the most values. If it is not
    known when a set was measured, both stay as they are.
    """
    mine, theirs = base.placed, other.placed
    if mine is None or theirs is None or not mine.began or not theirs.began:
        return Together(base, other)
    numbers = _numbers(_of_both(mine.attempts, theirs.attempts))
    homes = [_homes(placed, numbers) for placed in (mine, theirs)]
    counts = [Counter(side) for side in homes]
    chosen: dict[int, int] = {}
    for block, sitting in sorted(counts[0].keys() & counts[1].keys()):
        sizes = [sum(count[block, one] for count in counts) for one in (sitting, chosen.get(block, sitting))]
        if block not in chosen or sizes[0] > sizes[1]:
            chosen[block] = sitting
    both = {*mine.blocks} & {*theirs.blocks}
    odd = {block for side in homes for block, one in side if block in both and chosen.get(block) != one}
    if not odd:
        return Together(base, other)
    first, second = (
        _without(side, [block not in odd or chosen.get(block) == one for block, one in home])
        for side, home in zip((base, other), homes, strict=True)
    )
    return Together(first, second, tuple(sorted(odd - {*chosen})), tuple(sorted(odd & {*chosen})))


def _of_both(mine: tuple[Attempt, ...], theirs: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    """The attempts of two copies of a session, each of which may have cells that the other lacks."""
    return mine if mine == theirs else tuple(sorted({*mine, *theirs}))


def _homes(placed: Placed, numbers: Sittings) -> list[tuple[int, int]]:
    """Block and sitting of each value."""
    return [(key[0], numbers[key]) for key in zip(placed.blocks, placed.began, strict=True)]


def _without(side: ResultSet, kept: Sequence[bool]) -> ResultSet:
    """What pairing needs of the set with the values that are `kept`."""
    assert side.placed is not None
    boots = tuple(_where(side.boots, kept)) if len(side.boots) == len(kept) else ()
    placed = replace(
        side.placed,
        blocks=tuple(_where(side.placed.blocks, kept)),
        began=tuple(_where(side.placed.began, kept)),
    )
    return replace(side, values=tuple(_where(side.values, kept)), offered=(), boots=boots, placed=placed)


def _where(some: Iterable[Value], kept: Sequence[bool]) -> list[Value]:
    return [one for one, stays in zip(some, kept, strict=True) if stays]


@lru_cache(maxsize=8)
def _numbers(attempts: tuple[Attempt, ...]) -> Sittings:
    """The sittings of all attempts of an experiment, which come in the order in which they began."""
    longest = _longest_break(attempts)
    numbers: dict[tuple[int, float], int] = {}
    number = 0
    for before, one in zip((None, *attempts), attempts, strict=False):
        if before is not None:
            number += one.block != before.block or one.began - before.began > longest
        numbers[one.block, one.began] = number
    return numbers


def _longest_break(attempts: Sequence[Attempt]) -> float:
    """Seconds from one attempt to the next that do not part a block.

    The time that a block takes comes from those of which at least two trials were measured in a row: a
    quarter of them took so long or less. The longer ones may contain a long break.
    """
    spans: list[float] = []
    for _, visit in groupby(attempts, lambda one: one.block):
        there = list(visit)
        if len({one.trial for one in there}) > 1:
            spans.append(there[-1].began - there[0].began)
    return max(BREAK, 2.0 * sorted(spans)[len(spans) // 4]) if spans else BREAK
