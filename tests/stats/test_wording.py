"""Numbers and verdicts in words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.stats import figures, wording
from fwdtui.stats.results import Difference, ResultSet
from fwdtui.stats.verdict import judge, judge_all

BASE = (1000.0, 1002.0, 998.0, 1001.0, 999.0)


def difference(percent, interval=None, absolute=None, absolute_interval=None) -> Difference:
    return Difference(absolute, percent, absolute_interval, interval, 95.0, None, None, "")


def sentence(base, other, **options) -> str:
    sides = [side if isinstance(side, ResultSet) else ResultSet(name, tuple(side)) for name, side in
             (("old", base), ("new", other))]  # fmt: skip
    return judge([("case", *sides)], **options)[0].sentence


@pytest.mark.parametrize(
    ("percent", "interval", "text"),
    [
        (1.7712, (0.35, 3.19), "+1.8 % ± 1.4 %"),
        (-45.23, (-46.2, -44.26), "−45.23 % ± 0.97 %"),
        (-45.23, (-46.23, -44.23), "−45.2 % ± 1.0 %"),
        (-45.23, (-46.2, -44.3), "−45.23 % [−46.20, −44.30]"),
        (-0.17, (-0.23, -0.11), "−0.170 % ± 0.060 %"),
        (162.9, (160.2, 165.5), "+162.9 % [+160.2, +165.5]"),
        (12.3, (-30.0, 90.0), "+12 % [−30, +90]"),
        (88.0, (1.6, 239.0), "+88 % [+2, +239]"),
        (88.0, (0.3, 239.0), "+88.0 % [+0.3, +239.0]"),
        (88.0, (0.0003, 239.0), "+88 % [>0, +239]"),
        (-3.2, (-6.4, -0.0001), "−3.2 % [−6.4, <0]"),
        (3.2, (0.02, 6.38), "+3.20 % [+0.02, +6.38]"),
        (3.2, (-0.02, 6.42), "+3.2 % ± 3.2 %"),
        (3.2, (0.0, 6.4), "+3.2 % ± 3.2 %"),
        (-3.2, (-6.4, 0.0), "−3.2 % ± 3.2 %"),
        (88.0, (0.03, 239.0), "+88.00 % [+0.03, +239.00]"),
        (88.0, (0.003, 239.0), "+88 % [>0, +239]"),
        (0.0004, (-0.2, 0.2), "0.00 % ± 0.20 %"),
        (-0.004, (-0.2, 0.2), "0.00 % ± 0.20 %"),
        (3.0, (2.9004, 3.0), "+3.00 % [+2.90, +3.00]"),
        (5.0, None, "+5.00 %"),
        (-45.2, None, "−45.2 %"),
        (395.0, None, "+395 %"),
        (5.0, (5.0, 5.0), "+5.00 % ± 0.00 %"),
        (3.2e9, (1e9, 9e9), "+3.20e+09 % [+1.00e+09, +9.00e+09]"),
    ],
)
def test_a_percentage_has_the_decimals_of_its_larger_arm_and_both_arms_where_they_differ(
    percent, interval, text
):
    assert wording.difference_cell(difference(percent, interval)) == text


@given(st.floats(-99, 1e4), st.floats(0, 1e4), st.floats(0, 1e4))
def test_a_reader_of_the_interval_never_takes_it_to_be_on_both_sides_of_zero_when_it_is_not(
    percent, left, right
):
    low, high = percent - left, percent + right
    value, spread = figures.percentage(percent, (low, high))
    if " ± " in spread:
        middle, arm = (float(text.replace("−", "-").replace(" %", "")) for text in (value, spread[3:]))
        ends = middle - arm, middle + arm
        # shown with two figures: what is left out of the interval is not in what is shown either
        assert not (low > 0.0 and ends[0] <= 0.0) or not arm
        assert not (high < 0.0 and ends[1] >= 0.0) or not arm
    elif spread:
        shown = spread.strip(" []").split(", ")
        assert (low > 0.0) == (shown[0].startswith(("+", ">")))
        assert (high < 0.0) == (shown[1].startswith(("−", "<")))


def test_without_a_percentage_the_difference_is_in_the_unit_of_the_values():
    cell = wording.difference_cell(difference(None, None, -15600.0, (-28100.0, -3100.0)))
    assert cell == "−15.60 k ± 12.50 k"
    cell = wording.difference_cell(difference(None, None, -15600.0, (-28100.0, -3000.0)))
    assert cell == "−15.60 k [−28.10 k, −3.000 k]"
    assert wording.difference_cell(difference(None)) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1001291.0, "1.001 M"),
        (-480840.0, "−480.8 k"),
        (12.0, "12"),
        (0.0, "0"),
        (0.00123456, "0.001235"),
        (1e300, "1e+300"),
        (2.5e-310, "2.5e−310"),
        (None, "–"),
    ],
)
def test_amounts_have_four_digits_and_stay_short(value, text):
    assert figures.amount(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1e300))
def test_no_number_is_ever_longer_than_a_cell(value, arm):
    shown = str(figures.percentage(value, (value - arm, value + arm)))
    assert len(shown) <= (36 if "±" in shown else 46)
    assert len(figures.amount(value)) <= 12


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_minus_is_the_real_minus_sign(value):
    assert "-" not in str(figures.percentage(value, None)) + figures.amount(value)


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.026, "0.026"),
        (0.00412, "0.00412"),
        (0.5, "0.50"),
        (1.0, "1.00"),
        (1e-9, "<0.0001"),
        (0.0, "<0.0001"),
    ],
)
def test_p_values_are_short_and_never_zero(p, text):
    assert figures.p_value(p) == text


def test_faster_and_slower_are_said_without_a_sign():
    assert re.fullmatch(r"improved by 10\.\d+ % ± 0\.\d+ %", sentence(BASE, [value * 1.1 for value in BASE]))
    assert re.fullmatch(
        r"slowed down by 45\.\d+ % ± 0\.\d+ %", sentence(BASE, [value * 0.55 for value in BASE])
    )


def test_equivalent_names_the_margin():
    shifted = [value - 0.4 for value in BASE]
    assert sentence(BASE, shifted) == "equivalent: −0.04 % ± 0.23 %, inside the 1 % margin"
    assert sentence(BASE, shifted, margin_percent=2.5).endswith("inside the 2.5 % margin")


def test_a_real_but_small_difference_says_that_it_is_real():
    assert sentence(BASE, [value + 5 for value in BASE]).endswith("a proven gain, but inside the 1 % margin")


def test_inconclusive_says_how_many_more_iterations_would_decide():
    noisy = (1000.0, 1010.0, 990.0, 1005.0, 995.0)
    text = sentence(noisy, [value + 6 for value in noisy])
    more = "about 2 to 22 more iterations per set would decide at the 1 % margin with 80 % power"
    assert text == f"inconclusive: +0.6 % [−0.5, +1.8]; {more}"
    unequal = sentence(noisy, [value + 6 for value in (*noisy, *noisy)])
    assert re.search(
        r"about \d+ to \d+ iterations per set would decide at the 1 % margin with 80 % power$", unequal
    )


def test_inconclusive_at_a_hopeless_spread_asks_to_steady_the_bench():
    wild = (1.0, 5000.0, 3000.0, 900.0, 2500.0)
    assert "too noisy for a margin of 0.1 %: reduce the spread or widen the margin" in sentence(
        wild, wild, margin_percent=0.1
    )


def test_inconclusive_with_enough_iterations_says_what_is_missing():
    quiet = (1000.0, 1004.0, 996.0, 1002.0, 998.0)
    text = sentence(quiet, [value + 4.5 for value in quiet], margin_percent=0.7)
    assert "5 iterations per set usually decide at the 0.7 % margin" in text


def test_a_difference_that_holm_takes_away_says_so():
    pairs = [("a", BASE, [value + 2.6 for value in BASE])] + [(case, BASE, BASE) for case in "bcdefg"]
    sets = [(case, ResultSet("old", tuple(old)), ResultSet("new", tuple(new))) for case, old, new in pairs]
    (first, *_) = judge(sets, margin_percent=0.2)
    assert first.comparison.difference.p < 0.05 <= first.comparison.difference.p_adjusted
    assert "among 7 comparisons it may be chance" in first.sentence


def test_the_sentence_does_not_count_interactions_as_comparisons():
    from fwdtui.stats.interaction_verdict import Cross

    shifted = tuple(value + 2.4 for value in BASE)
    base = ResultSet("old", tuple(BASE))
    pairs = [("p", base, ResultSet("new", shifted)), ("q", base, ResultSet("new", tuple(BASE)))]
    cross = Cross(0, 1, ("image",), "f", ("on", "off"), {}, "", ("new", "on", "off"))
    first, _ = judge_all(pairs, [cross], margin_percent=0.2).judged
    assert first.comparison.difference.p < 0.05 <= first.comparison.difference.p_adjusted
    assert "would be proven, among 2 comparisons and 1 interaction it may be chance; " in first.sentence
    assert first.comparison.difference.method.endswith("Holm over 2 comparisons and 1 interaction")


def test_capped_sets_say_which_limit_hides_the_truth():
    capped = ResultSet("new", BASE, line_rate=1000.0)
    assert sentence(BASE, capped) == "capped: new is at line rate, so the DUT may be able to do more"
    below = [value * 0.8 for value in BASE]
    assert re.fullmatch(
        r"improved by at least 25\.\d+ % ± 0\.\d+ %: new is at line rate", sentence(below, capped)
    )


def test_beside_a_table_a_sentence_says_only_what_its_row_does_not():
    def remark(base, other, **options) -> str:
        sides = [side if isinstance(side, ResultSet) else ResultSet(name, tuple(side)) for name, side in
                 (("old", base), ("new", other))]  # fmt: skip
        (one,) = judge([("case", *sides)], **options)
        return wording.remark(one.sentence, one.comparison)

    capped, below = ResultSet("new", BASE, line_rate=1000.0), [value * 0.8 for value in BASE]
    noisy = (1000.0, 1010.0, 990.0, 1005.0, 995.0)
    assert remark(BASE, below) == ""
    assert remark(below, capped) == "at least this much: new is at line rate"
    assert remark(BASE, capped) == "new is at line rate, so the DUT may be able to do more"
    assert remark(BASE, [value - 0.4 for value in BASE]) == "inside the 1 % margin"
    assert remark(BASE, [value + 5 for value in BASE]) == "a proven gain, but inside the 1 % margin"
    assert remark(noisy, [value + 6 for value in noisy]).startswith("about 2 to 22 more iterations")


def test_the_cell_of_a_verdict_counts_the_missing_iterations():
    noisy = (1000.0, 1010.0, 990.0, 1005.0, 995.0)
    sides = ResultSet("old", noisy), ResultSet("new", tuple(value + 6 for value in noisy))
    (found,) = judge([("case", *sides)])
    assert wording.verdict_cell(found.comparison) == "inconclusive: 2 to 22 more"
    in_full = wording.verdict_cell(found.comparison, in_full=True)
    assert in_full == "inconclusive: about 2 to 22 more iterations"
    sides = ResultSet("old", BASE), ResultSet("new", tuple(value * 2 for value in BASE))
    assert wording.verdict_cell(judge([("case", *sides)])[0].comparison) == "faster"


def test_a_row_whose_interval_leaves_out_zero_says_why_it_is_inconclusive():
    pairs = [("a", BASE, [value + 2.6 for value in BASE])] + [(case, BASE, BASE) for case in "bcdefg"]
    sets = [(case, ResultSet("old", tuple(old)), ResultSet("new", tuple(new))) for case, old, new in pairs]
    found = [one.comparison for one in judge(sets, margin_percent=0.2)]
    assert found[0].difference.ci_percent[0] > 0.0
    assert wording.verdict_word(found[0]) == "inconclusive among 7"
    assert re.fullmatch(r"inconclusive among 7: \d+ to \d+ more", wording.verdict_cell(found[0]))
    assert [wording.verdict_word(one) for one in found[1:]] == ["inconclusive"] * 6
    note, again = wording.footnotes(found)
    assert note.startswith("among 7: on its own the difference would be proven")
    assert again == wording.look_again(95.0)
    assert wording.footnotes(found[1:]) == [again]


@pytest.mark.parametrize("confidence", [50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.9995])
def test_two_looks_share_the_error_that_was_asked_for(confidence):
    told = re.search(
        r"--confidence (\S+) at the first, (\S+) at the second\.$", wording.look_again(confidence)
    )
    first, second = (100.0 - float(level) for level in told.groups())
    assert first + second == pytest.approx(100.0 - confidence, rel=1e-6)
    assert first == pytest.approx((100.0 - confidence) / 5.0, rel=1e-6)


def test_two_looks_at_a_confidence_that_cannot_be_asked_for_are_not_advised():
    assert "--confidence" not in wording.look_again(99.9999)
    assert "--confidence 99 at the first, 96 at the second." in wording.look_again(95.0)


def test_a_row_about_which_nothing_can_be_said_says_so_whatever_its_interval_is():
    sides = ResultSet("old", (1000.0, 1001.0)), ResultSet("new", (500.0, 501.0, 502.0, 499.0, 500.0))
    (found,) = judge([("case", *sides)])
    assert found.comparison.difference.ci_percent[1] < 0.0, "an interval there is"
    assert wording.verdict_cell(found.comparison) == "inconclusive: cannot say"
    assert wording.footnotes([found.comparison]) == []


def test_equivalence_beside_an_interval_that_reaches_beyond_the_margin_is_explained():
    old = (1000.0, 1004.0, 996.0, 1002.0, 998.0)
    sets = [("inet4", ResultSet("old", old), ResultSet("new", tuple(value + 3.0 for value in old)))]
    (wide,) = judge(sets, margin_percent=0.7)
    assert wide.comparison.verdict == "equivalent" and max(wide.comparison.difference.ci_percent) > 0.7
    (note,) = wording.footnotes([wide.comparison])
    assert note.startswith("equivalent (inet4): the 95 % interval reaches") and "the 90 % interval" in note
    (clear,) = judge(sets, margin_percent=2.0)
    assert wording.footnotes([clear.comparison]) == []


def test_two_percentages_differ_in_points_where_there_is_no_percentage_of_the_base():
    """``+0.136 %`` is a relative change, and "0.136 % more" one of a loss that was not zero."""
    none, some = (
        ResultSet("old", (0.0,) * 5, unit="%"),
        ResultSet("new", (0.1, 0.2, 0.15, 0.12, 0.11), unit="%"),
    )
    (one,) = judge([("loss", none, some)])
    assert one.sentence == "0.136 points ± 0.05013 points more, worse"
    assert wording.difference_cell(one.comparison.difference, "%") == "+0.136 points ± 0.05013 points"
    assert wording.remark(one.sentence, one.comparison) == "more, worse"
    (welch,) = [line for line in one.explanation if line.startswith("Welch: ")]
    assert "means +0.136 points" in welch and "interval +0.08587 points to +0.1861 points" in welch
    (back,) = judge([("loss", some, none)])
    (tests,) = [line for line in back.explanation if line.startswith("Equivalence within ")]
    assert tests.startswith("Equivalence within ±1 % (±0.00136 points): ")
