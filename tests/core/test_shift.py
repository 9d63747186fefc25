"""A change of level at each of its limits, on made series whose noise is known exactly."""

import math

import pytest

from fwdtui.core.shift import Shift, find, several

LEVEL = 1e6


def quiet(before: int, after: int, change: float) -> list[float]:
    return [LEVEL] * before + [LEVEL - change] * after


def even(before: int, after: int, change: float, noise: float) -> list[float]:
    """Noise of one size, as often above as below and not alike from one second to the next."""
    return [rate + noise * (1, -1, -1, 1)[i % 4] for i, rate in enumerate(quiet(before, after, change))]


def spiky(before: int, after: int, change: float, spike: float) -> list[float]:
    """Every sixth second is off by `spike`, now up and now down: medians of three see nothing of it."""
    return [
        rate + spike * (0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0)[i % 12]
        for i, rate in enumerate(quiet(before, after, change))
    ]


@pytest.mark.parametrize(
    ("change", "found"), [(6_700, False), (9_900, False), (10_000, False), (10_100, True), (-10_100, True)]
)
def test_more_than_one_percent_is_a_change_of_level(change: float, found: bool) -> None:
    expected = Shift(0, 40, LEVEL, LEVEL - change) if found else None
    assert find(quiet(40, 20, change)) == expected


@pytest.mark.parametrize(("before", "after", "found"), [(5, 5, True), (5, 4, False), (4, 5, False)])
def test_two_levels_take_five_samples_each(before: int, after: int, found: bool) -> None:
    assert (find(quiet(before, after, 2e5)) is not None) is found


def test_nothing_and_zeros_have_no_level() -> None:
    assert find([]) is None
    assert find([0.0] * 40 + [5.0] * 20) is None


def test_a_stretch_between_two_equal_levels_is_named_with_its_ends() -> None:
    rates = quiet(20, 15, 2e5) + [LEVEL] * 25
    assert find(rates) == Shift(20, 35, LEVEL - 2e5, LEVEL)


@pytest.mark.parametrize("edge", [6, 60, 64, 120])
def test_of_more_than_64_samples_the_place_is_that_of_a_block(edge: int) -> None:
    """128 samples are 64 blocks of two: an edge between two blocks is found exactly."""
    assert find(quiet(edge, 128 - edge, 2e5)) == Shift(0, edge, LEVEL, LEVEL - 2e5)


# the standard error between the medians of `before` and `after` samples: see noise.median_error


def error(before: int, after: int, squares: float, alike: float = 0.0) -> float:
    n = before + after
    sigma = math.sqrt(squares / (n - 2) * (1 + alike) / (1 - alike))
    return math.sqrt(math.pi / 2) * sigma * math.sqrt(1 / before + 1 / after)


@pytest.mark.parametrize(("errors", "found"), [(6.7, False), (9.9, False), (10.1, True), (12.0, True)])
def test_ten_standard_errors_are_a_change_although_no_step_is_seen_in_the_noise(errors: float, found: bool):
    change = errors * error(32, 28, 60 * 20_000**2)
    assert change < 6 * 2 * 20_000, "the noise itself jumps by two times its size"
    assert (find(even(32, 28, change, 20_000)) is not None) is found


@pytest.mark.parametrize(("errors", "found"), [(3.4, False), (4.95, False), (5.05, True), (7.4, True)])
def test_five_standard_errors_are_a_change_if_it_is_seen_as_a_step(errors: float, found: bool) -> None:
    # ten spikes; a correlation of 0 in sixty samples is corrected by 1/60
    change = errors * error(30, 30, 10 * 20_000**2, alike=1 / 60)
    assert (find(spiky(30, 30, change, 20_000)) is not None) is found


@pytest.mark.parametrize(("times", "found"), [(0.7, False), (0.99, False), (1.01, True), (1.4, True)])
def test_a_step_is_seen_if_it_is_far_larger_than_the_usual_jump(times: float, found: bool) -> None:
    """5 + 80 / n times the usual one, scaled as a median absolute deviation is.

    Every three seconds the rate goes up or down by 2000; where the level changes it goes down as well.
    """
    jump = times * (5 + 80 / 60) * 1.4826 * 2_000
    rates = spiky(30, 30, jump - 2_000, 12_000)
    waves = [rate + 2_000 * (i // 3 % 2) for i, rate in enumerate(rates)]
    assert (find(waves) is not None) is found


def test_a_climb_is_no_step_however_steep() -> None:
    assert find([LEVEL * (1 + i * 0.01) for i in range(60)]) is None


@pytest.mark.parametrize(("n", "edge"), [(64, 33), (65, 32)])
def test_from_65_samples_on_the_place_is_a_multiple_of_the_block(n: int, edge: int) -> None:
    found = find(quiet(33, n - 33, 2e5))
    assert found is not None and (found.first, found.last) == (0, edge)


def test_the_level_may_be_less_than_one_in_the_unit_of_the_rates() -> None:
    rates = [rate / (2 * LEVEL) for rate in quiet(40, 20, 2e5)]
    assert find(rates) == Shift(0, 40, 0.5, 0.4)


# more than one change


def turns(*levels: float, each: int = 15, noise: float = 0.0) -> list[float]:
    return [level + noise * (1, -1, -1, 1)[i % 4] for level in levels for i in range(each)]


@pytest.mark.parametrize(
    "levels",
    [(1e6, 8e5, 1e6, 8e5), (1e6, 8e5, 1e6, 8e5, 1e6, 8e5), (1e6, 9e5, 8e5, 7e5), (7e5, 9e5, 1e6, 8e5)],
)
def test_a_rate_that_goes_to_and_fro_has_a_lowest_and_a_highest_level(levels: tuple[float, ...]) -> None:
    for each in (10, 15, 20):
        assert several(turns(*levels, each=each, noise=1e3)) == pytest.approx(
            (min(levels), max(levels)), rel=0.01
        )


def test_a_change_in_one_half_alone_is_not_several() -> None:
    assert several(quiet(45, 15, 2e5)) is None
    assert several(quiet(30, 30, 2e5)) is None
    assert several([]) is None
    assert several(turns(1e6, 8e5, 1e6, each=4)) is None, "too few samples of each"


def test_a_climb_and_a_slow_wave_are_not_several_levels() -> None:
    assert several([LEVEL * (1 + i * 0.002) for i in range(60)]) is None
    assert several([LEVEL * (1 + 0.1 * math.sin(i / 60 * 2 * math.pi)) for i in range(60)]) is None
