"""Which samples of a blast count: none that holds a part of the start or of the stop."""

import random

import pytest

from fwdtui.core.model import Iteration
from fwdtui.monitor.live.segment import segment
from fwdtui.monitor.live.series import Point


def series(phase: float, start: float, stop: float, rate: float, noise: float = 0.0) -> list[Point]:
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
    offered = series(0.9, 5.0, stop, 1e6, noise)
    received = series(phase, 5.0, stop, 9e5, noise)
    busy = [point for point in offered if point.value]
    began, ended = busy[0].at - 1.0, busy[-1].at
    iteration = segment({"offered": offered, "received": received}, began, ended)
    window = iteration.window
    assert window is not None and window.start is not None and window.end is not None
    assert window.start >= 5.0 and window.end <= stop
    assert window.kept >= 27
    assert "outage" not in {warning.code for warning in iteration.warnings}
    inside = [point for point in received if point.at > began and point.at - 1.0 < ended]
    assert window.head + window.kept + window.tail == len(inside)


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_an_outage_at_the_end_is_no_stop_while_traffic_is_offered(noise: float) -> None:
    offered = series(0.9, 5.0, 35.0, 1e6, noise)
    received = series(0.5, 5.0, 30.0, 9e5, noise)
    iteration = segment({"offered": offered, "received": received}, 4.9, 35.9)
    assert "outage" in {one.code for one in iteration.warnings}


def levels(*parts: tuple[int, float], start: float = 5.0) -> list[Point]:
    """Seconds at a rate, one part after another, from `start` on; silence before and after."""
    rates = [0.0] * int(start) + [rate for seconds, rate in parts for _ in range(seconds)] + [0.0] * 5
    return [Point(second + 1.0, 1.0, rate, count=round(rate)) for second, rate in enumerate(rates)]


def codes(iteration: Iteration) -> set[str]:
    return {warning.code for warning in iteration.warnings}


@pytest.mark.parametrize("first", [28, 32])
def test_half_a_run_at_another_level_stays_in_the_window_and_is_told(first: int) -> None:
    offered = levels((60, 1.5e6))
    received = levels((first, 1e6), (60 - first, 8e5))
    iteration = segment({"offered": offered, "received": received}, 5.0, 65.0)
    window = iteration.window
    assert window is not None and (window.start, window.end, window.kept) == (6.0, 64.0, 58)
    assert codes(iteration) >= {"level-shift", "mean-differs"}


def test_the_warm_up_that_was_asked_for_is_no_part_of_the_run() -> None:
    received = levels((5, 4e5), (55, 1e6))
    flows = {"offered": levels((60, 1.5e6)), "received": received}
    assert not codes(segment(flows, 5.0, 65.0, warmup=5.0))
    assert "mean-differs" in codes(segment(flows, 5.0, 65.0))


@pytest.mark.parametrize("lost", [slice(35, None), slice(0, 30)])
def test_a_generator_that_is_not_seen_at_one_end_of_the_blast_does_not_shorten_the_window(
    lost: slice,
) -> None:
    offered = levels((60, 1.5e6))
    offered[lost] = [
        Point(p.at, 1.0, None, why="the host was silent") if p.value else p for p in offered[lost]
    ]
    iteration = segment({"offered": offered, "received": levels((60, 1e6))}, 5.0, 65.0)
    assert iteration.window is not None and iteration.window.kept >= 58


def test_what_a_port_sends_by_itself_before_the_blast_is_no_load() -> None:
    offered = levels((1, 3.0), (60, 1.5e6), (2, 3.0))
    received = levels((1, 2.0), (60, 1e6), (2, 2.0))
    iteration = segment({"offered": offered, "received": received}, 5.0, 68.0)
    assert iteration.window is not None and iteration.window.kept == 58
    assert iteration.value == 1e6 and not codes(iteration)


def test_a_receiver_that_reads_one_packet_per_second_received_nothing() -> None:
    flows = {"offered": levels((60, 14.5e6)), "received": levels((60, 1.0))}
    iteration = segment(flows, 5.0, 65.0)
    assert iteration.value is None and codes(iteration) == {"no-traffic"}
    assert iteration.metrics["received"].median == 1.0


def test_more_received_than_offered_is_told() -> None:
    flows = {"offered": levels((60, 1e6)), "received": levels((60, 1.9e6))}
    assert codes(segment(flows, 5.0, 65.0)) == {"received-above-offered"}


@pytest.mark.parametrize(("share", "start"), [(0.009, 16.0), (0.01, 16.0), (0.011, 6.0), (0.1, 6.0)])
def test_a_hundredth_of_what_a_generator_sends_is_no_load_yet(share: float, start: float) -> None:
    """Its port sends less by itself; a load that begins that low is one, and is told where it does."""
    offered = levels((10, share * 1e6), (40, 1e6))
    iteration = segment({"offered": offered, "received": levels((10, share * 9e5), (40, 9e5))}, 5.0, 55.0)
    assert iteration.window is not None and iteration.window.start == start


@pytest.mark.parametrize(
    ("first", "last", "start", "end"),
    [
        (7.0, 63.0, 8.0, 62.0),  # seen from its start to its stop
        (7.1, 63.0, 5.0, 62.0),  # it may have begun before it was looked at, as the DUT's counters say
        (7.0, 62.9, 8.0, 64.0),
    ],
)
def test_two_intervals_without_the_generator_are_its_start_or_stop_and_more_are_not(
    first: float, last: float, start: float, end: float
) -> None:
    """`first` and `last`: from when to when its samples tell of it, in a blast from 5 to 65."""
    offered = [Point(at, 1.0, 1e6) for at in (first + 1.0, *map(float, range(10, 60)), last)]
    iteration = segment({"offered": offered, "received": levels((60, 9e5))}, 5.0, 65.0)
    window = iteration.window
    assert window is not None and (window.start, window.end) == (start, end)


@pytest.mark.parametrize(
    ("warmup", "start", "shortened"), [(14.0, 19.0, False), (15.0, 20.0, False), (16.0, 20.0, True)]
)
def test_a_warm_up_takes_a_quarter_of_the_blast_at_most_and_says_so(
    warmup: float, start: float, shortened: bool
) -> None:
    flows = {"offered": levels((60, 1.5e6)), "received": levels((60, 1e6))}
    window = segment(flows, 5.0, 65.0, warmup=warmup).window
    assert window is not None and window.start == start
    assert any("was asked for" in note for note in window.notes) == shortened
