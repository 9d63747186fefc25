"""The distributions behind the tests, against scipy.stats, which takes other ways to the same numbers."""

import math
import subprocess
import sys

import pytest
from scipy import integrate, stats

from fwdtui.stats.student import critical, f_two_sided_p, noncentral_beyond, two_sided_p


@pytest.mark.parametrize("df", [1.0, 2.5, 4.0, 8.0, 30.0, 1000.0])
@pytest.mark.parametrize("t", [-5.0, -0.3, 0.0, 0.7, 2.776, 40.0])
def test_p_counts_both_tails(t: float, df: float) -> None:
    assert two_sided_p(t, df) == pytest.approx(2 * stats.t(df).sf(abs(t)), rel=1e-9)


@pytest.mark.parametrize("df", [1.0, 4.0, 8.0, 30.0])
@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01, 1e-6])
def test_the_critical_value_is_exceeded_with_probability_alpha(alpha: float, df: float) -> None:
    assert two_sided_p(critical(alpha, df), df) == pytest.approx(alpha, rel=1e-9)


@pytest.mark.parametrize("df", [2.0, 8.0, 30.0])
@pytest.mark.parametrize("noncentrality", [0.0, 0.5, 2.0, 5.9, 6.1, 20.0])
@pytest.mark.parametrize("limit", [0.5, 2.0, 6.0])
def test_power_is_the_normal_probability_over_all_spreads(
    limit: float, df: float, noncentrality: float
) -> None:
    """T' = (Z + d) / sqrt(chi2 / df): its tails, integrated over the chi2."""

    def given(chi2: float) -> float:
        scale = limit * math.sqrt(chi2 / df)
        tails = stats.norm.sf(scale - noncentrality) + stats.norm.cdf(-scale - noncentrality)
        return float(tails * stats.chi2.pdf(chi2, df))

    expected = integrate.quad(given, 0, math.inf, limit=200)[0]
    assert noncentral_beyond(limit, df, noncentrality) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("ratio", [0.1, 0.5, 1.0, 3.0, 25.0])
def test_the_f_test_counts_the_smaller_tail_twice(ratio: float) -> None:
    f = stats.f(4, 9)
    assert f_two_sided_p(ratio, 4, 9) == pytest.approx(min(1.0, 2 * min(f.cdf(ratio), f.sf(ratio))))


def test_the_functions_come_without_their_package_and_are_those_of_the_package():
    program = """
import sys
from fwdtui.stats.student import _USED, special
ours = special()
assert "scipy.special" not in sys.modules and "scipy._lib._array_api" not in sys.modules
import scipy.special, scipy.stats
assert all(getattr(ours, name) is getattr(scipy.special, name) for name in _USED)
assert scipy.stats.t.isf(0.025, 4.0) > 2.7
"""
    subprocess.run([sys.executable, "-c", program], check=True)
