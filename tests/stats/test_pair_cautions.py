"""Warnings about a pair of sets."""

import math
from array import array

import numpy as np
import pytest

from fwdtui.core.model import Caution
from fwdtui.report.bearing import MEANING
from fwdtui.stats.ministat.vitals import add
from fwdtui.stats.pair_cautions import pair_cautions
from fwdtui.stats.results import ResultSet
from fwdtui.stats.same_data import in_place, same_data
from fwdtui.stats.values import LARGE, LargeValues, contained

OLD = (1000.0, 1003.0, 999.0, 1001.0, 998.0)
NEW = (1100.0, 1103.0, 1099.5, 1101.0, 1098.0)


def told(base, other, boots=((), ())) -> dict[str, str]:
    sides = [
        ResultSet(label, values, boots=own)
        for label, values, own in zip(("old", "new"), (base, other), boots, strict=True)
    ]
    return {one.code: one.text for one in pair_cautions(*sides)}


def test_two_measurements_of_the_same_size_raise_nothing():
    assert told(OLD, NEW) == {}


def test_all_of_them_bear_on_the_verdict():
    found = {**told(OLD, OLD), **told(OLD[:3], NEW + NEW[::-1]), **told(OLD, NEW, (("a",) * 5, ("b",) * 5))}
    assert set(found) == {"same-data", "unequal-n", "one-boot"}
    assert set(found) <= set(MEANING)


# --- the same data


@pytest.mark.parametrize("other", [OLD, OLD[::-1], tuple(sorted(OLD))])
def test_the_same_values_in_any_order_are_one_measurement(other):
    assert told(OLD, other)["same-data"].startswith("old and new hold the same 5 values: ")


def test_a_set_that_goes_on_where_the_other_ends_is_told():
    assert told(OLD, (*OLD, 1002.5, 997.0))["same-data"].startswith(
        "the first 5 values of new are those of old"
    )
    assert told((*OLD, 1002.5), OLD)["same-data"].startswith("the first 5 values of old are those of new")


@pytest.mark.parametrize(
    ("base", "other"),
    [
        ((1000.0,) * 5, (1000.0,) * 5),  # told as sets without any spread
        ((1000.0, 1001.0), (1000.0, 1001.0, 1002.0, 999.0)),  # two rounded values come again by chance
        (OLD, (*OLD[:4], 998.5)),
        ((), OLD),
        ((5.0,), (5.0,)),
    ],
)
def test_what_chance_or_a_cap_explains_is_not(base, other):
    assert "same-data" not in told(base, other)


FINE = (14712345.0, 14719876.0, 14705432.0, 14716789.0, 14710987.0, 14718765.0, 14708642.0, 14713579.0)


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (FINE[1:], "7 of the 7 values of new are also values of old"),
        (FINE[:-1], "the first 7 values of old are those of new"),
        ((14711111.0, *FINE), "8 of the 8 values of old are also values of new"),
        ((*FINE[:3], 14714714.0, *FINE[4:]), "7 of the 8 values of old are also values of new"),
        ((*FINE[:3], *FINE[4:]), "7 of the 7 values of new are also values of old"),
        ((*FINE[5:0:-1], 14714714.0, 14712121.0), "5 of the 7 values of new are also values of old"),
        ((*FINE[2:6], *(value + 777.0 for value in FINE[:4])), "4 of the 8 values of old"),
        (FINE[2:5], "3 of the 3 values of new are also values of old"),
    ],
)
def test_nearly_the_same_values_are_one_measurement(other, text):
    assert told(FINE, other)["same-data"].startswith(text)


OTHERS = tuple(value + 777.0 for value in FINE)


@pytest.mark.parametrize(("shared", "told_"), [(2, False), (3, False), (4, True), (5, True)])
@pytest.mark.parametrize("n", [7, 8])
def test_half_of_the_smaller_sides_values_or_more_are_one_measurement(n, shared, told_):
    mixed = (*OTHERS[: n - shared], *FINE[:shared])
    assert ("same-data" in told(FINE, mixed)) is told_
    assert ("same-data" in told(mixed, FINE)) is told_


@pytest.mark.parametrize(("n", "told_"), [(2, False), (3, True), (4, True)])
def test_from_two_values_the_step_in_which_they_are_written_is_not_known(n, told_):
    assert ("same-data" in told(FINE[:n], FINE[:n])) is told_


def test_what_the_iterations_say_of_it_themselves_is_told_once():
    twice = Caution("same-data", "inet4: the same file was named twice")
    sides = ResultSet("old", FINE), ResultSet("new", FINE, cautions=(twice,))
    assert same_data(*sides) == []


@pytest.mark.parametrize(("shown", "told_"), [(1, True), (1000, False)])
def test_the_more_is_shown_the_less_a_few_equal_values_say(shown, told_):
    """Two values in steps of 10 000 with an SD of 454 000 agree with c = 0.0062; three of five do in 60 c**3.

    That is 1.4e-5: less than a hundredth, and more than a hundredth divided by a thousand comparisons.
    """
    base = ResultSet("old", (14_710_000.0, 14_950_000.0, 14_380_000.0, 14_120_000.0, 15_270_000.0))
    other = ResultSet("new", (14_710_000.0, 14_950_000.0, 14_380_000.0, 13_630_000.0, 15_500_000.0))
    assert bool(same_data(base, other, shown)) is told_


@pytest.mark.parametrize(
    ("shorter", "longer", "placed"),
    [
        ((1.0, 2.0, 3.0), (1.0, 2.0, 3.0), 3),
        ((1.0, 2.0, 3.0), (0.0, 1.0, 2.0, 3.0), 3),  # one was put before them
        ((1.0, 2.0, 3.0), (1.0, 2.0, 9.0, 3.0), 3),  # or between
        ((1.0, 2.0, 3.0), (1.0, 9.0, 3.0), 2),
        ((1.0, 2.0, 3.0), (3.0, 1.0, 2.0), 0),
        ((1.0, 2.0), (2.0, 1.0, 1.0, 2.0), 2),
    ],
)
def test_values_in_place_are_counted_from_the_start_and_then_from_the_end(shorter, longer, placed):
    assert in_place(shorter, longer) == placed


def test_the_same_thousand_but_for_a_few_is_told_though_values_come_again_by_chance():
    rng = np.random.default_rng(5)
    values, honest = np.round(rng.normal(1e6, 300.0, (2, 1000))).tolist()
    assert len(set(values) & set(honest)) > 300
    assert "same-data" not in told(tuple(values), tuple(honest))
    changed = [value + 0.25 if index % 9 == 0 else value for index, value in enumerate(values)]
    assert told(tuple(values), tuple(changed[:700] + changed[701:]))["same-data"].startswith(
        "887 of the 999 "
    )


@pytest.mark.parametrize("rounded", [1.0, 1e3, 1e4, 5e3 / 3.0])
def test_honest_values_are_not_accused_however_they_are_rounded_or_capped(rounded):
    rng = np.random.default_rng(6)
    for n, m in ((3, 3), (5, 5), (5, 10), (10, 10), (20, 20)):
        base, other = (rng.normal(1e6, 5e3, (1000, size)) for size in (n, m))
        for cap in (1e9, 1.002e6):
            sides = (np.minimum(np.round(side / rounded) * rounded, cap).tolist() for side in (base, other))
            found = [
                bool(same_data(ResultSet("a", tuple(one)), ResultSet("b", tuple(two))))
                for one, two in zip(*sides, strict=True)
            ]
            assert np.mean(found) <= 0.01, (n, m, cap)


@pytest.mark.parametrize(
    "values", [(1e308, -1e308, 1e308, 3.0), (5e-324, 1e-323, 5e-324), (math.nan, 1.0, 2.0), (0.0, -0.0, 0.0)]
)
def test_no_value_is_too_large_or_too_small_to_be_looked_at(values):
    assert isinstance(told(values, values), dict)


def test_millions_of_values_are_compared_where_they_stand():
    values = array("d", [1000.0 + (index * index * 7919) % 100_003 for index in range(LARGE)])
    changed = array("d", values)
    for at in range(0, LARGE, 100):
        changed[at] += 0.5
    others = (array("d", reversed(values)), changed, values[1:], values[:-1], array("d", [5.0, *values]))
    for other in others:
        assert "same-data" in told(LargeValues(values), contained(other)), len(other)
    assert "same-data" not in told(LargeValues(values), LargeValues(array("d", [v + 0.5 for v in values])))
    honest = np.round(np.random.default_rng(7).normal(1e6, 30.0, (2, LARGE)))
    assert "same-data" not in told(*(LargeValues(array("d", side.tolist())) for side in honest))


def test_millions_of_values_in_another_order_are_the_same_whatever_their_sum_is_rounded_to():
    values = np.random.default_rng(7).normal(1e6, 1e4, LARGE).round(3)
    one, other = (array("d", side.tolist()) for side in (values, np.sort(values)))
    assert add(one) != add(other)
    assert told(LargeValues(one), LargeValues(other))["same-data"].startswith("old and new hold the same ")


# --- sizes


@pytest.mark.parametrize(
    ("few", "many", "warned"), [(3, 7, True), (4, 9, True), (2, 9, False), (3, 6, False), (5, 50, False)]
)
def test_below_five_against_more_than_twice_as_many_is_too_few(few, many, warned):
    base, other = [1000.0 + i for i in range(few)], [2000.0 + i % 7 for i in range(many)]
    assert ("unequal-n" in told(tuple(base), tuple(other))) is warned
    assert ("unequal-n" in told(tuple(other), tuple(base))) is warned


# --- boots


def test_a_side_on_one_boot_is_told_once_for_both_sides_which_are_named():
    assert told(OLD, NEW, (("a",) * 5, ("b",) * 5))["one-boot"].startswith(
        "all iterations of each side, old and new, ran on one boot of the DUT: "
    )
    assert told(OLD, NEW, (("a", "b", "a", "b", "a"), ("c",) * 5))["one-boot"].startswith(
        "all iterations of new "
    )
    assert told(OLD, NEW, (("a",) * 5, ("a",) * 5))["one-boot"].startswith(
        "both sides, old and new, ran on the same boot of the DUT: "
    )


@pytest.mark.parametrize(
    "boots", [(), (None,) * 5, ("a", "a", "a", "a", None), ("a", "b", "a", "a", "a"), ("", "", "", "", "")]
)
def test_several_boots_and_unknown_ones_are_not(boots):
    found = told(OLD, NEW, (boots, boots))
    assert "one-boot" not in found
    assert ("boot-unknown" in found) is (None in boots and "a" in boots)


def test_a_side_of_which_only_some_boots_are_known_is_told():
    found = told(OLD, NEW, (("a", "a", "b", "b", ""), ("c", "c", None, None, "c")))
    assert found["boot-unknown"].startswith(
        "the DUT's boot is not known for 2 of 5 iterations of new, and the others ran on 1 boot: "
    )
    assert (
        "1 of 5 iterations of old, and the others ran on 2 boots"
        in told(OLD, NEW, (("a", "a", "b", "b", ""), ("c",) * 5))["boot-unknown"]
    )
