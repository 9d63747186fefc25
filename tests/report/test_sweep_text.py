"""A sweep in the terminal: a table with everything, and a chart to scale."""

import re
from itertools import pairwise

import pytest
from swept import BENT, around, case, one, queues, session, swept

from fwdtui.core.model import Iteration
from fwdtui.report.cells import columns_of
from fwdtui.report.link import Link
from fwdtui.report.sweep import Sweep
from fwdtui.report.sweep_chart import chart
from fwdtui.report.sweep_text import lines_of_table, render


def test_the_table_has_every_level_with_its_efficiency_line_rate_and_imix() -> None:
    found = one(queues("s", {1: 4e6, 2: 8e6, 4: 14.85e6}), x="queues", link=Link(10e9))
    assert lines_of_table(found, None) == [
        "queues  n   median, pps         min         max  of linear  of line rate  IMIX, b/s  capped",
        "     1  5     4 000 000   3 996 000   4 004 000      100 %        26.9 %     11.3 G",
        "     2  5     8 000 000   7 992 000   8 008 000      100 %        53.8 %     22.7 G",
        "     4  5  ≥ 14 850 000  14 835 150  14 864 850     ≥ 93 %        99.8 %   ≥ 42.1 G  at line rate",
    ]


def test_each_line_of_a_series_has_its_label_above_its_rows() -> None:
    found = one(
        queues("a", {1: 1e6, 2: 2e6}, image="old"),
        queues("b", {1: 1e6, 2: 2e6}, image="new"),
        x="queues",
        series="image",
    )
    shown = lines_of_table(found, None)
    assert shown[1] == "image new" and shown[4] == "image old"


def test_each_of_twelve_lines_has_a_mark_of_its_own() -> None:
    rates = {f: 1e6 * (1 + f) for f in range(12)}
    cases = [case(f"{q}.{f}", [rate * q], queues=q, flows=f) for q in (1, 2, 4) for f, rate in rates.items()]
    shown = chart(one(session("s", *cases), x="queues", series="flows"), 200, 40)
    legend = shown.split("┌")[0]
    marks = re.findall(r"(?:^|   )(\S) \S", legend, re.MULTILINE)[:12]
    assert len(set(marks)) == 12
    assert all(shown.count(mark) > legend.count(mark) for mark in marks)


def test_a_level_without_values_has_dashes() -> None:
    cases = [case(str(q), [None] if q == 2 else [1e6], flows=q) for q in (1, 2)]
    assert lines_of_table(one(session("s", *cases), x="flows"), None)[2].split() == ["2", "0", "–", "–", "–"]


def test_names_too_long_for_the_terminal_stay_different_and_figures_whole() -> None:
    names = [f"fbsd13-r3575{number}-with-a-long-name" for number in range(3)]
    found = one(session("s", *(case(name, around(1e6), image=name) for name in names)), x="image")
    shown = lines_of_table(found, 60)
    assert all(columns_of(line) <= 60 for line in shown)
    assert len({line.split()[0] for line in shown[1:]}) == 3
    assert all("1 000 000" in line for line in shown[1:])


def test_of_several_charts_one_may_have_a_single_level() -> None:
    told = render(
        swept(queues("a", {1: 1e6, 2: 2e6}, image="old"), queues("b", {4: 3e6}, image="new"), x="queues"),
        80,
    )
    new, old = told.split("queues: image=old")
    assert (
        "queues: image=new" in new and "4  5    3 000 000" in new and new.count("o ") and "2 000 000" in old
    )


def test_the_chart_has_values_to_scale_with_linear_scaling_from_the_first_level() -> None:
    found = one(session("s", *(case(str(q), around(q * 1e6), queues=q) for q in (1, 2, 3, 4))), x="queues")
    lines = chart(found, 60).splitlines()
    assert lines[0] == "o median   ¦ min to max   . linear"
    grid = [line[re.search("[│┤]", line).start() :] for line in lines[2:-2]]
    places = sorted((line.index("o"), row) for row, line in enumerate(grid) if "o" in line)
    assert len(places) == 4
    steps = [(right - left, above - below) for (left, above), (right, below) in pairwise(places)]
    assert {abs(across - steps[0][0]) <= 1 and abs(up - steps[0][1]) <= 1 for across, up in steps} == {True}


def test_the_highest_point_is_drawn_at_every_height() -> None:
    """180 k is at the very top of an axis of 22 rows, whose steps are not exact in binary."""
    sweep = one(session("s", *(case(str(n), [45e3 * n], queues=n) for n in (1, 2, 4))), x="queues")
    for rows in range(6, 60):
        drawn = [line for line in chart(sweep, rows=rows).splitlines() if line.endswith("│")]
        assert "".join(drawn).count("o") == 3, rows


def test_every_level_is_named_below_it_or_as_many_as_fit_at_even_steps() -> None:
    few = one(queues("s", {q: q * 1e6 for q in range(1, 25)}), x="queues")
    assert chart(few, 90).splitlines()[-1].split() == [str(q) for q in range(1, 25)]
    names = [case(f"r{n:03}", around(1e6), image=f"r{n:03}") for n in range(60)]
    shown = chart(one(session("s", *names), x="image"), 78).splitlines()[-1].split()
    numbers = [int(name[1:]) for name in shown]
    assert shown[0] == "r000" and len({after - before for before, after in pairwise(numbers)}) == 1


def test_line_rate_beyond_the_top_is_said() -> None:
    low = one(queues("s", {1: 1e5, 2: 1e5}), x="queues", link=Link(10e9))
    assert "\nline rate is beyond the top" in chart(low)
    frames = [case(str(size), around(1e5), frame_size=f"{size} B") for size in (64, 1024, 1518)]
    partly = one(session("s", *frames), x="frame_size", link=Link(1e9))
    assert "- line rate (beyond the top where not drawn)" in chart(partly) and "---" in chart(partly)
    high = one(queues("s", {1: 8e6, 2: 9e6}), x="queues", link=Link(10e9))
    assert "- line rate " in chart(high) and "---" in chart(high)


def test_a_capped_median_is_drawn_as_a_lower_bound_and_the_legend_says_so() -> None:
    """Line rate of longer frames is lower: the curve bends down although the DUT could do more."""
    rates = {64: 152e3, 512: 152e3, 1024: 119.73e3, 1518: 81.27e3}
    frames = [case(str(size), around(rate), frame_size=f"{size} B") for size, rate in rates.items()]
    legend, _, drawn = chart(one(session("s", *frames), x="frame_size", link=Link(1e9)), 78).partition("┌")
    assert "   ≥ capped, a lower bound" in legend
    points = re.findall(r"[≥ -]o", drawn)
    assert sorted(points) == [" o", " o", "≥o", "≥o"], "at 1024 and 1518 B it is line rate"
    assert "≥" not in chart(one(session("s", *frames), x="frame_size"), 78)


def test_where_points_are_crowded_the_bound_takes_the_place_of_the_mark() -> None:
    levels = [session("s", *(case(str(n), [14.85e6], flows=n) for n in range(1, 61)))]
    crowded = chart(one(*levels, x="flows", link=Link(10e9, 64)), 60).partition("┌")[2]
    assert not re.search("[^≥][ox*]", crowded.splitlines()[1].partition("┤")[2])


def test_the_axis_of_values_has_round_figures_at_even_steps_and_a_second_one_for_imix() -> None:
    lines = chart(one(queues("s", BENT), x="queues"), 78).splitlines()
    ticks = [line.split("┤")[0].strip() for line in lines if "┤" in line]
    assert ticks == ["7.5 M", "6 M", "4.5 M", "3 M", "1.5 M", "0"]
    rows = [place for place, line in enumerate(lines) if "┤" in line]
    assert len({below - above for above, below in pairwise(rows)}) == 1
    assert "right: IMIX, b/s" in "".join(lines)
    right = [line.split("├")[1] for line in lines if "├" in line]
    assert right[0] == "21.3 G" and right[-1] == "0", "7.5 Mpps * 2834.67 bits"
    narrow = chart(one(queues("s", BENT), x="queues"), 59)
    assert "├" not in narrow and "IMIX" not in narrow


def test_a_table_wider_than_the_terminal_goes_on_below_with_the_levels_again() -> None:
    found = one(queues("s", {1: 4e6, 2: 8e6, 4: 14.85e6}), x="queues", link=Link(10e9))
    whole = lines_of_table(found, None)
    assert lines_of_table(found, columns_of(whole[-1])) == whole
    paged = lines_of_table(found, columns_of(whole[-1]) - 1)
    assert paged[0] == "queues  n   median, pps         min         max  of linear  of line rate  IMIX, b/s"
    assert paged[4:] == ["", "queues  capped", "     4  at line rate"], "of remarks, the levels that have one"


@pytest.mark.parametrize("value", [0.0, -5.0])
def test_without_a_value_above_zero_there_is_no_chart(value: float) -> None:
    cases = [case(str(q), [value], queues=q) for q in (1, 2)]
    assert "no values above zero to draw" in chart(one(session("s", *cases), x="queues"))


def test_all_charts_then_what_was_left_out_and_no_line_is_wider_than_the_terminal() -> None:
    cases = [
        case(f"{q}.{af}", around(q * 1e6), queues=q, af=af) for q in (1, 2, 3) for af in ("inet4", "inet6")
    ]
    lost = session("r2", case("lost", around(1e6), queues=""))
    shown = render(swept(session("s", *cases), lost, x="queues"), 80)
    assert "queues: af=inet4\n" in shown and "queues: af=inet6\n" in shown
    assert "left out: not drawn, since queues is not known there: r2 lost" in shown
    assert all(columns_of(line) <= 80 for line in shown.splitlines())


def test_few_names_are_bars() -> None:
    found = one(
        session("s", *(case(c, around(m), config=c) for c, m in (("off", 2e6), ("on", 1e6)))), x="config"
    )
    lines = chart(found, 60).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["off", "on"]
    assert lines[1].count("=") == pytest.approx(2 * lines[2].count("="), abs=2)


def test_bars_and_lines_say_what_they_are_in() -> None:
    """Packets per second go without saying, as everywhere."""
    rates = {2: 12_360.0, 4: 21_000.0}

    def of(name: str) -> Sweep:
        cases = []
        for level, rate in rates.items():
            used = [Iteration(n, value, unit="Mb/s") for n, value in enumerate(around(rate), 1)]
            cases.append(case(str(level), used, **{name: level if name == "queues" else f"c{level}"}))
        return one(session("s", *cases), x=name)

    lines = chart(of("config"), 60).splitlines()
    assert [line.rpartition("  ")[2] for line in lines[1:]] == ["12 360 Mb/s", "21 000 Mb/s"]
    assert all(columns_of(line) <= 60 for line in lines)
    assert "   left: Mb/s\n" in chart(of("queues"), 78)
    assert "left:" not in chart(one(queues("s", BENT), x="queues"), 78)


def test_bent_lines_show_where_linear_scaling_would_go() -> None:
    top = chart(one(queues("s", BENT), x="queues"), 78).splitlines()[2:5]
    assert any("." in line for line in top)
