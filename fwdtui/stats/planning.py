"""How many iterations on a boot, and how many boots: from the spread at both levels and what each costs.

Kalibera & Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, sections 6 and 7: T1² is the variance
of iterations within a boot, T2² that of boots, and a mean over n boots of r iterations has the variance
(T2² + T1² / r) / n. Variances here are relative, of values divided by their mean, so that those of sides with
different levels can be compared.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fwdtui.stats.design import mean
from fwdtui.stats.figures import number
from fwdtui.stats.moments import moments
from fwdtui.stats.paired_power import blocks_for_equivalence, blocks_needed, detectable
from fwdtui.stats.pairs import Pair
from fwdtui.stats.power import fewest
from fwdtui.stats.student import critical

MOST_ON_A_BOOT = 30
"""More iterations on a boot are never advised: an hour of them at two minutes each."""


class Components(NamedTuple):
    """Relative variances, both at least 0: of iterations `within` a boot, and `between` boots beyond that.

    `known`: whether any boot has two iterations. If not, the two cannot be told apart, and `between` has all.
    """

    within: float
    between: float
    known: bool = True


def components(boots: Sequence[Sequence[float]]) -> Components:
    """The two variances of one side, from the values of each boot; two boots or more, mean above zero.

    T1² is pooled within boots; T2² = (mean square between - T1²) / n0, with n0 for unequal numbers of
    iterations (one-way analysis of variance with random effects: Searle, Casella & McCulloch, "Variance
    Components", 1992, section 3.6); for equal numbers this is Kalibera and Jones's S2² - S1² / r. An estimate
    below zero is zero.
    """
    level = mean([mean(one) for one in boots])
    scaled = [[value / level for value in one] for one in boots]
    total, freedom = sum(map(len, scaled)), sum(len(one) - 1 for one in scaled)
    centre = math.fsum(value for one in scaled for value in one) / total
    squares = math.fsum(len(one) * (mean(one) - centre) ** 2 for one in scaled)
    of_boots = squares / (len(scaled) - 1)
    if freedom == 0:
        return Components(0.0, of_boots, known=False)
    within = math.fsum(moments(one).variance * (len(one) - 1) for one in scaled) / freedom
    each = (total - sum(len(one) ** 2 for one in scaled) / total) / (len(scaled) - 1)
    return Components(within, max((of_boots - within) / each, 0.0))


def iterations_on_a_boot(spread: Components, boot_cost: float, iteration_cost: float) -> int:
    """r = ceil(sqrt(c_boot / c_iteration * T1² / T2²)), 1 to MOST_ON_A_BOOT: the cheapest for any precision.

    Costs in any common unit, such as seconds: of a reboot with its warm-up, and of one iteration. Where boots
    do not differ beyond their iterations, it is as many as a boot may have.
    """
    if not spread.known or spread.within == 0.0:
        return 1
    if spread.between == 0.0:
        return MOST_ON_A_BOOT
    best = math.sqrt(boot_cost / iteration_cost * spread.within / spread.between)
    return min(max(math.ceil(best), 1), MOST_ON_A_BOOT)


def boots_for_precision(
    spread: Components, percent: float, on_a_boot: int, confidence: float = 95.0
) -> int | None:
    """Boots per side with which the interval of the difference of two such sides is about ± `percent`.

    That is in percent of the base's mean; both sides are taken to spread alike. At least 3, None beyond
    power.MOST_ITERATIONS. The spreads are taken as the true ones: half of the experiments will find a wider
    interval.
    """
    variance = 2.0 * (spread.between + spread.within / on_a_boot)

    def enough(n: int) -> bool:
        arm: float = float(critical(1.0 - confidence / 100.0, 2 * (n - 1))) * math.sqrt(variance / n)
        return 100.0 * arm <= percent

    return fewest(enough)


class Floor(NamedTuple):
    """What a lab can prove at its best, found by comparing one thing with itself (A/A)."""

    blocks: int
    difference: float | None  # percent: the smallest effect that so many blocks find with 80 % power
    for_margin: int | None  # blocks that find the margin with 80 % power
    for_equivalence: int | None  # blocks that prove equality within it, too


def floor(
    log_ratios: Sequence[float],
    margin_percent: float,
    *,
    blocks: int = 0,
    confidence: float = 95.0,
    tests: int = 1,
) -> Floor:
    """The floor of a lab from ln(second / first) of each block of an A/A experiment; two blocks or more.

    `blocks`: of the experiment that is planned; 0: as many as there were. `tests`: how many comparisons it
    will show together (Holm's strictest step). No spread at all: 0 percent.
    """
    of_logs, alpha = moments(log_ratios), (100.0 - confidence) / 100.0 / tests
    n = blocks or len(log_ratios)
    if of_logs.variance == 0.0:
        return Floor(n, 0.0, None, None)
    effect = detectable(of_logs._replace(n=n), alpha)
    margin = margin_percent / 100.0
    needed = blocks_needed(margin, of_logs, alpha)
    equal = None if needed is None else blocks_for_equivalence(margin, of_logs, alpha, 3)
    return Floor(n, 100.0 * math.expm1(effect) if effect < 100.0 else None, needed, equal)


def of_pair(pair: Pair) -> tuple[Components, Components] | None:
    """The two variances of both sides; None unless both ran on several boots, one with several iterations."""
    sides = []
    for side, units in ((pair.base, pair.design.base), (pair.other, pair.design.other)):
        if len(units.boots) < 2 or max(units.sizes, default=1) < 2 or min(side.values) <= 0.0:
            return None
        held: dict[str | None, list[float]] = {}
        for boot, value in zip(side.boots, side.values, strict=True):
            held.setdefault(boot, []).append(value)
        sides.append(components(list(held.values())))
    return sides[0], sides[1]


def spread_in_words(pair: Pair) -> str:
    """``Spread: r1: 0.80 % from boot to boot, 0.52 % within a boot; ...``; "" if the two are not known."""
    both = of_pair(pair)
    if both is None or not all(one.known for one in both):
        return ""
    told = [
        f"{side.label}: {_percent(one.between)} from boot to boot, {_percent(one.within)} within a boot"
        for side, one in zip((pair.base, pair.other), both, strict=True)
    ]
    return f"Spread: {'; '.join(told)} (Kalibera and Jones)"


def _percent(variance: float) -> str:
    return f"{number(100.0 * variance**0.5, 2)} %"
