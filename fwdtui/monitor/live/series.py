"""A rate over time, with its gaps: graphs draw it, and windows are chosen from it."""

from bisect import bisect_right
from collections.abc import Iterator
from operator import attrgetter
from typing import TypeVar

import msgspec


class Point(msgspec.Struct, frozen=True, gc=False):  # no containers in it: nothing that could be a cycle
    """A rate over the interval that ends at `at` and lasts `seconds`; None is a gap, and `why` says why.

    `count` is the exact number of packets if the rate came from a counter. `bps`: the same packets in bits
    per second, from the byte counter beside the packet counter, or as the tool printed them; None: not known,
    whether or not the packets are. Which bits are counted differs from source to source, see docs/limits.md.
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
_AT = attrgetter("at")


class Series:
    """The newest points of one rate. The oldest are dropped beyond `limit`: a screen needs minutes, not days.

    Forks share their points: a fork that is given the same points again (a recording played from an earlier
    moment) only advances its count, and one that is given something else gets its own list.
    """

    def __init__(self, limit: int = 36_000) -> None:
        self._limit = limit
        self._points: list[Point] = []
        self._count = 0  # how many of them are ours

    def add(self, point: Point) -> None:
        """Add the next point; points come in the order of the host's clock."""
        if self._count < len(self._points):
            if self._points[self._count] == point:
                self._count += 1
                return
            self._points = self._points[: self._count]
        elif self._count >= self._limit + self._limit // 8:  # not at each point: it copies all of them
            self._points = self._points[-self._limit :]
        self._points.append(point)
        self._count = len(self._points)

    def fork(self) -> "Series":
        """A copy that shares the points."""
        twin = Series(self._limit)
        twin._points, twin._count = self._points, self._count
        return twin

    @property
    def last(self) -> Point | None:
        """The newest point, a gap or not."""
        return self._points[self._count - 1] if self._count else None

    @property
    def last_known(self) -> Point | None:
        """The newest point that is not a gap."""
        known = (self._points[n] for n in range(self._count - 1, self._first - 1, -1))
        return next((point for point in known if point.value is not None), None)

    def newest(self, count: int) -> tuple[Point, ...]:
        """The newest `count` points, oldest first."""
        return tuple(self._points[max(self._first, self._count - count) : self._count])

    def since(self, start: float) -> tuple[Point, ...]:
        """All points whose interval ends after `start`, oldest first."""
        place = bisect_right(self._points, start, self._first, self._count, key=_AT)
        return tuple(self._points[place : self._count])

    @property
    def _first(self) -> int:
        return max(self._count - self._limit, 0)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.newest(self._limit))

    def __len__(self) -> int:
        return self._count - self._first
