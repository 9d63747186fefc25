"""Detectable differences and the iterations it takes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from fwdtui.stats.moments import Moments
from fwdtui.stats.power import (
    MOST_ITERATIONS,
    POWER,
    RANGE,
    TOO_MANY,
    detectable,
    equivalence_power,
    exact_power,
    fewest,
    iterations_for_equivalence,
    iterations_needed,
    power,
    to_decide,
)
from fwdtui.stats.student import critical, noncentral_beyond


def percent_cv(n: int, cv: float) -> Moments:
    return Moments(n, 100.0, cv**2)


def test_five_iterations_find_twice_the_coefficient_of_variation():
    assert detectable(percent_cv(5, 1.0), percent_cv(5, 1.0), 0.05) == pytest.approx(2.02, abs=0.005)
    assert detectable(percent_cv(5, 3.5), percent_cv(5, 3.5), 0.05) == pytest.approx(3.5 * 2.02, abs=0.02)


def test_one_percent_at_a_spread_of_one_percent_takes_seventeen_iterations_per_set():
    assert iterations_needed(1.0, percent_cv(5, 1.0), percent_cv(5, 1.0), 0.05) == 17


def test_the_approximate_power_is_that_of_the_noncentral_t():
    base, other = percent_cv(7, 1.0), percent_cv(7, 2.0)
    a, b = 1.0 / 7, 4.0 / 7
    df = (a + b) ** 2 / (a**2 / 6 + b**2 / 6)
    limit, shift = stats.t.isf(0.025, df), 2.5 / (a + b) ** 0.5
    expected = stats.nct.sf(limit, df, shift) + stats.nct.cdf(-limit, df, shift)
    assert power(2.5, base, other, 0.05) == pytest.approx(expected, rel=1e-7)


def test_without_a_difference_the_power_is_the_error_rate():
    assert power(0.0, percent_cv(8, 1.0), percent_cv(8, 3.0), 0.05) == pytest.approx(0.05)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.01, 20.0), st.floats(0.0, 20.0), st.sampled_from([1, 3, 7, 30]))
def test_the_iterations_needed_are_the_fewest_that_truly_reach_the_power(cv1, cv2, shown):
    base, other, alpha = percent_cv(5, cv1), percent_cv(5, cv2), 0.05 / shown
    n = iterations_needed(1.0, base, other, alpha)
    assert n is not None
    assert exact_power(1.0, base._replace(n=n), other._replace(n=n), alpha) >= POWER
    if n > 3:
        assert exact_power(1.0, base._replace(n=n - 1), other._replace(n=n - 1), alpha) < POWER


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 40), st.integers(2, 40), st.floats(0.01, 20.0), st.floats(0.0, 20.0))
def test_the_detectable_difference_has_eighty_percent_power(n1, n2, cv1, cv2):
    base, other = percent_cv(n1, cv1), percent_cv(n2, cv2)
    assert power(detectable(base, other, 0.05), base, other, 0.05) == pytest.approx(0.8, abs=1e-4)


def test_more_comparisons_take_more_iterations():
    needed = [iterations_needed(1.0, percent_cv(5, 1.0), percent_cv(5, 1.0), 0.05 / k) for k in (1, 7, 30)]
    assert needed == [17, 27, 35]


def test_both_powers_agree_where_there_are_many_iterations_and_part_where_there_are_few():
    many = percent_cv(100, 2.5)
    assert exact_power(1.0, many, many, 0.05) == pytest.approx(power(1.0, many, many, 0.05), abs=1e-4)
    few = percent_cv(3, 0.3)
    assert power(1.0, few, few, 0.05) == pytest.approx(0.857, abs=0.001)
    assert exact_power(1.0, few, few, 0.05) == pytest.approx(0.762, abs=0.001)


def test_the_search_gives_up_at_a_sane_number():
    wild = percent_cv(5, 100.0)
    assert iterations_needed(1.0, wild, wild, 0.05) is None
    assert iterations_needed(0.0, percent_cv(5, 1.0), percent_cv(5, 1.0), 0.05) is None
    largest = iterations_needed(1.0, percent_cv(5, 79.0), percent_cv(5, 79.0), 0.05)
    assert largest is not None
    assert 0.9 * MOST_ITERATIONS < largest <= MOST_ITERATIONS


@pytest.mark.parametrize(("n1", "n2", "cv1", "cv2"), [(7, 7, 1.0, 0.5), (5, 12, 1.0, 0.5), (5, 12, 0.5, 1.0)])
def test_the_power_of_equivalence_is_that_of_two_one_sided_tests_at_equal_means(n1, n2, cv1, cv2):
    """Julious (2004), section 5; where the sets differ in size, the pooled test has to agree."""
    base, other = percent_cv(n1, cv1), percent_cv(n2, cv2)
    a, b = cv1**2 / n1, cv2**2 / n2
    error = (a + b) ** 0.5
    tests = [(error, (a + b) ** 2 / (a**2 / (n1 - 1) + b**2 / (n2 - 1)))]
    if n1 != n2:
        pooled = ((n1 - 1) * cv1**2 + (n2 - 1) * cv2**2) / (n1 + n2 - 2)
        tests.append(((pooled * (1 / n1 + 1 / n2)) ** 0.5, n1 + n2 - 2))
    # of a test with another error the limit is in its units, and the shift in the true ones
    powers = [
        2 * noncentral_beyond(stats.t.isf(0.05, df) * own / error, df, 1.5 / error) - 1 for own, df in tests
    ]
    assert equivalence_power(1.5, base, other, 0.05) == pytest.approx(min(powers), rel=1e-6)
    assert 0.3 < min(powers) < 0.97
    assert equivalence_power(0.01, base, other, 0.05) == 0.0


@pytest.mark.parametrize("cv", [0.3, 1.0, 2.5])
def test_equal_means_are_proven_equal_by_the_fewest_iterations_that_reach_the_power(cv):
    one = percent_cv(5, cv)
    n = iterations_for_equivalence(1.0, one, one, 0.05)
    reached = [equivalence_power(1.0, one._replace(n=n + k), one._replace(n=n + k), 0.05) for k in (-1, 0)]
    assert reached[1] >= 0.8 and (n == 3 or reached[0] < 0.8)
    assert iterations_for_equivalence(1.0, one, one, 0.05, n + 7) == n + 7
    assert iterations_for_equivalence(0.0, one, one, 0.05) is None


@pytest.mark.parametrize(
    ("n1", "n2", "cv1", "cv2", "df"),
    [
        (5, 5, 1.0, 1.0, 8.0),
        (5, 5, 1.0, 0.0, 4.0),  # all of the uncertainty is one set's
        (4, 9, 1.0, 1.0, 1 / (0.25 / 3 + 0.25 / 8)),
        (4, 9, 1.0, 2.0, 1 / (0.04 / 3 + 0.64 / 8)),
    ],
)
def test_the_range_of_what_decides_is_the_variances_chi_square_interval_at_eighty_percent(
    n1, n2, cv1, cv2, df
):
    base, other = percent_cv(n1, cv1), percent_cv(n2, cv2)
    needed, low, high = to_decide(40, 1.0, base, other, 0.05)
    assert needed == max(40, iterations_for_equivalence(1.0, base, other, 0.05))
    assert low == int(1 + (needed - 1) * df / stats.chi2.ppf(0.9, df))
    assert high == int(np.ceil(1 + (needed - 1) * df / stats.chi2.ppf(0.1, df)))


def test_the_range_stays_within_what_can_be_measured():
    quiet, wild = percent_cv(5, 0.01), percent_cv(3, 70.0)
    assert to_decide(3, 1.0, quiet, quiet, 0.05)[:2] == (3, 3)
    needed = iterations_needed(1.0, wild, wild, 0.05)
    assert to_decide(needed, 1.0, wild, wild, 0.05)[2] == 100_000
    assert to_decide(3, 0.01, wild, wild, 0.05) is None


def test_where_the_sets_differ_in_size_the_pooled_test_must_find_the_difference_too():
    few, many = percent_cv(5, 0.5), percent_cv(12, 1.0)
    pooled = (4 * 0.25 + 11 * 1.0) / 15
    own, true = (pooled * (1 / 5 + 1 / 12)) ** 0.5, (0.25 / 5 + 1.0 / 12) ** 0.5
    expected = noncentral_beyond(stats.t.isf(0.025, 15) * own / true, 15, 1.5 / true)
    assert power(1.5, few, many, 0.05) == power(1.5, many, few, 0.05) == pytest.approx(expected, rel=1e-6)
    equal = percent_cv(12, 0.5)
    df = (0.25 / 12 + 1.0 / 12) ** 2 / ((0.25 / 12) ** 2 / 11 + (1.0 / 12) ** 2 / 11)
    true = (0.25 / 12 + 1.0 / 12) ** 0.5
    expected = noncentral_beyond(stats.t.isf(0.025, df), df, 1.0 / true)
    assert power(1.0, equal, many, 0.05) == pytest.approx(expected, rel=1e-6)


def test_at_least_three_iterations_are_needed_however_quiet_they_are():
    quiet = percent_cv(5, 0.001)
    assert iterations_needed(1.0, quiet, quiet, 0.05) == 3
    assert iterations_for_equivalence(1.0, quiet, quiet, 0.05) == 3


def test_what_the_product_plans_for():
    """80 % power, a range that holds the need eight times in ten, and up to 100 000 iterations."""
    assert (POWER, RANGE, MOST_ITERATIONS, TOO_MANY) == (0.8, 0.8, 100_000, 300)


def beyond_by_summation(limit: float, df: float, noncentrality: float) -> float:
    """|Z + noncentrality| / sqrt(chi²/df) >= limit, with the normal Z on a fine grid."""
    z, step = np.linspace(-12.0, 12.0, 4001, retstep=True)
    within = special.gammainc(df / 2, df / 2 * ((z + noncentrality) / limit) ** 2)
    return float(np.exp(-z * z / 2) @ within * step / np.sqrt(2 * np.pi))


@pytest.mark.parametrize("df", [1.0, 1.3, 2.0, 4.0, 8.0, 30.0, 500.0])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.05 / 7, 1e-4, 1e-6])
def test_the_noncentral_t_is_right_wherever_the_library_is_not(df, alpha):
    limit = float(critical(alpha, df))
    typical = (0.0, 0.5, 3.0, 5.9, 6.1, 16.333657790620425, 40.0, 99.0, 101.0)
    for noncentrality in (*typical, 0.7 * limit, 1.3 * limit):
        expected = beyond_by_summation(limit, df, noncentrality)
        assert noncentral_beyond(limit, df, noncentrality) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("shown", [1, 100, 100_000])
def test_extreme_levels_and_spreads_give_numbers(shown):
    tiny, huge = Moments(2, 1.0, 1e-200), Moments(2, 1.0, 1e200)
    for base, other in ((tiny, tiny), (tiny, huge), (huge, huge)):
        assert 0.0 <= power(1.0, base, other, 0.05 / shown) <= 1.0
        assert detectable(base, other, 0.05 / shown) > 0.0
        needed = iterations_needed(1.0, base, other, 0.05 / shown)
        assert needed is None or 3 <= needed <= MOST_ITERATIONS


@settings(max_examples=100, deadline=None)
@given(
    st.floats(0.001, 50.0),
    st.floats(0.001, 50.0),
    st.sampled_from([(2, 2), (3, 20), (5, 5), (30, 30), (200, 7)]),
    st.sampled_from([0.5, 0.05, 0.01, 0.05 / 600]),
)
def test_the_detectable_difference_is_that_of_halving_without_a_guess(cv1, cv2, sizes, alpha):
    base, other = percent_cv(sizes[0], cv1), percent_cv(sizes[1], cv2)

    def found(difference: float) -> bool:
        return power(difference, base, other, alpha) >= POWER

    error = (base.squared_error + other.squared_error) ** 0.5
    low, high = 0.0, 1.0
    while not found(high * error):
        low, high = high, 2.0 * high
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if found(middle * error) else (middle, high)
    assert detectable(base, other, alpha) == pytest.approx(high * error, rel=2e-6)


@pytest.mark.parametrize("least", [3, 17])
@pytest.mark.parametrize("true", [1, 3, 4, 16, 17, 18, 250, MOST_ITERATIONS, MOST_ITERATIONS + 1])
def test_the_fewest_are_found_from_wherever_the_search_begins(least, true):
    expected = max(true, least) if true <= MOST_ITERATIONS else None
    for near in (0, true - 1, true, true + 1, 3 * true, MOST_ITERATIONS):
        assert fewest(lambda n: n >= true, least, min(near, MOST_ITERATIONS)) == expected
