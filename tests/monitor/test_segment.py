"""Which samples of a blast count: none that holds a part of the start or of the stop."""

import random

import pytest

from fwdtui.core.model import Iteration
from fwdtui.monitor.live.segment import segment, summarise
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


def test_the_window_and_the_metrics_of_a_run_to_the_digit() -> None:
    """A blast from 5 to 65, seen by a receiver that reads its counters 0.1234567 s after each second."""
    shift = 0.1234567
    received = [Point(p.at + shift, 1.0, p.value, p.count) for p in levels((60, 1e6 / 3))]
    offered = levels((60, 1e6))
    iteration = segment({"offered": offered, "received": received}, 5.0, 65.0)
    window = iteration.window
    # the generator certainly sent from 6 to 64; of the receiver's samples those within it count
    assert window is not None and (window.start, window.end, window.kept) == (6.123457, 63.123457, 57)
    assert (iteration.index, iteration.value, iteration.metrics["received"].median) == (
        0,
        333333.333,
        333333.333,
    )
    # the generator's whole samples in these seconds, none of which ends after 63.12
    assert (iteration.metrics["received"].n, iteration.metrics["offered"].n) == (57, 56)


def test_points_that_touch_the_blast_are_none_of_its_samples() -> None:
    """One ends as it begins, and one begins as it ends."""
    window = segment({"received": levels((60, 1e6))}, 5.0, 65.0).window
    assert window is not None and window.head + window.kept + window.tail == 60


def test_without_a_flow_to_measure_there_is_no_value_and_no_window() -> None:
    iteration = segment({"offered": levels((60, 1e6))}, 5.0, 65.0)
    assert (iteration.index, iteration.value, iteration.window, codes(iteration)) == (
        0,
        None,
        None,
        {"no-value"},
    )


@pytest.mark.parametrize(
    ("gaps", "why"),
    [(60, " (late, no counter)"), (0, "")],  # not read, and no line of a tool at all
)
def test_a_receiver_of_which_nothing_is_known_did_not_receive_nothing(gaps: int, why: str) -> None:
    before = [Point(4.0, 1.0, 0.0)]
    unknown = [
        Point(at, 1.0, None, why="late" if at == 9.0 else "no counter")
        for at in map(float, range(6, 6 + gaps))
    ]
    iteration = segment({"offered": levels((60, 1e6)), "received": [*before, *unknown]}, 5.0, 65.0)
    (caution,) = iteration.warnings
    assert (iteration.value, caution.code) == (None, "no-value")
    assert caution.text == f"No sample of the blast says what was received{why}, so there is no value."


def test_the_warm_up_is_named_among_what_was_left_out() -> None:
    flows = {"offered": levels((60, 1.5e6)), "received": levels((60, 1e6))}
    window = segment(flows, 5.0, 65.0, warmup=20.0).window
    assert window is not None and (window.start, window.end, window.kept) == (20.0, 64.0, 44)
    assert (window.head, window.tail) == (15, 1)
    assert window.notes[:2] == (
        "15 samples of warm-up dropped (15.0 s).",
        "A warm-up of 20 s was asked for; the blast lasted 60.0 s.",
    )


@pytest.mark.parametrize(("warmup", "taken"), [(0.0, 0), (0.5, 1), (0.6, 2), (1.5, 2)])
def test_a_warm_up_takes_the_samples_that_begin_within_it_and_is_not_named_without_one(
    warmup: float, taken: int
) -> None:
    """The first sample reaches over the begin of the blast: without a warm-up it is the window's to judge."""
    received = [Point(at + 0.5, 1.0, 1e6) for at in range(5, 66)]
    window = segment({"received": received}, 5.0, 65.0, warmup=warmup).window
    assert window is not None
    named = [note for note in window.notes if "warm-up" in note]
    samples = "1 sample" if taken == 1 else f"{taken} samples"
    assert named == ([f"{samples} of warm-up dropped ({warmup:.1f} s)."] if taken else [])


def test_of_a_gap_the_length_and_the_causes_are_told() -> None:
    received = levels((60, 1e6))
    for place, why in ((20, "late"), (30, "reset"), (31, "late"), (40, "")):
        received[place] = Point(received[place].at, 1.0, None, why=why)
    (gap,) = segment({"offered": levels((60, 1.5e6)), "received": received}, 5.0, 65.0).warnings
    assert gap.text == "4.0 s of the blast have no samples (late, reset, unknown); the value covers the rest."


# how a course is summarised


def test_the_mean_of_counts_is_packets_over_time_and_that_of_rates_is_weighed_by_time() -> None:
    counted = [Point(2.0, 2.0, 100.0, 200), Point(3.0, 1.0, 400.0, 403), Point(4.0, 1.0, None)]
    found = summarise(counted)
    assert found is not None and (found.mean, found.median, found.min, found.max, found.n) == (
        201.0, 250.0, 100.0, 400.0, 2,
    )  # fmt: skip
    told = summarise([Point(2.0, 2.0, 100.0), Point(3.0, 1.0, 400.0)])
    assert told is not None and told.mean == 200.0
    short = summarise([Point(1.0, 1.0, 7.0, 9)])
    assert short is not None and short.mean == 9.0


def test_a_course_without_a_rate_has_no_summary_and_one_without_a_length_its_first_rate() -> None:
    assert summarise([]) is None and summarise([Point(1.0, 1.0, None)]) is None
    found = summarise([Point(1.0, 0.0, 7.0, 7), Point(1.0, 0.0, 9.0, 9)])
    assert found is not None and (found.mean, found.median) == (7.0, 8.0)


def test_a_window_begins_with_its_first_sample_whatever_the_length_of_the_next() -> None:
    received = [Point(8.0, 2.0, 1e6), *(Point(float(at), 1.0, 1e6) for at in range(9, 65))]
    iteration = segment({"offered": levels((60, 1e6)), "received": received}, 5.0, 65.0)
    assert iteration.window is not None and iteration.window.start == 6.0
    assert iteration.metrics["received"].n == len(received) and iteration.metrics["offered"].n == 58


# when the generator certainly sent


def window_with(offered: list[Point], began: float = 5.0, ended: float = 65.0) -> tuple[float, float]:
    """The window of a receiver that saw the same rate all the time, before and after the blast too."""
    received = [Point(float(at), 1.0, 9e5) for at in range(1, 75)]
    window = segment({"offered": offered, "received": received}, began, ended).window
    assert window is not None and window.start is not None and window.end is not None
    return window.start, window.end


WHOLE = (5.0 + 1.0, 65.0 - 1.0)
"""What is left if the generator is not known: all but the samples that straddle start and stop."""


@pytest.mark.parametrize("count", [0, 1])
def test_one_busy_sample_of_the_generator_tells_neither_start_nor_stop(count: int) -> None:
    assert window_with([Point(30.0 + n, 1.0, 1e6) for n in range(count)]) == WHOLE


def test_two_busy_samples_do() -> None:
    """They were seen in the middle only: the blast's own begin and end count, but for its last interval."""
    assert window_with([Point(30.0, 1.0, 1e6), Point(31.0, 1.0, 1e6)]) == (5.0, 64.0)


@pytest.mark.parametrize(
    ("seconds", "first", "start"), [(1.0, 8.0, 8.0), (1.0, 8.5, 5.0), (3.0, 14.0, 14.0), (3.0, 14.5, 5.0)]
)
def test_how_long_a_start_may_go_unseen_depends_on_the_length_of_the_samples(
    seconds: float, first: float, start: float
) -> None:
    """Two of its intervals after the blast began it has certainly begun."""
    offered = [Point(first, seconds, 1e6), *(Point(float(at), 1.0, 1e6) for at in range(16, 65))]
    assert window_with(offered)[0] == start


@pytest.mark.parametrize(
    ("seconds", "last", "end"), [(1.0, 63.0, 62.0), (1.0, 62.5, 64.0), (3.0, 59.0, 56.0), (3.0, 58.5, 62.0)]
)
def test_how_long_a_stop_may_go_unseen_depends_on_the_length_of_the_samples(
    seconds: float, last: float, end: float
) -> None:
    offered = [*(Point(float(at), 1.0, 1e6) for at in range(6, 55)), Point(last, seconds, 1e6)]
    assert window_with(offered)[1] == end


@pytest.mark.parametrize("seconds", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("phase", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("lasted", [0.1, 0.3, 0.7, 1.0])
def test_a_tool_that_is_stopped_was_seen_to_its_end_however_rarely_the_dut_is_sampled(
    seconds: float, phase: float, lasted: float
) -> None:
    """Its last line is of the time until then, and the DUT's last sample of that time and the quiet after."""
    begin, end = 5.0, 60.0 + lasted

    def seen(at: float, seconds: float) -> Point:
        share = max(min(at, end) - max(at - seconds, begin), 0.0) / seconds
        return Point(at, seconds, 1e6 * share)

    flows = {
        "offered": [*(Point(float(at), 1.0, 1e6) for at in range(6, 61)), Point(end, lasted, 1e6)],
        "forwarded": [seen(phase + n * seconds, seconds) for n in range(1, round(75 / seconds))],
        "received": [seen(n + 0.95, 1.0) for n in range(75)],
    }
    busy = [point for point in flows["forwarded"] if point.value]
    found = segment(flows, min(5.0, busy[0].at - seconds), busy[-1].at)
    assert codes(found) == set() and found.value == 1e6
    assert found.window is not None and found.window.end is not None and found.window.end <= end


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        ([0.0, 0.0], (8.0, 62.0)),  # it was seen to be idle: start and stop are known
        ([None, None], (5.0, 64.0)),  # it was not seen
        ([0.0, None], (8.0, 64.0)),
        ([None, 0.0], (5.0, 62.0)),
    ],
)
def test_the_sample_beside_the_busy_ones_tells_whether_start_and_stop_were_seen(
    around: list[float | None], expected: tuple[float, float]
) -> None:
    busy = [Point(float(at), 1.0, 1e6) for at in range(8, 64)]
    before = [Point(6.0, 1.0, 0.0 if around[0] is None else None), Point(7.0, 1.0, around[0])]
    after = [Point(64.0, 1.0, around[1]), Point(65.0, 1.0, 0.0 if around[1] is None else None)]
    assert window_with([*before, *busy, *after]) == expected


def test_what_the_generator_sent_before_and_after_is_of_other_blasts() -> None:
    """One sample ends as the blast begins, one begins as it ends: both are louder, and none of its own."""
    own = [Point(float(at), 1.0, 1e6) for at in range(8, 64)]
    assert window_with([Point(5.0, 1.0, 1e12), *own]) == (8.0, 62.0)
    assert window_with([*own, Point(66.0, 1.0, 1e12)]) == (8.0, 62.0)
