"""From when on samples are late: three intervals, and for what is drawn as old a second at least.

A tick that is held up by one or two intervals is made up for by the next one, which covers them; of more
than three nobody knows whether the traffic went on meanwhile. Hosts are looked at every 0.1 s at most: a
second keeps their numbers from flickering where the network has a bad moment.
"""

import pytest
from machines import LAB

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import TICK, EventSample, HostSample
from fwdtui.monitor.live.monitor import Monitor

RATE = 1024


def monitor_at(interval: float, *moments: float) -> Monitor:
    """A monitor that has seen the DUT at these moments, which forwarded RATE all the time."""
    monitor = Monitor(parse(LAB + f'[sampling]\ninterval = "{interval}s"\n'))
    for number, at in enumerate(moments):
        packets = int(RATE * at)
        ports = (InterfaceCounters("d0", rx_packets=packets), InterfaceCounters("d1", tx_packets=packets))
        monitor.push(HostSample("dut", number, t=at, at=at, boot="dut", interfaces=ports))
    return monitor


@pytest.mark.parametrize("interval", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(("intervals", "is_gap"), [(1.0, False), (2.75, False), (3.0, False), (3.25, True)])
def test_more_than_three_intervals_between_two_samples_are_a_gap(
    interval: float, intervals: float, is_gap: bool
):
    start = 16.0
    found = monitor_at(interval, start, start + interval, start + interval * (1 + intervals)).snapshot().dut
    assert found is not None and found.rates is not None
    assert found.rates.gap == ("late" if is_gap else "")
    assert found.rates.average == (RATE if is_gap else None), "what passed is told, as an average"


@pytest.mark.parametrize(
    ("interval", "silence"), [(0.125, 1.0), (0.25, 1.0), (0.375, 1.125), (0.5, 1.5), (1.0, 3.0), (2.0, 6.0)]
)
def test_numbers_are_old_after_three_intervals_and_a_second(interval: float, silence: float):
    for later, is_old in ((-0.0625, False), (0.0, False), (0.0625, True)):
        monitor = monitor_at(interval, 16.0, 16.0 + interval)
        last = 16.0 + interval
        monitor.push(EventSample(last + silence + later, TICK, "nothing came from any host"))
        found = monitor.snapshot().dut
        assert monitor.silence == silence
        assert found is not None and found.old == (silence + later if is_old else None)


@pytest.mark.parametrize(
    ("interval", "gap", "told"),
    [(0.125, 0.5, False), (0.125, 1.0, False), (0.125, 1.125, True), (1.0, 3.0, False), (1.0, 3.25, True)],
)
def test_a_dut_is_starved_after_three_intervals_and_a_second(interval: float, gap: float, told: bool):
    monitor = monitor_at(interval, 16.0, 16.0 + interval, 16.0 + interval + gap)
    for state in (monitor._state, monitor.fork()._state):
        found = state.starved(16.0, 30.0)
        assert (None if found is None else found.seconds) == (gap if told else None)


@pytest.mark.parametrize("interval", [0.125, 0.5, 1.0, 2.0])
@pytest.mark.parametrize(("intervals", "is_old"), [(2.5, False), (3.0, False), (3.5, True)])
def test_a_rate_is_shown_as_the_present_one_for_three_intervals(
    interval: float, intervals: float, is_old: bool
):
    monitor = monitor_at(interval, 16.0, 16.0 + interval)
    monitor.push(EventSample(16.0 + interval * (1 + intervals), TICK, "nothing came from any host"))
    forwarded = monitor.snapshot().forwarded
    assert forwarded.now == (None if is_old else RATE)
    assert (forwarded.old is not None and forwarded.old.value == RATE) is is_old
