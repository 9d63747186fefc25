"""The percent difference and its interval."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from fwdtui.stats.moments import Moments, moments
from fwdtui.stats.ratio import bounded, percent, percent_interval
from fwdtui.stats.welch import welch

count = st.integers(2, 30)
spread = st.floats(1e-6, 2.0)
alphas = st.sampled_from([0.2, 0.1, 0.05, 0.02, 0.01, 0.002])


@settings(max_examples=200)
@given(count, count, spread, spread, st.floats(-1.5, 4.0), alphas)
def test_the_interval_excludes_zero_percent_exactly_when_welch_finds_a_difference(
    n1, n2, cv1, cv2, change, alpha
):
    base, other = Moments(n1, 1.0, cv1**2), Moments(n2, 1.0 + change * cv1, cv2**2)
    low, high = percent_interval(base, other, alpha)
    p = float(welch(base, other, alpha).p)
    assume(not np.isnan(low) and abs(p - alpha) > 1e-9)
    assert (low <= 0.0 <= high) == (p >= alpha)


@settings(max_examples=100)
@given(count, count, spread, spread, st.floats(-1.0, 4.0), alphas)
def test_both_ends_are_ratios_that_the_contrast_just_rejects(n1, n2, cv1, cv2, other_mean, alpha):
    base, other = Moments(n1, 1.0, cv1**2), Moments(n2, other_mean, cv2**2)
    ends = percent_interval(base, other, alpha)
    assume(not np.isnan(ends[0]))
    assert ends[0] <= percent(base, other) <= ends[1]
    for end in ends:
        theta = 1.0 + float(end) / 100.0
        a, b = theta**2 * cv1**2 / n1, cv2**2 / n2  # written out again, as a textbook has it
        df = (a + b) ** 2 / (a**2 / (n1 - 1) + b**2 / (n2 - 1))
        p = 2 * stats.t.sf(abs(other_mean - theta) / (a + b) ** 0.5, df)
        if n1 != n2:
            s2 = ((n1 - 1) * cv1**2 + (n2 - 1) * cv2**2) / (n1 + n2 - 2)
            error = (s2 * (1 / n2 + theta**2 / n1)) ** 0.5
            p = max(p, 2 * stats.t.sf(abs(other_mean - theta) / error, n1 + n2 - 2))
        assert p == pytest.approx(alpha, rel=1e-5)


def test_without_uncertainty_in_the_base_the_interval_is_welchs_divided_by_the_base():
    base, other = Moments(5, 200.0, 0.0), moments([210.0, 214.0, 209.0, 212.0])
    low, high = percent_interval(base, other, 0.05)
    reference = welch(base, other, 0.05)
    assert (low, high) == pytest.approx((reference.low / 2.0, reference.high / 2.0))


def test_an_uncertain_base_widens_the_interval_and_makes_it_lopsided():
    base, other = Moments(5, 100.0, 100.0), Moments(5, 100.0, 100.0)
    low, high = percent_interval(base, other, 0.05)
    assert high > -low > 0.0


def test_the_unit_of_the_values_does_not_matter():
    base, other = moments([1.0, 1.1, 0.9]), moments([1.5, 1.7, 1.6])
    scaled = [side._replace(mean=side.mean * 1e6, variance=side.variance * 1e12) for side in (base, other)]
    ends, same = percent_interval(base, other, 0.05), percent_interval(*scaled, 0.05)
    assert np.array(ends) == pytest.approx(np.array(same))


@pytest.mark.parametrize(
    "base",
    [
        pytest.param(Moments(5, 1.0, 9.0), id="not clearly above zero"),
        pytest.param(Moments(5, 0.0, 1.0), id="zero"),
        pytest.param(Moments(5, -100.0, 1.0), id="negative"),
    ],
)
def test_a_base_that_may_be_zero_has_no_interval(base):
    assert not bounded(base, Moments(5, 10.0, 1.0), 0.05)
    assert np.isnan(percent_interval(base, Moments(5, 10.0, 1.0), 0.05)).all()


def test_where_the_ratios_fall_into_two_pieces_that_contradict_welch_there_is_no_interval():
    # ratios near 1.2 are rejected, 1 is not: with two values in a set the degrees of freedom fall to 1 there
    base, other = Moments(20, 1.0, 0.2034), Moments(2, 3.6013, 0.09031)
    thetas = np.linspace(0.5, 6.0, 20001)
    a, b = thetas**2 * base.variance / 20, other.variance / 2
    df = (a + b) ** 2 / (a**2 / 19 + b**2)
    accepted = 2 * stats.t.sf(abs(other.mean - thetas) / (a + b) ** 0.5, df) >= 0.01
    assert np.count_nonzero(np.diff(accepted.astype(int))) == 3  # in, out, in, out
    assert welch(base, other, 0.01).welch_p > 0.01
    assert bounded(base, other, 0.01)
    assert np.isnan(percent_interval(base, other, 0.01)).all()


def test_the_ends_of_many_comparisons_are_those_of_each_alone():
    rng = np.random.default_rng(3)
    base = Moments(np.full(20, 5.0), rng.uniform(50, 150, 20), rng.uniform(0.1, 50, 20))
    other = Moments(np.full(20, 7.0), rng.uniform(50, 150, 20), rng.uniform(0.1, 50, 20))
    together = np.array(percent_interval(base, other, 0.05)).T
    alone = [
        percent_interval(Moments(*b), Moments(*o), 0.05)
        for b, o in zip(np.array(base).T, np.array(other).T, strict=True)
    ]
    assert together == pytest.approx(np.array(alone), rel=1e-12)


def test_a_candidate_of_zeros_has_the_interval_of_the_pooled_test_where_n_differs():
    """As one of values next to zero: Welch's test has no error at the ratio 0, and the pooled one counts."""
    base = moments([100.0, 101.0, 99.0, 140.0, 60.0])
    low, high = percent_interval(base, moments([0.0, 0.0, 0.0]), 0.05)
    nearly = percent_interval(base, moments([1e-9, 1e-9, 1e-9]), 0.05)
    assert [float(low), float(high)] == pytest.approx([float(end) for end in nearly], rel=1e-6)
    assert low < -130.0 and high > -70.0
    alike = percent_interval(base, moments([0.0] * 5), 0.05)
    assert [float(end) for end in alike] == pytest.approx([-100.0, -100.0]), (
        "Fieller's, of sets of equal size"
    )
