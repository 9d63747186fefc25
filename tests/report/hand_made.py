"""Comparisons made by hand, so that what shows them is tried without what computes them."""

from statistics import mean, median, stdev

from fwdtui.core.model import Caution
from fwdtui.stats.model import Comparison, Description, Difference, Judged, MinistatResult, ResultSet

BASE = (9658584.0, 9909120.0, 9920131.0, 9909500.0, 9905000.0)
FASTER = (10003670.0, 10049670.0, 10047306.0, 10020000.0, 10049000.0)


def described(one: ResultSet) -> Description:
    v = one.values
    if not v:
        return Description(one.label, 0, None, None, None, None, None)
    return Description(
        one.label, len(v), min(v), max(v), median(v), mean(v), stdev(v) if len(v) > 1 else None
    )


def judged(
    case: str = "inet4",
    base: tuple[float, ...] = BASE,
    other: tuple[float, ...] = FASTER,
    *,
    labels: tuple[str, str] = ("r368287", "r368287 with D27401"),
    percent: float | None = 1.77,
    arm: float | None = 1.42,
    verdict: str = "faster",
    needed: int | None = None,
    warnings: tuple[Caution, ...] = (),
    explanation: tuple[str, ...] = (),
    sentence: str = "improved by 1.77 % ± 1.42 %",
    differs: bool | None = True,
) -> Judged:
    """One comparison whose verdict and interval are whatever the test says."""
    mine, theirs = ResultSet(labels[0], base), ResultSet(labels[1], other)
    a, b = described(mine), described(theirs)
    absolute = None if a.mean is None or b.mean is None else b.mean - a.mean
    ci = None if percent is None or arm is None else (percent - arm, percent + arm)
    scale = (a.mean or 0) / 100
    difference = Difference(
        absolute, percent, ci and (ci[0] * scale, ci[1] * scale), ci, 95.0, 0.026, 0.052, "Welch's t"
    )
    ministat = MinistatResult(differs, 174548.0, 118475.0, 1.77014, 1.22212, 81233.9)
    comparison = Comparison(case, a, b, difference, ministat, verdict, 1.0, 1.9, needed, warnings)
    return Judged(comparison, mine, theirs, sentence, explanation)
