"""Numbers in blocks, and their sums: added one by one as C does it, or exactly. Imports only numpy."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

_BLOCK = 1 << 15
_LIMB = 36  # bits: 2**15 numbers of so many have a sum below 2**53, which a double holds


def blocks(values: Any) -> Iterator[Doubles]:
    """The values in their order, some thousands at a time."""
    for start in range(0, len(values), _BLOCK):
        yield np.asarray(values[start : start + _BLOCK])


def add(values: Doubles, total: float = 0.0) -> float:
    """`total` and the sum, with one rounding per addition, from the first to the last."""
    return add_blocks(blocks(values), total)


def add_blocks(some: Iterable[Doubles], total: float = 0.0) -> float:
    """As `add`, for numbers that come in blocks no longer than those of `blocks`."""
    line = np.empty(_BLOCK + 1)
    with np.errstate(over="ignore", invalid="ignore"):  # as in C: an infinity or NaN stays one
        for block in some:
            part = line[: len(block) + 1]
            part[0] = total
            part[1:] = block
            # accumulate is defined to add one by one; add.reduce is free to add pairwise
            np.add.accumulate(part, out=part)
            total = float(part[-1])
    return total


def exact_sum(some: Iterator[Doubles], exponent: int) -> float:
    """The sum, rounded once, of numbers whose sizes are at most 2**exponent: what math.fsum gives.

    Each number is split into whole multiples of 2**(exponent - 36), of 2**(exponent - 72) and so on; the sums
    of those are whole numbers, and exact.
    """
    limbs: list[int] = []
    for block in some:
        rest = block * 2.0 ** (_LIMB - exponent)
        place = 0
        while rest.any():
            if place:
                rest = rest[rest != 0.0] * 2.0**_LIMB
            whole = np.rint(rest)
            if place == len(limbs):
                limbs.append(0)
            limbs[place] += int(whole.sum())
            rest -= whole
            place += 1
    exact = 0
    for limb in limbs:
        exact = (exact << _LIMB) + limb
    return math.ldexp(exact / (1 << _LIMB * len(limbs)), exponent)
