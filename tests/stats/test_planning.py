"""How many iterations and boots are advised, and what a lab can prove: by hand, without a simulation."""

import pytest

from fwdtui.stats.pairs import prepare
from fwdtui.stats.planning import (
    MOST_ON_A_BOOT,
    Components,
    boots_for_precision,
    components,
    floor,
    of_pair,
    spread_in_words,
)
from fwdtui.stats.planning import iterations_on_a_boot as on_a_boot
from fwdtui.stats.results import ResultSet


def test_the_two_variances_are_those_of_a_one_way_analysis():
    """Boots of 98, 102 and 104, 108 about 103: squares 16 within, 36 between, so 8 and (36 - 8) / 2."""
    found = components([[98.0, 102.0], [104.0, 108.0]])
    assert found.known
    assert found.within == pytest.approx(8.0 / 103.0**2)
    assert found.between == pytest.approx(14.0 / 103.0**2)


def test_boots_of_unequal_numbers_of_iterations_count_by_their_numbers():
    """Of 3 and 1 iterations n0 is (4 - 10 / 4) / 1 = 1.5; the level is that of the boots, 105."""
    found = components([[98.0, 100.0, 102.0], [110.0]])
    assert found.within == pytest.approx(4.0 / 105.0**2)
    assert found.between == pytest.approx((75.0 - 4.0) / 1.5 / 105.0**2)


def test_boots_that_differ_by_less_than_their_iterations_explain_do_not_differ():
    assert components([[90.0, 110.0], [91.0, 109.0]]).between == 0.0


def test_of_single_iterations_the_two_cannot_be_told_apart():
    found = components([[99.0], [101.0]])
    assert not found.known and found.within == 0.0 and found.between == pytest.approx(2.0 / 100.0**2)
    assert on_a_boot(found, 60.0, 15.0) == 1 == on_a_boot(Components(0.01, 0.0, known=False), 60.0, 15.0)


@pytest.mark.parametrize(
    ("within", "between", "count"),
    [
        (1.0, 1.0, 2),
        (9.0, 4.0, 3),
        (9.1, 4.0, 4),
        (1.0, 1e6, 1),
        (1e6, 1.0, 30),
        (1.0, 0.0, 30),
        (0.0, 1.0, 1),
        (0.0, 0.0, 1),
    ],
)
def test_iterations_on_a_boot_are_rounded_up_within_one_and_thirty(within: float, between: float, count: int):
    assert on_a_boot(Components(within, between), 4.0, 1.0) == count <= MOST_ON_A_BOOT == 30


def test_the_boots_for_a_precision_are_those_of_students_interval_of_a_difference():
    """At n = 6: t(10, 95 %) = 2.228, so ± 2.228 * sqrt(2 * (1 + 1 / 2) / 6) = 1.575 percent."""
    spread = Components(1e-4, 1e-4)
    assert boots_for_precision(spread, 1.58, 2) == 6
    assert boots_for_precision(spread, 1.57, 2) == 7
    assert boots_for_precision(spread, 1.58, 2, confidence=99.0) > 6
    assert boots_for_precision(spread, 1e-6, 2) is None


LOGS = [0.01, -0.012, 0.004, 0.009, -0.011, 0.002]


def test_a_floor_is_of_the_blocks_that_are_planned_and_of_all_tests_together():
    once = floor(LOGS, 2.0)
    assert once.blocks == 6 and once.difference is not None
    more, many = floor(LOGS, 2.0, blocks=24), floor(LOGS, 2.0, tests=10)
    assert more.blocks == 24 and more.difference < once.difference < many.difference
    assert more.for_margin == once.for_margin < many.for_margin
    assert floor(LOGS, 2.0, confidence=99.0).difference > once.difference
    assert floor(LOGS, 4.0).for_margin < once.for_margin
    assert once.for_equivalence >= 3 and floor(LOGS, 50.0).for_equivalence == 3


def test_a_floor_without_spread_is_zero_and_one_beyond_all_numbers_is_not_known():
    assert floor([0.01] * 4, 1.0) == (4, 0.0, None, None)
    wild = floor([90.0, -90.0], 1.0)
    assert (wild.difference, wild.for_margin, wild.for_equivalence) == (None, None, None)
    wide = floor([1.0, -1.0, 0.5], 1.0)
    assert wide.difference is not None and wide.difference > 172.0, "a factor of e is a number"


def on_boots(label: str, *boots: tuple[float, ...]) -> ResultSet:
    names = tuple(f"{label}{number}" for number, boot in enumerate(boots) for _ in boot)
    return ResultSet(label, tuple(value for boot in boots for value in boot), boots=names)


OLD = on_boots("old", (98.0, 102.0), (104.0, 108.0))


def test_both_spreads_of_both_sides_are_told_as_percents() -> None:
    """sqrt(14) / 103 is 3.63 %, sqrt(8) / 103 is 2.75 %."""
    pair = prepare("inet4", OLD, on_boots("new", (198.0, 202.0), (199.0, 201.0)))
    told = "old: 3.63 % from boot to boot, 2.75 % within a boot; "
    assert spread_in_words(pair).startswith(f"Spread: {told}new: 0.00 % from boot to boot, ")


@pytest.mark.parametrize(
    "other",
    [
        on_boots("new", (98.0, 102.0, 99.0, 101.0)),  # one boot
        on_boots("new", (98.0,), (102.0,), (99.0,)),  # one iteration on each
        on_boots("new", (98.0, 0.0), (104.0, 108.0)),  # no part of nothing
        ResultSet("new", (98.0, 102.0, 104.0, 108.0)),  # boots that are not known
    ],
    ids=["one boot", "one iteration", "zero", "unknown"],
)
def test_where_the_two_cannot_be_told_apart_nothing_is_said(other: ResultSet) -> None:
    pair = prepare("inet4", OLD, other)
    assert of_pair(pair) is None and spread_in_words(pair) == ""
