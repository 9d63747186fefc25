"""Is the difference smaller than the margin? Two one-sided tests on the ratio of the means.

Schuirmann, "A comparison of the two one-sided tests procedure and the power approach ...", J.
Pharmacokinetics and Biopharmaceutics 15 (1987), 657-680; on a ratio of means as linear contrasts: Hauschke,
Kieser, Diletti & Burke, "Sample size determination for proving equivalence based on the ratio of two means
for normally distributed data", Statistics in Medicine 18 (1999), 93-105.
"""

from fwdtui.stats.contrast import above_p
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements


def not_slower_p(base: Moments, other: Moments, margin: float) -> Elements:
    """One-sided p of H0: ratio <= 1 - margin. If it is small, other is not slower by the margin or more.

    The test of non-inferiority, t = (mean(other) - (1 - margin) * mean(base)) / SE, is the lower of the two
    one-sided tests: ICH E9, "Statistical principles for clinical trials" (1998), section 3.3.2; on a ratio
    Hauschke et al. as above. `margin` is a fraction. For a base mean above zero; needs n >= 2 and a spread
    somewhere.
    """
    above_low = (other.mean - base.mean) + margin * base.mean
    return above_p(above_low, base, other, 1.0 - margin)


def not_above_p(base: Moments, other: Moments, margin: float) -> Elements:
    """One-sided p of H0: ratio >= 1 + margin: the same for values of which less is better."""
    below_high = margin * base.mean - (other.mean - base.mean)
    return above_p(below_high, base, other, 1.0 + margin)


def tost_p(base: Moments, other: Moments, margin: float) -> Elements:
    """The larger p of H0: ratio <= 1 - margin and H0: ratio >= 1 + margin; equivalent if it is below alpha.

    `margin` is a fraction (0.01 = 1 %). For a base mean above zero; needs n >= 2 and a spread somewhere.
    """
    import numpy as np

    return np.maximum(not_slower_p(base, other, margin), not_above_p(base, other, margin))
