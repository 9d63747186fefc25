"""Millions of values: the same numbers as the plain functions give, in a few passes with numpy.

No pass makes a copy as long as the set. Nothing is approximated: sums are exact and rounded once, as
math.fsum has them, and the order is the whole order, a part of it at a time.
"""

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fwdtui.core import offered
from fwdtui.stats.blocks import Doubles, add, blocks, exact_sum
from fwdtui.stats.moments import Moments, exponent_of
from fwdtui.stats.order import Order

_NOTHING = Moments(0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Digest:
    """All that is computed of a set; if a value is not finite, only the position of the first such one."""

    not_finite: int | None  # position from 0
    low: float = 0.0
    high: float = 0.0
    middle: tuple[float, float] = (0.0, 0.0)  # by size; of an odd number, the same value twice
    exponent: int = 0
    moments: Moments = _NOTHING  # of the values times 2**-exponent
    total: float = 0.0  # ministat's sum: one rounding per addition, in file order
    squares: float = 0.0  # ministat's, of the deviations from total / n: so rounded, too, in order of size
    split: tuple[int, float, float] = (0, 0.0, 0.0)  # the widest gap, see _walk
    ends: tuple[float, float] = (0.0, 0.0)  # of the stretch in which `split` was looked for

    def same_values(self, other: "Digest") -> bool:
        """Whether both describe the same values, in any order: all that does not depend on order is equal."""
        return replace(self, total=0.0, squares=0.0) == replace(other, total=0.0, squares=0.0)


def digest(data: "array[float]") -> Digest:
    """The digest of `data`, which holds at least one value."""
    values = np.frombuffer(data, np.float64)
    start = 0
    for block in blocks(values):
        finite = np.isfinite(block)
        if not finite.all():
            return Digest(start + int(np.argmin(finite)))
        start += len(block)
    n = len(values)
    low, high = float(values[np.argmin(values)]), float(values[np.argmax(values)])
    exponent = exponent_of((low, high))
    order = Order(lambda: blocks(values), n)
    total = add(values)
    with np.errstate(over="ignore", invalid="ignore"):  # as in the plain functions, an infinity stays one
        side = side_of(n)
        ranks = (n - 1) // 2, n // 2, min(side, n) - 1, max(n - side, 0)
        squares, split, at = _walk(order, total / n, n, ranks)
        return Digest(
            not_finite=None,
            low=low,
            high=high,
            middle=(at[0], at[1]),
            exponent=exponent,
            moments=_moments(values, exponent, low, high),
            total=total,
            squares=squares,
            split=split,
            ends=(at[2], at[3]),
        )


def side_of(n: int) -> int:
    """How many values each of two groups must have at least: a fifth, and two."""
    return max(2, -(-n // 5))


def far_from_median(
    data: "array[float]", median: float, limit: float, least: float, most: int
) -> tuple[int, list[tuple[int, float | None]]]:
    """How many values are outliers, and the first `most` of them as (position, modified z).

    The rule is that of outliers.outliers: `limit` bounds the modified z; where MAD is zero, z is None and
    `least` bounds the deviation.
    """
    values = np.frombuffer(data, np.float64)

    def deviations() -> Iterator[Doubles]:
        return (np.abs(block - median) for block in blocks(values))

    n = len(values)
    count, start = 0, 0
    first: list[tuple[int, float | None]] = []
    with np.errstate(over="ignore", invalid="ignore"):
        order = Order(deviations, n)
        mad = order.at((n - 1) // 2) / 2.0 + order.at(n // 2) / 2.0
        for block in deviations():
            scores = block if mad == 0.0 else 0.6745 * (block / mad)
            places = np.flatnonzero(scores > least if mad == 0.0 else (scores > limit) & (scores < math.inf))
            first += [
                (start + int(at), None if mad == 0.0 else float(scores[at]))
                for at in places[: most - len(first)]
            ]
            count += len(places)
            start += len(block)
    return count, first


def within(
    data: "array[float]", limits: Sequence[float | None], line_rate: float | None, tolerance: float
) -> tuple[int, int]:
    """How many values are at line rate, and how many at that or at their own limit (none: `limits` is empty).

    At a limit above zero means: no further than `tolerance` times the limit away from it.
    """
    values = np.frombuffer(data, np.float64)
    at_line = at_either = start = 0
    with np.errstate(over="ignore", invalid="ignore"):
        for block in blocks(values):
            line = _near(block, np.array([line_rate], float), tolerance)
            either = line
            if limits:
                own = np.array(limits[start : start + len(block)], float)
                either = line | _near(block, own, tolerance)
            at_line += int(np.count_nonzero(line))
            at_either += int(np.count_nonzero(either))
            start += len(block)
    return at_line, at_either


def _near(block: Doubles, limit: Doubles, tolerance: float) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    known = np.isfinite(limit) & (limit > 0.0)
    return known & (limit - block <= tolerance * limit) & ~(block > (1.0 + offered.TOLERANCE) * limit)


def _moments(values: Doubles, exponent: int, low: float, high: float) -> Moments:
    """What moments.moments gives for the scaled values."""
    n = len(values)
    if low == high:
        return Moments(n, math.ldexp(low, -exponent), 0.0)

    def scaled() -> Iterator[Doubles]:
        if exponent > -1000:
            return (block * math.ldexp(1.0, -exponent) for block in blocks(values))
        return (np.ldexp(block, -exponent) for block in blocks(values))

    mean = exact_sum(scaled(), 0) / n
    mean = min(max(mean, math.ldexp(low, -exponent)), math.ldexp(high, -exponent))
    deviations = exact_sum((block - mean for block in scaled()), 1)
    squares = exact_sum(((block - mean) ** 2 for block in scaled()), 2)
    return Moments(n, mean, max(squares - deviations**2 / n, 0.0) / (n - 1))


def _walk(
    order: Order, centre: float, n: int, ranks: Sequence[int]
) -> tuple[float, tuple[int, float, float], list[float]]:
    """The sum of (value - centre)**2 in order of size, the widest gap between neighbours, and some values.

    For each of `ranks`, the last list has the value with that many values before it. Only gaps with at least
    a fifth of the values on each side count. A gap is the number of values below it and the values on either
    side; of several equally wide ones, the lowest.
    """
    side = side_of(n)
    squares, seen, last = 0.0, 0, math.nan
    widest, split = -1.0, (0, 0.0, 0.0)
    at_ranks = [math.nan] * len(ranks)
    for part in (piece for whole in order.ascending() for piece in blocks(whole)):
        squares = add((part - centre) ** 2, squares)
        # the gap before part[i] has seen + i values below it
        first, end = max(side - seen, 0), min(n - side - seen + 1, len(part))
        if first < end:
            lower = (
                np.concatenate(([last], part[first : end - 1])) if not first else part[first - 1 : end - 1]
            )
            gaps = part[first:end] - lower
            at = int(np.argmax(gaps))
            if gaps[at] > widest:
                widest = float(gaps[at])
                split = seen + first + at, float(lower[at]), float(part[first + at])
        for place, rank in enumerate(ranks):
            if 0 <= rank - seen < len(part):
                at_ranks[place] = float(part[rank - seen])
        seen += len(part)
        last = float(part[-1])
    return squares, split, at_ranks
