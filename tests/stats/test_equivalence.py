"""Two one-sided tests on the ratio."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from fwdtui.stats.equivalence import not_slower_p, tost_p
from fwdtui.stats.moments import Moments
from fwdtui.stats.ratio import percent_interval

count = st.integers(2, 20)


@given(count, count, st.floats(1e-4, 0.1), st.floats(1e-4, 0.1), st.floats(0.9, 1.1), st.floats(0.001, 0.2))
def test_p_is_the_larger_of_two_textbook_tests(n1, n2, cv1, cv2, ratio, margin):
    def one_sided(theta: float, sign: int) -> float:
        a, b = theta**2 * cv1**2 / n1, cv2**2 / n2
        df = (a + b) ** 2 / (a**2 / (n1 - 1) + b**2 / (n2 - 1))
        p = stats.t.sf(sign * (ratio - theta) / (a + b) ** 0.5, df)
        if n1 != n2:
            s2 = ((n1 - 1) * cv1**2 + (n2 - 1) * cv2**2) / (n1 + n2 - 2)
            error = (s2 * (1 / n2 + theta**2 / n1)) ** 0.5
            p = max(p, stats.t.sf(sign * (ratio - theta) / error, n1 + n2 - 2))
        return float(p)

    assert not_slower_p(Moments(n1, 1.0, cv1**2), Moments(n2, ratio, cv2**2), margin) == pytest.approx(
        one_sided(1 - margin, 1), rel=1e-6, abs=1e-12
    )
    found = tost_p(Moments(n1, 1.0, cv1**2), Moments(n2, ratio, cv2**2), margin)
    reference = max(one_sided(1 - margin, 1), one_sided(1 + margin, -1))
    assert found == pytest.approx(reference, rel=1e-6, abs=1e-12)


@given(
    st.integers(4, 20),
    st.integers(4, 20),
    st.floats(1e-4, 0.05),
    st.floats(1e-4, 0.05),
    st.floats(0.95, 1.05),
)
def test_equivalent_exactly_when_the_interval_at_twice_the_error_rate_lies_inside_the_margin(
    n1, n2, cv1, cv2, ratio
):
    base, other = Moments(n1, 1.0, cv1**2), Moments(n2, ratio, cv2**2)
    p = float(tost_p(base, other, 0.02))
    low, high = percent_interval(base, other, 0.10)
    assume(abs(p - 0.05) > 1e-7)
    assert (p < 0.05) == (low > -2.0 and high < 2.0)


def test_no_difference_found_is_not_equivalence():
    # two noisy sets of equal mean: nothing is different, and nothing is shown to be equal
    noisy = Moments(5, 100.0, 25.0)
    assert tost_p(noisy, noisy, 0.01) > 0.3


def test_quiet_sets_of_nearly_equal_means_are_equivalent():
    assert tost_p(Moments(5, 100.0, 0.01), Moments(5, 100.1, 0.01), 0.01) < 1e-5


def test_a_difference_beyond_the_margin_is_never_equivalent():
    assert tost_p(Moments(5, 100.0, 0.01), Moments(5, 101.5, 0.01), 0.01) > 0.99
    assert tost_p(Moments(5, 100.0, 0.01), Moments(5, 98.5, 0.01), 0.01) > 0.99
