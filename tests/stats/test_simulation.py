"""What the verdicts promise, counted: seeded draws through the functions that the product runs.

A bound that names a Monte-Carlo error computes it from the number of draws; nothing is loosened by hand.
"""

import os

import numpy as np
import pytest

from fwdtui.stats.cautions import set_cautions, unequal_spread
from fwdtui.stats.describe import describe
from fwdtui.stats.equivalence import tost_p
from fwdtui.stats.gate import Gate, gate
from fwdtui.stats.moments import Moments, moments
from fwdtui.stats.outliers import groups, outliers
from fwdtui.stats.pair_cautions import pair_cautions
from fwdtui.stats.power import (
    POWER,
    RANGE,
    detectable,
    exact_power,
    iterations_for_equivalence,
    iterations_needed,
    to_decide,
)
from fwdtui.stats.ratio import percent_interval
from fwdtui.stats.results import ResultSet
from fwdtui.stats.student import two_sided_p
from fwdtui.stats.verdict import judge
from fwdtui.stats.welch import welch

ALPHA = 0.05
DRAWS = 60_000 if os.environ.get("FWDTUI_RANDOM") else 20_000
MEAN = 1e6  # packets per second


def draw(rng: np.random.Generator, n: int, mean, sd, *shape: int) -> np.ndarray:
    """Normal sets of n values along the last axis."""
    return rng.normal(size=(*shape, n)) * np.asarray(sd)[..., None] + np.asarray(mean)[..., None]


def moments_of(values: np.ndarray) -> Moments:
    return Moments(values.shape[-1], values.mean(axis=-1), values.var(axis=-1, ddof=1))


def drawn(rng: np.random.Generator, n: int, mean, sd, *shape: int) -> Moments:
    """Moments of normal sets, without the sets: their mean and variance are independent."""
    means = np.asarray(mean) + np.asarray(sd) / n**0.5 * rng.normal(size=shape)
    return Moments(n, means, np.asarray(sd) ** 2 / (n - 1) * rng.chisquare(n - 1, size=shape))


def error_of(rate: float, draws: int) -> float:
    """Three standard errors of a rate that was counted in so many draws."""
    return 3.0 * (rate * (1.0 - rate) / draws) ** 0.5


def test_the_moments_drawn_here_are_those_the_product_computes():
    values = draw(np.random.default_rng(1), 5, MEAN, 1e4, 50)
    for one, mean, variance in zip(values, *moments_of(values)[1:], strict=True):
        assert moments(list(one))[1:] == pytest.approx((mean, variance), rel=1e-9)


# --- Welch


@pytest.mark.parametrize(
    ("n1", "n2", "sd1", "sd2"), [(5, 5, 1, 1), (5, 5, 5, 1), (5, 20, 5, 1), (5, 20, 1, 5)]
)
def test_the_interval_of_the_difference_covers_the_truth_as_often_as_it_says(n1, n2, sd1, sd2):
    rng = np.random.default_rng([2, n1, n2, sd1, sd2])
    found = welch(drawn(rng, n1, 100.0, sd1, DRAWS), drawn(rng, n2, 103.0, sd2, DRAWS), ALPHA)
    coverage = np.mean((found.low <= 3.0) & (found.high >= 3.0))
    assert coverage >= 0.943
    if n1 == n2 or sd1 > sd2:  # else the pooled test, which has to agree, is the stricter one
        assert coverage <= 0.959


def test_the_pooled_test_fails_where_the_smaller_set_spreads_more_and_welch_does_not():
    rng = np.random.default_rng(3)
    base, other = drawn(rng, 5, 100.0, 5.0, DRAWS), drawn(rng, 20, 100.0, 1.0, DRAWS)
    pooled = (4 * base.variance + 19 * other.variance) / 23
    t = (other.mean - base.mean) / (pooled * (1 / 5 + 1 / 20)) ** 0.5
    assert np.mean(two_sided_p(t, 23.0) < ALPHA) == pytest.approx(0.34, abs=0.01)
    assert np.mean(welch(base, other, ALPHA).p < ALPHA) < 0.055


# --- Fieller


@pytest.mark.parametrize(
    ("n1", "n2", "cv1", "cv2", "change"),
    [(5, 5, 0.03, 0.03, 30.0), (5, 10, 0.01, 0.05, 0.0), (5, 5, 0.1, 0.02, -40.0)],
)
def test_the_interval_of_the_percentage_covers_the_truth_as_often_as_it_says(n1, n2, cv1, cv2, change):
    # its ends are searched for sixty times; the bounds are as they would be for more draws
    rng, draws, ratio = np.random.default_rng([4, n1, n2]), DRAWS * 2 // 5, 1.0 + change / 100.0
    low, high = percent_interval(
        drawn(rng, n1, MEAN, MEAN * cv1, draws),
        drawn(rng, n2, MEAN * ratio, MEAN * ratio * cv2, draws),
        ALPHA,
    )
    assert not np.isnan(low).any()
    coverage = np.mean((low <= change) & (high >= change))
    assert coverage >= 0.943
    if n1 == n2:
        assert coverage <= 0.959


# --- the gate

EQUAL = (1.0,) * 7
MIXED = (1.0, 1.0, 1.5, 2.0, 2.0, 3.0, 5.0)  # as unequal as published sets are: a third beyond 2


def families(
    seed: int, n1: int, n2: int, ratios, draws: int, sd: float = 5e3
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([5, seed, n1, n2])
    return draw(rng, n1, MEAN, sd, draws, 7), draw(rng, n2, MEAN, sd * np.array(ratios), draws, 7)


def claims(base: np.ndarray, other: np.ndarray) -> Gate:
    return gate(moments_of(base), moments_of(other), 0.01, ALPHA)


@pytest.mark.parametrize("ratios", [EQUAL, MIXED], ids=["equal", "mixed"])
@pytest.mark.parametrize(("n1", "n2"), [(5, 5), (10, 10)])
def test_seven_cases_without_a_difference_rarely_give_a_false_claim(n1, n2, ratios):
    found = claims(*families(1, n1, n2, ratios, DRAWS))
    assert np.mean((found.faster | found.slower).any(axis=-1)) <= 0.055
    assert np.mean(found.different.any(axis=-1)) <= 0.055  # small-but-real is a claim, too
    assert np.mean((found.welch.p < ALPHA).any(axis=-1)) > 0.2, "without the correction one in five would"


@pytest.mark.parametrize("cases", [7, 30])
@pytest.mark.parametrize(("n1", "n2"), [(3, 10), (3, 20), (5, 20), (5, 50), (20, 5), (8, 10)])
def test_sets_of_unequal_size_keep_the_promise(n1, n2, cases):
    # Welch's test alone: 16 % of the reports at 3/20 with seven cases, 33 % with thirty
    rng = np.random.default_rng([13, n1, n2, cases])
    draws = 70_000 // cases
    base, other = drawn(rng, n1, MEAN, 5e3, draws, cases), drawn(rng, n2, MEAN, 5e3, draws, cases)
    found = gate(base, other, 0.01, ALPHA)
    assert np.mean(found.different.any(axis=-1)) <= ALPHA + error_of(ALPHA, draws)
    at_margin = other._replace(mean=other.mean * 1.01)
    found = gate(base, at_margin, 0.01, ALPHA)
    assert np.mean(found.equivalent.any(axis=-1)) <= ALPHA + error_of(ALPHA, draws)


@pytest.mark.parametrize(("n1", "n2"), [(5, 5), (10, 10), (5, 20), (3, 20)])
def test_a_loss_as_large_as_the_margin_is_rarely_ruled_out(n1, n2):
    rng, draws = np.random.default_rng([14, n1, n2]), 40_000
    base, other = drawn(rng, n1, MEAN, 3e3, draws, 7), drawn(rng, n2, MEAN * 0.99, 3e3, draws, 7)
    found = gate(base, other, 0.01, ALPHA)
    assert np.mean(found.not_slower.any(axis=-1)) <= ALPHA + error_of(ALPHA, draws)


@pytest.mark.parametrize("ratio", [3.0, 5.0])
def test_a_known_limit_spreads_of_three_or_five_to_one_in_all_cases_cost_up_to_seven_percent(ratio):
    # Satterthwaite's degrees of freedom are too many, far out in the tail, when five values estimate them
    found = claims(*families(2, 5, 5, (ratio,) * 7, DRAWS))
    assert 0.055 < np.mean(found.different.any(axis=-1)) < 0.072


def test_the_verdicts_are_the_gates():
    # quiet to noisy cases, so that all four verdicts occur
    spreads = np.array([0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0]) * 1e3
    rng = np.random.default_rng(6)
    base = draw(rng, 5, MEAN, spreads, 60, 7)
    other = draw(rng, 5, MEAN * rng.choice([0.97, 1.0, 1.004, 1.05], size=(60, 7)), spreads, 60, 7)
    found = claims(base, other)
    seen = set()
    for family in range(60):
        sides = zip(base[family].tolist(), other[family].tolist(), strict=True)
        pairs = [("case", ResultSet("old", tuple(old)), ResultSet("new", tuple(new))) for old, new in sides]
        for case, judged in enumerate(judge(pairs)):
            at = family, case
            expected = (
                "faster" if found.faster[at]
                else "slower" if found.slower[at]
                else "equivalent" if found.equivalent[at]
                else "inconclusive"
            )  # fmt: skip
            assert judged.comparison.verdict == expected
            assert judged.comparison.difference.p_adjusted == pytest.approx(found.p_adjusted[at], rel=1e-6)
            seen.add(expected)
    assert seen == {"faster", "slower", "equivalent", "inconclusive"}


# --- equivalence


@pytest.mark.parametrize("ratio", [0.99, 1.01])
@pytest.mark.parametrize(("n", "cv"), [(5, 0.003), (5, 0.001), (10, 0.005), (20, 0.01)])
def test_a_difference_as_large_as_the_margin_is_rarely_called_equivalent(ratio, n, cv):
    rng = np.random.default_rng([7, n])
    base, other = drawn(rng, n, MEAN, MEAN * cv, DRAWS), drawn(rng, n, MEAN * ratio, MEAN * cv, DRAWS)
    size = np.mean(tost_p(base, other, 0.01) < ALPHA)
    assert size <= ALPHA + error_of(ALPHA, DRAWS)


def test_spreads_of_five_to_one_cost_equivalence_a_quarter_of_a_percent():
    rng = np.random.default_rng(8)
    base, other = drawn(rng, 5, MEAN, MEAN * 0.005, DRAWS), drawn(rng, 5, MEAN * 1.01, MEAN * 0.001, DRAWS)
    assert np.mean(tost_p(base, other, 0.01) < ALPHA) <= 0.0525 + error_of(0.0525, DRAWS)


# --- power


@pytest.mark.parametrize(
    ("cv1", "cv2", "shown"),
    [(1, 1, 1), (0.3, 0.3, 1), (0.5, 0.5, 1), (0.2, 0.6, 1), (1, 3, 1), (1, 1, 7)],
)
def test_the_iterations_needed_find_the_margin_four_times_in_five_and_one_less_does_not(cv1, cv2, shown):
    alpha = ALPHA / shown
    truth = Moments(5, 100.0, cv1**2), Moments(5, 101.0, cv2**2)
    n = iterations_needed(1.0, *truth, alpha)
    assert n is not None
    rng, draws = np.random.default_rng([9, n, shown]), min(DRAWS, 3_000_000 // n)
    counted = {}
    for size in (n, n - 1):
        found = welch(drawn(rng, size, 100.0, cv1, draws), drawn(rng, size, 101.0, cv2, draws), alpha)
        counted[size] = np.mean(found.p < alpha)
        promised = exact_power(1.0, truth[0]._replace(n=size), truth[1]._replace(n=size), alpha)
        assert counted[size] == pytest.approx(promised, abs=error_of(promised, draws))
    assert counted[n] >= POWER - error_of(POWER, draws)
    assert counted[n - 1] < POWER + error_of(POWER, draws)


def test_the_detectable_difference_is_found_nearly_four_times_in_five():
    # planning figure of the noncentral t (2.02 times the CV): five values estimate their degrees of freedom
    size = detectable(Moments(5, 100.0, 1.0), Moments(5, 100.0, 1.0), ALPHA)
    rng, draws = np.random.default_rng(10), 200_000
    found = welch(drawn(rng, 5, 100.0, 1.0, draws), drawn(rng, 5, 100.0 + size, 1.0, draws), ALPHA)
    assert 0.775 < np.mean(found.p < ALPHA) < 0.8


@pytest.mark.parametrize(("n1", "n2"), [(5, 20), (3, 10)])
def test_the_detectable_difference_is_found_by_sets_of_unequal_size(n1, n2):
    size = detectable(Moments(n1, 100.0, 1.0), Moments(n2, 100.0, 1.0), ALPHA)
    rng = np.random.default_rng([16, n1])
    found = welch(drawn(rng, n1, 100.0, 1.0, DRAWS), drawn(rng, n2, 100.0 + size, 1.0, DRAWS), ALPHA)
    assert 0.7 < np.mean(found.p < ALPHA) < 0.85


@pytest.mark.parametrize("cv", [0.3, 0.5, 1.0, 2.0])
def test_equal_means_are_proven_equal_four_times_in_five_by_the_iterations_for_equivalence(cv):
    truth = Moments(5, 100.0, cv**2)
    n = iterations_for_equivalence(1.0, truth, truth, ALPHA)
    rng, draws = np.random.default_rng([17, n]), min(DRAWS, 3_000_000 // n)
    p = tost_p(drawn(rng, n, 100.0, cv, draws), drawn(rng, n, 100.0, cv, draws), 0.01)
    assert POWER - 0.02 < np.mean(p < ALPHA) < 0.9


@pytest.mark.parametrize(("n", "cv"), [(5, 2.0), (5, 4.0), (10, 2.0)])
def test_the_range_of_the_iterations_that_decide_holds_the_true_need_as_often_as_it_says(n, cv):
    truth = Moments(n, 100.0, cv**2)
    needed = iterations_needed(1.0, truth, truth, ALPHA)
    true = to_decide(needed, 1.0, truth, truth, ALPHA)[0]
    rng, draws = np.random.default_rng([18, n]), 600
    held = 0
    for one, two in draw(rng, n, 100.0, cv, draws, 2).tolist():
        base, other = moments(one), moments(two)
        needed = iterations_needed(1.0, base, other, ALPHA)
        _, low, high = to_decide(needed, 1.0, base, other, ALPHA)
        held += low <= true <= high
    assert held / draws == pytest.approx(RANGE, abs=error_of(RANGE, draws) + 0.03)


# --- cautions


ABOUT_THE_NUMBER_OF_VALUES = {"few-iterations", "tiny-set", "unequal-n"}


def accused(rng: np.random.Generator, n: int, pairs: int, shown: int) -> list[set[str]]:
    """The codes of the warnings about clean, normal pairs of sets."""
    found = []
    for values in draw(rng, n, MEAN, 5e3, pairs, 2).tolist():
        base, other = (ResultSet(label, tuple(side)) for label, side in zip(("a", "b"), values, strict=True))
        of_base, of_other = describe(base), describe(other)
        told = [*set_cautions(base, of_base, 1.0, shown), *set_cautions(other, of_other, 1.0, shown)]
        told += [*unequal_spread(of_base, of_other, shown), *pair_cautions(base, other, shown)]
        found.append({one.code for one in told} - ABOUT_THE_NUMBER_OF_VALUES)
    return found


@pytest.mark.parametrize("n", [3, 4, 5, 6, 10, 15, 50])
def test_clean_data_is_rarely_accused(n):
    pairs = 10_000 if n <= 10 else 2000
    found = accused(np.random.default_rng([11, n]), n, pairs, 1)
    for code in set().union(*found):
        assert np.mean([code in one for one in found]) <= 0.01 + error_of(0.01, pairs), code
    assert np.mean([bool(one) for one in found]) <= 0.05


@pytest.mark.parametrize("n", [5, 10])
def test_nor_is_a_report_of_thirty_clean_cases(n):
    pairs = 3000
    found = accused(np.random.default_rng([15, n]), n, pairs, 30)
    assert np.mean([bool(one) for one in found]) <= (0.05 + error_of(0.05, pairs // 30)) / 30


@pytest.mark.parametrize("n", [5, 10, 30])
def test_what_is_really_wrong_is_found(n):
    rng = np.random.default_rng([12, n])
    sets = draw(rng, n, MEAN, 1e3, 500)
    lump, modes, warming = sets.copy(), sets.copy(), sets.copy()
    lump[:, n // 2] -= 5e4
    modes[:, ::2] += 5e4
    warming += np.linspace(0.0, 2e4, n)
    assert np.mean([bool(outliers(values, 1.0)) for values in lump.tolist()]) > 0.9
    assert np.mean([groups(values, 1.0) is not None for values in modes.tolist()]) > 0.9
    told = [
        set_cautions(one, describe(one), 1.0) for one in (ResultSet("a", tuple(v)) for v in warming.tolist())
    ]
    assert np.mean(["drift" in {one.code for one in each} for each in told]) > 0.9
