"""Outliers and groups at each of their limits, against the formulas written out."""

import math
import statistics

import pytest
from scipy import stats

from fwdtui.stats.outliers import LEVEL, Groups, far, gap_limit, groups, outliers, score_limit, score_name

QUIET = (1000.0, 1001.0, 999.0, 1000.5, 999.5, 1000.2, 999.8, 1001.5, 998.5, 1000.1, 999.9, 1000.3)


def test_half_a_percent_of_clean_sets_may_be_called_odd() -> None:
    assert LEVEL == 0.005


@pytest.mark.parametrize(
    ("n", "limit"),
    [
        (5, stats.t.isf(0.005 / 10, 3)),  # Grubbs: the t of one value against the others
        (9, stats.t.isf(0.005 / 18, 7)),
        (10, 1.05 * stats.t.isf(0.005 / 20, 5)),  # from ten on the modified z
        (11, 1.05 * stats.t.isf(0.005 / 22, 5)),
        (50, 1.05 * stats.t.isf(0.005 / 100, 25)),
    ],
)
def test_the_limit_of_the_score(n: int, limit: float) -> None:
    assert score_limit(n) == pytest.approx(limit, rel=1e-3)
    assert score_limit(n, 0.0005) > score_limit(n)
    assert score_name(n) == ("t against the others" if n < 10 else "modified z")


def against_others(values: list[float], at: int) -> float:
    others = [value for index, value in enumerate(values) if index != at]
    error = statistics.stdev(others) * math.sqrt(1 + 1 / len(others))
    return abs(values[at] - statistics.mean(others)) / error


@pytest.mark.parametrize("n", [4, 5, 9])
@pytest.mark.parametrize(("times", "found"), [(0.97, False), (1.03, True)])
def test_below_ten_values_an_outlier_is_told_by_its_t_against_the_others(n: int, times: float, found: bool):
    others = list(QUIET[: n - 1])
    # as far out as its limit, and a little less or more
    limit = score_limit(max(n, 5)) * statistics.stdev(others) * math.sqrt(1 + 1 / (n - 1))
    values = [*others[:2], statistics.mean(others) + times * limit, *others[2:]]
    told = outliers(values, 1.0)
    if n < 5:
        assert told == [], "the spread of three others says nothing"
    else:
        assert [one.position for one in told] == ([2] if found else [])
        assert all(one.score == pytest.approx(against_others(values, 2)) for one in told)


@pytest.mark.parametrize("n", [10, 11, 12])
@pytest.mark.parametrize(("times", "found"), [(0.98, False), (1.02, True)])
def test_from_ten_values_on_it_is_told_by_the_modified_z(n: int, times: float, found: bool) -> None:
    values = list(QUIET[:n])
    middle = statistics.median(values)
    for _ in range(20):  # the value changes the median absolute deviation a little
        mad = statistics.median(abs(value - middle) for value in values)
        values[4] = middle - times * score_limit(n) * mad / 0.6745
        middle = statistics.median(values)
    told = outliers(values, 1.0)
    assert [one.position for one in told] == ([4] if found else [])
    assert all(one.score == pytest.approx(0.6745 * (middle - values[4]) / mad) for one in told)


@pytest.mark.parametrize(("odd", "found"), [(1006.7, False), (1010.0, False), (1010.1, True), (989.0, True)])
def test_where_most_values_are_the_same_one_counts_beyond_the_margin(odd: float, found: bool) -> None:
    told = outliers([1000.0, odd, 1000.0, 1000.0, 1000.0], 1.0)
    assert [(one.position, one.score) for one in told] == ([(1, None)] if found else [])


def test_how_many_there_are_is_told_with_the_first_of_them() -> None:
    count, named = far([1000.0] * 20 + [2000.0, 3000.0, 4000.0], 1.0, 2)
    assert count == 3 and [one.position for one in named] == [20, 21]


# two groups


@pytest.mark.parametrize(
    ("n", "level", "limit"),
    [
        (5, 0.02, 8.0 * 1.0),  # as it was simulated
        (5, 0.005, 8.0 * 4 ** (1 / 3 + 0.06)),
        (12, 0.005, 8.0 * 4 ** (1 / 10 + 0.06)),
        (12, 0.005 / 7, 8.0 * 28 ** (1 / 10 + 0.06)),
    ],
)
def test_the_limit_of_the_gap(n: int, level: float, limit: float) -> None:
    assert gap_limit(n, level) == pytest.approx(limit, rel=1e-12)


def steps(low: int, high: int, gap: float) -> list[float]:
    """Two groups, one apart within them, mixed so that the order of the iterations tells nothing."""
    values = [1000.0 + i for i in range(low)] + [1000.0 + low - 1 + gap + i for i in range(high)]
    return values[::2] + values[1::2]


@pytest.mark.parametrize(("times", "found"), [(0.7, False), (0.99, False), (1.01, True), (1.4, True)])
@pytest.mark.parametrize(("low", "high"), [(3, 2), (2, 3), (5, 5), (2, 8), (8, 2), (9, 3)])
def test_a_gap_far_wider_than_the_average_other_one_makes_two_groups(low, high, times, found) -> None:
    # all other gaps are 1
    gap = times * gap_limit(low + high)
    expected = Groups(low, high, 1000.0 + low - 1, pytest.approx(1000.0 + low - 1 + gap))
    assert groups(steps(low, high, gap), 1.0) == (expected if found else None)


@pytest.mark.parametrize(("low", "high"), [(1, 4), (4, 1), (2, 9), (9, 2), (2, 2), (3, 1)])
def test_each_group_has_a_fifth_of_the_values_and_two_of_at_least_five(low: int, high: int) -> None:
    assert groups(steps(low, high, 1e5), 1.0) is None


@pytest.mark.parametrize(("apart", "found"), [(6.7, False), (10.0, False), (10.1, True), (15.0, True)])
def test_two_values_measured_many_times_are_groups_beyond_the_margin(apart: float, found: bool) -> None:
    values = [1000.0, 1000.0 + apart, 1000.0, 1000.0 + apart, 1000.0]
    assert (groups(values, 1.0) is not None) is found


@pytest.mark.parametrize(("n", "found"), [(1999, True), (2000, True), (2001, False), (2999, False)])
def test_of_more_than_two_thousand_values_a_gap_counts_only_if_it_is_wider_than_the_rest(n: int, found: bool):
    """The average gap is 1 and this one 20; but the middle three fifths are more than a thousand wide."""
    assert (groups(steps(n // 2, n - n // 2, 20.0), 1.0) is not None) is found
    wide = 3 * n / 5
    assert groups(steps(n // 2, n - n // 2, wide + 10), 1.0) is not None
