"""The order of millions of values, part by part, so that no sorted copy of them all is needed."""

from collections.abc import Callable, Iterator

import numpy as np

from fwdtui.stats.blocks import Doubles

_PARTS = 8
_SAMPLE = 4096
_RUN = 1 << 15  # of equal values, handed out at once
_SPREAD = 2654435761  # a prime near 2**32 / golden ratio: its multiples modulo n fall all over the values


class Order:
    """The values that `some()` gives in blocks, `n` in all, in order of size; infinities but no NaN.

    Pivots from a sample divide them into parts of about an eighth. A part holds what is strictly between
    two pivots; values equal to a pivot are only counted, so ties do not make a part longer. Zeros of either
    sign are equal, so one may come out as the other.
    """

    def __init__(self, some: Callable[[], Iterator[Doubles]], n: int) -> None:
        self._some = some
        positions = np.sort(np.arange(min(n, _SAMPLE), dtype=np.int64) * _SPREAD % n)
        sample = np.sort(self._at_positions(positions))
        cuts = [len(sample) * part // _PARTS for part in range(1, _PARTS)]
        self._pivots: list[float] = sorted({float(sample[cut]) for cut in cuts})
        below, equal = [0] * len(self._pivots), [0] * len(self._pivots)
        for block in some():
            for place, pivot in enumerate(self._pivots):
                below[place] += int(np.count_nonzero(block < pivot))
                equal[place] += int(np.count_nonzero(block == pivot))
        self._below, self._equal, self._n = below, equal, n

    def at(self, rank: int) -> float:
        """The value with `rank` values before it, 0 <= rank < n."""
        for place, pivot in enumerate(self._pivots):
            if rank < self._below[place]:
                return self._in_part(place, rank)
            if rank < self._below[place] + self._equal[place]:
                return pivot
        return self._in_part(len(self._pivots), rank)

    def ascending(self) -> Iterator[Doubles]:
        """All values from the lowest to the highest, in arrays of at least one, each valid until the next."""
        places = range(len(self._pivots) + 1)
        room = np.empty(max(map(self._size, places)))
        for place in places:
            if self._size(place):
                part = self._part(place, room)
                part.sort()
                yield part
            left = self._equal[place] if place < len(self._pivots) else 0
            while left:
                run = min(left, _RUN)
                yield np.full(run, self._pivots[place])
                left -= run

    def _in_part(self, place: int, rank: int) -> float:
        before = self._below[place - 1] + self._equal[place - 1] if place else 0
        part = self._part(place, np.empty(self._size(place)))
        part.partition(rank - before)
        return float(part[rank - before])

    def _size(self, place: int) -> int:
        """How many values there are between the pivots before and at `place`."""
        up_to = self._below[place] if place < len(self._pivots) else self._n
        return up_to - (self._below[place - 1] + self._equal[place - 1] if place else 0)

    def _part(self, place: int, room: Doubles) -> Doubles:
        """The values between the pivots before and at `place`, unsorted, at the beginning of `room`."""
        low = self._pivots[place - 1] if place else None
        high = self._pivots[place] if place < len(self._pivots) else None
        part = room[: self._size(place)]
        filled = 0
        for block in self._some():
            inside = np.ones(len(block), bool) if low is None else block > low
            if high is not None:
                inside &= block < high
            values = block.take(np.flatnonzero(inside))  # three times as fast as block[inside]
            part[filled : filled + len(values)] = values
            filled += len(values)
        return part

    def _at_positions(self, positions: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> Doubles:
        """The values at ascending positions."""
        parts, start = [], 0
        for block in self._some():
            low, high = np.searchsorted(positions, (start, start + len(block)))
            parts.append(block[positions[low:high] - start])
            start += len(block)
        return np.concatenate(parts)
