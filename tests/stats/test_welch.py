"""Welch's test against the reference implementation."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from fwdtui.stats.moments import moments
from fwdtui.stats.welch import welch

sample = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=25)


def oracle(base, other, confidence):
    result = stats.ttest_ind(other, base, equal_var=False)
    return result, result.confidence_interval(confidence)


@given(sample, sample, st.sampled_from([0.8, 0.95, 0.99]))
def test_t_df_p_and_interval_are_those_of_scipy_and_where_n_differs_of_the_stricter_test(
    base, other, confidence
):
    assume(max(base) - min(base) > 1.0 and max(other) - min(other) > 1.0)
    found = welch(moments(base), moments(other), 1 - confidence)
    reference, interval = oracle(base, other, confidence)
    scale = max(map(abs, base + other))
    assert found.df == pytest.approx(reference.df, rel=1e-8)
    assert found.t == pytest.approx(reference.statistic, rel=1e-6, abs=1e-9)
    assert found.welch_p == pytest.approx(reference.pvalue, rel=1e-6)
    ends = interval.low, interval.high
    p = reference.pvalue
    if len(base) != len(other):
        pooled = stats.ttest_ind(other, base)
        p = max(p, pooled.pvalue)
        ends = (
            min(ends[0], pooled.confidence_interval(confidence).low),
            max(ends[1], pooled.confidence_interval(confidence).high),
        )
    assert found.p == pytest.approx(p, rel=1e-6)
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-8, abs=1e-9 * scale)


def test_a_published_comparison_by_hand():
    # forwarding.inet4 of two builds, five iterations each
    base = [379926, 380500, 379000, 381000, 379500]
    other = [1001291, 989769, 1003000, 998000, 1001000]
    found = welch(moments(base), moments(other), 0.05)
    reference, interval = oracle(base, other, 0.95)
    assert found.difference == pytest.approx(618626.8)
    assert (found.p, found.low, found.high) == pytest.approx(
        (reference.pvalue, interval.low, interval.high), rel=1e-10
    )


@given(sample, sample)
def test_the_interval_excludes_zero_exactly_when_p_is_below_alpha(base, other):
    assume(max(base) - min(base) > 1.0)
    found = welch(moments(base), moments(other), 0.05)
    assume(abs(found.p - 0.05) > 1e-9)
    assert (found.low <= 0 <= found.high) == (found.p > 0.05)


def test_one_set_without_spread_is_no_obstacle():
    found = welch(moments([10.0, 10.0, 10.0]), moments([11.0, 12.0, 13.0]), 0.05)
    assert found.df == 2.0  # all of the uncertainty is the other's
    assert found.p == pytest.approx(stats.ttest_1samp([11.0, 12.0, 13.0], 10.0).pvalue)


def test_swapping_the_sets_changes_the_sign_and_nothing_else():
    a, b = moments([1.0, 2.0, 4.0]), moments([3.0, 3.5, 9.0, 4.0])
    one, two = welch(a, b, 0.05), welch(b, a, 0.05)
    assert (one.t, one.low, one.high) == pytest.approx((-two.t, -two.high, -two.low))
    assert one.p == pytest.approx(two.p)
