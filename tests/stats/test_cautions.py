"""Warnings about the sets of a comparison."""

import math

import pytest

from fwdtui.core import offered
from fwdtui.core.model import Caution
from fwdtui.stats.caps import Cap, cap_of, reach
from fwdtui.stats.cautions import cap_reason, set_cautions, small_but_real, unequal_spread
from fwdtui.stats.describe import describe
from fwdtui.stats.results import ResultSet

STEADY = (1000.0, 1003.0, 999.0, 1001.0, 998.0)


def of(values, **more) -> dict[str, str]:
    results = ResultSet("new", tuple(values), **more)
    return {one.code: one.text for one in set_cautions(results, describe(results), 1.0)}


def spreads(base, other) -> list[Caution]:
    return unequal_spread(
        *(describe(ResultSet(*side)) for side in (("old", tuple(base)), ("new", tuple(other))))
    )


def test_five_steady_iterations_raise_nothing():
    assert of(STEADY) == {}


@pytest.mark.parametrize(
    ("n", "codes"), [(0, set()), (1, {"tiny-set"}), (2, {"tiny-set"}), (3, {"few-iterations"})]
)
def test_small_sets_are_told_to_measure_more(n, codes):
    found = of(STEADY[:n])
    assert set(found) == codes
    assert all("new" in text and "at least 5" in text for text in found.values())


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (1, "new: a single value has no spread: measure at least 5."),
        (2, "new: 2 values make an interval far wider than 5 would: measure at least 5."),
        (3, "new: 3 iterations say little about the spread."),
        (4, "new: 4 iterations say little about the spread."),
        (5, None),
    ],
)
def test_where_the_verdict_says_how_many_are_missing_a_warning_does_not(n, text):
    results = ResultSet("new", STEADY[:n])
    found = set_cautions(results, describe(results), 1.0, planned=True)
    assert [one.text for one in found] == ([] if text is None else [text])


def test_two_equal_values_are_no_measured_spread_and_one_value_is_no_spread_at_all():
    assert set(of((5.0, 5.0))) == {"tiny-set", "zero-spread"}
    assert set(of((5.0,))) == {"tiny-set"}


def test_an_outlier_is_named_with_its_place_its_value_and_the_limit():
    text = of((1e6, 1.001e6, 0.999e6, 0.2e6, 1.0005e6))["outlier"]
    assert "value 4 (200.0 k" in text
    assert "median 1.000 M" in text
    assert "limit 12.9 at n = 5" in text


def test_how_far_off_an_outlier_is_has_no_exponent():
    steady = [1_000_000.0 + step for step in (0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2)]
    found = of([*steady, 500_000.0])["outlier"]
    assert "500.0 k, " in found and "e+" not in found


def test_a_value_that_large_samples_would_call_an_outlier_is_left_alone_among_five():
    # its modified z is 4.0, above the usual 3.5, yet one clean set of five in six has such a value
    assert "outlier" not in of((100.0, 101.0, 99.0, 100.4, 106.0))


def test_where_most_values_are_the_same_only_a_value_beyond_the_margin_is_an_outlier():
    assert "outlier" not in of((1000, 1000, 1000, 1000, 1001))
    assert "which most values equal" in of((1000, 1000, 1000, 1000, 1100))["outlier"]
    assert "outlier" not in of((1000,) * 50 + (1000.001,))


def test_at_most_three_outliers_are_named_one_by_one():
    text = of([1000.0 + i % 7 for i in range(60)] + [5000, 5100, 5200, 5300, 5400])["outlier"]
    assert "value 63" in text
    assert "2 more" in text


@pytest.mark.parametrize(
    ("odd", "named", "end"),
    [
        ([5000], "new: value 61 (5.000 k, modified z ", "before you trust or drop it."),
        ([5000, 5100], "new: value 61 (5.000 k, modified z ", "before you trust or drop them."),
        ([5000, 5100, 5200], "new: value 61 (5.000 k, modified z ", "before you trust or drop them."),
    ],
)
def test_up_to_three_outliers_are_all_that_is_named(odd, named, end):
    text = of([1000.0 + i % 7 for i in range(60)] + odd)["outlier"]
    assert text.startswith(named) and text.endswith(end) and " more " not in text
    assert text.count("value ") == len(odd)
    assert (" lies far from" if len(odd) == 1 else " lie far from") in text


def test_two_groups_of_values_are_two_clusters():
    text = of((1000.0, 1500.0, 1004.0, 1496.0, 998.0))["two-clusters"]
    assert "3 up to 1.004 k" in text
    assert "2 from 1.496 k" in text


def test_one_value_apart_is_an_outlier_and_not_a_cluster():
    found = of((1000.0, 1500.0, 1004.0, 1001.0, 998.0))
    assert "outlier" in found
    assert "two-clusters" not in found


def test_values_that_only_take_two_neighbouring_steps_are_not_two_clusters():
    assert "two-clusters" not in of((1000, 1001, 1000, 1001, 1000, 1001))
    assert "two-clusters" in of((1000, 1100, 1000, 1100, 1000, 1100))


def test_values_that_rise_over_the_iterations_are_drift():
    text = of((1.0, 2.1, 2.9, 4.2, 5.0))["drift"]
    assert "rise" in text
    assert "t test of the slope, p = 0.000149" in text  # the order of five values alone gives 0.017 at best
    assert "fall" in of((5.0, 4.2, 2.9, 2.1, 1.0))["drift"]
    assert "drift" not in of((1.0, 2.1, 2.9, 5.0, 4.2))
    assert "drift" not in of((1.0, 2.0, 3.0, 4.0))
    assert "Kendall's S 28 of 28" in of((1.0, 2.1, 2.9, 4.2, 5.0, 5.5, 7.0, 8.0))["drift"]


@pytest.mark.parametrize(("n", "told"), [(4, False), (5, True), (2000, True), (2001, False)])
def test_drift_is_of_iterations_and_not_of_a_files_samples(n, told):
    assert ("drift" in of([1000.0 + i + 0.3 * (i % 2) for i in range(n)])) is told


def test_equal_values_are_no_measured_spread():
    text = of((5.0, 5.0, 5.0, 5.0, 5.0))
    assert set(text) == {"zero-spread"}
    assert "all 5 values are exactly 5" in text["zero-spread"]


def test_values_at_the_offered_load_are_capped_by_the_generator():
    offered = tuple(value * 1.004 for value in STEADY)
    assert "offered load" in of(STEADY, offered=offered)["capped-by-generator"]
    assert "capped-by-generator" not in of(STEADY, offered=tuple(value * 1.006 for value in STEADY))


def test_values_at_line_rate_are_capped_by_line_rate_whatever_was_offered():
    found = of(STEADY, line_rate=1000.0, offered=STEADY)
    assert "capped-by-line-rate" in found
    assert "capped-by-generator" not in found
    assert "capped-by-line-rate" not in of(STEADY, line_rate=1010.0)


def test_a_value_above_line_rate_is_impossible_from_one_percent_on():
    """Up to that, two clocks may differ; and a cost in microseconds has no line rate."""
    told = of([14.7e6, 15.1e6], line_rate=14.88e6)["above-line-rate"]
    assert told.startswith("new: 15.10 Mpps of a line rate of 14.88 Mpps is impossible: look at `line_rate`")
    assert "above-line-rate" not in of([14.7e6, 15.0e6], line_rate=14.88e6)
    assert "above-line-rate" not in of([14.7e6, 15.1e6])
    assert "above-line-rate" not in of([2.0, 3.0], line_rate=1.0, unit="us/packet")


def test_one_iteration_below_the_cap_makes_the_set_partly_capped():
    found = of(STEADY, offered=(1000.0, 1003.0, 999.0, 1001.0, 2000.0))
    assert "4 of 5 iterations" in found["partly-capped"]
    assert not any(code.startswith("capped") for code in found)


def test_an_unknown_offered_load_is_no_cap():
    assert of(STEADY, offered=(None,) * 5) == {}
    assert of(STEADY, offered=()) == {}
    assert "partly-capped" in of(STEADY, offered=(1000.0, None, None, None, None))


@pytest.mark.parametrize("limit", [math.nan, math.inf, -1.0, 0.0])
def test_a_limit_that_is_no_rate_is_no_cap(limit):
    assert cap_of(ResultSet("new", STEADY, line_rate=limit, offered=(limit,) * 5)) is None


def test_a_set_that_is_pinned_now_by_one_limit_and_now_by_the_other_is_capped():
    results = ResultSet("new", (1000.0, 700.0), line_rate=1000.0, offered=(5000.0, 700.0))
    assert cap_of(results) == Cap("generator", 2, 2)


def test_what_the_iterations_warned_of_is_passed_on_under_the_sets_name():
    own = (Caution("in-run-variation", "iteration 2 varied by 8 % within the run"),)
    found = of(STEADY, cautions=own, excluded=("iteration 6 was left out: it ended early",))
    assert found["in-run-variation"] == "new: iteration 2 varied by 8 % within the run"
    assert found["iteration-excluded"] == "new: iteration 6 was left out: it ended early"


def test_a_spread_five_times_larger_is_unequal_and_one_four_times_larger_may_be_chance():
    quiet = (10.0, 11.0, 12.0, 13.0, 14.0)
    five = [5 * value for value in quiet]
    (found,) = spreads(quiet, five)
    assert found.code == "unequal-spread"
    assert "new spreads 5.0 times as much as old" in found.text
    assert "Welch" in found.text
    assert spreads(five, quiet)[0].text.startswith("new spreads") is False
    assert spreads(quiet, [4 * value for value in quiet]) == []  # F(4,4) = 16: p = 0.020


@pytest.mark.parametrize(
    ("times", "told"), [(4.3, None), (4.75, None), (4.85, "4.8"), (999.0, "999.0"), (1001.0, "over 1000")]
)
def test_of_five_values_a_ratio_of_4_8_is_proven_at_one_percent(times, told):
    """The square root of the quantile of F(4, 4), 23.15."""
    quiet = (10.0, 11.0, 12.0, 13.0, 14.0)
    found = spreads(quiet, [times * value for value in quiet])
    assert bool(found) is (told is not None)
    assert all(f"new spreads {told} times as much as old" in one.text for one in found)


@pytest.mark.parametrize(("times", "told"), [(1.4, False), (2.0, False), (2.01, True), (2.9, True)])
def test_of_many_values_a_ratio_above_two_is_large(times, told):
    many = [float(i % 11) for i in range(60)]
    assert bool(spreads(many, [times * value for value in many])) is told


def test_the_more_is_shown_the_more_it_takes_to_accuse_a_set():
    quiet = describe(ResultSet("old", (10.0, 11.0, 12.0, 13.0, 14.0)))
    wide = describe(ResultSet("new", (50.0, 55.0, 60.0, 65.0, 70.0)))
    assert unequal_spread(quiet, wide, 1) and not unequal_spread(quiet, wide, 7)
    lump = ResultSet("new", (1000.0, 1001.0, 999.0, 1020.0, 1000.5))
    assert "outlier" in {one.code for one in set_cautions(lump, describe(lump), 1.0, 1)}
    assert "outlier" not in {one.code for one in set_cautions(lump, describe(lump), 1.0, 7)}


def test_a_spread_twice_as_large_is_unequal_once_there_are_many_iterations():
    many = [float(i % 11) for i in range(40)]
    assert spreads(many, [2.1 * value for value in many]) != []
    assert spreads(many, [1.9 * value for value in many]) == []  # proven, but not large


def test_a_set_without_spread_is_not_compared_in_spread():
    assert spreads((1.0, 1.0, 1.0), (1.0, 2.0, 3.0)) == []


def test_a_real_difference_inside_the_margin_is_called_small_and_says_whose_it_is():
    found = small_but_real("+0.128 % ± 0.055 %", 1.0, "r1", "r2")
    assert found.code == "small-but-real"
    assert found.text.startswith(
        "r2: the difference of +0.128 % ± 0.055 % from r1 is real, but inside the margin of 1 %: "
    )


def test_more_received_than_offered_cannot_be_and_names_the_worst_value():
    found = of((1_000_000, 1_100_000, 990_000), offered=(1_000_000.0,) * 3)
    assert "1 of 3 values is above the offered load (1.100 Mpps of 1.000 Mpps)" in found[offered.CODE]
    assert offered.CODE not in of((1_000_000, 1_009_000), offered=(1_000_000.0,) * 2), "two clocks"


def test_of_several_impossible_values_the_one_furthest_above_its_load_is_named():
    found = of((1_100_000, 2_050_000, 990_000), offered=(1_000_000.0, 2_000_000.0, 1_000_000.0))[offered.CODE]
    assert "2 of 3 values are above the offered load (up to 1.100 Mpps of 1.000 Mpps)" in found


def test_an_offered_load_that_is_not_known_is_not_exceeded():
    assert offered.CODE not in of(STEADY, offered=(None, None, None, None, 990.0))
    assert offered.CODE in of(STEADY, offered=(None, None, None, None, 980.0))


def test_what_the_iterations_say_of_it_themselves_is_said_once():
    own = Caution(offered.CODE, "iteration 2: 1.100 Mpps were received")
    found = set_cautions(
        results := ResultSet("new", (1000.0, 1100.0), (1000.0, 1000.0), cautions=(own,)),
        describe(results),
        1.0,
    )
    assert [one.text for one in found if one.code == offered.CODE] == [f"new: {own.text}"]


def test_a_value_is_either_at_its_offered_load_or_above_it():
    for permille in range(-5, 40):
        found = of([1000.0 + permille] * 3, offered=(1000.0,) * 3)
        assert len({"capped-by-generator", offered.CODE} & set(found)) == 1, permille


def test_negative_values_are_no_rates_wherever_they_come_from():
    assert of((1000.0, -1.0, -2.0))["negative-value"].startswith("new: 2 of 3 values are negative")
    assert of((0.0, 0.0, -2.0))["negative-value"].startswith("new: 1 of 3 values is negative")
    assert "negative-value" not in of((0.0, 1.0, 2.0))


@pytest.mark.parametrize(
    ("cap", "reason"),
    [
        (
            Cap("generator", 5, 5),
            "every iteration is within 0.5 % of its offered load, so the DUT may be able ",
        ),
        (
            Cap("line-rate", 5, 5),
            "every iteration is within 0.5 % of line rate, so the DUT may be able to do ",
        ),
        (
            Cap("generator", 2, 5),
            "2 of 5 iterations are within 0.5 % of its offered load: the DUT may be able ",
        ),
        (
            Cap("generator", 1, 5),
            "1 of 5 iterations is within 0.5 % of its offered load: the DUT may be able ",
        ),
    ],
)
def test_a_cap_names_its_limit_and_the_way_out(cap, reason):
    text = cap_reason(cap)
    assert text.startswith(reason)
    assert text.endswith("use a faster link" if cap.kind == "line-rate" else "offer more")


@pytest.mark.parametrize(
    ("cap", "clause"),
    [
        (Cap("generator", 5, 5), "new is at its offered load"),
        (Cap("line-rate", 5, 5), "new is at line rate"),
        (Cap("generator", 1, 5), "1 of 5 iterations of new is at its offered load"),
        (Cap("generator", 2, 5), "2 of 5 iterations of new are at their offered load"),
        (Cap("line-rate", 2, 5), "2 of 5 iterations of new are at line rate"),
        (Cap("generator", 1, 1), "new is at its offered load"),
    ],
)
def test_a_cap_says_how_many_iterations_are_at_it(cap, clause):
    assert cap.clause("new") == clause


@pytest.mark.parametrize(
    ("value", "capped"), [(992.5, 0), (994.9, 0), (995.0, 3), (996.6, 3), (1010.0, 3), (1010.1, 0), (1015, 0)]
)
def test_a_value_is_capped_from_half_a_percent_below_its_limit_to_where_it_is_impossible(value, capped):
    for results in (
        ResultSet("new", (value,) * 3, line_rate=1000.0),
        ResultSet("new", (value,) * 3, offered=(1000.0,) * 3),
    ):
        found = cap_of(results)
        assert (found.pinned if found else 0) == capped


@pytest.mark.parametrize(
    ("loads", "line", "expected"),
    [
        ((), None, math.inf),
        ((), 1000.0, 1000.0),
        ((900.0, None, 800.0), 1000.0, 800.0),
        ((900.0, math.nan, -1.0, 0.0, math.inf), None, 900.0),
        ((None,), math.nan, math.inf),
        ((2000.0,), 0.0, 2000.0),
        ((2000.0,), -5.0, 2000.0),
    ],
)
def test_the_lowest_known_limit_is_what_a_set_could_have_reached(loads, line, expected):
    assert reach(ResultSet("new", STEADY, offered=loads, line_rate=line)) == expected
