"""A blast begins when every side is busy and ends when none has been for a while."""

import pytest

from fwdtui.monitor.live.blast import Blast, BlastDetector


def feed(detector: BlastDetector, side: str, rates: dict[int, float | None]) -> list[Blast]:
    found = [detector.feed(side, second - 1.0, float(second), rate) for second, rate in rates.items()]
    return [blast for blast in found if blast]


def both(offered: list[float | None], dut: list[float | None], settle: float = 2.0) -> list[Blast]:
    detector = BlastDetector(settle)
    found = []
    for second, (one, other) in enumerate(zip(offered, dut, strict=True), 1):
        for side, rate in (("offered", one), ("dut in", other)):
            blast = detector.feed(side, second - 1.0, float(second), rate)
            if blast:
                found.append(blast)
    return found


def test_a_blast_begins_with_both_sides_and_ends_when_both_are_quiet():
    rates = [0, 0, 1e6, 1e6, 1e6, 0, 0, 0, 0]
    assert both(rates, rates) == [Blast(2.0), Blast(2.0, 5.0)]


def test_a_dut_that_drops_out_in_the_middle_does_not_end_it():
    offered = [0, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 0, 0, 0]
    dut = [0, 1e6, 1e6, 0, 0, 0, 1e6, 0, 0, 0]
    assert both(offered, dut)[-1] == Blast(1.0, 7.0)


def test_a_generator_whose_packets_never_arrive_begins_no_blast():
    assert both([0, 1e6, 1e6, 1e6], [0, 0, 0, 0]) == []


def test_background_noise_is_no_blast():
    assert both([50, 60, 70], [50, 60, 70]) == []


def test_a_gap_is_neither_busy_nor_quiet():
    offered = [0, 1e6, None, None, None, 1e6, 0, 0, 0]
    dut = [0, 1e6, None, None, None, 1e6, 0, 0, 0]
    assert both(offered, dut)[-1] == Blast(1.0, 6.0)


def test_a_side_that_cannot_tell_is_not_waited_for():
    detector = BlastDetector(2.0)
    found = feed(detector, "dut in", {1: 0, 2: 1e6, 3: 1e6, 4: 0, 5: 0, 6: 0})
    assert found == [Blast(1.0), Blast(1.0, 3.0)]


def test_a_tool_that_ends_prints_no_zeros_and_the_blast_still_ends():
    detector = BlastDetector(2.0)
    found = []
    for second in range(1, 20):
        if 3 <= second <= 8:
            found.append(detector.feed("offered", second - 1.0, float(second), 1e6))
        rate = 1e6 if 3 <= second <= 8 else 0.0
        found.append(detector.feed("dut in", second - 1.0, float(second), rate))
    assert [blast for blast in found if blast] == [Blast(2.0), Blast(2.0, 8.0)]


def test_the_tail_of_a_blast_is_not_a_blast_of_its_own():
    rates = [0, 1e6, 1e6, 5e4, 0, 0, 0, 0]
    assert both(rates, rates)[-1] == Blast(1.0, 3.0)


def test_a_blast_after_a_tool_that_ended_without_a_zero_begins_at_its_own_time():
    detector = BlastDetector(2.0)
    found = []
    for second in range(1, 40):
        busy = 3 <= second <= 8 or 20 <= second <= 28
        if busy:
            found.append(detector.feed("offered", second - 1.0, float(second), 1e6))
        found.append(detector.feed("dut in", second - 1.0, float(second), 1e6 if busy else 0.0))
    blasts = [blast for blast in found if blast]
    assert blasts == [Blast(2.0), Blast(2.0, 8.0), Blast(19.0), Blast(19.0, 28.0)]


@pytest.mark.parametrize(("rate", "ended"), [(1.001e5, 4.0), (1e5, 4.0), (9.99e4, 3.0), (3e4, 3.0)])
def test_a_tenth_of_the_peak_is_still_the_blast(rate: float, ended: float):
    """Less is the interval in which it stopped, or what a link carries by itself; more is a low load."""
    rates = [0, 1e6, 1e6, rate, 0, 0, 0, 0]
    assert both(rates, rates) == [Blast(1.0), Blast(1.0, ended)]


@pytest.mark.parametrize(
    ("over", "now", "ended"),
    [
        (False, 62.99, None),  # a lab that is out of reach for a while may come back within the blast
        (False, 63.0, Blast(1.0, 3.0, unseen=True)),
        (True, 6.49, None),  # two seconds to settle, and one and a half for a line that is still to come
        (True, 6.5, Blast(1.0, 3.0)),
    ],
)
def test_nothing_from_any_side_ends_a_blast_soon_where_its_tool_has_ended_and_late_where_nobody_knows(
    over: bool, now: float, ended: Blast | None
):
    detector = BlastDetector(2.0)
    feed(detector, "dut in", {1: 0, 2: 1e6, 3: 1e6})
    detector.over = over
    assert detector.passed(now) == ended
    assert (detector.current is None) == (ended is not None)


@pytest.mark.parametrize(("now", "ended"), [(6.49, None), (6.5, Blast(1.0, 3.0))])
def test_a_side_without_a_line_for_three_and_a_half_seconds_is_quiet(now: float, ended: Blast | None):
    """Tools print a line every one or two seconds: a shorter silence is none."""
    detector = BlastDetector(2.0)
    both_busy = [detector.feed(side, 1.0, 2.0, 1e6) for side in ("offered", "dut in")]
    both_busy += [detector.feed(side, 2.0, 3.0, 1e6) for side in ("offered", "dut in")]
    assert any(both_busy)
    found = [detector.feed("dut in", at - 1.0, at, 0.0) for at in (4.0, 5.0, 6.0, now)]
    assert found == [None, None, None, ended]
