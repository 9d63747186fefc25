"""Are the means different? Welch's t test, which does not assume equal variances.

Welch, "The generalization of 'Student's' problem when several different population variances are involved",
Biometrika 34 (1947), 28-35. Where the sets differ in size the pooled test has to agree (contrast.py).
"""

from typing import NamedTuple

from fwdtui.stats.contrast import arm, degrees_of_freedom, standard_error, with_pooled
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements, lower_p


class Welch(NamedTuple):
    """other - base in the unit of the values; p is two-sided; low and high bound the difference.

    `error`, `df`, `t` and `welch_p` are Welch's own. `p`, `low` and `high` are the larger p and the wider
    interval of Welch's and the pooled test where the sets differ in size.
    """

    difference: Elements
    error: Elements  # standard error of the difference
    df: Elements
    t: Elements
    welch_p: Elements
    p: Elements
    low: Elements
    high: Elements


def welch(base: Moments, other: Moments, alpha: float) -> Welch:
    """Welch's test with its two-sided interval at confidence 1 - alpha.

    Needs n >= 2 in both sets and a spread in at least one of them.
    """
    difference = other.mean - base.mean
    error = standard_error(base, other)
    df = degrees_of_freedom(base, other)
    t = difference / error
    half = arm(base, other, alpha)
    of_one_side = lower_p(-abs(t), df)
    p = 2.0 * with_pooled(of_one_side, abs(difference), base, other)
    return Welch(difference, error, df, t, 2.0 * of_one_side, p, difference - half, difference + half)
