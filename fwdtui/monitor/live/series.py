"""A rate over time, with its gaps, from which graphs are drawn and windows are chosen."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from math import inf
from operator import attrgetter
from typing import Any, Generic, Protocol, Self, TypeVar, overload

import msgspec


class Point(msgspec.Struct, frozen=True, gc=False):  # it has no containers, so it cannot be part of a cycle
    """A rate over the interval that ends at `at` and lasts `seconds`; None is a gap, and `why` says why.

    `value` is in packets per second. `count` is the exact number of packets if the rate came from a counter.
    `bps`: the same packets in bits per second, from the byte counter beside the packet counter, or as the
    tool printed them; None: not known, whether or not the packets are. Which bits are counted differs from
    source to source, see docs/limits.md.
    """

    at: float
    seconds: float
    value: float | None
    count: int | None = None
    why: str = ""
    bps: float | None = None


class CoreLoad(msgspec.Struct, frozen=True, gc=False):
    """The busiest core of the interval that ends at `at`: its number, and the share of its time, 0 to 1.

    None is a gap, and `why` says why.
    """

    at: float
    seconds: float
    value: float | None
    cpu: int | None = None
    why: str = ""


P = TypeVar("P", Point, CoreLoad)
R = TypeVar("R")
_AT = attrgetter("at")


class Store(Protocol[R]):
    """Where rows are kept: a list, or a list-like container that takes less memory."""

    def append(self, row: R, /) -> None: ...

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, place: int, /) -> R: ...

    @overload
    def __getitem__(self, place: slice, /) -> Sequence[R]: ...


NewStore = Callable[[], Store[Any]]


class Rows(Generic[R]):
    """The newest rows, each with a time `at`. Beyond `limit` the oldest are dropped, but see `held`.

    Forks share their rows: a fork that is given the same rows again (a recording played from an earlier
    moment) only advances its count, and one that is given something else gets its own list.
    """

    def __init__(self, limit: int = 36_000, store: Store[R] | None = None) -> None:
        """`store`: where to keep the rows; a list if None. Only a list frees the memory of the oldest."""
        self.limit = limit
        self.held = inf
        """Rows from this time on are kept even beyond the limit: those of a blast that is not over."""
        self._rows: Store[R] = [] if store is None else store
        self._first = self._count = 0  # which of the shared rows are ours

    def add(self, row: R) -> None:
        """Add the next row; rows come in the order of the host's clock."""
        rows = self._rows
        if self._count < len(rows):
            if rows[self._count] == row:
                self._advance()
                return
            self._rows = list(rows[: self._count])
        elif self._first >= max(self.limit // 8, 1) and isinstance(rows, list):
            self._rows = rows[self._first :]  # not at every row, because it copies all of them
            self._count -= self._first
            self._first = 0
        self._rows.append(row)
        self._advance()

    def _advance(self) -> None:
        self._count += 1
        first = self._count - self.limit
        while self._first < first and _AT(self._rows[self._first]) < self.held:
            self._first += 1

    def fork(self) -> Self:
        """A copy that shares the rows."""
        return copy(self)

    @property
    def last(self) -> R | None:
        """The newest row, a gap or not."""
        return self._rows[self._count - 1] if self._count else None

    def newest(self, count: int, since: float = inf) -> tuple[R, ...]:
        """The newest `count` rows, oldest first; more if more of them end after `since`."""
        first = max(self._first, self._count - count)
        if first < self._count and _AT(self._rows[first]) > since:
            first = bisect_right(self._rows, since, self._first, self._count, key=_AT)
        return tuple(self._rows[first : self._count])

    def since(self, start: float) -> tuple[R, ...]:
        """All rows whose interval ends after `start`, oldest first."""
        place = bisect_right(self._rows, start, self._first, self._count, key=_AT)
        return tuple(self._rows[place : self._count])

    def __iter__(self) -> Iterator[R]:
        return iter(self.newest(self._count))

    def __len__(self) -> int:
        return self._count - self._first


class Series(Rows[Point]):
    """The newest points of one rate: a screen needs minutes, not days."""

    @property
    def last_known(self) -> Point | None:
        """The newest point that is not a gap."""
        known = (self._rows[n] for n in range(self._count - 1, self._first - 1, -1))
        return next((point for point in known if point.value is not None), None)
