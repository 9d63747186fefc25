"""Student's t without scipy, against scipy."""

import pytest
from scipy import stats

from fwdtui.stats.whole_t import t_beyond, t_quantile


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 8, 30, 59, 60])
@pytest.mark.parametrize("t", [0.0, 0.3, 2.0, 12.9, 400.0])
def test_the_tail_is_scipys(df, t):
    assert t_beyond(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-6, abs=1e-14)


@pytest.mark.parametrize("df", [2, 3, 5, 20, 60, 200, 201, 5_000_000])
@pytest.mark.parametrize("p", [0.25, 0.01, 5e-4, 1e-6, 2.5e-10])
def test_the_quantile_is_scipys(df, p):
    assert t_quantile(df, p) == pytest.approx(stats.t.isf(p, df), rel=1e-3)
