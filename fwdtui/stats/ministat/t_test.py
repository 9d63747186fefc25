"""ministat's comparison of two sets: a pooled Student's t, in its order of operations."""

from typing import NamedTuple

from fwdtui.stats.ministat.inputs import FLAVOURS
from fwdtui.stats.ministat.tables import student
from fwdtui.stats.ministat.vitals import Vitals, divide, root


class TTest(NamedTuple):
    """`other` against `base`: the difference of the means and its error, absolute and in percent of base.

    `differs` iff the difference exceeds the error. As C has them, numbers can be NaN or infinite: a mean of
    zero has no percent.
    """

    differs: bool
    absolute: float
    error: float
    percent: float
    percent_error: float
    pooled_s: float


def t_test(base: Vitals, other: Vitals, confidence: float, flavour: str = "current") -> TTest:
    """How `other` differs from `base` at `confidence`, one of tables.CONFIDENCES."""
    freedom = other.n + base.n - 2
    t = student(confidence, freedom)
    pooled = root(((other.n - 1) * other.variance + (base.n - 1) * base.variance) / freedom)
    absolute = other.mean - base.mean
    error = t * (pooled * root(1.0 / other.n + 1.0 / base.n))
    relative = _propagated(base, other, t) if FLAVOURS[flavour].propagated else error
    return TTest(
        abs(absolute) > error,
        absolute,
        error,
        divide(absolute * 100, base.mean),
        divide(relative * 100, base.mean),
        pooled,
    )


def _propagated(base: Vitals, other: Vitals, t: float) -> float:
    """The error of the ratio of the means, in the unit of base; base's spread is scaled to other's mean."""
    n1, n2 = other.n, base.n
    spread = (n1 - 1) * other.variance + divide(
        (n2 - 1) * base.variance * (other.mean * other.mean), base.mean * base.mean
    )
    spread *= (n1 + n2) / (n1 * n2 * (n1 + n2 - 2.0))
    return t * root(spread)
