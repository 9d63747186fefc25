"""Where a host stands on the recording's axis, and which of its readings may become samples."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.collectors.clock import Axis, HostClock
from fwdtui.collectors.schedule import Pace

# HostClock: offsets


def test_the_quickest_exchange_places_the_host() -> None:
    clock = HostClock()
    clock.exchange(100.0, 100.5, 1000.25, 1000.25)  # slow: anything between 899.75 and 900.25
    clock.exchange(101.0, 101.002, 1001.001, 1001.001)  # quick
    clock.exchange(102.0, 102.9, 1002.9, 1002.9)  # slow and lopsided
    assert clock.local(1001.001) == pytest.approx(101.001, abs=1e-9)
    assert clock.error < 0.002


@given(
    offset=st.floats(-1e6, 1e6),
    ways=st.lists(st.tuples(st.floats(0, 2), st.floats(0, 2), st.floats(0, 0.1)), min_size=1, max_size=100),
)
def test_the_error_bounds_the_error_whatever_the_ways_took(offset, ways) -> None:
    clock = HostClock()
    received = 0.0
    for number, (there, reading, back) in enumerate(ways):
        sent = float(number)
        begin = sent + there
        received = max(received, begin + reading + back)  # answers come in order
        assert clock.exchange(sent, received, begin + offset, begin + reading + offset) == 0.0
    assert abs(clock.local(offset) - 0.0) <= clock.error + 1e-6


@pytest.mark.parametrize("step", [-3.0, -0.05, 0.05, 3.0])
def test_a_clock_that_is_set_is_noticed_where_no_delay_explains_it(step: float) -> None:
    clock = HostClock()
    for tick in range(20):
        assert clock.exchange(tick, tick + 0.02, tick + 50.01, tick + 50.01) == 0.0
    found = clock.exchange(20.0, 20.02, 70.01 + step, 70.01 + step)
    assert found == pytest.approx(step, abs=0.04)
    assert abs(found) <= abs(step), "no more than what is certain"
    # it may have been read so late where the way took as long
    assert clock.exchange(20.0, 24.0, 70.01 + abs(step), 70.01 + abs(step)) == 0.0


def test_a_clock_that_drifts_is_followed() -> None:
    clock = HostClock()
    drift = 300e-6
    rng = random.Random(1)
    for tick in range(3600):
        sent = float(tick)
        there, back = rng.uniform(0.0002, 0.02), rng.uniform(0.0002, 0.02)
        host = (sent + there) * (1 + drift) + 77
        assert clock.exchange(sent, sent + there + back, host, host) == 0.0
    true = 3599.0
    assert clock.local(true * (1 + drift) + 77) == pytest.approx(true, abs=0.02)


@pytest.mark.parametrize(
    ("ppm", "found"),
    [
        (-510, -0.01),
        (-501, -0.001),
        (-500, 0.0),
        (-499, 0.0),
        (499, 0.0),
        (500, 0.0),
        (501, 0.001),
        (510, 0.01),
    ],
)
def test_a_clock_may_run_fast_or_slow_by_as_much_as_ntpd_slews_it_and_no_more(ppm: int, found: float) -> None:
    """ntpd slews by at most 500 ppm, and quartz is off by less; what is beyond that was set."""
    clock = HostClock()
    assert clock.exchange(0.0, 0.0, 50.0, 50.0) == 0.0
    host = 50.0 + 1000.0 * (1 + ppm * 1e-6)
    assert clock.exchange(1000.0, 1000.0, host, host) == pytest.approx(found, abs=2e-6)


@pytest.mark.parametrize(("later", "offset"), [(1.0, -50.0), (1.9, -50.0), (2.1, -50.0004), (9.0, -50.0004)])
def test_of_two_exchanges_the_quicker_places_the_host_until_it_is_too_old(
    later: float, offset: float
) -> None:
    """The first is known to 1 ms and loses 0.5 ms a second by drift, the second to 2 ms when it is made."""
    clock = HostClock()
    clock.exchange(-0.001, 0.001, 50.0, 50.0)
    clock.exchange(later - 0.002, later + 0.002, 50.0004 + later, 50.0004 + later)
    assert clock.local(0.0) == pytest.approx(offset, abs=1e-9)
    assert clock.error == pytest.approx(min(0.002, 0.001 + 500e-6 * (later + 0.002)), abs=1e-6)


def test_a_clock_cut_down_to_its_grain_still_agrees_with_a_quick_network() -> None:
    clock = HostClock()
    for tick in range(20):
        sent = tick * 1.0337
        host = int((sent + 0.0001 + 5000) * 100) / 100  # /proc/uptime
        clock.exchange(sent, sent + 0.0003, host, host, 0.01)
    assert clock.known
    assert clock.local(5000.0) == pytest.approx(0.0, abs=0.011)


def test_an_impossible_exchange_is_passed_over() -> None:
    clock = HostClock()
    clock.exchange(10.0, 10.1, 50.0, 53.0)  # three seconds of reading in a tenth of one
    assert not clock.known


def test_the_axis_begins_with_the_first_thing_that_is_placed() -> None:
    axis = Axis()
    assert axis.at(1234.5) == 0
    assert axis.at(1236.0) == 1.5
    assert axis.at(1234.0) == -0.5


# Pace: which readings count


def test_evenly_spaced_readings_all_count() -> None:
    pace = Pace(0.1)
    assert [pace.refuses(t / 10, t / 10 + 0.001, 1e-9) for t in range(50)] == [None] * 50


def test_of_a_burst_after_a_stall_only_the_first_counts() -> None:
    pace = Pace(1.0)
    assert pace.refuses(0, 0.001, 0) is None
    assert pace.refuses(12.0, 12.001, 0) is None
    assert "too soon" in (pace.refuses(12.002, 12.003, 0) or "")
    assert "too soon" in (pace.refuses(12.2, 12.2001, 0) or "")
    assert pace.refuses(13.0, 13.001, 0) is None


@pytest.mark.parametrize("interval", [0.125, 1.0, 2.0])
@pytest.mark.parametrize(("share", "counts"), [(0.21, False), (0.249, False), (0.25, True), (0.251, True)])
def test_a_quarter_of_the_interval_is_the_closest_that_two_readings_may_be(
    interval: float, share: float, counts: bool
) -> None:
    """A late tick is followed by one that is early by as much; over less a rate is that of single bursts."""
    pace = Pace(interval)
    assert pace.refuses(8.0, 8.0, 0.0) is None
    why = pace.refuses(8.0 + share * interval, 8.0 + share * interval, 0.0)
    assert why == (None if counts else "too soon after the one before")


@pytest.mark.parametrize(("width", "counts"), [(1.99, True), (2.0, True), (2.01, False), (4.0, False)])
def test_a_rate_may_be_off_by_a_tenth_because_of_when_its_readings_were_made(
    width: float, counts: bool
) -> None:
    """The second of two readings was made somewhere within its width: off by half of it at most."""
    pace = Pace(10.0)
    assert pace.refuses(0.0, 0.0, 0.0) is None
    why = pace.refuses(10.0 - width / 2, 10.0 + width / 2, 0.0)
    assert (why is None) is counts


def test_a_reading_that_was_held_up_waits_until_the_time_covered_is_long_enough() -> None:
    pace = Pace(1.0)
    assert pace.refuses(0, 0, 0) is None
    refused = [pace.refuses(t, t + 0.3, 0) for t in (1.0, 2.0, 3.0, 4.0, 5.0)]
    assert [why is None for why in refused] == [False, True, False, False, True]
    assert "held up 0.300 s" in (refused[0] or "")


def test_where_every_reading_is_held_up_the_rates_are_rarer_and_none_is_refused_for_ever() -> None:
    """Four programs took 0.42 s on an emulated machine: with one a second, no driver's counter ever came."""
    pace = Pace(1.0)
    refused = [pace.refuses(t, t + 0.42, 0) for t in range(12)]
    assert [t for t, why in enumerate(refused) if why is None] == [2, 7]


@given(st.lists(st.tuples(st.floats(0.01, 3), st.floats(0, 2)), max_size=60), st.randoms())
def test_no_rate_is_off_by_more_than_a_tenth(steps, rng) -> None:
    """Counters are read somewhere within each reading; one packet a second must come out as one."""
    pace, now = Pace(1.0), 0.0
    kept: list[tuple[float, float]] = []
    for wait, width in steps:
        now += wait
        moment = now + rng.choice((0.0, width, rng.uniform(0, width)))
        if pace.refuses(now, now + width, 0) is None:
            kept.append((now + width / 2, moment))
        now += width
    for (t0, count0), (t1, count1) in pairwise(kept):
        assert (count1 - count0) / (t1 - t0) == pytest.approx(1.0, abs=0.1 + 1e-9)


def test_a_coarse_clock_is_not_held_against_the_host() -> None:
    pace = Pace(0.1)
    # /proc/uptime stepped once within the reading
    assert [pace.refuses(t / 10, t / 10 + 0.01, 0.01) for t in range(10)] == [None] * 10
