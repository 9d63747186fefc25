"""The exact trend test, against enumeration and against scipy."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fwdtui.stats.drift import kendall_s, trend_p


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
