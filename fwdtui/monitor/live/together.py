"""The flows' present rates, all over the same seconds: the last ones that every flow has reached.

Hosts sample at their own moments and tools print late. At a blast's end one flow is at zero up to two seconds
before another, and at its beginning the other way round; rates shown side by side, and their difference as a
loss, would be false.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import NamedTuple, Protocol

from fwdtui.monitor.live.averages import Bounds, mean
from fwdtui.monitor.live.series import Point

_PACKETS, _BITS = attrgetter("value"), attrgetter("bps")
_LIKE = 0.75  # share of the highest rate: a lower rate next to it shows the edge of a blast, or a fall
_JITTER = 0.25  # of an interval


class Recent(Protocol):
    """A rate over time, as far as it is known at a moment: a Series, or a part of a recording."""

    @property
    def last(self) -> Point | None:
        """The newest point, a gap or not."""

    def since(self, start: float) -> tuple[Point, ...]:
        """All points whose interval ends after `start`, oldest first."""


class Present(NamedTuple):
    """A flow's rate as `point`. `steady`: it is not in the middle of a change.

    How the packets of an interval were spread over it is not known. So the mean over a part of an interval
    that includes the edge of a blast is a guess, which must not be subtracted from another rate.
    """

    point: Point
    steady: bool = True


def together(flows: Mapping[str, Recent], since: float) -> dict[str, Present | None]:
    """Each flow's mean over the last interval that all of them cover; None: nothing newer than `since`.

    A flow's interval that crosses the edge of that one counts in part. A flow whose newest point is a gap
    stays a gap, and the others do not wait for it.
    """
    newest = {name: series.last for name, series in flows.items()}
    current = {name: None if one is None or one.at < since else one for name, one in newest.items()}
    known = [one for one in current.values() if one is not None and one.value is not None]
    end = min((one.at for one in known), default=0.0)
    stretch = end - max((one.seconds for one in known), default=0.0), end
    return {
        name: None if one is None else Present(one) if one.value is None else _over(flows[name], one, stretch)
        for name, one in current.items()
    }


def _over(series: Recent, last: Point, stretch: Bounds) -> Present:
    length = stretch[1] - stretch[0]
    points = series.since(stretch[0] - length)  # one interval more, which shows whether the flow just began
    rates = [point.value for point in points if point.value is not None]
    begun = points[0].at <= stretch[0] + _JITTER * length
    steady = begun and min(rates) >= _LIKE * max(rates)

    def rate(of: Callable[[Point], float | None]) -> float | None:
        # a rate that stays the same is used as it is: a flow that has just begun has no points in the stretch
        return of(last) if len({of(point) for point in points}) == 1 else mean(points, stretch, of)

    value = rate(_PACKETS)
    if value is None:
        return Present(last, steady)
    return Present(Point(stretch[1], last.seconds, value, bps=rate(_BITS)), steady)
