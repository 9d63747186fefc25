"""The highest rate of a growing series, over the time that is drawn."""

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter

from fwdtui.monitor.live.series import Point

_AT, _PACKETS, _BITS = attrgetter("at"), attrgetter("value"), attrgetter("bps")


def after(points: Sequence[Point], last: Point) -> Sequence[Point] | None:
    """The points that follow `last`, which is searched from the end; None if it is not among them."""
    for place in range(len(points) - 1, -1, -1):
        if points[place] is last:
            return points[place + 1 :]
        if points[place].at < last.at:
            break
    return None


class Highest:
    """The highest rate of each series that is drawn.

    Only new points are compared, and all of them again once the highest has left the graph.
    """

    def __init__(self) -> None:
        # the start of the time that was searched, the moment of the first point, the last point, the highest
        # one, and whether rates are in bits
        self._known: dict[str, tuple[float, float, Point, Point | None, bool]] = {}

    def of(self, name: str, points: Sequence[Point], start: float, bits: bool) -> float:
        """The highest rate after `start` of the series called `name`, in bits or packets; 0 without any."""
        rate = _BITS if bits else _PACKETS
        if not points:
            return 0.0
        known = self._known.get(name)
        first = points[0].at
        highest: Point | None = None
        new: Sequence[Point] | None = None
        if known is not None and known[4] == bits and known[0] <= start:
            _, began, last, highest, _ = known
            # after zooming out there may be points from before the first one that was searched
            if (highest is None or highest.at > start) and (began <= start or first >= began):
                new = after(points, last)
                first = min(first, began)
        if new is None:
            first, highest, new = points[0].at, None, points[bisect_right(points, start, key=_AT) :]
        for point in new:
            if rate(point) and (highest is None or rate(point) >= rate(highest)):
                highest = point
        self._known[name] = start, first, points[-1], highest, bits
        return 0.0 if highest is None else rate(highest) or 0.0
