"""Which samples of a blast count: none that holds a part of the start or of the stop."""

import random

import pytest

from fwdtui.monitor.cut import cut
from fwdtui.monitor.series import Point


def course(phase: float, start: float, stop: float, rate: float, noise: float = 0.0) -> list[Point]:
    """What a host that reads its counters at this phase of each second sees of traffic from start to stop."""
    points = []
    unsteady = random.Random(3)
    for second in range(45):
        begin, end = second + phase, second + 1 + phase
        share = max(min(end, stop) - max(begin, start), 0.0)
        value = rate * share * unsteady.uniform(1 - noise, 1 + noise)
        points.append(Point(end, 1.0, value, count=round(value)))
    return points


@pytest.mark.parametrize("phase", [0.0, 0.2, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("stop", [35.0, 35.3, 35.7, 35.9])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_wherever_the_hosts_tick_the_partial_seconds_are_no_samples(
    phase: float, stop: float, noise: float
) -> None:
    offered = course(0.9, 5.0, stop, 1e6, noise)
    received = course(phase, 5.0, stop, 9e5, noise)
    busy = [point for point in offered if point.value]
    began, ended = busy[0].at - 1.0, busy[-1].at
    iteration = cut({"offered": offered, "received": received}, began, ended)
    window = iteration.window
    assert window is not None and window.start is not None and window.end is not None
    assert window.start >= 5.0 and window.end <= stop
    assert window.kept >= 27
    assert "outage" not in {warning.code for warning in iteration.warnings}
    inside = [point for point in received if point.at > began and point.at - 1.0 < ended]
    assert window.head + window.kept + window.tail == len(inside)


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_an_outage_at_the_end_is_no_stop_while_traffic_is_offered(noise: float) -> None:
    offered = course(0.9, 5.0, 35.0, 1e6, noise)
    received = course(0.5, 5.0, 30.0, 9e5, noise)
    iteration = cut({"offered": offered, "received": received}, 4.9, 35.9)
    assert "outage" in {one.code for one in iteration.warnings}
