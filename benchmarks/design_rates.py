"""Counts how often verdicts err by the design of an experiment: its boots, its order, its looks at the data.

    python benchmarks/design_rates.py [--draws 20000] [--seed 1] [--table boots] ...

Each row of what the product does is beside what is done by hand without it. The functions are the product's;
rows without a promise are known limits. Takes some minutes at full length.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from error_rates import ALPHA, MARGIN, MEAN, SD, Row, Tables, Values, main, moments

from fwdtui.core.experiment.model import FIRST_PRECISE
from fwdtui.stats.gate import FEWEST_VALUES, Gate, gate
from fwdtui.stats.looks import levels
from fwdtui.stats.paired import percent_interval


def unpaired(base: Values, other: Values, alpha: float = ALPHA) -> Gate:
    """One comparison per row, by Welch's test."""
    return gate(moments(base[:, None]), moments(other[:, None]), MARGIN, alpha)


def by_block(base: Values, other: Values, alpha: float = ALPHA) -> Gate:
    """The same, paired by block on logarithms."""
    logs = moments(np.log(other[:, None]) - np.log(base[:, None]))
    return gate(moments(base[:, None]), moments(other[:, None]), MARGIN, alpha, logs=logs)


def claimed(found: Gate) -> float:
    return float(found.different.mean())


def equal(found: Gate) -> float:
    return float(found.equivalent.mean())


# --- boots


def on_boots(rng: np.random.Generator, draws: int, sizes: Sequence[int], between: float) -> list[Values]:
    """The iterations of each boot, draws x size. `between`: the SD between boots over the SD within one."""
    levels_of = MEAN + between * SD * rng.normal(size=(draws, len(sizes), 1))
    return [levels_of[:, at] + SD * rng.normal(size=(draws, size)) for at, size in enumerate(sizes)]


def means(boots: Sequence[Values]) -> Values:
    """One value per boot, as stats/design.py takes it."""
    return np.stack([one.mean(axis=1) for one in boots], axis=1)


DESIGNS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("3 boots of 5", (5,) * 3),
    ("5 boots of 1", (1,) * 5),
    ("5 boots of 3", (3,) * 5),
    ("10 boots of 2", (2,) * 10),
    ("5 boots of 1, 1, 1, 5 and 10", (1, 1, 1, 5, 10)),
)


def boots(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """Boots differ as much as iterations do (or half, or twice): iterations as the unit, and boots."""
    for n in (3, 5, 10):
        sides = [on_boots(rng, draws, (n,), 1.0)[0] for _ in "ab"]
        yield Row(f"one boot a side, {n} iterations: false difference", claimed(unpaired(*sides)), draws)
    for name, sizes in DESIGNS:
        for between in (0.5, 1.0, 2.0):
            base, other = (on_boots(rng, draws, sizes, between) for _ in "ab")
            where = f"{name}, boot SD {between:g} of the SD within"
            if max(sizes) > 1:
                naive = unpaired(*(np.concatenate(side, axis=1) for side in (base, other)))
                yield Row(f"{where}, iterations: false difference", claimed(naive), draws)
            # with unequal numbers, the means of boots spread differently, which no t allows for exactly
            most = ALPHA if len(set(sizes)) == 1 else 0.055
            found = unpaired(means(base), means(other))
            yield Row(f"{where}, means of boots: false difference", claimed(found), draws, most)
            at_margin = unpaired(means(base), means(other) + MARGIN * MEAN)
            yield Row(f"{where}, means of boots: equal at the margin", equal(at_margin), draws, most)


# --- boots that last longer than a block


def shared(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """ABBA in which only a level that changes is booted: B of blocks 1 and 2 share a boot, A of 2 and 3.

    Paired by block, neighbouring ratios have a boot in common; so the product compares the means of boots.
    """
    for blocks in (4, 6, 10):
        sides = np.array([0, 1, 1, 0] * blocks)[: 2 * blocks]
        boot_of = (np.arange(2 * blocks) + 1) // 2  # two trials on each boot, one on the first and the last
        for between in (0.0, 1.0, 2.0, 5.0):
            levels_of = between * SD * rng.normal(size=(draws, boot_of.max() + 1))
            values = MEAN + levels_of[:, boot_of] + SD * rng.normal(size=(draws, 2 * blocks))
            where = f"{blocks} blocks, boot SD {between:g} of the SD within"
            pairs = by_block(*(values[:, sides == side] for side in (0, 1)))
            yield Row(f"{where}, paired by block: false difference", claimed(pairs), draws)
            of = [np.unique(boot_of[sides == side]) for side in (0, 1)]
            if min(map(len, of)) < FEWEST_VALUES:
                continue  # no verdict
            found = unpaired(
                *(np.stack([values[:, boot_of == boot].mean(axis=1) for boot in some], axis=1) for some in of)
            )
            yield Row(f"{where}, means of boots: false difference", claimed(found), draws, SLACK)


# --- order


DRIFTING = 0.055
"""An odd number of blocks leaves a little of the drift in ABBA order."""
SEQUENCE, ABBA, ABAB, RANDOM = "in sequence", "ABBA", "ABAB", "random within blocks"


def places(rng: np.random.Generator, draws: int, order: str, blocks: int) -> tuple[Values, Values]:
    """When each side is measured (draws x blocks), counted in runs from 0."""
    first = np.broadcast_to(np.arange(blocks), (draws, blocks))
    if order == SEQUENCE:
        return first, first + blocks
    if order == ABAB:
        swapped = np.zeros((draws, blocks), dtype=bool)
    elif order == ABBA:
        swapped = first % 2 == 1
    else:
        swapped = rng.random((draws, blocks)) < 0.5
    return 2 * first + swapped, 2 * first + ~swapped


def drift(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """A lab that drifts by so many SD over ten runs, five of each side: what the order makes of it."""
    blocks = 5
    for size in (0.0, 1.0, 2.0, 3.0):
        for order in (SEQUENCE, ABAB, ABBA, RANDOM):
            when = places(rng, draws, order, blocks)
            sides = [
                MEAN + SD * (size * at / (2 * blocks - 1) + rng.normal(size=(draws, blocks))) for at in when
            ]
            where = f"drift of {size:g} SD, {order}"
            most = DRIFTING if order in (ABBA, RANDOM) else None
            naive = claimed(unpaired(*sides))
            yield Row(f"{where}, unpaired: false difference", naive, draws, most)
            if order == SEQUENCE:
                continue
            yield Row(
                f"{where}, paired: false difference",
                claimed(by_block(*sides)),
                draws,
                most,
            )
            at_margin = by_block(sides[0], sides[1] + MARGIN * sides[0])
            yield Row(f"{where}, paired: equal at the margin", equal(at_margin), draws, most)


# --- looks


def looking(
    rng: np.random.Generator,
    draws: int,
    looks: Sequence[int],
    at: Sequence[float],
    test: Callable[[Values, Values, float], Gate],
    spread: float = SD,
) -> tuple[float, float]:
    """The rates of false differences without one, and of false equivalence at the margin.

    Each draw is looked at until something is decided.
    """
    rates = []
    for shift in (0.0, MARGIN):
        base, other = (MEAN * gain + spread * rng.normal(size=(draws, looks[-1])) for gain in (1, 1 + shift))
        still, wrong = np.ones(draws, dtype=bool), np.zeros(draws, dtype=bool)
        for look, level in zip(looks, at, strict=True):
            found = test(base[:, :look], other[:, :look], level)
            false = (found.equivalent if shift else found.different)[:, 0]
            wrong |= still & false
            still &= ~(found.equivalent | found.different)[:, 0]
        rates.append(float(wrong.mean()))
    return rates[0], rates[1]


PLANS = ((5, 10), (4, 8), (3, 6, 9), (4, 8, 12, 16), (5, 10, 15, 20, 25), tuple(range(4, 31, 2)))
SLACK = 0.055
"""The promise for more than two looks: their boundaries are a normal distribution's, but applied to a t."""


def looks(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """Looking again and again at 5 %, and at what each planned look may spend."""
    some = max(draws // 2, 200)
    every = tuple(range(3, 31))
    for name, test in (("unpaired", unpaired), ("paired", by_block)):
        different, same = looking(rng, some, every, (ALPHA,) * len(every), test, 2 * SD)
        yield Row(f"after each of 3 to 30, at 5 %, {name}: false difference", different, some)
        yield Row(f"after each of 3 to 30, at 5 %, {name}: equal at the margin", same, some)
        for plan in PLANS:
            for spread in (2 * SD, 4 * SD):
                different, same = looking(rng, some, plan, levels(plan), test, spread)
                told = (
                    ", ".join(map(str, plan)) if len(plan) < 6 else f"every second of {plan[0]} to {plan[-1]}"
                )
                where = f"looks at {told}, SD {100 * spread / MEAN:g} %, {name}"
                most = ALPHA if len(plan) == 2 else SLACK
                yield Row(f"{where}: false difference", different, some, most)
                yield Row(f"{where}: equal at the margin", same, some, most)


# --- precision


def precision(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """Stopping when the interval is narrow enough: false differences, and how often it holds the truth."""
    some = max(draws // 2, 200)
    for name, test in (("unpaired", unpaired), ("paired", by_block)):
        for wanted in (0.5, 1.0, 2.0):
            base, other = (MEAN + 2 * SD * rng.normal(size=(some, 60)) for _ in "ab")
            still = np.ones(some, dtype=bool)
            wrong, holds = np.zeros(some, dtype=bool), np.zeros(some, dtype=bool)
            for n in range(FIRST_PRECISE, 61):
                low, high = _ends(base[:, :n], other[:, :n], name == "paired")
                ends = still & ((high - low) / 2.0 <= wanted) if n < 60 else still
                wrong |= ends & test(base[:, :n], other[:, :n], ALPHA).different[:, 0]
                holds |= ends & (low <= 0.0) & (high >= 0.0)
                still = still & ~ends
            where = f"until ±{wanted:g} % at a spread of 1 %, {name}"
            yield Row(f"{where}: false difference", float(wrong.mean()), some, PRECISE)
            yield Row(f"{where}: the interval holds", float(holds.mean()), some, None, 1.0 - PRECISE)


PRECISE = 0.075
"""The most that stopping at a precision may err: it stops where the spread happens to look small."""


def _ends(base: Values, other: Values, paired: bool) -> tuple[Values, Values]:
    if paired:
        return percent_interval(moments(np.log(other) - np.log(base)), ALPHA)
    # Welch's interval over the base's mean: Fieller's needs a search, and is the same to a thousandth here
    found = unpaired(base, other).welch
    return 100.0 * found.low[:, 0] / MEAN, 100.0 * found.high[:, 0] / MEAN


TABLES: Tables = {"boots": boots, "shared": shared, "drift": drift, "looks": looks, "precision": precision}


if __name__ == "__main__":
    raise SystemExit(main(TABLES))
