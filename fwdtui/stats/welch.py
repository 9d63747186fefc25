"""Are the means different? Welch's t test, which does not assume equal variances.

Welch, "The generalization of 'Student's' problem when several different population variances are involved",
Biometrika 34 (1947), 28-35.
"""

from typing import NamedTuple

from fwdtui.stats.contrast import degrees_of_freedom, standard_error
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements, critical, two_sided_p


class Welch(NamedTuple):
    """other - base in the unit of the values; p is two-sided; low and high bound the difference."""

    difference: Elements
    error: Elements  # standard error of the difference
    df: Elements
    t: Elements
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
    arm = critical(alpha, df) * error
    return Welch(difference, error, df, t, two_sided_p(t, df), difference - arm, difference + arm)
