"""What may be claimed: every test over everything shown, each family of claims at one error rate.

Elementwise over any leading axes; the last axis is the family of comparisons that are shown together.
"""

from typing import NamedTuple

from fwdtui.stats.equivalence import not_slower_p, tost_p
from fwdtui.stats.holm import adjusted
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements
from fwdtui.stats.welch import Welch, welch

FEWEST_VALUES = 3
"""Values that each set must have for a verdict, as in ministat.

Two are enough for a t, but their spread is so uncertain that Welch's test errs: with 2 and 5 values and a
spread five times larger in the smaller set, one comparison of seven is called different in 31 % of null
families.
"""


class Gate(NamedTuple):
    """Arrays over the comparisons. NaN where the base's mean is not above zero: tost_p and not_slower_p."""

    welch: Welch
    p_adjusted: Elements
    tost_p: Elements
    tost_p_adjusted: Elements
    different: Elements  # a difference is proven
    equivalent: Elements  # the ratio is proven to be inside the margin
    not_slower_p: Elements
    not_slower_p_adjusted: Elements
    not_slower: Elements  # a loss as large as the margin is ruled out (non-inferiority)

    @property
    def faster(self) -> Elements:
        """A gain that is proven and not proven to be smaller than the margin."""
        return self.different & ~self.equivalent & (self.welch.difference > 0)

    @property
    def slower(self) -> Elements:
        """A loss that is proven and not proven to be smaller than the margin."""
        return self.different & ~self.equivalent & (self.welch.difference < 0)


def gate(base: Moments, other: Moments, margin: float, alpha: float) -> Gate:
    """Welch, TOST and non-inferiority on each comparison, Holm over each of the three families.

    `margin` is a fraction of the base's mean.
    Needs n >= 2 in every set and a spread in one set of every comparison.
    """
    import numpy as np

    found = welch(base, other, alpha)
    p_adjusted = adjusted(found.p)
    above_zero = np.asarray(base.mean) > 0.0
    equal_p = np.where(above_zero, tost_p(base, other, margin), np.nan)
    equal_p_adjusted = adjusted(equal_p)
    loss_p = np.where(above_zero, not_slower_p(base, other, margin), np.nan)
    loss_p_adjusted = adjusted(loss_p)
    return Gate(
        found,
        p_adjusted,
        equal_p,
        equal_p_adjusted,
        p_adjusted < alpha,
        equal_p_adjusted < alpha,
        loss_p,
        loss_p_adjusted,
        loss_p_adjusted < alpha,
    )
