"""Where less is better, a smaller value is the faster one; nothing else of a verdict changes."""

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.stats.figures import amount, amount_and_interval, rate
from fwdtui.stats.results import Comparison, Judged, ResultSet
from fwdtui.stats.verdict import judge

OLD = (30.1, 29.9, 30.0, 30.2, 29.8)


def judged(factor: float, unit: str, **more: object) -> Judged:
    other = tuple(value * factor for value in OLD)
    pair = ResultSet("old", OLD, unit=unit, **more), ResultSet("new", other, unit=unit, **more)  # type: ignore[arg-type]
    return judge([("inet4", *pair)])[0]


def compared(factor: float, unit: str) -> Comparison:
    return judged(factor, unit).comparison


@pytest.mark.parametrize(
    ("factor", "more", "less"),
    [(1.1, "faster", "slower"), (0.9, "slower", "faster"), (1.0, "equivalent", "equivalent")],
)
def test_the_direction_decides_between_faster_and_slower(factor: float, more: str, less: str) -> None:
    for unit in ("", "pps", "Mb/s", "unheard of"):
        found = compared(factor, unit)
        assert (found.verdict, found.better, found.unit) == (more, "more", unit or None)
    for unit in ("us", "ns/packet", "cycles/packet", "%"):
        found = compared(factor, unit)
        assert (found.verdict, found.better, found.unit) == (less, "less", unit)


def test_the_sentence_says_which_way_is_better() -> None:
    assert judged(0.9, "us").sentence.endswith(" less, better")
    assert judged(1.1, "us").sentence.endswith(" more, worse")
    assert judged(0.9, "Mb/s").sentence.startswith("slowed down by 10.0")


def test_a_proven_but_small_increase_is_a_loss_where_less_is_better() -> None:
    quiet = (30.0, 30.001, 29.999, 30.0005, 29.9995)
    pair = ResultSet("old", quiet, unit="us"), ResultSet("new", tuple(v * 1.005 for v in quiet), unit="us")
    assert "a proven loss, but inside the 1 % margin" in judge([("x", *pair)])[0].sentence


@pytest.mark.parametrize(("unit", "worse", "word"), [("pps", 0.9, "a loss"), ("us", 1.1, "an increase")])
def test_not_slower_rules_out_what_is_worse(unit: str, worse: float, word: str) -> None:
    better = compared(2.0 - worse, unit).not_slower
    assert better.proven and better.p is not None and better.p < 1e-3
    lost = compared(worse, unit).not_slower
    assert not lost.proven and lost.why_not == f"{word} is proven"


def test_the_one_sided_tests_mirror_each_other() -> None:
    noisy = (28.0, 32.0, 30.0, 31.0, 29.0)

    def p_of(unit: str, factor: float) -> float:
        pair = ResultSet("a", noisy, unit=unit), ResultSet("b", tuple(v * factor for v in noisy), unit=unit)
        (found,) = judge([("x", *pair)], margin_percent=5.0)
        assert found.comparison.not_slower.p is not None
        return found.comparison.not_slower.p

    both = p_of("pps", 1.02), p_of("us", 1.02)
    assert both[0] < 0.5 < 1.0 and both[0] < both[1], "2 % more: a gain in pps, a loss in us"


def test_what_was_offered_bounds_no_latency() -> None:
    found = judged(0.9, "us", offered=(27.0,) * 5, line_rate=27.0)
    assert found.comparison.verdict == "faster"
    assert not {"capped-by-generator", "partly-capped", "received-above-offered"} & {
        warning.code for warning in found.comparison.warnings
    }
    assert judged(0.9, "Mb/s", offered=(27.0,) * 5).comparison.verdict == "capped"


def test_two_units_are_no_pair() -> None:
    with pytest.raises(FwdtuiError, match="old inet4 is in pps and new inet4 in us"):
        judge([("inet4", ResultSet("old", OLD, unit="pps"), ResultSet("new", OLD, unit="us"))])
    (found,) = judge([("inet4", ResultSet("old", OLD), ResultSet("new", OLD, unit="us"))])
    assert found.comparison.unit == "us", "a plain file is taken to have the other's"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (883_412.0, "", "883.4 k"),
        (883_412.0, "pps", "883.4 k"),
        (941.26, "Mb/s", "941.3 Mb/s"),
        (9412.6, "Mb/s", "9 413 Mb/s"),
        (0.04512, "us", "0.04512 us"),
        (0.0, "us", "0 us"),
        (-31.4, "us", "−31.4 us"),
    ],
)
def test_a_figure_has_its_unit_unless_that_goes_without_saying(value: float, unit: str, text: str) -> None:
    assert amount(value, unit=unit) == text


def test_rates_and_intervals_have_it_too() -> None:
    assert rate(1.456e6) == rate(1.456e6, "pps") == "1.456 Mpps"
    assert rate(941.26, "Mb/s") == "941.3 Mb/s"
    assert str(amount_and_interval(2.5, (1.0, 4.0), unit="us")) == "+2.5 us ± 1.5 us"


def test_without_a_percentage_the_difference_is_in_the_unit() -> None:
    pair = ResultSet("old", (-1.0, 0.5, 0.4), unit="us"), ResultSet("new", (5.0, 5.1, 5.2), unit="us")
    (found,) = judge([("x", *pair)])
    assert found.comparison.difference.percent is None
    assert " us" in found.sentence
    assert any("mean −0.03333 us" in line for line in found.explanation)


def test_warnings_name_the_unit() -> None:
    pair = ResultSet("old", (30.0, 30.1, 29.9, 30.2, 45.0), unit="us"), ResultSet("new", OLD, unit="us")
    (found,) = judge([("x", *pair)])
    (text,) = [warning.text for warning in found.comparison.warnings if warning.code == "outlier"]
    assert "value 5 (45 us, " in text
