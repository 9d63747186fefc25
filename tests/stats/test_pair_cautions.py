"""Warnings about a pair of sets."""

from array import array

import pytest

from fwdtui.report.doubt import BEARS
from fwdtui.stats.model import ResultSet
from fwdtui.stats.pair_cautions import pair_cautions
from fwdtui.stats.values import LARGE, LargeValues

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
    assert set(found) <= set(BEARS)


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


def test_millions_of_values_are_known_by_what_was_computed_of_them():
    values = array("d", [1000.0 + (index * 7919) % 1013 for index in range(LARGE)])
    again = LargeValues(array("d", reversed(values)))
    changed = array("d", values)
    changed[77] += 0.5
    assert "same-data" in told(LargeValues(values), again)
    assert "same-data" not in told(LargeValues(values), LargeValues(changed))


# --- sizes


@pytest.mark.parametrize(
    ("few", "many", "warned"), [(3, 7, True), (4, 9, True), (2, 9, False), (3, 6, False), (5, 50, False)]
)
def test_below_five_against_more_than_twice_as_many_is_too_few(few, many, warned):
    base, other = [1000.0 + i for i in range(few)], [2000.0 + i % 7 for i in range(many)]
    assert ("unequal-n" in told(tuple(base), tuple(other))) is warned
    assert ("unequal-n" in told(tuple(other), tuple(base))) is warned


# --- boots


def test_a_side_on_one_boot_is_told_once_for_both_sides():
    assert told(OLD, NEW, (("a",) * 5, ("b",) * 5))["one-boot"].startswith(
        "all iterations of each side ran on one boot of the DUT: "
    )
    assert told(OLD, NEW, (("a", "b", "a", "b", "a"), ("c",) * 5))["one-boot"].startswith(
        "all iterations of new "
    )
    assert told(OLD, NEW, (("a",) * 5, ("a",) * 5))["one-boot"].startswith(
        "both sides ran on one and the same "
    )


@pytest.mark.parametrize(
    "boots", [(), (None,) * 5, ("a", "a", "a", "a", None), ("a", "b", "a", "a", "a"), ("", "", "", "", "")]
)
def test_several_boots_and_unknown_ones_are_not(boots):
    assert "one-boot" not in told(OLD, NEW, (boots, boots))
