"""The present rates of all flows are of the same seconds, whatever the phases of the hosts' clocks."""

import pytest
from machines import LAB, Machines, blast

from fwdtui.core.lab import parse
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.series import Point, Series
from fwdtui.monitor.live.together import together


def series(*points: Point) -> Series:
    one = Series()
    for point in points:
        one.add(point)
    return one


def test_when_a_blast_begins_and_ends_no_host_is_ahead_of_another():
    """The DUT's tick had told of the end while the receiver's was up to a second old."""
    monitor = Monitor(parse(LAB))
    edges = known = 0
    for sample in Machines(blast(4, 9, 10_000), capacity=9_000).run(20):
        monitor.push(sample)
        now = monitor.snapshot(0)
        rates = [flow.now for flow in (now.offered, now.forwarded, now.received)]
        if None in rates:
            continue
        assert max(rates) - min(rates) <= 0.4 * 10_000, now.now
        if now.loss is None:  # in the middle of a change it is not known
            edges += 1
        elif max(rates) > 0:
            known += 1
            assert -0.08 < now.loss_share < 0.11
    assert edges >= 6 and known >= 6


def test_a_flow_that_is_late_is_not_waited_for_and_one_with_a_gap_stays_one():
    flows = {
        "offered": series(Point(9.2, 1.0, 10.0), Point(10.2, 1.0, 20.0)),
        "forwarded": series(Point(9.7, 1.0, 8.0)),
        "received": series(Point(5.0, 1.0, 7.0)),
        "attack": series(Point(9.5, 1.0, 1.0), Point(10.1, 0.6, None, why="reset")),
    }
    now = together(flows, 7.0)
    assert now["received"] is None and now["attack"].point.value is None
    assert now["offered"].point.value == pytest.approx(15.0)  # of the seconds 8.7 to 9.7
    assert now["forwarded"].point.value == 8.0
    assert [now[name].point.at for name in ("offered", "forwarded")] == [9.7, 9.7]


def test_bits_are_of_the_same_seconds():
    flows = {
        "offered": series(Point(1.0, 1.0, 1.0, bps=100.0), Point(2.0, 1.0, 2.0, bps=200.0)),
        "received": series(Point(1.5, 1.0, 1.0, bps=90.0)),
    }
    offered = together(flows, 0.0)["offered"].point
    assert (offered.value, offered.bps) == (pytest.approx(1.5), pytest.approx(150.0))
