"""What the design of an experiment promises, counted: boots, order, looks, each beside the naive way."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from fwdtui.stats.planning import (
    MOST_ON_A_BOOT,
    Components,
    boots_for_precision,
    components,
    floor,
    iterations_on_a_boot,
)

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
DRAWS = 3000


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(BENCHMARKS))
    names = "error_rates", "design_rates"
    try:
        for name in names:
            spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
            assert spec is not None and spec.loader is not None
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        yield sys.modules["design_rates"]
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in names:
            sys.modules.pop(name, None)


def rows(script, table: str, draws: int = DRAWS) -> dict[str, float]:
    found = list(script.TABLES[table](np.random.default_rng([3, len(table)]), draws))
    assert len({row.what for row in found}) == len(found)
    assert [row.what for row in found if not row.kept] == []
    return {row.what: row.rate for row in found}


def test_means_of_boots_keep_the_error_rate_that_iterations_break(script):
    found = rows(script, "boots")
    naive = [found[f"one boot a side, {n} iterations: false difference"] for n in (5, 10)]
    assert naive == pytest.approx([0.36, 0.53], abs=0.03)
    where = "3 boots of 5, boot SD 1 of the SD within"
    assert found[f"{where}, iterations: false difference"] > 0.25
    assert found[f"{where}, means of boots: false difference"] < 0.05


def test_boots_that_last_longer_than_a_block_are_compared_by_their_means(script):
    found = rows(script, "shared")
    where = "10 blocks, boot SD 2 of the SD within"
    assert found[f"{where}, paired by block: false difference"] > 0.11
    assert found[f"{where}, means of boots: false difference"] < 0.055


def test_a_drift_is_a_difference_in_sequence_and_none_in_blocks(script):
    found = rows(script, "drift")
    assert found["drift of 2 SD, in sequence, unpaired: false difference"] == pytest.approx(0.28, abs=0.03)
    assert found["drift of 2 SD, ABBA, unpaired: false difference"] < 0.03
    assert found["drift of 3 SD, ABBA, paired: false difference"] < 0.06


def test_planned_looks_keep_the_error_rate_that_peeking_breaks(script):
    found = rows(script, "looks", 800)
    assert found["after each of 3 to 30, at 5 %, paired: false difference"] > 0.15


def test_stopping_at_a_precision_errs_little_more(script):
    rows(script, "precision", 400)


# --- planning


def test_the_two_variances_are_told_apart():
    rng = np.random.default_rng(5)
    for sizes in ((5,) * 6, (1, 2, 3, 5, 8, 13)):
        found = []
        for _ in range(1500):
            levels = 1e6 * (1.0 + 0.01 * rng.normal(size=len(sizes)))
            boots = [level + 2e4 * rng.normal(size=n) for level, n in zip(levels, sizes, strict=True)]
            found.append(components([list(map(float, boot)) for boot in boots]))
        assert math.sqrt(np.mean([one.within for one in found])) == pytest.approx(0.02, rel=0.03)
        assert math.sqrt(np.mean([one.between for one in found])) == pytest.approx(0.01, rel=0.3)


def test_the_iterations_on_a_boot_that_are_planned_are_the_cheapest():
    spread, boot_cost, cost = Components(within=0.02**2, between=0.01**2), 60.0, 15.0
    best = iterations_on_a_boot(spread, boot_cost, cost)

    def price(each: int) -> float:  # of a given precision: cost of a boot times the boots it takes
        return (boot_cost + each * cost) * (spread.between + spread.within / each)

    assert best == 4
    assert min(range(1, 31), key=price) == best


def test_where_one_variance_is_missing_the_plan_is_at_an_end_of_the_range():
    assert iterations_on_a_boot(Components(0.01, 0.0), 60, 15) == MOST_ON_A_BOOT
    assert iterations_on_a_boot(Components(0.0, 0.01), 60, 15) == 1
    alone = components([[1e6], [1.01e6], [0.99e6]])
    assert (alone.known, alone.within) == (False, 0.0)
    assert math.sqrt(alone.between) == pytest.approx(0.01, rel=1e-6)
    assert iterations_on_a_boot(alone, 60, 15) == 1


def test_the_boots_that_are_planned_give_the_precision():
    rng = np.random.default_rng(6)
    spread = Components(within=0.01**2, between=0.01**2)
    n = boots_for_precision(spread, 1.0, on_a_boot=2)
    assert n is not None

    def arm(boots: int) -> float:
        sides = [
            0.01 * rng.normal(size=(4000, boots, 1)) + 0.01 * rng.normal(size=(4000, boots, 2)) for _ in "ab"
        ]
        variance = sum(side.mean(axis=2).var(axis=1, ddof=1) for side in sides) / boots

        return 100 * stats.t.ppf(0.975, 2 * (boots - 1)) * math.sqrt(variance.mean())

    assert arm(n) <= 1.01 < arm(n - 1)


def test_the_floor_of_a_lab_is_the_effect_that_is_found_four_times_in_five():
    rng = np.random.default_rng(7)
    found = floor(list(map(float, 0.01 * rng.normal(size=20_000))), 1.0, blocks=8)
    assert found.blocks == 8 and found.difference is not None
    logs = 0.01 * rng.normal(size=(20_000, 8)) + math.log1p(found.difference / 100)
    t = logs.mean(axis=1) / (logs.std(axis=1, ddof=1) / 8**0.5)
    assert np.mean(np.abs(t) > 2.3646) == pytest.approx(0.8, abs=0.05)
    assert found.for_margin == pytest.approx(10, abs=1)
    assert floor([0.001] * 5, 1.0).difference == 0.0
