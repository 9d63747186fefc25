"""Estimates of the time left, on a clock of the test's own: none from too little, and none that is wild."""

from collections.abc import Iterable, Iterator

import pytest

from fwdtui.core.time_left import TimeLeft


def estimates(durations: Iterable[float], total: int) -> Iterator[tuple[int, float, float | None]]:
    """After each step: how many are finished, the time, and the estimate."""
    left, now = TimeLeft(), 1000.0
    left.step(0, total, now)
    for finished, seconds in enumerate(durations, 1):
        now += seconds
        left.step(finished, total, now)
        yield finished, now, left.seconds


def test_nothing_is_estimated_before_two_steps_are_finished():
    found = [estimate for _, _, estimate in estimates([1.0] * 4, 4)]
    assert found == [None, 2.0, 1.0, None]


def test_steps_of_equal_length_give_the_exact_rest():
    for finished, _, estimate in estimates([0.25] * 200, 200):
        if 2 <= finished < 200:
            assert estimate == pytest.approx(0.25 * (200 - finished))


def test_a_wildly_slow_first_step_gives_no_wild_estimate():
    """3,950 iterations of 5 ms, the first of which took 13 s: it used to say 50,518 s."""
    durations = [12.8] + [0.005] * 3949
    told = [(at, estimate) for at, _, estimate in estimates(durations, 3950) if estimate is not None]
    assert told[0][0] == 40, "one in a hundred"
    for at, estimate in told:
        assert estimate == pytest.approx(0.005 * (3950 - at))


def test_a_slow_second_step_waits_until_it_means_something_and_is_then_soon_forgotten():
    durations = [12.8, 5.0] + [0.005] * 3948
    told = {at: estimate for at, _, estimate in estimates(durations, 3950) if estimate is not None}
    assert min(told) == 40
    right = {at: 0.005 * (3950 - at) for at in told}
    assert told[40] < 600.0, "not 19,740 s"
    assert told[1000] < 3.0 * right[1000] and told[2000] == pytest.approx(right[2000], rel=0.2)


def test_of_long_steps_ten_seconds_are_enough():
    told = [(at, estimate) for at, _, estimate in estimates([3.0, 12.0, 12.0], 3950) if estimate is not None]
    assert told == [(2, 12.0 * 3948), (3, pytest.approx(12.0 * 3947))]


def test_steps_that_alternate_give_an_estimate_that_does_not():
    """By the last step alone it would be a third of what it is, or five thirds."""
    durations = [0.1 if number % 2 else 0.5 for number in range(400)]
    for finished, _, estimate in estimates(durations, 400):
        if 20 <= finished < 400:
            assert estimate == pytest.approx(0.3 * (400 - finished), rel=0.1)


def test_when_the_steps_become_faster_the_estimate_follows():
    durations = [1.0] * 500 + [0.1] * 500
    told = {at: estimate for at, _, estimate in estimates(durations, 1000)}
    assert told[500] == pytest.approx(500.0)
    assert told[900] == pytest.approx(10.0, rel=0.8)
    assert told[999] == pytest.approx(0.1, rel=0.5)


def test_nothing_new_changes_nothing():
    left = TimeLeft()
    for finished, now in ((1, 1.0), (2, 2.0), (2, 60.0), (2, 90.0)):
        left.step(finished, 4, now)
    assert left.seconds == pytest.approx(2.0)


def test_several_steps_may_be_finished_at_once():
    left = TimeLeft()
    for finished, now in ((10, 5.0), (20, 7.0), (30, 9.0)):
        left.step(finished, 100, now)
    assert left.seconds == pytest.approx(14.0)


def test_the_total_may_grow_and_may_be_unknown():
    left = TimeLeft()
    for finished in (1, 2, 3):
        left.step(finished, 10, float(finished))
    assert left.seconds == pytest.approx(7.0)
    left.step(4, 20, 4.0)
    assert left.seconds == pytest.approx(16.0)
    left.step(5, 0, 5.0)
    assert left.seconds is None and left.text == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "1 s left"), (0.2, "1 s left"), (11.2, "12 s left"), (89.0, "89 s left"), (90.0, "2 min left"),
        (3600.0, "60 min left"), (5399.0, "90 min left"), (5400.0, "1 h 30 min left"),
        (50518.0, "14 h 2 min left"),
    ],
)  # fmt: skip
def test_it_is_told_in_a_unit_that_fits(seconds, text):
    left = TimeLeft()
    for finished, now in ((1, 0.0), (2, seconds)):
        left.step(finished, 3, now)
    assert left.text == text


def test_a_step_counts_half_after_a_tenth_of_the_job():
    """Steps of 1 s up to the 100th of 1,000, then 100 at once in 300 s: half as many old ones count."""
    left = TimeLeft()
    for finished, now in ((1, 0.0), (101, 100.0), (201, 400.0)):
        left.step(finished, 1000, now)
    assert left.seconds == pytest.approx(799 * (0.5 * 100 + 300) / (0.5 * 100 + 100))


def test_of_a_short_job_a_step_counts_half_after_five():
    left = TimeLeft()
    for finished, now in ((1, 0.0), (6, 5.0), (11, 20.0)):
        left.step(finished, 20, now)
    assert left.seconds == pytest.approx(9 * (0.5 * 5 + 15) / (0.5 * 5 + 5))


@pytest.mark.parametrize(("finished", "told"), [(19, False), (20, True)])
def test_a_hundredth_of_the_job_is_enough(finished, told):
    left = TimeLeft()
    for at, now in ((1, 0.0), (finished, 1.0)):
        left.step(at, 2000, now)
    assert (left.seconds is not None) is told


@pytest.mark.parametrize(("measured", "told"), [(9.9, False), (10.0, True)])
def test_ten_seconds_after_the_first_step_are_enough(measured, told):
    left = TimeLeft()
    for at, now in ((1, 50.0), (2, 50.0 + measured)):
        left.step(at, 2000, now)
    assert (left.seconds is not None) is told


def test_the_first_call_tells_nothing_however_much_is_finished():
    left = TimeLeft()
    left.step(50, 100, 20.0)
    assert left.seconds is None and left.text == ""


def test_of_steps_that_are_finished_in_part_two_whole_ones_are_needed():
    left = TimeLeft()
    for finished, now in ((0.5, 0.0), (1.5, 1.0)):
        left.step(finished, 10, now)
    assert left.seconds is None
    left.step(2.0, 10, 1.5)
    assert left.seconds == pytest.approx(8.0)
