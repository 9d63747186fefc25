"""What may be claimed of a family: each of the three claims is corrected for how many comparisons are shown.

Of m equal p values Holm multiplies the smallest by m, and no other may be smaller: p of 0.019 or 0.023 proves
something among one or two comparisons at 0.05, and nothing among three.
"""

import numpy as np
import pytest

from fwdtui.stats.gate import gate
from fwdtui.stats.moments import Moments
from fwdtui.stats.results import ResultSet
from fwdtui.stats.verdict import judge

MARGIN, ALPHA = 0.005, 0.05
SHOWN = pytest.mark.parametrize(("shown", "proven"), [(1, True), (2, True), (3, False), (7, False)])


def family(shown: int, difference: float, variance: float) -> tuple[Moments, Moments]:
    """The same comparison so many times, of five values each."""
    n, ones = np.full(shown, 5.0), np.ones(shown)
    return (
        Moments(n, 100.0 * ones, variance * ones),
        Moments(n, (100.0 + difference) * ones, variance * ones),
    )


@SHOWN
def test_equivalence_is_corrected_for_the_number_of_comparisons(shown: int, proven: bool) -> None:
    found = gate(*family(shown, 0.0, 0.1), MARGIN, ALPHA)
    assert found.tost_p == pytest.approx([0.01865] * shown, abs=1e-5)
    assert found.tost_p_adjusted == pytest.approx(found.tost_p * shown)
    assert found.equivalent.tolist() == [proven] * shown


@SHOWN
def test_that_nothing_got_slower_is_corrected_for_the_number_of_comparisons(shown: int, proven: bool) -> None:
    found = gate(*family(shown, 0.0, 0.1), MARGIN, ALPHA)
    assert found.not_slower_p == pytest.approx([0.01829] * shown, abs=1e-5)
    assert found.not_slower_p_adjusted == pytest.approx(found.not_slower_p * shown)
    assert found.not_slower.tolist() == [proven] * shown


@SHOWN
@pytest.mark.parametrize("sign", [1, -1])
def test_a_difference_is_corrected_for_the_number_of_comparisons(shown: int, proven: bool, sign: int) -> None:
    found = gate(*family(shown, 0.5 * sign, 0.08), MARGIN, ALPHA)
    assert found.welch.p == pytest.approx([0.02337] * shown, abs=1e-5)
    assert found.p_adjusted == pytest.approx(found.welch.p * shown)
    assert found.different.tolist() == [proven] * shown
    assert found.faster.tolist() == [proven and sign > 0] * shown
    assert found.slower.tolist() == [proven and sign < 0] * shown


@SHOWN
def test_the_verdict_is_that_of_the_corrected_claim(shown: int, proven: bool) -> None:
    values = (99.6, 99.8, 100.0, 100.2, 100.4)
    sets = [(f"case {n}", ResultSet("old", values), ResultSet("new", values)) for n in range(shown)]
    found = [one.comparison for one in judge(sets, margin_percent=100 * MARGIN)]
    assert [one.verdict for one in found] == ["equivalent" if proven else "inconclusive"] * shown
    assert [one.not_slower.proven for one in found] == [proven] * shown
