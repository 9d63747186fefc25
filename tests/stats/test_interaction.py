"""The ratio of two ratios: against Welch's and Satterthwaite's formulas written out, and its symmetries."""

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.stats.holm import adjusted
from fwdtui.stats.interaction import Square, ratio_of_ratios
from fwdtui.stats.interaction_verdict import Cross, figures, shared, told_once
from fwdtui.stats.moments import Moments, moments
from fwdtui.stats.results import Interaction, ResultSet
from fwdtui.stats.verdict import judge_all
from fwdtui.stats.welch import welch

OLD, NEW = [99.0, 101.0, 100.0, 98.0, 102.0], [59.0, 61.0, 60.5, 60.0, 59.5]
OLD_ON, NEW_ON = [100.0, 100.5, 99.5, 101.0, 99.0], [110.0, 112.0, 111.0, 109.0, 113.0]

sets = st.lists(st.floats(900.0, 1100.0), min_size=3, max_size=8).filter(lambda v: max(v) - min(v) > 1e-3)
squares = st.tuples(sets, sets, sets, sets).map(lambda four: Square(*map(moments, four)))


def written_out(square: Square) -> tuple[float, float, float]:
    """L, its standard error and its degrees of freedom, sets one by one."""
    a, b, c, d = square
    errors = [one.variance / one.n / one.mean**2 for one in square]
    df = sum(errors) ** 2 / sum(error**2 / (one.n - 1) for error, one in zip(errors, square, strict=True))
    return math.log(d.mean / c.mean) - math.log(b.mean / a.mean), math.sqrt(sum(errors)), df


@given(squares)
def test_it_is_the_formula_of_the_docstring(square: Square) -> None:
    found = ratio_of_ratios(square)
    assert (found.value, found.error, found.df) == pytest.approx(written_out(square), rel=1e-9, abs=1e-12)


@given(squares, st.floats(0.01, 0.2))
def test_the_interval_leaves_out_one_exactly_when_the_test_rejects(square: Square, alpha: float) -> None:
    found = ratio_of_ratios(square)
    low, high = found.interval(alpha)
    if abs(found.p() - alpha) > 1e-9:
        assert (low > 0.0 or high < 0.0) == (found.p() < alpha)


@given(squares, st.floats(0.001, 0.5))
def test_it_makes_no_difference_which_factor_is_crossed_with_which(square: Square, margin: float) -> None:
    a, b, c, d = square
    found = ratio_of_ratios(square)
    turned = ratio_of_ratios(Square(a, c, b, d))  # the other factor is compared
    upside_down = ratio_of_ratios(Square(c, d, a, b))  # the other level is the first
    assert turned.value == pytest.approx(found.value, abs=1e-12)
    assert upside_down.value == pytest.approx(-found.value, abs=1e-12)
    for other in (turned, upside_down):
        assert other.p() == pytest.approx(found.p(), rel=1e-9, abs=1e-15)
        assert other.same_p(margin) == pytest.approx(found.same_p(margin), rel=1e-9, abs=1e-15)


def test_of_four_sets_of_one_size_welchs_test_decides_and_else_the_stricter_of_two() -> None:
    equal = ratio_of_ratios(Square(*map(moments, (OLD, NEW, OLD_ON, NEW_ON))))
    assert not equal.unequal
    fewer = ratio_of_ratios(Square(*map(moments, (OLD[:3], NEW, OLD_ON, NEW_ON))))
    assert fewer.unequal
    low, high = fewer.interval(0.05)
    assert high - low >= 2.0 * fewer.error * 2.0, "never narrower than Welch's"


def test_without_any_spread_at_the_second_level_it_is_nearly_the_test_of_the_first() -> None:
    """Two exact sets add nothing: a ratio's own test is Welch's, up to the log scale."""
    exact = Moments(5, 100.0, 0.0)
    first = Moments(5, 100.0, 1.0), Moments(5, 101.0, 1.0)
    found = ratio_of_ratios(Square(*first, exact, exact))
    assert found.p() == pytest.approx(welch(*first, 0.05).p, rel=0.05)


# --- verdicts


def result(label: str, values: list[float], **more: object) -> ResultSet:
    return ResultSet(label, tuple(values), **more)  # type: ignore[arg-type]


CROSS = Cross(0, 1, ("image",), "config", ("off", "on"), {}, "", ("new", "off", "on"))


def judged(
    first: tuple[list[float], list[float]], second: tuple[list[float], list[float]], **more: object
) -> Interaction:
    pairs = [
        (case, result("old", old, **more), result("new", new, **more))
        for case, (old, new) in (("off", first), ("on", second))
    ]
    (found,) = judge_all(pairs, [CROSS]).interactions
    return found


def test_the_p_is_adjusted_with_those_of_the_comparisons() -> None:
    pairs = [
        ("off", result("old", OLD), result("new", NEW)),
        ("on", result("old", OLD_ON), result("new", NEW_ON)),
    ]
    found = judge_all(pairs, [CROSS])
    (one,) = found.interactions
    ps = [each.comparison.difference.p for each in found.judged]
    everything = adjusted(np.array([*ps, one.p]))
    assert one.p_adjusted == pytest.approx(everything[2])
    assert [each.comparison.difference.p_adjusted for each in found.judged] == pytest.approx(everything[:2])
    assert (one.family, one.verdict) == (3, "depends")
    assert one.ratio == pytest.approx((111.0 / 100.0) / (60.0 / 100.0))


def test_more_interactions_make_the_comparisons_stricter_as_more_comparisons_do() -> None:
    noisy = [100.0, 104.0, 96.0, 102.0, 98.0]
    pairs = [(case, result("old", noisy), result("new", [v + 6.5 for v in noisy])) for case in ("off", "on")]
    alone, among = judge_all(pairs).judged, judge_all(pairs, [CROSS]).judged
    p = alone[0].comparison.difference.p
    assert p is not None
    assert alone[0].comparison.difference.p_adjusted == pytest.approx(2 * p)
    assert among[0].comparison.difference.p_adjusted == pytest.approx(3 * p)


def test_the_same_within_the_margin_wins_over_a_proven_interaction() -> None:
    quiet = [100.0, 100.01, 99.99, 100.005, 99.995]
    found = judged((quiet, quiet), (quiet, [v * 1.005 for v in quiet]))
    assert found.p_adjusted is not None and found.p_adjusted < 0.05
    assert (found.verdict, found.margin_percent) == ("same", 1.0)
    assert figures(found).startswith("ratio of the ratios 1.005") and "p" not in figures(found)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (([1.0], NEW), (OLD, NEW), "cannot say, because old has a single value"),
        ((OLD, NEW), (OLD[:2], NEW), "cannot say, because old has only 2 values"),
        (([-1.0, 0.0, 1.0], NEW), (OLD, NEW), "cannot say, because the mean of old, off is not above zero."),
        (([5.0] * 3, [5.0] * 3), (OLD, NEW), "cannot say, because neither old nor new has any spread"),
    ],
)
def test_without_a_test_it_says_why(first, second, why: str) -> None:
    found = judged(first, second)
    assert found.cannot_say is not None and found.cannot_say.startswith(why)
    assert (found.verdict, found.ratio, found.ci_ratio, found.p_adjusted) == (
        "inconclusive",
        None,
        None,
        None,
    )
    assert found.sentence == found.cannot_say and figures(found) == ""


def test_lower_bounds_have_no_ratio() -> None:
    found = judged((OLD, NEW), (OLD_ON, NEW_ON), offered=(113.0,) * 5)
    assert found.cannot_say == (
        "cannot say, because 1 of 5 iterations of new, on is at its offered load: the ratio is only a bound."
    )


def test_where_less_is_better_it_is_higher_or_lower() -> None:
    found = judged((OLD, NEW), (OLD_ON, NEW_ON), unit="us")
    assert found.sentence == "new is 40.0 % lower with off and 11.0 % higher with on: it depends"


QUIET = [100.0, 100.01, 99.99, 100.005, 99.995]


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ((OLD, NEW), (OLD_ON, NEW_ON), "new costs 40.0 % with off and gains 11.0 % with on: it depends"),
        ((OLD_ON, NEW_ON), (OLD, NEW), "new gains 11.0 % with off and costs 40.0 % with on: it depends"),
        ((OLD, NEW), (OLD, [v * 1.2 for v in NEW]),
         "new costs 40.0 % with off and 28.0 % with on: it depends"),
        ((OLD, NEW), (OLD, OLD),
         "new costs 40.0 % with off and has no proven effect (0.0 %) with on: it depends"),
        ((OLD, OLD), (OLD, OLD), "new: 0.0 % with off, 0.0 % with on: no interaction shown"),
        ((QUIET, QUIET), (QUIET, QUIET),
         "new: 0.000 % with off, 0.000 % with on: the same within the 1 % margin"),
    ],
)  # fmt: skip
def test_the_sentence_has_both_effects_and_only_a_proven_one_is_a_gain_or_a_loss(first, second, sentence):
    assert judged(first, second).sentence == sentence


def test_the_method_names_the_stricter_test_only_where_the_sets_differ_in_size() -> None:
    method = judged((OLD, NEW), (OLD_ON, NEW_ON)).method
    assert "n differs" not in method and method.endswith("Holm over 2 comparisons and 1 interaction")
    assert "n differs" in judged((OLD, NEW), (OLD_ON, NEW_ON[:4])).method


def test_the_figures_have_the_interval_and_p_where_there_are_any() -> None:
    found = judged((OLD, NEW), (OLD_ON, NEW_ON))
    low, high = found.ci_ratio or (0.0, 0.0)
    assert figures(found) == f"ratio of the ratios 1.850 [{low:.3f}, {high:.3f}], p < 0.0001"
    without = msgspec.structs.replace(found, ci_ratio=None)
    assert figures(without) == "ratio of the ratios 1.850, p < 0.0001"
    assert figures(msgspec.structs.replace(found, ratio=None)) == ""


def test_interactions_without_a_verdict_for_the_same_reason_are_told_once() -> None:
    said = judged((OLD, NEW), (OLD_ON, NEW_ON))
    silent = judged(([1.0], NEW), (OLD, NEW))
    other = msgspec.structs.replace(silent, case="inet6")
    told = told_once([silent, said, silent, said, other])
    assert told == [(silent, " (2 interactions)"), (said, ""), (said, ""), (other, "")]


def test_tables_of_a_factor_with_several_levels_or_candidates_are_explained() -> None:
    one = judged((OLD, NEW), (OLD_ON, NEW_ON))
    assert shared([]) == shared([one]) == shared([one, one]) == ""
    third = msgspec.structs.replace(one, levels=("off", "auto"))
    assert shared([one, third]) == (
        "2 interactions, each level against config off. Holm's correction is over all 3 comparisons and "
        "interactions that are tested."
    )
    newer = msgspec.structs.replace(one, other="newer")
    assert shared([one, newer]).startswith(
        "2 interactions, each candidate against old, each level against config off. "
    )


def test_an_interval_that_just_leaves_out_one_is_not_shown_from_one() -> None:
    one = judged((OLD, NEW), (OLD_ON, NEW_ON))
    for interval, shown in (
        ((1.00002, 1.2), "1.10000 [1.00002, 1.20000]"),
        ((0.99998, 1.2), "1.10 [1.00, 1.20]"),
        ((1.003, 1.2), "1.100 [1.003, 1.200]"),
    ):
        assert figures(msgspec.structs.replace(one, ratio=1.1, ci_ratio=interval)).startswith(
            f"ratio of the ratios {shown}"
        )
