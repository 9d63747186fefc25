"""What may be claimed: every test over everything shown, each family of claims at one error rate.

Elementwise over any leading axes; the last axis is the family of comparisons that are shown together.
"""

from typing import NamedTuple

from fwdtui.stats import paired
from fwdtui.stats.equivalence import not_above_p, not_slower_p
from fwdtui.stats.holm import adjusted
from fwdtui.stats.interaction import RatioOfRatios
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements
from fwdtui.stats.welch import Welch, welch

FEWEST_VALUES = 3
"""Values that each set must have for a verdict, as in ministat.

Two are enough for a t, but their spread is so uncertain that Welch's test errs: with 2 and 5 values and a
spread five times larger in the smaller set, one comparison of seven is called different in 31 % of null
families.
"""


class InteractionGate(NamedTuple):
    """Arrays over the interactions that are shown with the comparisons."""

    p: Elements
    p_adjusted: Elements
    same_p_adjusted: Elements
    depends: Elements  # the effects are proven to differ
    same: Elements  # they are proven to be the same within the margin


class Gate(NamedTuple):
    """Arrays over the comparisons. If the base's mean is not above zero, tost_p and not_slower_p are NaN."""

    welch: Welch
    p_adjusted: Elements
    tost_p: Elements
    tost_p_adjusted: Elements
    different: Elements  # a difference is proven
    equivalent: Elements  # the ratio is proven to be inside the margin
    not_slower_p: Elements
    not_slower_p_adjusted: Elements
    not_slower: Elements  # a loss as large as the margin is ruled out (non-inferiority)
    gain: Elements  # the difference is to the better
    interactions: InteractionGate | None = None

    @property
    def faster(self) -> Elements:
        """A gain that is proven and not proven to be smaller than the margin."""
        return self.different & ~self.equivalent & self.gain

    @property
    def slower(self) -> Elements:
        """A loss that is proven and not proven to be smaller than the margin."""
        return self.different & ~self.equivalent & ~self.gain


def gate(
    base: Moments,
    other: Moments,
    margin: float,
    alpha: float,
    less: Elements = False,
    interactions: RatioOfRatios | None = None,
    logs: Moments | None = None,
) -> Gate:
    """Welch, TOST and non-inferiority on each comparison, Holm over each of the three families.

    `margin` is a fraction of the base's mean. `less`: whether less is better, for each comparison. The
    `interactions` are shown with the comparisons, and share their error rates: that for differences, and that
    for equivalence. `logs`: the moments of the blocks' log ratios, NaN for the comparisons that are not
    paired; where they are given they decide. Needs n >= 2 in every set and a spread in one set of every
    comparison.
    """
    import numpy as np

    test = welch(base, other, alpha)
    above_zero = np.asarray(base.mean) > 0.0
    below, above = not_slower_p(base, other, margin), not_above_p(base, other, margin)
    if logs is not None:
        in_blocks = ~np.isnan(np.asarray(logs.mean, dtype=float))
        test = paired.instead(test, base, logs, alpha)
        below = np.where(in_blocks, paired.not_slower_p(logs, margin), below)
        above = np.where(in_blocks, paired.not_above_p(logs, margin), above)
    equal_p = np.where(above_zero, np.maximum(below, above), np.nan)
    not_worse_p = np.where(less, above, below)
    loss_p = np.where(above_zero, not_worse_p, np.nan)
    p_adjusted, equal_p_adjusted, loss_p_adjusted = adjusted(test.p), adjusted(equal_p), adjusted(loss_p)
    among = None
    if interactions is not None:
        of_both, same_p = interactions.p(), interactions.same_p(margin)
        p_adjusted, depends_p = _together(test.p, of_both)
        equal_p_adjusted, same_p = _together(equal_p, same_p)
        among = InteractionGate(of_both, depends_p, same_p, depends_p < alpha, same_p < alpha)
    return Gate(
        test,
        p_adjusted,
        equal_p,
        equal_p_adjusted,
        p_adjusted < alpha,
        equal_p_adjusted < alpha,
        loss_p,
        loss_p_adjusted,
        loss_p_adjusted < alpha,
        (test.difference > 0) != np.asarray(less, dtype=bool),
        among,
    )


def _together(p: Elements, of_interactions: Elements) -> tuple[Elements, Elements]:
    """Holm's adjusted p of two kinds of tests that share one error rate."""
    import numpy as np

    both = adjusted(np.concatenate([p, of_interactions], axis=-1))
    comparisons = np.shape(p)[-1]
    return both[..., :comparisons], both[..., comparisons:]
