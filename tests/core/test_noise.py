"""How far apart two parts of a run may be by chance, against the formulas written out."""

import math
from statistics import NormalDist

import pytest

from fwdtui.core.noise import MAD_TO_SIGMA, around_line, median_error

# the standard error of a median of normal data is sqrt(pi / 2) times that of the mean
MEDIAN = math.sqrt(math.pi / 2)


def test_the_median_absolute_deviation_of_normal_data_is_its_upper_quartile() -> None:
    assert pytest.approx(1 / NormalDist().inv_cdf(0.75), rel=1e-4) == MAD_TO_SIGMA


@pytest.mark.parametrize(
    ("signs", "alike"),
    [
        ("+--+" * 4, 0.0),  # -1/16 without a correction, and what is not alike is not more than independent
        ("+-" * 8, 0.0),
        ("++--" * 4, 1 / 16 + (1 + 3 / 16) / 16),  # corrected as by Marriott and Pope
        ("+++---" * 4, 9 / 24 + (1 + 3 * 9 / 24) / 24),
        ("++++----", 0.95),  # 5/8, corrected 0.98: beyond 0.95 it is no longer told from a change
    ],
)
@pytest.mark.parametrize(("one", "other"), [(5, 5), (3, 11)])
def test_the_error_grows_with_the_likeness_of_neighbours(signs: str, alike: float, one: int, other: int):
    n = len(signs)
    rest = [7.0 if sign == "+" else -7.0 for sign in signs]
    sigma = 7.0 * math.sqrt(n / (n - 2) * (1 + alike) / (1 - alike))
    expected = MEDIAN * sigma * math.sqrt(1 / one + 1 / other)
    assert median_error(rest, one, other) == pytest.approx(expected, rel=1e-4)
    assert median_error([value + 1e6 for value in rest], one, other) == pytest.approx(expected, rel=1e-4)


def test_of_less_than_three_samples_or_without_noise_there_is_no_error() -> None:
    assert median_error([1.0, 2.0], 1, 1) == 0.0
    assert median_error([5.0] * 20, 10, 10) == 0.0
    assert median_error([1.0, 2.0, 1.0], 1, 1) > 0.0


@pytest.mark.parametrize(
    ("values", "residuals"),
    [
        ([4.0], [0.0]),
        ([4.0, 9.0], [0.0, 0.0]),
        ([3.0, 5.0, 7.0, 9.0], [0.0] * 4),
        ([0.0, 0.0, 3.0], [0.5, -1.0, 0.5]),  # the line is -0.5, 1, 2.5
        ([5.0, -5.0, -5.0, 5.0], [5.0, -5.0, -5.0, 5.0]),
    ],
)
def test_what_is_left_around_the_straight_line(values: list[float], residuals: list[float]) -> None:
    assert around_line(values) == pytest.approx(residuals, abs=1e-9)
