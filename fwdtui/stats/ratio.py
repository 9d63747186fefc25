"""The difference in percent of the base's mean, with an interval that agrees with Welch's test.

Dividing an interval of the difference by the base's mean would forget that the base's mean is itself
uncertain. Fieller, "Some problems in interval estimation", JRSS B 16 (1954), 175-185, inverts a test
instead: the interval holds every ratio theta for which the contrast other - theta * base is not
significant. Degrees of freedom are Satterthwaite's for that very theta (Hasler & Hothorn 2008, see
contrast.py), so at theta = 1 the test is Welch's: the interval leaves out 0 % exactly when the p of the
difference is below alpha. Where the sets differ in size that is the larger p of Welch's and the pooled test,
at every theta.
"""

from fwdtui.stats.contrast import above_p, pooled_error, pooled_freedom, standard_error
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import Elements, two_sided_p

_DOUBLINGS = 64  # from four standard errors outwards: beyond 2**64 of them there is no useful end
_HALVINGS = 60  # to the last digits of a double


def percent(base: Moments, other: Moments) -> Elements:
    """100 * (mean(other) / mean(base) - 1). For a base mean above zero only."""
    return 100.0 * (other.mean - base.mean) / base.mean


def bounded(base: Moments, other: Moments, alpha: float) -> Elements:
    """Whether the ratio has a bounded interval: the base's mean must itself be significantly above zero.

    That is the test's limit for ever larger ratios, so it is taken with the pooled variance, too, where the
    sets differ in size.
    """
    import numpy as np

    p: Elements = two_sided_p(base.mean / base.squared_error**0.5, base.n - 1.0)
    pooled = pooled_error(base, other) / (1.0 / other.n + 1.0 / base.n) ** 0.5  # the standard deviation
    of_both = two_sided_p(base.mean / (pooled / np.asarray(base.n) ** 0.5), pooled_freedom(base, other))
    p = np.where(np.asarray(base.n) == np.asarray(other.n), p, np.maximum(p, of_both))
    return (base.mean > 0.0) & (p < alpha)


def percent_interval(base: Moments, other: Moments, alpha: float) -> tuple[Elements, Elements]:
    """Both ends of Fieller's interval at confidence 1 - alpha, in percent; NaN where there is none.

    There is none where it is not bounded. With two or three values in a set the degrees of freedom may change
    so fast with theta that the ratios that pass the test fall into two pieces: where that would contradict
    Welch's test at 0 % there is none either.

    Arrays of the moments' shape. Works on the distance w of theta from the observed ratio, w >= 0, because
    the numerator of the test is then w * mean(base): a difference of a millionth keeps all its digits.
    """
    import numpy as np

    with np.errstate(all="ignore"):  # a zero spread divides by zero on the way; the ends are checked below
        base, other = (Moments(*(np.asarray(part, dtype=float) for part in side)) for side in (base, other))
        centre = other.mean / base.mean
        # one row per end; the moments broadcast along it
        direction = np.array([-1.0, 1.0]).reshape(2, *(1 for _ in np.shape(centre)))

        def inside(w: Elements) -> Elements:
            theta = centre + direction * w
            return 2.0 * above_p(w * base.mean, base, other, theta) >= alpha

        near = np.zeros((2, *np.shape(centre)))
        far = near + 4.0 * standard_error(base, other, centre) / base.mean
        # for a candidate that is zero throughout, only the pooled test has an error there
        pooled = 4.0 * pooled_error(base, other, centre) / base.mean
        far = np.where((far == 0.0) & (np.asarray(base.n) != np.asarray(other.n)), pooled, far)
        growing = inside(far)
        for _ in range(_DOUBLINGS):
            if not growing.any():
                break
            far = np.where(growing, 2.0 * far, far)
            growing = growing & inside(far)
        for _ in range(_HALVINGS):
            middle = 0.5 * (near + far)
            within = inside(middle)
            near, far = np.where(within, middle, near), np.where(within, far, middle)
        ends = percent(base, other) + 100.0 * direction * far
        low, high = ends
        no_change = 2.0 * above_p(abs(other.mean - base.mean), base, other)
        agrees = ((low <= 0.0) & (high >= 0.0)) == (no_change >= alpha)
        exists = bounded(base, other, alpha) & ~growing.any(axis=0) & np.isfinite(ends).all(axis=0) & agrees
    return np.where(exists, low, np.nan), np.where(exists, high, np.nan)
