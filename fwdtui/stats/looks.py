"""Looking at the data more than once: what each planned look may spend of the error rate.

Two looks: a fifth of the error at the first, four fifths at the second (1 % and 4 %), by Bonferroni's
inequality, whatever the dependence. More: Lan & DeMets, "Discrete sequential boundaries for clinical trials",
Biometrika 70 (1983), 659-663, with the spending function of O'Brien and Fleming's type,
alpha(t) = 2 - 2 Phi(z_(alpha/2) / sqrt(t)), t being the share of the blocks and alpha the error of both sides
together (Jennison & Turnbull, "Group Sequential Methods", 2000, section 7.2.1). The boundaries that spend
exactly that come from recursive numerical integration (Armitage, McPherson & Rowe, "Repeated significance
tests on accumulating data", JRSS A 132 (1969), 235-244; Jennison & Turnbull, chapter 19).

They are boundaries of a normal statistic. A t is compared with them through its p: a look at the level
2 - 2 Phi(c) claims what has a smaller p (the significance level approach: Jennison & Turnbull, section
4.4). With few blocks that is an approximation; `benchmarks/design_rates.py --table looks` counts the
error it makes. Equivalence is tested at the same levels.
"""

from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from fwdtui.core.model import Caution
from fwdtui.core.units import counted
from fwdtui.stats.results import Look, ResultSet
from fwdtui.stats.student import special

if TYPE_CHECKING:
    from fwdtui.core.experiment import Plan  # which reads all that lab.toml needs

LEAST = 1e-6
"""No look is at a smaller level: it costs a millionth, and no confidence is shown as 100 %."""

FIRST_OF_TWO = 0.2
"""What the first of two looks spends of the error: 1 % of 5."""

_NODES = 400  # of the quadrature between the boundaries: the levels are good to seven digits
_HALVINGS = 60


def schedule(looks: Sequence[int], blocks: int) -> tuple[int, ...]:
    """The numbers of blocks at which to look, the last being the end."""
    return (*sorted({look for look in looks if 0 < look < blocks}), blocks)


def planned_looks(plan: "Plan") -> tuple[int, ...]:
    """After how many blocks the data are looked at, as each iteration's `Planned.looks` records it."""
    stop = plan.experiment.stop
    return schedule(stop.looks, plan.experiment.blocks) if stop.rule == "looks" else ()


def levels(looks: Sequence[int], alpha: float = 0.05) -> tuple[float, ...]:
    """The level of each look; `looks` as `schedule` gives them. Together they spend `alpha`."""
    if len(looks) == 1:
        return (alpha,)
    if len(looks) == 2:
        return FIRST_OF_TWO * alpha, (1.0 - FIRST_OF_TWO) * alpha
    exact = _by_spending(tuple(look / looks[-1] for look in looks), alpha)
    return tuple(max(_rounded_down(level), LEAST) for level in exact)


def _rounded_down(level: float) -> float:
    """To three digits: the confidence can then be written in full, and nothing more is spent."""
    return float(Decimal(level).quantize(Decimal(1).scaleb(Decimal(level).adjusted() - 2), ROUND_DOWN))


def spent(share: float, alpha: float = 0.05) -> float:
    """What may be spent until `share` of the data are there, 0 < share <= 1 (O'Brien and Fleming's type)."""
    from statistics import NormalDist  # late: most comparisons have no planned looks

    normal = NormalDist()
    return 2.0 * normal.cdf(normal.inv_cdf(alpha / 2.0) / share**0.5)


@lru_cache(maxsize=64)
def _by_spending(shares: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    ndtr = special().ndtr
    return tuple(2.0 * float(ndtr(-limit)) for limit in boundaries(shares, alpha))


def boundaries(
    shares: Sequence[float], alpha: float = 0.05, spending: Callable[[float, float], float] = spent
) -> tuple[float, ...]:
    """The limits of |Z| at ascending shares of the data, so that the chance to cross is spent as allowed.

    `spending`: of a share and `alpha`, what may be spent until then.

    S(t) = Z sqrt(t) is a Brownian motion at these times. Its density among the paths that have not crossed
    is carried from look to look by Gauss-Legendre quadrature.
    """
    import numpy as np
    from numpy.polynomial.legendre import leggauss

    ndtr = special().ndtr
    points, weights = leggauss(_NODES)
    limits: list[float] = []
    at, density = np.zeros(1), np.ones(1)  # before the first look: S = 0 for certain; weights included
    before = done = 0.0
    for share in shares:
        step = (share - before) ** 0.5
        allowed = spending(share, alpha) - done

        def crossing(
            limit: float,
            share: float = share,
            step: float = step,
            at: "np.ndarray[tuple[int], np.dtype[np.float64]]" = at,
            density: "np.ndarray[tuple[int], np.dtype[np.float64]]" = density,
        ) -> float:
            edge = limit * share**0.5
            return float(density @ (ndtr((at - edge) / step) + ndtr((-edge - at) / step)))

        low, high = 0.0, 40.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if crossing(middle) > allowed else (low, middle)
        limits.append(high)
        edge = high * share**0.5
        following = edge * points
        steps = (following[:, None] - at[None, :]) / step
        kernel = np.exp(-0.5 * steps * steps) / (step * (2.0 * np.pi) ** 0.5)
        density = (kernel @ density) * weights * edge
        at, before, done = following, share, done + crossing(high)
    return tuple(limits)


def look_at(looks: Sequence[int], blocks: int, confidence: float = 95.0) -> Look:
    """Which look it is when `blocks` are complete. `looks`: as `schedule` gives them.

    Between two planned looks there is none: who looks all the same gets the level of the look before, or of
    the first, and `on_time` is False.
    """
    number = sum(look <= blocks for look in looks)
    level = levels(looks, (100.0 - confidence) / 100.0)[max(number - 1, 0)]
    on_time = blocks in looks or blocks > looks[-1]
    return Look(number, len(looks), blocks, confidence_of(level), on_time)


def confidence_of(level: float) -> float:
    """In percent: 0.0161 -> 98.39, without the rest that floating-point leaves."""
    return round(100.0 * (1.0 - level), 9)


def share_of(confidence: float) -> str:
    """A confidence in percent with as many digits as it takes to see that it is not 100."""
    digits = 3
    while digits < 12 and float(f"{confidence:.{digits}g}") >= 100.0:
        digits += 1
    return f"{confidence:.{digits}g} %"


def in_words(look: Look) -> str:
    """``looked 2 of 3 times; this look used 98.6 %``"""
    used = share_of(look.confidence)
    if not look.on_time:
        return f"between planned looks ({look.number} of {look.planned} taken), at {used}"
    return f"looked {look.number} of {look.planned} times; this look used {used}"


def looks_of(pairs: Sequence[tuple[str, ResultSet, ResultSet]], confidence: float) -> list[Look | None]:
    """The look at each pair (case, base, other); None where none are planned."""
    return [_look_of(base, other, confidence) for _, base, other in pairs]


def _look_of(base: ResultSet, other: ResultSet, confidence: float) -> Look | None:
    mine, theirs = base.placed, other.placed
    if mine is None or theirs is None or mine.experiment != theirs.experiment or not mine.looks:
        return None
    # a trial that was given up leaves no value, and a block that is not over may have some: if the journal
    # says which blocks are over, the values are not asked
    complete = min(mine.over, theirs.over) or min(max(mine.blocks), max(theirs.blocks))
    look = look_at(schedule(mine.looks, max(mine.looks)), complete, confidence)
    later = max(*mine.blocks, *theirs.blocks) > complete
    return msgspec.structs.replace(look, on_time=False) if later else look


def unplanned_look(look: Look) -> Caution:
    """The warning that this is none of the planned looks."""
    are = "is" if look.blocks == 1 else "are"
    text = (
        f"{counted(look.blocks, 'block')} {are} over, and the values are not those of a planned look: "
        "verdicts at unplanned looks are wrong more often than their confidence says. Wait for the "
        "next planned look."
    )
    return Caution("unplanned-look", text)
