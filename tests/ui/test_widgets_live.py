"""What the panels of the live screen are made of, without a screen."""

import random
import time
from math import ceil

import msgspec
import pytest
from live_rig import Rig

from fwdtui.core.host_rates import QueueRate
from fwdtui.core.model import EventSample, Iteration, Packets
from fwdtui.monitor.live.moment import Moment
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.series import Point
from fwdtui.ui.draw import axis
from fwdtui.ui.draw.braille import SOLID, Axes, Layer, Traces, between, level, polyline, render, woven
from fwdtui.ui.draw.heat import bar, heat, stacked, towers
from fwdtui.ui.draw.marks import marks
from fwdtui.ui.draw.reading import loss_text
from fwdtui.ui.draw.sparkline import sparkline
from fwdtui.ui.draw.view import View
from fwdtui.ui.live.big_numbers import digits, numbers
from fwdtui.ui.live.iterations import Iterations, no_median
from fwdtui.ui.live.queue_groups import Group


@pytest.mark.parametrize(
    ("at", "shown"), [(-61.5, "−1:01"), (-1.9, "−0:01"), (-0.5, "00:00"), (0.0, "00:00"), (65.0, "01:05")]
)
def test_a_moment_without_a_wall_clock_counts_from_the_beginning_also_before_it(at: float, shown: str):
    """An imported log may begin after its blast."""
    assert View(Rig().lab).clock(at) == shown


def points(*values: float | None, seconds: float = 1.0) -> list[Point]:
    return [Point((n + 1) * seconds, seconds, value) for n, value in enumerate(values)]


def drawn(series: list[Point], axes: Axes) -> list[str]:
    rows = render([Layer(polyline(series, axes)[0], 1)], axes)
    return ["".join(text for text, _ in row) for row in rows]


def test_a_constant_rate_is_a_level_line_over_its_whole_time():
    axes = Axes(0, 8, 10, 4, 2)
    assert drawn(points(*[10] * 8), axes) == ["⠉⠉⠉⠉", "    "]
    assert drawn(points(*[0] * 8), axes) == ["    ", "⣀⣀⣀⣀"]


def test_a_step_is_joined_by_an_upright_line():
    assert drawn(points(0, 0, 10, 10), Axes(0, 4, 10, 2, 2)) == [" ⡏", "⣀⡇"]


def test_a_point_without_a_value_is_a_gap_and_never_zero():
    rows = drawn(points(10, 10, None, None, 10, 10), Axes(0, 6, 10, 3, 1))
    assert rows == ["⠉ ⠉"]


def test_a_time_without_points_is_a_gap():
    series = [Point(1, 1, 10), Point(2, 1, 10), Point(6, 1, 10)]
    assert drawn(series, Axes(0, 6, 10, 3, 1)) == ["⠉ ⠈"]


def test_what_lies_before_the_axis_is_not_drawn_at_its_edge():
    rows = drawn([Point(1, 1, 10), Point(9, 1, 0)], Axes(6, 10, 10, 2, 1))
    assert rows == [" ⡀"]


def test_a_rate_above_the_axis_stays_at_its_upper_edge():
    assert drawn(points(99, 99), Axes(0, 2, 10, 1, 1)) == ["⠉"]


def test_many_points_in_one_column_show_their_range():
    series = points(*[0, 10] * 50, seconds=0.01)
    (row,) = drawn(series, Axes(0, 1, 10, 1, 1))
    assert row == "⣿"


def test_lost_packets_are_a_texture_that_touches_neither_line_and_gives_way_to_them():
    axes = Axes(0, 8, 10, 4, 4)
    upper, lower = polyline(points(*[10] * 8), axes), polyline(points(*[0] * 8), axes)
    rows = render(
        [Layer(between(upper[1], lower[1]), 1, fill=True), Layer(upper[0], 2), Layer(lower[0], 3)], axes
    )
    assert rows[0] == [("⠉⠉⠉⠉", 2)] and rows[3] == [("⣀⣀⣀⣀", 3)]
    assert {kind for _, kind in rows[1] + rows[2]} == {1}
    assert between(lower[1], upper[1]) == [0] * 8, "more out than in is no loss"


def test_a_gap_in_either_flow_has_no_loss():
    axes = Axes(0, 4, 10, 2, 4)
    upper, lower = polyline(points(10, 10, 10, 10), axes), polyline(points(0, None, None, 0), axes)
    masks = between(upper[1], lower[1])
    assert masks[0] and not masks[1] and not masks[2]


def test_of_two_lines_in_one_cell_the_more_important_gives_the_colour_and_both_are_seen():
    axes = Axes(0, 2, 10, 1, 1)
    (row,) = render([Layer(level(10, axes), 1), Layer(level(0, axes), 2)], axes)
    assert row == [("⣉", 2)]


def test_a_graph_of_200x15_cells_and_three_series_of_300_points_is_drawn_in_milliseconds():
    axes = Axes(0, 300, 2e6, 200, 15)
    series = [points(*(1e6 + n * 1000 * (k + 1) % 70_000 for n in range(300))) for k in range(3)]

    def draw() -> float:
        began = time.process_time()
        all_series = [polyline(one, axes) for one in series]
        layers = [Layer(masks, kind) for kind, (masks, _) in enumerate(all_series, 2)]
        render([Layer(between(all_series[0][1], all_series[2][1]), 1, fill=True), *layers], axes)
        return time.process_time() - began

    assert min(draw() for _ in range(20)) < 0.004  # 1.3 ms where it was written


@pytest.mark.parametrize("largest", [0, 1, 20, 999, 1e3, 123_456, 1.488e6, 14.88e6, 1e9])
def test_the_axis_ends_above_the_largest_rate_and_not_far_above(largest):
    top = axis.top_of(largest)
    assert largest < top <= max(2.1 * largest, 2)


@pytest.mark.parametrize("rows", [2, 5, 9, 15, 40])
@pytest.mark.parametrize("top", [1.6, 100, 1.6e6, 2e9])
def test_ticks_begin_at_zero_and_never_share_a_row(top, rows):
    found = axis.ticks(top, rows)
    assert found[0] == (rows - 1, "0")
    assert len({row for row, _ in found}) == len(found) <= 7
    assert all(0 <= row < rows for row, _ in found)


@pytest.mark.parametrize("span", [10.0, 60.0, 600.0, 3600.0])
@pytest.mark.parametrize("width", [4, 40, 180])
def test_time_ticks_have_room(span, width):
    found = axis.time_ticks(span, width)
    assert found[0] == (0.0, "now")
    assert len(found) <= max(width // 6, 3)


def test_a_heat_row_fits_any_number_into_any_width_and_shows_the_busiest():
    for count in (2, 7, 64, 128):
        for cells in (1, 5, 40, 200):
            text, each = heat([0.1] * (count - 1) + [1.0], cells)
            assert len(text) <= cells and each * len(text) >= count
            assert text[-1] == "█"


def test_an_unknown_queue_is_a_dot_and_an_idle_one_is_not():
    assert heat([None, 0.0, 1.0], 3)[0] == "·▁█"
    assert bar(None, 3) == "·  " and bar(0.0, 3) == "   " and bar(0.5, 3) == "█▌ "
    assert towers([None, 0.0, 1.0], 3, 2) == ["  █", "·▁█"]
    assert towers([1.0] * 10, 9, 2) == []


def test_a_full_core_has_a_full_bar_however_its_shares_round():
    runs = stacked([(0.333, "a"), (0.333, "b"), (0.334, "c")], 10)
    assert sum(len(text) for text, _ in runs) == 10
    assert stacked([(0.0, "a")], 10) == []


def test_equal_values_make_a_flat_sparkline():
    assert len(set(sparkline([5.0, 5.0, 5.0], 10))) == 1
    assert sparkline([1.0, None, 2.0], 10) == "▁ █"
    assert sparkline([], 10) == ""


def test_an_ellipsis_stands_for_older_values_for_which_there_is_no_room():
    assert sparkline([9.0, 1.0, 2.0], 3) == "█▁▂"
    assert sparkline([9.0, 9.0, 1.0, 2.0], 3) == "…▁█", "and the scale is of those that are drawn"
    assert sparkline([9.0, None, None], 2) == "… "
    assert (sparkline([1.0, 2.0], 1), sparkline([1.0, 2.0], 0)) == ("…", "")


def test_imbalance_is_the_busiest_over_the_mean_and_unknown_without_packets():
    def group(*rates):
        return Group("igb0 rx", tuple(QueueRate("igb0", "rx", n, rate) for n, rate in enumerate(rates)))

    assert group(100.0, 100.0).imbalance == 1.0
    assert group(200.0, 0.0).imbalance == 2.0
    assert group(0.0, 0.0).imbalance is None
    assert group(None, None).imbalance is None


def test_large_digits_have_three_rows_of_equal_length():
    rows = digits("1.456")
    assert len({len(row) for row in rows}) == 1
    assert digits("–")[1].strip(), "a dash is seen"


def test_in_a_high_graph_the_loss_is_an_edge_below_what_is_offered():
    axes = Axes(0.0, 4.0, 100.0, 2, 25)
    fill = between([99] * 4, [10] * 4)
    edge = between([99] * 4, [10] * 4, edge=8)
    for filled, edged in zip(fill, edge, strict=True):
        assert filled & 1 << 20 or filled & 1 << 22 or filled & 1 << 21 or filled & 1 << 23
        assert edged == filled >> 91 << 91
        assert edged
    assert between([20] * 4, [10] * 4, edge=20) == between([20] * 4, [10] * 4)
    assert render([Layer(edge, 1, fill=True)], axes)[12][0][0].strip() == ""


def test_where_two_lines_coincide_both_are_seen_by_turns():
    both = [1 << 5] * 16
    over, under = woven(both, [5] * 16, both, [5] * 16)
    assert [bool(dots) for dots in over] == [True] * 4 + [False] * 4 + [True] * 4 + [False] * 4
    assert [bool(dots) for dots in under] == [False] * 4 + [True] * 4 + [False] * 4 + [True] * 4


def test_lines_that_are_apart_or_missing_are_left_as_they_are():
    over, under = [1 << 5] * 8, [1 << 3] * 8
    assert woven(over, [5] * 8, under, [3] * 8) == (over, under)
    assert woven(over, [5] * 8, [0] * 8, [-1] * 8) == (over, [0] * 8)


def test_iterations_that_do_not_count_are_not_called_none():
    dropped = Iteration(1, 5.0, dropped="a cable was touched")
    without = Iteration(2, None)
    assert no_median([], "none yet") == "none yet"
    assert no_median([dropped], "none yet") == "1 iteration, but no value that counts"
    assert no_median([dropped, without], "none yet") == "2 iterations, but no value that counts"
    unsaved = Iteration(0, 5.0, saved=False)
    assert no_median([unsaved, unsaved], "none yet") == "2 blasts, not saved"
    assert no_median([dropped, unsaved], "none yet") == "2 iterations, but no value that counts"


def test_an_iteration_that_waits_to_be_saved_has_no_number_on_the_time_axis():
    rig = Rig()
    rig.monitor = Monitor(
        rig.lab, finished=lambda one, samples, began: msgspec.structs.replace(one, saved=False)
    )
    rig.run(42.0)
    (waiting,) = rig.monitor.snapshot().iterations
    for number in range(600):  # whatever is said afterwards: these marks come from no events
        rig.monitor.push(EventSample(42.0, "note", f"note {number}"))
    assert "blast-began" not in {event.code for event in rig.monitor.snapshot().events}
    assert [mark.kind for mark in marks(rig.monitor.snapshot())] == ["blast", "window"]
    assert [mark.label for mark in marks(rig.monitor.snapshot()) if mark.kind == "window"] == [""]
    rig.monitor.saved(waiting, msgspec.structs.replace(waiting, index=7, saved=True))
    assert [mark.label for mark in marks(rig.monitor.snapshot()) if mark.kind == "window"] == ["7"]


def test_an_incomplete_iteration_that_is_saved_later_is_drawn_again():
    rig = Rig()
    waiting = Iteration(0, None, complete=False, incomplete="the DUT was silent", saved=False)
    saved = msgspec.structs.replace(waiting, index=1, saved=True)
    before, after = (
        Iterations().part(msgspec.structs.replace(rig.monitor.snapshot(), iterations=(one,)), View(rig.lab))
        for one in (waiting, saved)
    )
    assert before != after


def test_the_median_is_that_of_one_case_which_is_named_where_there_are_several():
    rig = Rig()
    found = tuple(Iteration(number, value) for number, value in ((1, 100.0), (1, 200.0), (2, 220.0)))
    for cases, begins, listed in (
        (("a", "b", "b"), [("case", "b"), ("median, pps", "210")], ["2", "1"]),
        (("b", "b", "b"), [("median, pps", "200")], ["2", "1", "1"]),
    ):
        snapshot = msgspec.structs.replace(rig.monitor.snapshot(), iterations=found, cases=cases)
        rows = list(Iterations().cells(snapshot, View(rig.lab)))
        assert rows[: len(begins)] == begins
        assert [row[0] for row in rows if row[0].isdigit()] == listed


def test_what_a_blast_offered_is_a_share_of_the_line_rate_of_its_own_frames():
    """The next blast of an experiment may be of larger ones, of which the link carries fewer."""
    rig = Rig()
    rig.run(44.0)
    larger = msgspec.structs.replace(rig.lab.generators[0], line_rate=812_744.0)
    rig.monitor.sends((larger,))
    seen = rig.monitor.snapshot()
    (share,) = [one for one in numbers(seen, View(rig.lab)) if one.name == "of line rate"]
    assert seen.line_rate == 812_744.0
    assert (share.figures, share.unit, share.note) == ("98", "%", "1.488 M")
    few = msgspec.structs.replace(seen.iterations[-1], packets=Packets(offered=10_000, received=9_996))
    (loss,) = [
        one
        for one in numbers(msgspec.structs.replace(seen, iterations=(few,)), View(rig.lab))
        if one.name == "loss"
    ]
    assert loss.figures == "<0.1"


@pytest.mark.parametrize(("share", "percent"), [(-0.0004, "0.0"), (-0.0006, "−0.1"), (0.0004, "0.0")])
def test_a_loss_that_rounds_to_zero_has_no_sign(share: float, percent: str):
    """Two hosts are sampled at moments of their own: a little more may have arrived than was sent."""
    rig = Rig()
    rig.run(20.0)
    seen = msgspec.structs.replace(rig.monitor.snapshot(), loss=share * 1e6, loss_share=share)
    (loss,) = [one for one in numbers(seen, View(rig.lab)) if one.name == "loss"]
    assert loss.figures == percent
    assert loss_text(Moment(0.0, {}, share * 1e6, share)).endswith(f"  {percent} %")


@pytest.mark.parametrize("seed", range(20))
def test_a_graph_that_goes_on_draws_new_points_as_if_it_drew_all(seed: int) -> None:
    """With gaps, unknown points, a scale that changes, and axes that move on by no or many columns."""
    chance = random.Random(seed)
    interval, span = chance.choice([0.01, 0.1, 1.0]), chance.choice([10.0, 60.0])
    width = chance.choice([40, 87])
    dot = span / (width * 2)
    points: list[Point] = []
    traces = Traces()
    at = 0.0123  # not where columns end: there the whole drawing is undecided itself
    for step in range(40):
        for _ in range(chance.choice([1, 1, 3, 300])):
            at += interval * (1 if chance.random() < 0.97 else 4)
            value = None if chance.random() < 0.05 else 1e6 * chance.random()
            points.append(Point(at, interval, value, bps=None if value is None else value * 8))
        end = ceil(at / dot) * dot
        axes = Axes(end - span, end, 1.2e6 if step < 30 else 1.4e6, width, 10)
        shown = points[-round(span / interval) - 3 :]
        masks, heights = traces.polyline("offered", shown, axes, (4, 6), False)
        whole, whole_heights = polyline(shown, axes, (4, 6))
        assert heights == whole_heights
        assert (
            masks[1:] == whole[1:]
        )  # what rises within the first column is not told from what came before it


def test_a_graph_that_goes_back_or_shows_another_unit_is_drawn_anew() -> None:
    points = [Point(at / 10, 0.1, 1e6, bps=4e6) for at in range(1, 101)]
    traces = Traces()
    later, earlier = Axes(0.0, 10.0, 1e7, 40, 5), Axes(-5.0, 5.0, 1e7, 40, 5)
    for shown, axes, bits in (
        (points, later, False),
        (points[:50], earlier, False),
        (points[:50], earlier, True),
    ):
        assert traces.polyline("offered", shown, axes, SOLID, bits) == polyline(shown, axes, SOLID, bits)


def test_points_from_before_those_that_were_drawn_are_drawn_when_they_come() -> None:
    """After zooming out the first snapshot may still be the one of the shorter span."""
    points = [Point(at / 10, 0.1, 1e6) for at in range(1, 101)]
    axes, traces = Axes(0.0, 10.0, 1e7, 40, 5), Traces()
    for shown in (points[50:], points[50:80], points, points[2:]):
        found = traces.polyline("offered", shown, axes, SOLID, False)
        if shown[-1] is points[-1]:
            assert found == polyline(points if len(shown) > 90 else shown, axes, SOLID)
