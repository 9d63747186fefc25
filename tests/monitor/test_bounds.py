"""Which intervals lie within bounds, when a side has fallen, when numbers are old: the edge of each."""

import pytest
from machines import LAB

from fwdtui.core.lab import parse
from fwdtui.monitor.live.averages import whole_intervals
from fwdtui.monitor.live.evidence import agreed_end
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.series import Point


@pytest.mark.parametrize(
    ("begin", "end", "seconds", "inside"),
    [
        (10.0, 12.0, 2.0, True),
        (9.985, 11.985, 2.0, True),
        (9.975, 11.975, 2.0, False),  # it holds a part of what came before
        (18.015, 20.015, 2.0, True),
        (18.025, 20.025, 2.0, False),  # and of what came after
    ],
)
def test_an_interval_may_reach_over_the_edge_by_a_hundredth_of_itself(
    begin: float, end: float, seconds: float, inside: bool
) -> None:
    """The hosts' clocks are laid together that well, and no better."""
    point = Point(end, seconds, 1e6)
    assert point.at - point.seconds == pytest.approx(begin)
    assert whole_intervals([point], (10.0, 20.0)) == ([point] if inside else [])


@pytest.mark.parametrize(
    ("share", "end"), [(1.0, 20.0), (0.98, 20.0), (0.97, 20.0), (0.96, 19.0), (0.5, 19.0)]
)
def test_a_newest_rate_below_97_percent_of_the_usual_may_be_the_end_of_the_blast(
    share: float, end: float
) -> None:
    """A loss made of it and of another host's full second never was."""
    steady = [Point(float(at), 1.0, 1e6) for at in range(11, 21)]
    fallen = [*steady[:-1], Point(20.0, 1.0, share * 1e6)]
    found = agreed_end({"offered": fallen, "dut in": steady}, 20.0, stale=3.0, interval=1.0, longest=5.0)
    assert found == end


@pytest.mark.parametrize(
    ("interval", "seconds"), [("100ms", 1.0), ("300ms", 1.0), ("500ms", 1.5), ("1s", 3.0), ("10s", 30.0)]
)
def test_numbers_are_old_after_three_intervals_but_not_before_a_second(interval: str, seconds: float) -> None:
    """A tick of 100 ms may be late by several: a busy host is no silent one."""
    lab = parse(f'{LAB}[sampling]\ninterval = "{interval}"\n')
    assert Monitor(lab).silence == pytest.approx(seconds)
