"""Several candidates: a list of all comparisons, or cases against candidates; and the parts of them."""

import re

import pytest
from compare_rig import comparing, press, row, rows, settled, shown
from textual.widgets import DataTable

from fwdtui.core.host_rates import CpuShare, QueueRate
from fwdtui.core.model import Caution, Iteration
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.replay.iteration_series import IterationSeries
from fwdtui.ui.compare.profile import bottleneck, profile
from fwdtui.ui.compare.tab_texts import _together
from fwdtui.ui.compare.time_chart import Trace, overlay, plotted
from fwdtui.ui.draw.cursor import column_of
from fwdtui.ui.draw.interval import interval_bar, nearer, reach_of, usual_reach
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.shell.app import FwdtuiApp


@pytest.fixture
def three(session, pair):
    return [*pair, session("patched", {"forwarding.off": [900000, 901000, 899000], "new": [1, 2, 3]})]


async def test_each_candidate_has_its_row_and_in_the_matrix_each_case_has_one(folder, three):
    async with comparing(three, (160, 50)) as pilot:
        told = [(cells[0], cells[1]) for cells in rows(pilot)]
        assert told[:2] == [("forwarding.off", "n311215-UDP2"), ("forwarding.off", "patched")]
        assert told[-1] == ("new", "patched")
        assert "2 candidates n311215-UDP2, patched" in shown(pilot, "heading")
        await press(pilot, "2", "down")  # the tabs follow it
        assert "+ patched (3)" in shown(pilot, "histogram")

        await press(pilot, "x")
        table = pilot.app.screen.query_one("#cases", DataTable)
        heads = [str(column.label) for column in table.ordered_columns]
        assert heads == ["case", "base median", "n311215-UDP2", "patched"]
        assert [cells[0] for cells in rows(pilot)] == ["forwarding.off", "forwarding.on", "pf.inet4", "new"]
        assert rows(pilot)[0][2].startswith("▼ −45") and rows(pilot)[0][3].startswith("▲ +1.9")
        assert rows(pilot)[1][3] == "∅ not comparable"
        assert table.cursor_coordinate == (0, 3)  # the row that was selected in the list
        assert "patched" in shown(pilot, "selected")
        await press(pilot, "down")
        assert "only in n311215, not in patched" in shown(pilot, "selected")
        await press(pilot, "left")
        assert "n311215-UDP2" in shown(pilot, "selected")
        await press(pilot, "x")
        assert table.cursor_row == 2 and row(pilot, 2)["candidate"] == "n311215-UDP2"

        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert table.virtual_size.width <= 80
        assert {cells[1] for cells in rows(pilot)} == {"n311215-UDP2", "patched"}
        assert "▼" in "".join(rows(pilot)[0])
        await press(pilot, "up", "up")
        assert "▼ slower" in shown(pilot, "heading")
        await press(pilot, "x")
        assert table.virtual_size.width <= 80

        await pilot.resize_terminal(160, 50)
        await press(pilot, "x", "down", "b")  # the selected candidate becomes the baseline
        assert shown(pilot, "heading").startswith("baseline patched  2 candidates n311215-UDP2, n311215")


async def test_names_that_differ_in_the_middle_are_whole_where_there_is_room(session):
    names = [f"fbsd16-n311215{patch}.txabdicate_{way}" for patch in ("", ".D58513") for way in ("off", "on")]
    paths = [session(name, {"inet4": [900000, 901000, 899000]}) for name in names]
    async with comparing(paths, (200, 60)) as pilot:
        assert shown(pilot, "heading").startswith(
            f"baseline {names[0]}  3 candidates {', '.join(names[1:])}\n"
        )
        assert [cells[1] for cells in rows(pilot)] == names[1:]


def test_names_without_room_are_shortened_one_by_one():
    names = ["fbsd16-n311215.D58513.txabdicate_off", "fbsd16-n311215.D58513.txabdicate_on"]
    both = ", ".join(names)
    assert _together(names, len(both)) == both
    shortened = _together(names, len(both) - 1).split(", ")
    assert len(set(shortened)) == 2 and all("…" in name for name in shortened)
    assert len(_together([f"session {n}" for n in range(40)], 60)) <= 60


async def test_the_axis_gets_shorter_and_longer_again_and_of_one_candidate_there_is_no_matrix(folder, pair):
    async with comparing(pair, (160, 40)) as pilot:
        await press(pilot, "x")
        assert row(pilot, 0)["verdict"] == "▼ slower"

        def ends() -> str:
            table = pilot.app.screen.query_one("#cases", DataTable)
            return next(str(c.label).split()[0] for c in table.ordered_columns if "%" in str(c.label))

        seen = [ends()]
        for _ in range(9):
            await press(pilot, "z")
            seen.append(ends())
        assert seen[:4] == ["−200", "−100", "−50", "−20"] and seen[-2:] == ["−0.5", "−0.5"]
        back = [ends()]
        for _ in range(9):
            await press(pilot, "Z")
            back.append(ends())
        assert back == [*seen[8::-1], "−200"], "the way back, as far as the axis that shows all of them"


async def test_screens_beyond_this_one_are_asked_of_the_app(folder, pair, monkeypatch):
    asked = []
    for name in ("replay", "open_session", "preview"):
        monkeypatch.setattr(FwdtuiApp, name, lambda app, *args, name=name: asked.append((name, *args)))
    async with comparing(pair) as pilot:
        await press(pilot, "r", "o", "minus", "e")
        await settled(pilot)
    base, other = pair
    *asked, (preview, compared, changed) = asked
    assert asked == [
        ("replay", base / "forwarding.off" / "001", other / "forwarding.off" / "001"),
        ("open_session", other),
    ]
    assert preview == "preview" and not changed()
    assert [side.spec for side in compared.sides] == [str(base), str(other)]
    assert (compared.margin, compared.confidence) == (0.5, 95.0)


def test_few_drops_are_no_zero_and_a_stage_that_was_not_read_whole_is_a_lower_bound():
    series = IterationSeries(
        {},
        0.0,
        queues=(QueueRate("ix0", "rx", 0, pps=1e6, drops=0.25),),
        drops={"rx ring": 5e6, "input queue": 0.25, "netisr": 0.0, "tx soft queue": 0.0},
        unread={"rx ring": "reset", "tx soft queue": "missing"},
    )
    one = Trace("a", 1, 0, 1, 1e6, series)
    told = profile([one, one], [[Iteration(1, 1e6)]] * 2, 50, Styles({})).plain
    lines = [" ".join(line.split()) for line in told.splitlines()]
    for line in (
        *("rx ring ✕ ≥ 5.000 M", "input queue ✕ 0.25", "netisr 0", "tx soft queue – missing", "output –"),
        "ix0 rx: 1 queue, imbalance 1.00 ✕ 0.25",
    ):
        assert lines.count(line) == 2


@pytest.mark.parametrize(
    ("queues", "counts", "told"),
    [
        ((), False, "queues – this driver does not report its queues"),
        ((), True, "queues – fewer than two readings in the window"),
        ((QueueRate("ix0", "rx", 0, pps=0.0),), True, "queues – no packet passed through any of them"),
        ((QueueRate("ix0", "rx", 0, depth=3),), True, "queues – fewer than two readings in the window"),
        ((QueueRate("ix0", "rx", 0, depth=3),), False, "queues – this driver does not count their packets"),
        ((QueueRate("ix0", "rx", 0, pps=0.0, drops=5.0),), True, "ix0 rx: 1 queue, imbalance – ✕ 5"),
    ],
)
def test_a_driver_is_not_said_to_report_no_queues_where_only_none_were_read_or_moved(queues, counts, told):
    core = CpuShare(0, 0.5, 0.1, 0.2, 0.1, 0.1)
    series = IterationSeries({}, 0.0, queues=queues, cpus=(core,), counts_queues=counts)
    one = Trace("a", 1, 0, 1, 1e6, series)
    shown = profile([one, one], [[Iteration(1, 1e6)]] * 2, 50, Styles({})).plain
    assert [" ".join(line.split()) for line in shown.splitlines()].count(told) == 2


@pytest.mark.parametrize("width", [40, 78, 118])
def test_two_long_names_are_told_apart_in_the_series_and_the_profile(width):
    named = [f"stable-14-n268123-e1000-netisr-direct-{one}-with-patches" for one in "AB"]
    traces = [Trace(name, 3, 2, 5, 1e6, IterationSeries({}, 0.0)) for name in named]
    legends = overlay(traces, width, 18, Styles({})).plain.splitlines()[:2]
    assert [
        line.partition("  iteration")[0][3:].count(one) for line, one in zip(legends, "AB", strict=True)
    ] == [1, 1]
    told = profile(traces, [[Iteration(3, 1e6)] * 5] * 2, width, Styles({})).plain
    heads = [one for one in re.split(r"\n| {3}", told) if "  iteration 3" in one]
    assert len(set(heads)) == 2 and all(len(one) <= width for one in heads)


def test_a_value_above_the_series_has_its_unit_unless_it_is_in_packets():
    none = IterationSeries({}, 0.0)
    traces = [Trace("a", 1, 0, 5, 396.0, none, "Mb/s"), Trace("b", 1, 0, 5, 396.0, none)]
    told = overlay(traces, 118, 18, Styles({})).plain.splitlines()
    assert "no samples, median 396 Mb/s" in told[0] and told[1].rstrip().endswith("median 396")


@pytest.mark.parametrize("width", [64, 78, 118])
def test_what_the_queues_of_a_long_name_drop_is_whole(width):
    queues = tuple(QueueRate("enp130s0f0np0", "rx", n, pps=1e5, drops=14_700.0) for n in range(31))
    core = CpuShare(0, 0.5, 0.1, 0.2, 0.1, 0.1)
    trace = Trace(
        "a", 1, 0, 1, 1e6, IterationSeries({}, 0.0, queues=queues, cpus=(core,), counts_queues=True)
    )
    told = profile([trace, trace], [[Iteration(1, 1e6)]] * 2, width, Styles({})).plain
    assert told.count("imbalance 1.00") == told.count("✕ 456 k") == 2


def test_a_bar_beyond_the_axis_ends_in_an_arrow_and_the_margin_is_marked():
    assert interval_bar(0.0, (-1.0, 1.0), 10.0, 21).plain == "         ├●┤         "
    assert interval_bar(50.0, (40.0, 60.0), 10.0, 21, margin=5.0).plain == "     ┊    │    ┊    ▸"
    assert interval_bar(-50.0, (-60.0, -40.0), 10.0, 21).plain == "◂         │          "
    assert interval_bar(None, None, 10.0, 21).plain == " " * 10 + "│" + " " * 10


def test_the_axis_shows_most_intervals_and_a_few_may_end_in_arrows():
    assert reach_of([0.3, -1.7]) == 2.0
    assert usual_reach([0.5, -0.6, 0.7, 0.8, 280.0]) == 5.0
    assert usual_reach([45.0, -46.0, 163.0]) == 200.0
    assert usual_reach([]) == reach_of([])
    assert [nearer(200.0, 0.5), nearer(50.0, 0.5), nearer(1.0, 0.5), nearer(0.5, 0.5)] == [100, 20, 0.5, None]


@pytest.mark.parametrize(
    ("rate", "spread", "lowest", "highest"),
    [
        (883_374.0, 5000.0, "883.4 k", "892.6 k"),
        (14_880_000.0, 30.0, "14.879999 M", "14.880054 M"),
        (998_000.0, 4000.0, "0.9980 M", "1.0054 M"),
        (500.0, 40.0, "499", "573"),
    ],
)
def test_close_around_the_rates_the_labels_of_the_axis_differ_and_the_lines_stay_below_each_other(
    rate, spread, lowest, highest
):
    def trace(first: float) -> Trace:
        points = tuple(Point(1.0 + at, 1.0, first + at % 5 * spread / 4) for at in range(30))
        return Trace("a", 1, 0, 1, rate, IterationSeries({"received": points}, 0.0, (2.0, 28.0)))

    traces = [trace(rate), trace(rate + spread / 2)]
    lines = overlay(traces, 60, 18, Styles({}), close=True).plain.splitlines()
    begin = next(place for place, line in enumerate(lines) if "└" in line)
    plot = lines[2:begin]
    edges = {min(line.find(sign) for sign in "┤│" if sign in line) for line in plot}
    assert edges == {lines[begin].index("└")}, "each row's plot begins in the same column"
    labels = [line.partition(" ┤")[0].strip() for line in plot if " ┤" in line]
    assert len(set(labels)) == len(labels) > 2
    assert (labels[-1], labels[0]) == (lowest, highest)
    chart, left = plotted(traces, 60, 18, close=True)
    assert left == lines[begin].index("└") + 1 and left + chart.width <= 60


@pytest.mark.parametrize("width", [60, 79, 83, 100])
def test_a_tick_is_below_its_moment_and_the_window_below_its_own(width):
    points = tuple(Point(1.0 + at, 1.0, 1e6) for at in range(61))
    trace = Trace("a", 1, 0, 1, 1e6, IterationSeries({"received": points}, 0.0, (4.0, 58.0)))
    (axes, left) = plotted([trace, trace], width, 18)
    lines = overlay([trace, trace], width, 18, Styles({})).plain.splitlines()
    under = next(place for place, line in enumerate(lines) if "└" in line)
    ticks = [place - left for place, sign in enumerate(lines[under]) if sign == "┴"]
    labels = [0, *(int(text) for text in re.findall(r"(\d+) s", lines[under + 1]))]
    assert len(labels) > 2 and ticks[: len(labels)] == [column_of(axes, at, axes.width) for at in labels]
    measured = lines[under + 2]
    assert [measured.index(sign) - left for sign in "├┤"] == [
        column_of(axes, at, axes.width) for at in (4.0, 58.0)
    ]


def test_the_bottleneck_is_one_sentence_from_what_was_recorded():
    slow = Iteration(1, 1.0, limit=Caution("dut-limited", "DUT-limited: 1 of 2 are lost."))
    fast = Iteration(2, 2.0, limit=Caution("generator-limited", "Generator-limited: all is forwarded."))
    unknown = Iteration(3, 3.0)
    assert bottleneck(slow, fast) == (
        "The bottleneck changed from “DUT-limited” to “Generator-limited”: all is forwarded."
    )
    assert bottleneck(slow, slow) == "These two iterations have the same kind of bottleneck: DUT-limited."
    assert bottleneck(unknown, unknown) == "No bottleneck was recorded for these two iterations."
    assert bottleneck(slow, unknown) == (
        "No bottleneck was recorded for the candidate. The baseline: DUT-limited: 1 of 2 are lost."
    )


async def test_a_verdict_that_a_warning_bears_on_is_marked_and_the_warning_named_beside_it(folder, session):
    base = session("base", {"x": [1100.0, 1101.0, 1099.0, 1100.5, 1099.5]})
    odd = session("odd", {"x": [999.0, 1001.0, 1000.0, 1000.5, 998.5]}, warnings=[Caution("outage", "gone")])
    async with comparing([base, odd]) as pilot:
        assert row(pilot, 0)["verdict"] == "▼ slower !"
        assert "! outage; 1 warning" in shown(pilot, "selected")
        assert "! outage: the traffic stopped within a measured window" in shown(pilot, "why")
    async with comparing([base, session("even", {"x": [999.0, 1001.0, 1000.0, 1000.5, 998.5]})]) as pilot:
        assert row(pilot, 0)["verdict"] == "▼ slower"
