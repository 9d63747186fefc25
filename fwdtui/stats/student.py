"""Student's t, central and noncentral, elementwise.

scipy.special is imported in the functions: it takes 0.2 s, and neither the live screen nor a command that
compares nothing should pay for it. (scipy.stats would take three times as long.)
"""

from typing import Any, TypeAlias

Elements: TypeAlias = Any
"""A float or a numpy array of floats: every formula of this package works element by element on either."""


def lower_p(t: Elements, df: Elements) -> Elements:
    """P(T <= t) for Student's t with `df` degrees of freedom (need not be whole)."""
    from scipy.special import stdtr

    return stdtr(df, t)


def two_sided_p(t: Elements, df: Elements) -> Elements:
    """P(|T| >= |t|). Taken from the lower tail, so that a small p keeps its digits."""
    return 2.0 * lower_p(-abs(t), df)


def critical(alpha: Elements, df: Elements) -> Elements:
    """The t that |T| exceeds with probability `alpha` (two-sided)."""
    from scipy.special import stdtrit

    return -stdtrit(df, alpha / 2.0)


def noncentral_lower_p(t: float, df: float, noncentrality: float) -> float:
    """P(T' <= t) for the noncentral t distribution.

    For t <= 0 it cannot exceed P(T' <= 0), the normal P(Z <= -noncentrality): that bound keeps out a fault of
    the library, which gives 0.002 instead of 1e-60 for df 1, t -12.7 and noncentrality 16.3 (scipy 1.17).
    Where the library gives no number (df near 1 with a noncentrality in the tens of thousands) the normal
    approximation of Abramowitz & Stegun 26.7.10 stands in: there the probability is 0 or 1 but for rounding.
    """
    from scipy.special import nctdtr, ndtr

    p = float(nctdtr(df, noncentrality, t))
    if p != p:
        p = float(ndtr((t * (1.0 - 0.25 / df) - noncentrality) / (1.0 + t * t / (2.0 * df)) ** 0.5))
    most = float(ndtr(-noncentrality)) if t <= 0.0 else 1.0
    return min(max(p, 0.0), most)


def f_two_sided_p(ratio: float, df1: float, df2: float) -> float:
    """Two-sided p of the ratio of two sample variances under equal variances (the F test)."""
    from scipy.special import fdtr, fdtrc

    return min(1.0, 2.0 * min(float(fdtr(df1, df2, ratio)), float(fdtrc(df1, df2, ratio))))
