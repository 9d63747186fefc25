"""From pairs of sets to verdicts."""

import math
import re
import sys

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution
from fwdtui.report import bearing
from fwdtui.stats import wording
from fwdtui.stats.caps import Cap
from fwdtui.stats.pair_tests import alpha_of
from fwdtui.stats.pairs import prepare
from fwdtui.stats.results import VERDICTS, Comparison, Judged, ResultSet
from fwdtui.stats.verdict import judge, verdict_of
from fwdtui.stats.wording import family_in_words

BASE = (1000.0, 1002.0, 998.0, 1001.0, 999.0)
NOISY = (1000.0, 1010.0, 990.0, 1005.0, 995.0)


def times(factor: float, values=BASE) -> tuple[float, ...]:
    return tuple(value * factor for value in values)


def one(base, other, **options) -> Judged:
    sides = [
        side if isinstance(side, ResultSet) else ResultSet(label, tuple(side))
        for label, side in (("old", base), ("new", other))
    ]
    return judge([("forwarding", *sides)], **options)[0]


def codes(judged: Judged) -> set[str]:
    return {warning.code for warning in judged.comparison.warnings}


ALL, SOME = Cap("generator", 5, 5), Cap("generator", 2, 5)


def capped(values=BASE) -> ResultSet:
    return ResultSet("capped", tuple(values), offered=tuple(values))


# --- the decision


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        (times(1.1), "faster"),
        (times(0.9), "slower"),
        (times(1.0003), "equivalent"),
        (times(1.005), "equivalent"),  # proven to differ, and proven to differ by less than 1 %
        (times(1.004, NOISY), "inconclusive"),
    ],
)
def test_the_verdict_is_what_is_proven(other, verdict):
    assert one(BASE, other).comparison.verdict == verdict


def test_a_difference_proven_to_be_inside_the_margin_is_equivalent_with_a_caution():
    judged = one(BASE, times(1.005))
    assert judged.comparison.difference.p_adjusted < 0.01
    assert "small-but-real" in codes(judged)
    assert one(BASE, times(1.005), margin_percent=0.3).comparison.verdict == "faster"


@pytest.mark.parametrize(
    ("factor", "verdict", "small"),
    [(1.005, "equivalent", True), (1.0003, "equivalent", False), (1.1, "faster", False)],
)
def test_only_a_proven_difference_that_counts_as_equivalent_is_small_but_real(factor, verdict, small):
    judged = one(BASE, times(factor))
    assert judged.comparison.verdict == verdict
    assert ("small-but-real" in codes(judged)) is small


@pytest.mark.parametrize(
    ("base", "other", "advice"),
    [
        (BASE, times(1.1, BASE[:3]), True),  # the verdict is said: nothing tells how many are missing
        (BASE[:2], times(1.0, NOISY[:3]), True),  # there is none
        (NOISY[:3], times(1.001, NOISY[:3]), False),  # it is open, and its cell counts them
    ],
)
def test_a_small_set_is_told_to_be_measured_more_often_unless_the_verdict_says_so(base, other, advice):
    warnings = one(base, other).comparison.warnings
    (text, *_) = (warning.text for warning in warnings if warning.code == "few-iterations")
    assert text.endswith(": measure at least 5.") is advice


def test_a_proven_loss_inside_the_margin_is_named_in_the_sentence_and_marks_the_verdict():
    judged = one(times(1000.0, (1.0, 1.0001, 0.9999, 1.00005, 0.99995)), times(992.0, (1.0, 1.0001, 0.9999)))
    assert judged.comparison.verdict == "equivalent"
    assert judged.sentence.endswith("a proven loss, but inside the 1 % margin")
    assert bearing.codes(judged.comparison)[0] == "small-but-real"


def test_a_real_difference_not_proven_to_be_inside_the_margin_is_faster():
    assert one(BASE, times(1.0095)).comparison.verdict == "faster"


def test_no_difference_found_is_inconclusive_and_not_equivalent():
    noisier = (1000.0, 1030.0, 970.0, 1015.0, 985.0)
    judged = one(noisier, noisier)
    assert judged.comparison.difference.p == 1.0
    assert judged.comparison.verdict == "inconclusive"


@pytest.mark.parametrize(
    ("base", "other", "gain", "loss", "equal", "open"),
    [
        # gain and loss: a difference is proven, with or without equivalence beside it
        (None, None, "faster", "slower", "equivalent", "inconclusive"),
        (ALL, None, "capped", "slower", "capped", "capped"),
        (None, ALL, "faster", "capped", "capped", "capped"),
        (SOME, None, "capped", "slower", "capped", "inconclusive"),
        (None, SOME, "faster", "capped", "capped", "inconclusive"),
        (ALL, SOME, "capped", "slower", "capped", "capped"),
        (SOME, ALL, "faster", "capped", "capped", "capped"),
        (SOME, SOME, "capped", "capped", "capped", "capped"),
        (ALL, ALL, "capped", "capped", "capped", "capped"),
    ],
)
def test_what_lower_bounds_allow_to_be_said(base, other, gain, loss, equal, open):
    assert verdict_of(True, False, True, base, other) == gain
    assert verdict_of(True, False, False, base, other) == loss
    assert verdict_of(False, True, True, base, other) == equal
    assert verdict_of(False, False, True, base, other) == open
    small = (gain, loss) if base or other else ("equivalent", "equivalent")
    assert (verdict_of(True, True, True, base, other), verdict_of(True, True, False, base, other)) == small


def test_of_two_lower_bounds_nothing_is_said_where_one_was_offered_less():
    assert verdict_of(True, False, False, ALL, SOME, alike=False) == "capped"
    assert verdict_of(True, False, True, SOME, ALL, alike=False) == "capped"


# --- capped sets


def test_two_capped_sets_are_capped_and_never_equal():
    judged = one(capped(), capped(times(1.0001)))
    assert judged.comparison.verdict == "capped"
    assert "capped-by-generator" in codes(judged)
    assert judged.comparison.detectable_percent is None


def test_two_sets_at_exactly_line_rate_are_capped_although_nothing_can_be_tested():
    line = ResultSet("line", (14_880_952.0,) * 5, line_rate=14_880_952.0)
    judged = one(line, line)
    assert judged.comparison.verdict == "capped"
    assert judged.sentence.startswith("capped: ")
    assert "cannot-say" not in codes(judged)


def test_below_a_capped_base_is_slower_by_at_least_that_much():
    judged = one(capped(), times(0.8))
    assert judged.comparison.verdict == "slower"
    assert "slowed down by at least 20." in judged.sentence


def test_a_capped_set_above_the_base_is_faster_by_at_least_that_much():
    judged = one(times(0.8), capped())
    assert judged.comparison.verdict == "faster"
    assert "improved by at least 25." in judged.sentence


def test_nothing_can_be_said_of_a_gain_over_a_capped_base():
    assert one(capped(), times(1.2)).comparison.verdict == "capped"
    assert one(times(1.2), capped()).comparison.verdict == "capped"


def offered(load: float, *values: float) -> ResultSet:
    return ResultSet("old" if min(values) == max(values) else "new", values, offered=(load,) * len(values))


def test_a_loss_below_a_capped_base_is_told_however_small_it_is():
    lost = offered(1e6, 994000, 994000, 993000, 994500, 993500)
    judged = one(offered(1e6, *[1000000] * 5), lost)
    assert judged.comparison.verdict == "slower"
    assert judged.sentence == "slowed down by at least 0.620 % ± 0.071 %: old is at its offered load"
    assert one(lost, offered(1e6, *[1000000] * 5)).comparison.verdict == "faster"
    # one of the lost values is so near to the load that it counts as capped
    near = offered(1e6, 994000, 994000, 993000, 995100, 993500)
    judged = one(offered(1e6, *[1000000] * 5), near)
    assert judged.comparison.verdict == "slower"
    assert judged.sentence.endswith(
        "at this offered load: old is at its offered load and 1 of 5 iterations of new is at its offered load"
    )


def test_two_sets_that_are_nearly_all_capped_are_not_called_equal():
    nearly = 1000000.0, 999900.0, 1000000.0, 999800.0, 994900.0
    judged = one(offered(1e6, *nearly), offered(1e6, *reversed(nearly)))
    assert judged.comparison.verdict == "capped"
    assert judged.sentence.startswith("capped: 4 of 5 iterations of ")
    assert "equivalent" not in judged.sentence


def test_what_was_offered_less_is_not_slower():
    half = offered(5e5, 500000, 499900, 500000, 499950, 490000)
    assert one(offered(1e6, *[1000000.0] * 5), half).comparison.verdict == "capped"


@pytest.mark.parametrize(
    ("load", "verdict"), [(992_500, "capped"), (994_900, "capped"), (995_000, "slower"), (996_700, "slower")]
)
def test_what_was_offered_as_much_but_for_half_a_percent_could_have_reached_the_other(load, verdict):
    """A value counts as at its load from half a percent below it: so far are two loads the same."""
    full = offered(1e6, *[1e6] * 5)
    part = offered(load, *(load * share for share in (0.99, 0.991, 0.9905, 0.9895, 1.0)))
    assert one(full, part).comparison.verdict == verdict
    assert one(part, full).comparison.verdict == ("faster" if verdict == "slower" else "capped")


@pytest.mark.parametrize(("n", "verdict"), [(1, "inconclusive"), (2, "capped"), (3, "capped")])
def test_two_sets_at_their_limit_are_capped_from_two_values_on(n, verdict):
    line = ResultSet("line", (14_880_952.0,) * n, line_rate=14_880_952.0)
    longer = ResultSet("line", (14_880_952.0,) * 5, line_rate=14_880_952.0)
    for judged in (one(line, line), one(line, longer), one(longer, line)):
        assert judged.comparison.verdict == verdict
        assert (judged.comparison.cannot_say is None) is (verdict == "capped")


def test_one_set_at_its_limit_does_not_speak_for_the_other_without_any_spread():
    line = ResultSet("line", (1000.0,) * 5, line_rate=1000.0)
    assert one(line, (900.0,) * 5).comparison.cannot_say.startswith("cannot say, because neither ")


def test_of_capped_sets_no_number_of_iterations_is_told():
    found = one(capped(), capped(times(1.0001))).comparison
    assert (found.verdict, found.detectable_percent, found.iterations_needed, found.to_decide) == (
        "capped",
        None,
        None,
        None,
    )


@pytest.mark.parametrize("swapped", [False, True])
def test_more_iterations_are_not_advised_where_they_cannot_prove_equality_with_a_lower_bound(swapped):
    """Once the two were proven equal, the verdict would be "capped"."""
    part, free = offered(1e6, 1e6, 961e3, 985e3, 970e3, 978e3), (972e3, 990e3, 963e3, 982e3, 977e3)
    judged = one(free, part) if swapped else one(part, free)
    found = judged.comparison
    assert found.verdict == "inconclusive" and found.iterations_needed is not None
    assert (found.to_decide, found.analysis.to_decide) == (None, None)
    assert wording.verdict_cell(found) == "inconclusive" and wording.footnotes([found]) == []
    assert judged.sentence.endswith(
        "; 1 of 5 iterations of new is at its offered load, so more iterations cannot prove the two equal"
    )
    (power,) = (line for line in judged.explanation if line.startswith("Power"))
    assert power.endswith(f"; detecting 1 % takes {found.iterations_needed} iterations per set")
    without = one(free, part.values) if swapped else one(part.values, free)
    assert without.comparison.to_decide is not None
    assert "would decide at the 1 % margin" in without.sentence


def test_a_bench_that_is_too_noisy_is_so_with_a_lower_bound_too():
    part = offered(1e6, 1e6, 500e3, 900e3, 600e3, 700e3)
    judged = one(part, (700e3, 990e3, 540e3, 800e3, 650e3))
    assert wording.verdict_cell(judged.comparison) == "inconclusive: too noisy"
    assert "too noisy for a margin of 1 %" in judged.sentence


# --- what cannot be said


def test_without_a_test_the_plain_difference_is_still_there():
    difference = one((1000.0,), (900.0,)).comparison.difference
    assert (difference.absolute, difference.percent) == (-100.0, pytest.approx(-10.0))
    assert difference.ci_absolute is None and difference.p is None
    assert one((0.0,), (900.0,)).comparison.difference.percent is None


@pytest.mark.parametrize(
    ("base", "other", "reason"),
    [
        ((1.0,), BASE, "old has a single value"),
        (BASE, (5.0,), "new has a single value"),
        ((1.0, 2.0), BASE, "old has only 2 values"),
        ((), BASE, "old has no values"),
        (BASE, (), "new has no values"),
        ((5.0,) * 5, (6.0,) * 5, "neither old nor new has any spread"),
        ((5.0,) * 5, (5.0,) * 5, "neither old nor new has any spread"),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "neither old nor new has any spread"),
        ((1.0, math.nan, 2.0), BASE, "value 2 of old is not a finite number"),
        (BASE, (1.0, 2.0, math.inf), "value 3 of new is not a finite number"),
    ],
)
def test_what_cannot_be_said_says_why(base, other, reason):
    judged = one(base, other)
    assert judged.comparison.verdict == "inconclusive"
    first = judged.comparison.warnings[0]
    assert first.code in ("cannot-say", "not-shared")
    assert first.text.startswith("cannot say, because ")
    assert reason in first.text
    assert judged.sentence == first.text


@pytest.mark.parametrize(
    ("own", "code", "text"),
    [
        (
            (Caution("dropped", "iteration 1"),),
            "cannot-say",
            "no iteration of new is left for forwarding: restore",
        ),
        (
            (Caution("ended-early", "iteration 1"),),
            "not-shared",
            "new has no values for forwarding: measure the",
        ),
        ((), "not-shared", "new has no values for forwarding: measure the case there, or leave it out."),
    ],
)
def test_a_set_of_which_all_was_dropped_is_told_from_one_that_was_not_measured(own, code, text):
    first = one(BASE, ResultSet("new", (), cautions=own)).comparison.warnings[0]
    assert first.code == code and first.text.startswith(f"cannot say, because {text}")


def test_two_values_still_show_their_numbers():
    judged = one((1000.0, 1001.0), BASE)
    assert judged.comparison.difference.ci_percent is not None
    assert "tiny-set" in codes(judged)


def test_one_set_without_spread_is_judged():
    judged = one((1000.0,) * 5, times(1.1))
    assert judged.comparison.verdict == "faster"
    assert "zero-spread" in codes(judged)


def test_a_zero_or_negative_base_gets_a_verdict_without_percentages():
    for base in ((-1.0, 0.0, 1.0, 0.5, -0.5), times(-1.0)):
        judged = one(base, BASE)
        difference = judged.comparison.difference
        assert judged.comparison.verdict == "faster"
        assert (difference.percent, difference.ci_percent) == (None, None)
        assert difference.ci_absolute is not None
        assert judged.comparison.detectable_percent is None
        (told,) = (one for one in judged.comparison.warnings if one.code == "no-percent-interval")
        assert "none, because the mean of old is not above zero" in told.text


def test_a_base_that_may_be_zero_has_a_percentage_without_an_interval():
    judged = one((1.0, -2.0, 4.0, 0.5, 3.0), BASE)
    assert judged.comparison.difference.percent > 0
    assert judged.comparison.difference.ci_percent is None
    assert "not clearly above zero" in " ".join(warning.text for warning in judged.comparison.warnings)


# --- many comparisons


def test_everything_shown_shares_one_error_rate():
    pairs = [("a", BASE, times(1.0025)), ("b", BASE, times(1.0001)), ("c", NOISY, NOISY), ("d", (1.0,), BASE)]
    result = judge([(case, ResultSet("old", base), ResultSet("new", other)) for case, base, other in pairs])
    ps = [stats.ttest_ind(other, base, equal_var=False).pvalue for _, base, other in pairs[:3]]
    assert [judged.comparison.difference.p for judged in result[:3]] == pytest.approx(ps)
    expected = [3 * ps[0], min(max(2 * ps[1], 3 * ps[0]), 1.0), 1.0]
    assert [judged.comparison.difference.p_adjusted for judged in result[:3]] == pytest.approx(expected)
    assert result[3].comparison.difference.p_adjusted is None


def test_the_same_pair_may_be_proven_alone_and_chance_among_many():
    pair = ("a", ResultSet("old", BASE), ResultSet("new", times(1.0028)))
    others = [(case, ResultSet("old", NOISY), ResultSet("new", NOISY)) for case in "bcdefgh"]
    assert judge([pair], margin_percent=0.1)[0].comparison.verdict == "faster"
    assert judge([pair, *others], margin_percent=0.1)[0].comparison.verdict == "inconclusive"


def test_more_comparisons_lower_what_can_be_found():
    pair = ("a", ResultSet("old", NOISY), ResultSet("new", NOISY))
    alone, among = judge([pair])[0].comparison, judge([pair] * 7)[0].comparison
    assert alone.detectable_percent < among.detectable_percent
    assert alone.iterations_needed < among.iterations_needed


def test_nothing_to_judge_is_no_verdict():
    assert judge([]) == []


# --- numbers


def test_the_reference_figures_of_planning():
    # SD exactly 1 % of the mean in both sets
    values = times(10.0 / math.sqrt(2.5) / 1.0, (-2.0, -1.0, 0.0, 1.0, 2.0))
    steady = tuple(1000.0 + value for value in values)
    found = one(steady, steady).comparison
    assert found.base.stddev == pytest.approx(10.0)
    assert found.detectable_percent == pytest.approx(2.02, abs=0.005)
    assert found.iterations_needed == 17


def test_the_interval_and_p_are_scipys():
    base, other = NOISY, times(1.02, NOISY)
    found = one(base, other, confidence=99).comparison.difference
    reference = stats.ttest_ind(other, base, equal_var=False)
    assert found.p == pytest.approx(reference.pvalue)
    assert found.ci_absolute == pytest.approx(tuple(reference.confidence_interval(0.99)))
    assert found.confidence == 99.0


def test_sets_of_unequal_size_are_judged_by_the_stricter_of_two_tests():
    base, other = NOISY, times(1.02, NOISY)[:4]
    found = one(base, other).comparison.difference
    tests = [stats.ttest_ind(other, base, equal_var=equal) for equal in (True, False)]
    assert found.p == pytest.approx(max(test.pvalue for test in tests))
    intervals = [test.confidence_interval(0.95) for test in tests]
    assert found.ci_absolute == pytest.approx(
        (min(one.low for one in intervals), max(one.high for one in intervals))
    )
    assert "the larger p of Welch's and the pooled t" in found.method
    assert "the pooled test must agree" in "\n".join(one(base, other).explanation)


# --- not slower: a loss as large as the margin is ruled out


def test_a_gain_or_a_loss_well_inside_the_margin_is_not_slower():
    for factor in (1.1, 1.0, 0.997):
        found = one(BASE, times(factor)).comparison.not_slower
        assert found.proven
        assert found.p_adjusted < 0.05
        assert found.why_not is None


def test_a_proven_loss_is_never_called_not_slower():
    """Each claim has a family of its own. Beside a gain, this loss is proven, but not that it is small.

    Among the tests of a loss as large as the margin its p is the larger one and stays as it is, 0.03; among
    those of equivalence it is the smaller one and is doubled.
    """
    sets = [
        (case, ResultSet("old", BASE), ResultSet("new", times(factor)))
        for case, factor in (("loss", 0.9922), ("gain", 1.5))
    ]
    alone, beside = judge(sets[:1])[0].comparison, judge(sets)[0].comparison
    assert (alone.verdict, alone.not_slower.proven) == ("equivalent", True)
    assert beside.not_slower.p == beside.not_slower.p_adjusted == pytest.approx(0.03, abs=0.005)
    assert (beside.verdict, beside.not_slower.proven) == ("slower", False)
    assert beside.not_slower.why_not == "a loss is proven"


def test_a_loss_beyond_or_near_the_margin_is_not_ruled_out():
    lost = one(BASE, times(0.9)).comparison
    assert (lost.verdict, lost.not_slower.proven, lost.not_slower.why_not) == (
        "slower",
        False,
        "a loss is proven",
    )
    near = one(NOISY, times(0.993, NOISY)).comparison.not_slower
    assert not near.proven
    assert near.why_not.startswith("a loss of 1 % or more is not ruled out (p = ")


def test_noise_alone_does_not_rule_out_a_loss():
    noisier = (1000.0, 1030.0, 970.0, 1015.0, 985.0)
    assert not one(noisier, noisier).comparison.not_slower.proven


def test_against_a_lower_bound_no_loss_is_ruled_out_but_a_lower_bound_may_rule_it_out():
    assert "lower bounds" in one(capped(), times(1.0001)).comparison.not_slower.why_not
    assert one(BASE, capped(times(1.0001))).comparison.not_slower.proven


def test_what_cannot_be_judged_is_neither_slower_nor_proven_not_to_be():
    found = one((1000.0, 1001.0), (500.0, 501.0, 502.0, 499.0, 500.0)).comparison
    assert found.cannot_say.startswith("cannot say, because old has only 2 values")
    assert not found.not_slower.proven
    assert found.not_slower.why_not.startswith("old has only 2 values")
    assert one(BASE, times(1.1)).comparison.cannot_say is None


def test_what_is_proven_not_slower_has_its_p_as_it_was_corrected():
    sets = [(case, ResultSet("old", BASE), ResultSet("new", BASE)) for case in "ab"]
    first = judge(sets)[0].comparison.not_slower
    assert first.proven and first.p_adjusted == pytest.approx(2 * first.p)


def test_everything_shown_shares_the_error_rate_of_not_slower():
    pair = ("a", ResultSet("old", BASE), ResultSet("new", times(0.9923)))
    others = [(case, ResultSet("old", NOISY), ResultSet("new", NOISY)) for case in "bcdefgh"]
    assert judge([pair])[0].comparison.not_slower.proven
    many = judge([pair, *others])[0].comparison.not_slower
    assert many.p_adjusted == pytest.approx(8 * many.p)
    assert not judge([pair, *others])[0].comparison.not_slower.proven


def test_ministats_own_decision_stands_beside_it():
    found = one(BASE, times(1.1)).comparison.ministat
    assert found.differs is True
    assert found.percent == pytest.approx(10.0)
    assert one(BASE, times(1.1), confidence=97).comparison.ministat.error is None  # no such level in ministat


def test_the_explanation_shows_each_step_with_its_numbers():
    lines = "\n".join(one(NOISY, times(1.02, NOISY)).explanation)
    for step in (
        "base old: n = 5",
        "other new",
        "Welch",
        "df = ",
        "Holm",
        "Equivalence",
        "Power",
        "Verdict: ",
    ):
        assert step in lines
    assert "±1 % (±10)" in lines  # the margin in the unit of the values: 1 % of 1000


def test_the_sets_own_cautions_are_passed_on():
    own = Caution("ended-early", "iteration 3 ended after 12 s")
    assert "ended-early" in codes(one(ResultSet("old", BASE, cautions=(own,)), BASE))


def test_a_margin_of_zero_is_one_and_a_confidence_of_zero_is_none():
    assert one(BASE, times(1.1), margin_percent=0.0).comparison.verdict == "faster"
    assert one(BASE, times(1.1), margin_percent=99.9).comparison.margin_percent == 99.9
    with pytest.raises(FwdtuiError, match="a confidence of 0 % makes no sense"):
        one(BASE, BASE, confidence=0.0)


@pytest.mark.parametrize("name", ["margin_percent", "confidence"])
@pytest.mark.parametrize("number", [-1.0, 100.0, math.nan, math.inf])
def test_a_margin_or_confidence_that_makes_no_sense_is_an_error(name, number):
    with pytest.raises(FwdtuiError, match="makes no sense"):
        one(BASE, BASE, **{name: number})


# --- whatever comes in

extreme = st.sampled_from(
    [
        0.0,
        -0.0,
        5e-324,
        1e-320,
        1e-160,
        1e160,
        -1e160,
        sys.float_info.max,
        -sys.float_info.max,
        1.0,
        1.0 + 2**-52,
    ]
)
wild_number = st.one_of(st.floats(), extreme, st.floats(0.99, 1.01), st.integers(-5, 5).map(float))
wild_set = st.builds(
    ResultSet,
    label=st.sampled_from(["old", "new"]),
    values=st.lists(wild_number, max_size=8).map(tuple),
    offered=st.one_of(st.just(()), st.lists(st.one_of(st.none(), wild_number), max_size=8).map(tuple)),
    line_rate=st.one_of(st.none(), wild_number),
)


def floats_of(value: object):
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from floats_of(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from floats_of(part)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(wild_set, wild_set), min_size=1, max_size=3),
    st.sampled_from([0.0, 0.01, 1.0, 50.0, 99.9]),
    st.sampled_from([50.0, 80.0, 95.0, 97.3, 99.5, 99.9999]),
)
def test_no_number_is_ever_nan_or_infinite(sides, margin, confidence):
    result = judge([("case", *pair) for pair in sides], margin_percent=margin, confidence=confidence)
    assert len(result) == len(sides)
    for judged in result:
        comparison = judged.comparison
        assert comparison.verdict in VERDICTS
        assert all(math.isfinite(number) for number in floats_of(msgspec.to_builtins(comparison)))
        assert msgspec.json.decode(msgspec.json.encode(comparison), type=Comparison) == comparison
        words = " ".join([judged.sentence, *judged.explanation, *(w.text for w in comparison.warnings)])
        assert not re.search(r"\b(nan|inf|None)\b", words)
        interval = comparison.difference.ci_percent
        if interval is not None:
            assert interval[0] <= comparison.difference.percent <= interval[1]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(1.0, 1e7), min_size=3, max_size=8),
    st.lists(st.floats(1.0, 1e7), min_size=3, max_size=8),
)
def test_the_unit_of_the_values_changes_no_verdict(base, other):
    here = one(base, other).comparison
    there = one(times(2.0**900, base), times(2.0**900, other)).comparison
    assert here.verdict == there.verdict
    assert here.difference.p == there.difference.p
    assert here.difference.ci_percent == there.difference.ci_percent
    assert here.iterations_needed == there.iterations_needed


@pytest.mark.parametrize(
    ("base", "other", "verdict"), [(-1.6e308, 1.6e308, "faster"), (1.6e308, -1.6e308, "slower")]
)
def test_a_difference_that_is_larger_than_any_number_keeps_its_direction(base, other, verdict):
    judged = one(*(tuple(mean + place * 1e304 for place in range(5)) for mean in (base, other)))
    assert judged.comparison.difference.absolute is None
    assert judged.comparison.verdict == verdict


@pytest.mark.parametrize(
    ("shown", "interactions", "words"),
    [
        (1, 0, "1 comparison"),
        (2, 0, "2 comparisons"),
        (2, 1, "1 comparison and 1 interaction"),
        (4, 2, "2 comparisons and 2 interactions"),
    ],
)
def test_what_shares_the_error_rate_is_counted_in_words(shown, interactions, words):
    assert family_in_words(shown, interactions) == words


def test_the_error_rate_is_what_the_confidence_leaves():
    assert alpha_of(95.0) == pytest.approx(0.05) and alpha_of(99.5) == pytest.approx(0.005)


def test_three_values_are_enough_for_a_verdict():
    assert one((1.0, 2.0, 3.0), (101.0, 102.0, 103.0)).comparison.verdict == "faster"
    assert one((1.0, 2.0), (101.0, 102.0, 103.0)).comparison.verdict == "inconclusive"


def test_a_pair_has_the_unit_of_the_set_that_names_one():
    for units in (("us", ""), ("", "us"), ("us", "us")):
        base, other = (ResultSet(str(n), (1.0, 2.0, 3.0), unit=unit) for n, unit in enumerate(units))
        pair = prepare("case", base, other)
        assert pair.unit == "us" and pair.less
