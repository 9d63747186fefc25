"""A rate over time, with its gaps: what a graph draws and a window is cut from."""

from collections import deque
from collections.abc import Iterator
from itertools import islice

import msgspec


class Point(msgspec.Struct, frozen=True):
    """A rate over the interval that ends at `at` and lasts `seconds`; None is a gap, and `why` names it.

    `count` is the exact number of packets where the rate came from a counter.
    """

    at: float
    seconds: float
    value: float | None
    count: int | None = None
    why: str = ""


class Series:
    """The newest points of one rate. The oldest fall out at `limit`: a screen needs minutes, not days."""

    def __init__(self, limit: int = 36_000) -> None:
        self._points: deque[Point] = deque(maxlen=limit)

    def add(self, point: Point) -> None:
        """Points come in the order of the host's clock."""
        self._points.append(point)

    def fork(self) -> "Series":
        """Another one with the same points."""
        twin = Series()
        twin._points = self._points.copy()
        return twin

    @property
    def last(self) -> Point | None:
        """The newest point, a gap or not."""
        return self._points[-1] if self._points else None

    def newest(self, count: int) -> tuple[Point, ...]:
        """The newest `count` points, oldest first."""
        return tuple(reversed(tuple(islice(reversed(self._points), count))))

    def since(self, start: float) -> tuple[Point, ...]:
        """All points whose interval ends after `start`, oldest first."""
        found: list[Point] = []
        for point in reversed(self._points):
            if point.at <= start:
                break
            found.append(point)
        return tuple(reversed(found))

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)
