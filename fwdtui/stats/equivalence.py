"""Is the difference smaller than the margin? Two one-sided tests on the ratio of the means.

Schuirmann, "A comparison of the two one-sided tests procedure and the power approach ...", J.
Pharmacokinetics and Biopharmaceutics 15 (1987), 657-680; on a ratio of means as linear contrasts: Hauschke,
Kieser, Diletti & Burke, "Sample size determination for proving equivalence based on the ratio of two means
for normally distributed data", Statistics in Medicine 18 (1999), 93-105.
"""

from fwdtui.stats.contrast import degrees_of_freedom, standard_error
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements, lower_p


def tost_p(base: Moments, other: Moments, margin: float) -> Elements:
    """The larger p of H0: ratio <= 1 - margin and H0: ratio >= 1 + margin; `margin` is a fraction (0.01 = 1
    %).

    Equivalent when it is below alpha. For a base mean above zero; needs n >= 2 and a spread somewhere.
    """
    import numpy as np

    difference, bound = other.mean - base.mean, margin * base.mean
    low, high = 1.0 - margin, 1.0 + margin
    above_low = (difference + bound) / standard_error(base, other, low)
    above_high = (difference - bound) / standard_error(base, other, high)
    return np.maximum(
        lower_p(-above_low, degrees_of_freedom(base, other, low)),
        lower_p(above_high, degrees_of_freedom(base, other, high)),
    )
