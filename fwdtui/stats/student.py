"""Student's t, central and noncentral, elementwise.

scipy is imported when first used: neither the live screen nor a command that compares nothing should pay for
it. (scipy.stats would take ten times as long.)
"""

import sys
from functools import cache
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Any, TypeAlias

Elements: TypeAlias = Any
"""A float or a numpy array of floats: every formula of this package works element by element on either."""


_SPECIAL = "scipy.special"
_USED = ("betaincinv", "chdtri", "fdtr", "fdtrc", "gammainc", "nctdtr", "ndtr", "ndtri", "stdtr", "stdtrit")
_one_at_a_time = Lock()


@cache
def special() -> Any:
    """The functions of scipy.special. (An import in each function took a tenth of many comparisons.)

    Only its compiled ones: the package around them, which adapts them to other array libraries, takes ten
    times as long to import. Where scipy keeps them elsewhere, the whole package is imported.
    """
    with _one_at_a_time:
        return sys.modules.get(_SPECIAL) or _compiled() or import_module(_SPECIAL)


def _compiled() -> ModuleType | None:
    """scipy.special._ufuncs without its package, for which an empty one stands in meanwhile."""
    import scipy

    package = ModuleType(_SPECIAL)
    package.__path__ = [f"{folder}/special" for folder in scipy.__path__]
    sys.modules[_SPECIAL] = package
    try:
        functions = import_module(f"{_SPECIAL}._ufuncs")
    except ImportError:
        return None
    finally:
        del sys.modules[_SPECIAL]  # a later import gets the real one
    return functions if all(hasattr(functions, name) for name in _USED) else None


def lower_p(t: Elements, df: Elements) -> Elements:
    """P(T <= t) for Student's t with `df` degrees of freedom (need not be whole)."""
    return special().stdtr(df, t)


def two_sided_p(t: Elements, df: Elements) -> Elements:
    """P(|T| >= |t|). Taken from the lower tail, so that a small p keeps its digits."""
    return 2.0 * lower_p(-abs(t), df)


def critical(alpha: Elements, df: Elements) -> Elements:
    """The t that |T| exceeds with probability `alpha` (two-sided)."""
    return -special().stdtrit(df, alpha / 2.0)


FAR = 100.0  # noncentrality from which the normal part of a noncentral t no longer matters
OTHER_TAIL = 6.0  # and from which the tail on the other side is below 1e-9


def noncentral_beyond(limit: float, df: float, noncentrality: float) -> float:
    """P(|T'| >= limit) for the noncentral t distribution; limit > 0, noncentrality >= 0.

    The upper tail is taken as the mirrored lower one, which keeps its digits. The other tail is at most
    P(Z <= -noncentrality): that bound keeps out faults of the library, which gives 0.002 instead of 1e-60
    for df 1, t -12.7 and noncentrality 16.3, and NaN elsewhere (scipy 1.17). Far out the library is slow and
    then gives NaN, too; there T' is the noncentrality divided by sqrt(chi²/df), within 1e-4.
    """
    if limit <= 0.0:  # the one-sided limit at a confidence of 50 %
        return 1.0
    if noncentrality > FAR:
        return float(special().gammainc(df / 2.0, df / 2.0 * (noncentrality / limit) ** 2))
    nctdtr = special().nctdtr
    beyond = float(nctdtr(df, -noncentrality, -limit))
    if noncentrality < OTHER_TAIL:
        other_tail, bound = float(nctdtr(df, noncentrality, -limit)), float(special().ndtr(-noncentrality))
        beyond += other_tail if other_tail <= bound else bound  # also where it is NaN
    return min(beyond, 1.0)


def is_beyond(limit: float, df: float, noncentrality: float, chance: float) -> bool:
    """Whether `noncentral_beyond` is `chance` or more (below 1); the other tail is rarely computed."""
    if limit > 0.0 and noncentrality < OTHER_TAIL:
        upper = float(special().nctdtr(df, -noncentrality, -limit))
        if upper >= chance:
            return True
        if upper + float(special().ndtr(-noncentrality)) < chance:
            return False
    return noncentral_beyond(limit, df, noncentrality) >= chance


def f_two_sided_p(ratio: float, df1: float, df2: float) -> float:
    """Two-sided p of the ratio of two sample variances under equal variances (the F test)."""
    lower, upper = special().fdtr(df1, df2, ratio), special().fdtrc(df1, df2, ratio)
    return min(1.0, 2.0 * min(float(lower), float(upper)))
