"""The same sums, order and plot columns for millions of values, bit for bit, with numpy.

Work goes block by block, so that no temporary is as long as the set.
"""

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fwdtui.stats.values import LargeValues

Doubles = NDArray[np.float64]

_BLOCK = 1 << 15


def doubles(values: Sequence[float], *, copy: bool) -> Doubles:
    """The values as an array that may be changed; an array("d") is taken as it is unless `copy`."""
    if isinstance(values, LargeValues):
        values = values.data
    if isinstance(values, array) and values.typecode == "d" and not copy:
        return np.frombuffer(values, np.float64)
    return np.array(values, np.float64)


def all_finite(values: Doubles) -> bool:
    """Whether there is neither NaN nor infinity."""
    return all(bool(np.isfinite(block).all()) for block in blocks(values))


def add(values: Doubles, total: float = 0.0) -> float:
    """`total` and the sum, with one rounding per addition, from the first to the last."""
    return _add(blocks(values), total)


def add_squares(values: Any, centre: float) -> float:
    """The sum of (value - centre)**2, likewise."""
    return _add((block - centre) ** 2 for block in blocks(values))


def ascending(values: Doubles) -> Any:
    """The same array, sorted in place; zeros of either sign stay in the order they came in."""
    zeros = np.concatenate([block[block == 0.0] for block in blocks(values)])
    values.sort()
    if len(zeros):
        first = int(np.searchsorted(values, 0.0))
        values[first : first + len(zeros)] = zeros
    return values


def column_counts(ordered: Any, x0: float, dx: float, columns: int) -> list[int]:
    """How many values fall on each column: trunc((value - x0) / dx), each below `columns`."""
    counts = np.zeros(columns, np.int64)
    for block in blocks(ordered):
        counts += np.bincount(((block - x0) / dx).astype(np.int64), minlength=columns)
    return [int(count) for count in counts]


def _add(some: Iterator[Doubles], total: float = 0.0) -> float:
    line = np.empty(_BLOCK + 1)
    with np.errstate(over="ignore", invalid="ignore"):  # as C: an infinity, or NaN, goes on its way
        for block in some:
            part = line[: len(block) + 1]
            part[0] = total
            part[1:] = block
            # accumulate is defined one by one, where add.reduce is free to add pairwise
            np.add.accumulate(part, out=part)
            total = float(part[-1])
    return total


def blocks(values: Any) -> Iterator[Doubles]:
    """The values in their order, some thousands at a time."""
    for start in range(0, len(values), _BLOCK):
        yield np.asarray(values[start : start + _BLOCK])
