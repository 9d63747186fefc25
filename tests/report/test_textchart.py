"""Charts in plain characters: the same text for the same values, and nothing that is not a number drawn."""

import math
import re
from itertools import pairwise

import pytest
from hand_made import BASE, FASTER
from hypothesis import given, settings
from hypothesis import strategies as st

from fwdtui.report.cells import columns_of
from fwdtui.report.textchart import Mean, histogram, round_ticks, strip

LABELS = "r368287", "r368287 with D27401"


def test_the_histogram_has_both_sets_on_one_scale_and_a_row_an_iteration() -> None:
    assert histogram(BASE, FASTER, LABELS) == (
        "histogram   x r368287 (5)   + r368287 with D27401 (5)\n"
        " ┌────────────────────────────────────────────────────────────────────────┐\n"
        "4┤                                                                  ++++  │\n"
        " │                                          xxxx                    ++++  │\n"
        " │                                          xxxx                    ++++  │\n"
        "1┤xxxx                                      xxxx  xxxx        ++++  ++++  │\n"
        " └┬─────────────────┬─────────────────┬────────────────┬─────────────────┬┘\n"
        " 9.659 M         9.758 M           9.857 M          9.951 M       10.050 M\n"
    )


def test_the_strip_shows_the_iterations_in_their_order() -> None:
    assert strip(BASE, FASTER, LABELS) == (
        "iterations  x r368287 (5)   + r368287 with D27401 (5)\n"
        "        ┌────────────────────────────────────────────────────────────────────┐\n"
        "10.050 M┤                     +             +                          +     │\n"
        "        │       +                                        +                   │\n"
        " 9.952 M┤                                                                    │\n"
        "        │                   x             x            x             x       │\n"
        " 9.854 M┤                                                                    │\n"
        "        │                                                                    │\n"
        " 9.756 M┤                                                                    │\n"
        "        │                                                                    │\n"
        " 9.659 M┤     x                                                              │\n"
        "        └──────┬─────────────┬─────────────┬────────────┬─────────────┬──────┘\n"
        "               1             2             3            4             5\n"
    )


@pytest.mark.parametrize("draw", [histogram, strip])
class TestBoth:
    def test_the_same_values_give_the_same_text_whatever_was_drawn_before(self, draw) -> None:
        import plotext

        first = draw(BASE, FASTER, LABELS)
        plotext.plot([1, 2, 3])
        plotext.title("left behind")
        plotext.theme("matrix")
        plotext.xlim(0, 1)
        assert draw(BASE, FASTER, LABELS) == first

    def test_nothing_is_left_in_plotexts_global_figure(self, draw) -> None:
        import plotext

        plotext.clear_figure()
        plotext.plot_size(20, 5)
        empty = plotext.build()
        plotext.clear_figure()
        draw(BASE, FASTER, LABELS)
        plotext.plot_size(20, 5)
        assert plotext.build() == empty
        plotext.clear_figure()

    def test_the_size_of_the_terminal_does_not_matter(self, draw, monkeypatch) -> None:
        wide = draw(BASE, FASTER, LABELS, 100)
        monkeypatch.setenv("COLUMNS", "30")
        monkeypatch.setenv("LINES", "4")
        assert draw(BASE, FASTER, LABELS, 100) == wide

    def test_there_is_no_colour(self, draw) -> None:
        assert "\x1b" not in draw(BASE, FASTER, LABELS)

    def test_values_that_are_no_numbers_are_not_drawn(self, draw) -> None:
        odd = draw((*BASE, math.nan, math.inf), (-math.inf, *FASTER), LABELS)
        assert "x r368287 (5)" in odd
        assert "nan" not in odd
        assert "inf" not in odd

    @pytest.mark.parametrize(
        ("base", "other", "words"),
        [
            ((), (), "no values to draw"),
            ((math.nan,), (), "no values to draw"),
            ((5.0, 5.0), (5.0,), "all at 5: no chart"),
            ((148_809_523.0,), (), "all at 148809523: no chart"),
            ((9_412_345_678.0,), (), "all at 9412345678: no chart"),
            ((1e308,), (-1e308,), "the values are too far apart to draw"),
        ],
    )
    def test_what_cannot_be_drawn_is_said(self, draw, base, other, words) -> None:
        assert words in draw(base, other, LABELS)

    @settings(max_examples=60, deadline=None)
    @given(
        base=st.lists(st.floats(), max_size=30),
        other=st.lists(st.floats(), max_size=30),
        columns=st.integers(40, 120),
        label=st.text(st.characters(exclude_categories=["C", "Z"]), max_size=50),
    )
    def test_any_values_and_labels_fit_the_width(self, draw, base, other, columns, label) -> None:
        shown = draw(base, other, (label, label), columns)
        assert max(columns_of(line) for line in shown.splitlines()) <= columns
        assert shown.endswith("\n")


def test_points_that_fall_together_are_marked_as_both() -> None:
    many = [float(value % 7) for value in range(200)]
    shown = strip(many, many, ("a", "b"))
    assert "*" in shown
    assert shown.splitlines()[0] == "iterations  x a (200)   + b (200)   * both"


def test_no_iteration_is_hidden_in_a_strip_of_few() -> None:
    shown = strip(BASE, BASE, LABELS)
    body = "".join(shown.splitlines()[1:])
    assert body.count("x") == 5
    assert body.count("+") == 5


def test_a_histogram_of_many_iterations_does_not_grow_without_limit() -> None:
    many = [float(value % 3) for value in range(900)]
    shown = histogram(many, [0.0, 2.0], ("a", "b"))
    assert len(shown.splitlines()) <= 16
    assert re.search(r"^300┤", shown, re.MULTILINE), "the tallest bar's count is on the axis"


def test_values_of_any_size_have_ticks_that_fit() -> None:
    for values in ([0.0, 1e118], [1e-40, 3e-40], [-1e200, 1e200]):
        assert max(map(len, strip(values, values, ("a", "b"), 80).splitlines())) <= 80


def test_a_set_that_stands_alone_has_no_second_legend():
    alone = histogram([1.0, 2.0, 4.0], [], ("forwarding.inet4", ""))
    assert alone.splitlines()[0] == "histogram   x forwarding.inet4 (3)"
    beside_an_empty_one = histogram([1.0, 2.0, 4.0], [], ("a", "b"))
    assert "+ b (0)" in beside_an_empty_one


def test_with_more_rows_an_iteration_is_higher_and_the_count_stays_readable() -> None:
    chart = histogram(BASE, FASTER, LABELS, high=20).splitlines()
    assert len(chart) == 20
    bars = chart[2:-2]
    assert sum("++" in line for line in bars) == 16  # four iterations, four rows each
    assert [line.split("┤")[0] for line in bars if "┤" in line] == ["4", "1"]
    assert [number for number, line in enumerate(reversed(bars)) if line.startswith("1┤")] == [3]


def test_means_and_their_intervals_stand_below_the_axis_on_its_scale() -> None:
    means = [Mean("x", 10.0, (0.0, 20.0)), Mean("+", 50.0, (40.0, 120.0)), Mean("+", 0.0, (-5.0, 5.0))]
    chart = histogram([0.0, 20.0], [40.0, 100.0], ("a", "b"), 80, means=means).splitlines()
    frame = next(line for line in chart if line.lstrip().startswith("┌"))
    left, right = frame.index("┌") + 1, frame.index("┐") - 1
    wide = right - left

    def at(value: float) -> int:
        return left + round(value / 100.0 * wide)

    first, second, third = chart[-3:]
    assert (first[0], first.index("├"), first.index("●"), first.index("┤")) == ("x", at(0), at(10), at(20))
    assert (second.index("├"), second.index("●"), second.index("▸")) == (at(40), at(50), right)
    assert third.index("●") == at(0) and "┤" in third  # the mean stands where the arrow would


def test_a_mean_without_an_interval_is_a_dot() -> None:
    chart = histogram([0.0, 20.0], [40.0, 100.0], ("a", "b"), 80, means=[Mean("x", 10.0, None)])
    assert chart.splitlines()[-1].replace(" ", "") == "x●"


def test_an_interval_beyond_every_double_is_an_arrow_in_the_strip() -> None:
    means = [Mean("x", 8.5e307, (-math.inf, math.inf)), Mean("+", 1.0, None)]
    chart = strip([1.7e308, 1.0], [1.0, 2.0], LABELS, means=means)
    beside = [line.rpartition("│ ")[2] for line in chart.splitlines() if "│ " in line]
    assert beside == ["▴", "│", "│", "│", "●", "│", "│", "│", "▾●"]


def test_the_strip_takes_the_rows_that_it_is_given_and_never_fewer_than_usual() -> None:
    usual = strip(BASE, FASTER, LABELS)
    assert strip(BASE, FASTER, LABELS, high=3) == usual
    assert len(strip(BASE, FASTER, LABELS, high=30).splitlines()) == 30


@pytest.mark.parametrize(
    "highest", [1e-9, 0.37, 1.0, 999.0, 1e3, 152_743.0, 180_000.0, 14_833_256.0, 15e6, 9.99e11, 3e20]
)
def test_round_ticks_hold_the_highest_value_at_even_steps_of_few_digits(highest: float) -> None:
    for rows in range(4, 80):
        top, ticks = round_ticks(highest, rows)
        assert highest <= top <= 1.7 * highest, rows
        places = sorted(ticks)
        assert 4 <= len(places) <= 7 and places[0] == 0 and places[-1] < rows
        assert len({after - before for before, after in pairwise(places)}) == 1
        assert ticks[0] == "0" and all(len(text.split()[0].replace(".", "")) <= 7 for text in ticks.values())
        assert len(set(ticks.values())) == len(ticks)
