"""Paired by block on logarithms: the other's value over the base's in each block, on the log scale.

d_i = ln(other_i / base_i); Student's t on the n values, n - 1 degrees of freedom (Student 1908). What a whole
block has in common, such as a drift of the lab, cancels in d_i. Limits are exp(mean ± t s / sqrt(n)), so that
the interval of the percentage leaves out 0 exactly when the test rejects. Equivalence is tested against
ln(1 ± margin) (Schuirmann 1987, on logarithms as is usual for ratios: EMA, "Guideline on the investigation of
bioequivalence", 2010, section 4.1.8).

Everything here takes the Moments of the d_i, floats or arrays; where they are NaN the results are.
"""

import math

from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements, critical, lower_p, two_sided_p
from fwdtui.stats.welch import Welch


def percent(logs: Moments) -> Elements:
    """100 (exp(mean) - 1): the ratio of the geometric means, in percent."""
    import numpy as np

    return 100.0 * np.expm1(logs.mean)


def t_of(logs: Moments) -> Elements:
    """Student's t of the mean of the d_i. Needs n >= 2 and a spread."""
    return logs.mean / logs.squared_error**0.5


def p(logs: Moments) -> Elements:
    """Two-sided p that there is no difference."""
    return two_sided_p(t_of(logs), logs.n - 1.0)


def percent_interval(logs: Moments, alpha: float) -> tuple[Elements, Elements]:
    """Both ends at confidence 1 - alpha, in percent of the base; infinite where no double can hold one."""
    import numpy as np

    half = critical(alpha, logs.n - 1.0) * logs.squared_error**0.5
    return 100.0 * np.expm1(logs.mean - half), 100.0 * np.expm1(logs.mean + half)


def not_slower_p(logs: Moments, margin: float) -> Elements:
    """p of H0: ratio <= 1 - margin, one-sided; `margin` is a fraction below 1."""
    return lower_p(-(logs.mean - math.log1p(-margin)) / logs.squared_error**0.5, logs.n - 1.0)


def not_above_p(logs: Moments, margin: float) -> Elements:
    """p of H0: ratio >= 1 + margin, one-sided."""
    return lower_p((logs.mean - math.log1p(margin)) / logs.squared_error**0.5, logs.n - 1.0)


def tost_p(logs: Moments, margin: float) -> Elements:
    """The larger of not_slower_p and not_above_p; equivalent within the margin if it is below alpha."""
    import numpy as np

    return np.maximum(not_slower_p(logs, margin), not_above_p(logs, margin))


def instead(unpaired: Welch, base: Moments, logs: Moments, alpha: float) -> Welch:
    """`unpaired` with the paired test's numbers where there are `logs` (arrays; NaN: not paired).

    Absolute numbers are the percentages of the base's mean, so that both say the same.
    """
    import numpy as np

    paired = ~np.isnan(np.asarray(logs.mean, dtype=float))
    of_base = np.asarray(base.mean) / 100.0
    low, high = percent_interval(logs, alpha)
    p_of_t = p(logs)
    own = (
        percent(logs) * of_base,
        logs.squared_error**0.5 * base.mean,
        logs.n - 1.0,
        t_of(logs),
        p_of_t,
        p_of_t,
        low * of_base,
        high * of_base,
    )
    return Welch(*(np.where(paired, mine, theirs) for mine, theirs in zip(own, unpaired, strict=True)))
