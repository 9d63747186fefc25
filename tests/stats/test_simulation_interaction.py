"""What the verdicts on interactions promise, counted: seeded draws through the functions that decide them.

A bound that names a Monte-Carlo error computes it from the number of draws; nothing is loosened by hand.
"""

import os
from collections.abc import Sequence

import numpy as np
import pytest

from fwdtui.stats.gate import gate
from fwdtui.stats.interaction import RatioOfRatios, Square, ratio_of_ratios
from fwdtui.stats.moments import Moments
from fwdtui.stats.student import two_sided_p

ALPHA, MARGIN = 0.05, 0.01
DRAWS = 60_000 if os.environ.get("FWDTUI_RANDOM") else 20_000
MEAN = 1e6


def error_of(rate: float, draws: int) -> float:
    """Three standard errors of a rate that was counted in so many draws."""
    return 3.0 * (rate * (1.0 - rate) / draws) ** 0.5


def drawn(rng: np.random.Generator, n: int, mean: float, spread: float, *shape: int) -> Moments:
    """Moments of normal sets, without the sets: their mean and variance are independent."""
    means = mean * (1.0 + spread / n**0.5 * rng.normal(size=shape))
    return Moments(n, means, (mean * spread) ** 2 / (n - 1) * rng.chisquare(n - 1, size=shape))


def four(
    seed: Sequence[int], sizes: Sequence[int], spreads: Sequence[float], ratio: float = 1.0
) -> RatioOfRatios:
    """A loss of 45 % at the first level, and `ratio` times as much at the second."""
    rng = np.random.default_rng(seed)
    means = MEAN, 0.55 * MEAN, MEAN, 0.55 * MEAN * ratio
    sets = [drawn(rng, n, mean, cv, DRAWS) for n, mean, cv in zip(sizes, means, spreads, strict=True)]
    return ratio_of_ratios(Square(*sets))


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(
    ("n", "spreads"),
    [(5, (0.005,) * 4), (5, (0.025, 0.005, 0.005, 0.005)), (10, (0.05,) * 4), (5, (0.05,) * 4)],
    ids=["quiet", "one set five times as wide", "5 %", "5 %, n = 5"],
)
def test_the_interval_covers_the_truth_as_often_as_it_says(
    n: int, spreads: tuple[float, ...], ratio: float
) -> None:
    low, high = four([1, n], (n,) * 4, spreads, ratio).interval(ALPHA)
    coverage = np.mean((low <= np.log(ratio)) & (high >= np.log(ratio)))
    assert 0.943 - 0.002 * (spreads[0] == 0.025) <= coverage <= 0.959


UNEQUAL = [(3, 20, 20, 3), (3, 20, 20, 20), (3, 3, 20, 20), (5, 20, 5, 20), (3, 10, 10, 10), (8, 10, 10, 8)]


@pytest.mark.parametrize("sizes", [(3,) * 4, (5,) * 4, (10,) * 4, *UNEQUAL], ids=str)
def test_without_an_interaction_one_is_rarely_claimed_nor_sameness_at_the_margin(
    sizes: tuple[int, ...],
) -> None:
    assert np.mean(four([2, *sizes], sizes, (0.005,) * 4).p() < ALPHA) <= ALPHA + error_of(ALPHA, DRAWS)
    for ratio in (1.0 + MARGIN, 1.0 / (1.0 + MARGIN)):
        same = four([3, *sizes], sizes, (0.003,) * 4, ratio).same_p(MARGIN) < ALPHA
        assert np.mean(same) <= ALPHA + error_of(ALPHA, DRAWS)


def test_welchs_test_alone_would_err_with_three_against_twenty() -> None:
    found, shown = four([4], (3, 20, 20, 20), (0.005,) * 4), 8
    alone = np.mean(two_sided_p(found.value / found.error, found.df) < ALPHA / shown)
    assert shown * alone > 2.0 * ALPHA, "as the smallest of eight p is compared by Holm"
    assert shown * np.mean(found.p() < ALPHA / shown) < ALPHA


@pytest.mark.parametrize("change", [1.0, 0.55], ids=["no difference", "the same loss everywhere"])
@pytest.mark.parametrize("n", [3, 5, 10])
def test_a_report_with_its_interactions_rarely_makes_a_false_claim(n: int, change: float) -> None:
    """A 2x2x2: four comparisons and the four interactions of their pairs."""
    rng, places = np.random.default_rng([5, n]), np.array([(0, 2), (1, 3), (0, 1), (2, 3)])
    sides = [drawn(rng, n, mean, 0.005, DRAWS, 4) for mean in (MEAN, MEAN * change)]
    corners = [Moments(n, side.mean[:, at], side.variance[:, at]) for at in places.T for side in sides]
    found = gate(*sides, MARGIN, ALPHA, interactions=ratio_of_ratios(Square(*corners)))
    assert found.interactions is not None
    wrong = found.interactions.depends.any(axis=-1)
    if change == 1.0:
        wrong |= found.different.any(axis=-1)
    assert np.mean(wrong) <= ALPHA + error_of(ALPHA, DRAWS)


@pytest.mark.parametrize("change", [1.0, 0.55], ids=["no difference", "the same loss everywhere"])
@pytest.mark.parametrize("n", [3, 5, 10])
def test_several_candidates_and_levels_against_the_first_rarely_make_a_false_claim(
    n: int, change: float
) -> None:
    """Three sides at four levels: eight comparisons with one baseline, six interactions with its first."""
    rng = np.random.default_rng([6, n])
    base, *others = (drawn(rng, n, MEAN * by, 0.005, DRAWS, 4) for by in (1.0, change, change))
    places = [(other, level) for other in range(2) for level in range(4)]
    bases = Moments(n, base.mean[:, [p[1] for p in places]], base.variance[:, [p[1] for p in places]])
    theirs = Moments(n, np.hstack([one.mean for one in others]), np.hstack([one.variance for one in others]))
    first = [places.index((other, 0)) for other in (0, 0, 0, 1, 1, 1)]
    second = [places.index((other, level)) for other in range(2) for level in (1, 2, 3)]
    corners = [
        Moments(n, side.mean[:, at], side.variance[:, at])
        for at in (first, second)
        for side in (bases, theirs)
    ]
    found = gate(bases, theirs, MARGIN, ALPHA, interactions=ratio_of_ratios(Square(*corners)))
    assert found.interactions is not None and found.interactions.depends.shape == (DRAWS, 6)
    wrong = found.interactions.depends.any(axis=-1)
    if change == 1.0:
        wrong |= found.different.any(axis=-1)
    assert np.mean(wrong) <= ALPHA + error_of(ALPHA, DRAWS)
