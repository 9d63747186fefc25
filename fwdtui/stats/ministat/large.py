"""The same sums, order and plot columns for millions of values, bit for bit, with numpy.

Work goes block by block, so that no temporary is as long as the set.
"""

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from fwdtui.stats.blocks import Doubles, add_blocks, blocks
from fwdtui.stats.values import LargeValues


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


def add_squares(values: Any, centre: float) -> float:
    """The sum of (value - centre)**2, with one rounding per addition."""
    return add_blocks((block - centre) ** 2 for block in blocks(values))


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
