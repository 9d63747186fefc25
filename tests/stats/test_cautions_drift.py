"""The exact trend test, against enumeration and against scipy."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fwdtui.stats.drift import kendall_s, ranks_suffice, slope_p, trend_p


def by_definition(values) -> int:
    return sum(
        (later > earlier) - (later < earlier) for i, earlier in enumerate(values) for later in values[i + 1 :]
    )


@given(st.lists(st.integers(0, 6), max_size=30))
def test_s_counts_rising_pairs_minus_falling_pairs(values):
    assert kendall_s(values) == by_definition(values)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=7))
def test_p_is_the_share_of_all_orders_that_are_as_monotone_with_ties_or_without(values):
    s = abs(by_definition(values))
    orders = list(permutations(values))
    expected = sum(abs(by_definition(order)) >= s for order in orders) / len(orders)
    assert trend_p(values) == pytest.approx(expected)


@settings(max_examples=50, deadline=None)
@given(st.permutations(range(18)))
def test_p_without_ties_is_scipys_exact_one(values):
    expected = stats.kendalltau(range(18), values, method="exact").pvalue
    assert trend_p([float(value) for value in values]) == pytest.approx(expected)


def test_only_a_perfectly_monotone_set_of_five_is_significant():
    assert trend_p([1, 2, 3, 4, 5]) == pytest.approx(2 / 120)
    assert trend_p([1, 2, 3, 5, 4]) == pytest.approx(10 / 120)


@pytest.mark.parametrize("n", [59, 60, 61, 62])
def test_the_approximation_takes_over_without_a_step(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        values = rng.normal(size=n) + np.linspace(0, rng.uniform(0, 1.5), n)
        expected = stats.kendalltau(np.arange(n), values, method="exact").pvalue
        assert trend_p(list(values)) == pytest.approx(expected, abs=2e-3)


def test_equal_values_have_no_trend():
    assert trend_p([3.0] * 5) == 1.0
    assert trend_p([3.0] * 100) == 1.0


@pytest.mark.parametrize(
    ("n", "level", "enough"),
    [
        (5, 0.005, False),
        (6, 0.005, False),
        (7, 0.005, True),
        (7, 0.00397, True),
        (7, 0.00396, False),
        (8, 5e-4, True),
    ],
)
def test_orders_suffice_where_ten_of_each_direction_can_be_significant(n, level, enough):
    """2 of 5040 orders of seven values are perfect; 20 of 5040 are 0.00397."""
    assert ranks_suffice(n, level) is enough


@pytest.mark.parametrize(
    "values",
    [
        (1.0, 2.1, 2.9, 4.2, 5.0),
        (5.0, 4.0, 4.5, 1.0),
        (1.0, 3.0, 2.0),
        (1e6, 1.001e6, 0.999e6, 1.002e6, 1e6, 1.1e6),
    ],
)
def test_the_p_of_the_slope_is_scipys(values):
    expected = stats.linregress(range(len(values)), values).pvalue
    assert slope_p(values) == pytest.approx(expected, rel=1e-6)
    assert slope_p([-value for value in values]) == pytest.approx(expected, rel=1e-6)


def test_a_straight_line_is_no_chance_and_a_level_one_no_slope():
    assert slope_p([1.0, 2.0, 3.0, 4.0, 5.0]) == 0.0
    assert slope_p([7.0] * 5) == 1.0
    assert slope_p([0.0] * 5) == 1.0


@pytest.mark.parametrize("tied", [1, 2, 5])
def test_of_many_values_p_is_the_normal_one_corrected_for_ties(tied):
    rng = np.random.default_rng(tied)
    values = [
        float(value) for value in (np.arange(100) // tied * 1.0 + rng.normal(size=100) * 60).round(0) // tied
    ]
    groups = [count for count in np.unique(values, return_counts=True)[1].tolist() if count > 1]
    n, s = 100, abs(by_definition(values))
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in groups)) / 18
    assert bool(groups) and s > 1
    assert trend_p(values) == pytest.approx(2 * stats.norm.sf((s - 1) / variance**0.5))
