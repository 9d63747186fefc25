"""Holm's correction."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.stats.holm import adjusted, factors

ps = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12)


def step_down(values: list[float], alpha: float) -> list[bool]:
    """The procedure as Holm wrote it: stop at the first p that is not below alpha / (m - i + 1)."""
    rejected = [False] * len(values)
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        if not values[index] * (len(values) - rank) < alpha:
            break
        rejected[index] = True
    return rejected


@given(ps, st.sampled_from([0.01, 0.05, 0.2]))
def test_adjusted_below_alpha_is_the_step_down_decision(values, alpha):
    assert [p < alpha for p in adjusted(values)] == step_down(values, alpha)


def test_a_textbook_example():
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert factors([0.01, 0.04, 0.03, 0.005]) == [3, 1, 2, 4]


def test_a_comparison_without_a_test_passes_through_and_is_not_counted():
    none = math.nan
    assert adjusted([0.02, none, 0.01]) == pytest.approx([0.02, none, 0.02], nan_ok=True)
    assert factors([0.02, None, 0.01]) == [1, None, 2]
    assert np.isnan(adjusted([none, none])).all()


def test_one_comparison_is_left_as_it_is():
    assert adjusted([0.0421]).tolist() == [0.0421]


@given(ps)
def test_adjusted_values_keep_their_order_and_stay_probabilities(values):
    result = adjusted(values).tolist()
    assert all(p <= q <= 1.0 for p, q in zip(values, result, strict=True))
    ranked = sorted(zip(values, result, strict=True))
    assert all(a[1] <= b[1] for a, b in pairwise(ranked))


def test_families_along_the_last_axis_are_adjusted_one_by_one():
    rng = np.random.default_rng(1)
    p = rng.uniform(size=(50, 7)) ** 3
    p[3, 2] = math.nan
    for row, result in zip(p, adjusted(p), strict=True):
        assert result == pytest.approx(adjusted(row), nan_ok=True)
