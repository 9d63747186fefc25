"""Student's t: every cell is the exact quantile to three decimals, but for ministat's own seven."""

import pytest
from scipy.stats import norm, t

from fwdtui.stats.ministat.tables import CONFIDENCES, student

# what each column is the two-sided level of; the last is not what it is called
TAILS = dict(zip(CONFIDENCES, (0.80, 0.90, 0.95, 0.98, 0.99, 0.998), strict=True))
MINISTATS_OWN = {1: 318.313, 7: 4.782, 8: 4.499, 9: 4.296, 10: 4.143, 11: 4.024, 12: 3.929}


@pytest.mark.parametrize("level", CONFIDENCES)
def test_every_cell_is_the_quantile_to_three_decimals(level: float) -> None:
    quantile = 0.5 + TAILS[level] / 2
    for freedom in range(1, 101):
        exact = round(float(t.ppf(quantile, freedom)), 3)
        if level == 99.5 and freedom in MINISTATS_OWN:
            assert student(level, freedom) == MINISTATS_OWN[freedom] != exact
        else:
            assert student(level, freedom) == exact, freedom


@pytest.mark.parametrize("level", CONFIDENCES)
@pytest.mark.parametrize("freedom", [101, 102, 1000, 10**9])
def test_above_a_hundred_degrees_of_freedom_it_is_the_normal_quantile(level: float, freedom: int) -> None:
    assert student(level, freedom) == round(float(norm.ppf(0.5 + TAILS[level] / 2)), 3)
