"""One set in seven numbers."""

import math
import statistics
import sys
from array import array

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.stats.describe import describe, first_not_finite, mean_interval
from fwdtui.stats.results import ResultSet
from fwdtui.stats.values import LargeValues

values = st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=30)


def of(*numbers: float):
    return describe(ResultSet("set", tuple(numbers)))


@given(values)
def test_the_numbers_are_those_of_the_exact_standard_library(numbers):
    found = of(*numbers)
    assert (found.n, found.min, found.max) == (len(numbers), min(numbers), max(numbers))
    scale = max(map(abs, numbers))
    assert found.mean == pytest.approx(statistics.mean(numbers), rel=1e-12, abs=1e-15 * scale)
    assert found.median == pytest.approx(statistics.median(numbers), rel=1e-12, abs=1e-15 * scale)
    assert found.stddev == pytest.approx(statistics.stdev(numbers), rel=1e-9, abs=1e-12 * scale)


def test_the_median_of_an_even_number_of_values_is_the_mean_of_the_middle_two():
    assert of(1, 2, 10, 20).median == 6.0


def test_a_small_spread_on_a_large_mean_keeps_its_digits():
    # the sum-of-squares formula gives "-nan" here
    assert of(1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.3).stddev == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize("value", [0.1, -7.0, 0.0, 1e308, 5e-324])
def test_equal_values_have_exactly_that_mean_and_exactly_no_spread(value):
    found = of(value, value, value)
    assert (found.mean, found.median, found.stddev) == (value, value, 0.0)


def test_a_single_value_has_no_standard_deviation_and_an_empty_set_has_only_n():
    assert of(5.0).stddev is None
    assert of(5.0).mean == 5.0
    nothing = of()
    assert nothing.n == 0
    assert {nothing.min, nothing.max, nothing.median, nothing.mean, nothing.stddev} == {None}


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_a_set_with_a_value_that_is_no_number_has_no_statistics(odd):
    found = of(1.0, odd, 3.0)
    assert found.n == 3
    assert {found.min, found.max, found.median, found.mean, found.stddev} == {None}


def test_values_near_the_end_of_the_range_give_finite_numbers_or_none():
    largest = sys.float_info.max
    half = largest / 2
    assert of(largest, largest, -largest).mean == pytest.approx(largest / 3)
    assert of(half, half, -half).stddev == pytest.approx(half * (2 / math.sqrt(3)))
    assert of(largest, -largest).stddev is None  # larger than any double
    assert of(1e-320, 3e-320).mean == pytest.approx(2e-320, rel=1e-3)


@pytest.mark.parametrize("confidence", [80.0, 95.0, 99.5])
@pytest.mark.parametrize("numbers", [(1.0, 3.0), (4.0, 8.0, 9.0), (5.0, 5.5, 6.5, 6.0, 5.0)])
def test_the_interval_of_a_mean_is_scipys(numbers, confidence):
    expected = scipy.stats.t.interval(
        confidence / 100, len(numbers) - 1, statistics.mean(numbers), scipy.stats.sem(numbers)
    )
    assert mean_interval(of(*numbers), confidence) == pytest.approx(expected, rel=1e-9)


def test_without_a_spread_there_is_no_interval_of_a_mean():
    assert mean_interval(of(5.0), 95.0) is None and mean_interval(of(), 95.0) is None
    assert mean_interval(of(5.0, 5.0), 95.0) == (5.0, 5.0)


@pytest.mark.parametrize("kind", [tuple, lambda values: LargeValues(array("d", values))])
def test_the_first_value_that_is_no_number_is_found(kind):
    assert first_not_finite(kind([1.0, 2.0])) is None
    assert first_not_finite(kind([math.nan, 2.0])) == 0
    assert first_not_finite(kind([1.0, -math.inf, math.nan])) == 1
