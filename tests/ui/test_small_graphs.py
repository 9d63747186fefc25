"""The small graphs of cores and queues: the busiest moment wins, zero is seen, and a gap is blank."""

from collections.abc import Hashable
from functools import partial
from math import ceil
from random import Random

import msgspec
import pytest
from live_rig import Rig

from fwdtui.core.host_rates import CpuShare, HostRates, QueueRate
from fwdtui.monitor.live.load_history import LoadHistory, LoadRow
from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.draw.small_graph import Columns, SmallGraphs, small_graphs
from fwdtui.ui.draw.view import View
from fwdtui.ui.live.cores import Cores
from fwdtui.ui.live.queues import Queues

NO_CORE = float("inf")


def rows(*values: float | None, seconds: float = 1.0) -> list[LoadRow]:
    """Core 0 at these loads, one row after the other; NO_CORE is a row without any core."""
    found = []
    for number, value in enumerate(values, 1):
        names, loads = ((), ()) if value == NO_CORE else ((0,), (value,))
        found.append(LoadRow(number * seconds, seconds, names, loads))
    return found


def dots(text: str) -> list[int]:
    """The height of each column, 0 to 4, from the characters."""
    heights = []
    for character in text:
        bits = 0 if character == " " else ord(character) - 0x2800
        for column in ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08)):
            heights.append(sum(bool(bits & bit) for bit in column))
    return heights


def graph(found: list[LoadRow], cells: int, end: float, top: float = 1.0) -> list[int]:
    return dots(small_graphs(found, {0: top}, 0.0, end, cells)[0])


@pytest.mark.parametrize(
    ("load", "height"),
    [
        (0.0, 1),
        (0.1, 1),
        (0.37, 1),
        (0.38, 2),
        (0.62, 2),
        (0.63, 3),
        (0.87, 3),
        (0.88, 4),
        (1.0, 4),
        (1.2, 4),
    ],
)
def test_a_load_is_rounded_to_quarters_and_idle_is_still_seen(load: float, height: int) -> None:
    assert graph(rows(load, load), 1, 2.0) == [height, height]


@pytest.mark.parametrize("panel", [Cores, Queues])
def test_histories_move_on_while_the_rates_stay_as_they_are(panel: type[Panel]) -> None:
    """Idle ports after a blast: their histories would end in it for as long as it is quiet."""
    rig = Rig()
    rig.run(20.0)
    seen, view = rig.monitor.snapshot(), View(rig.lab)
    later = msgspec.structs.replace(seen, now=seen.now + view.time_span)
    parts = [panel().part(one, view) for one in (seen, seen, later)]
    assert parts[0] == parts[1] != parts[2]


def test_a_column_for_each_moment_and_a_gap_is_blank() -> None:
    assert graph(rows(1.0, 0.5, None, 0.25), 2, 4.0) == [4, 2, 0, 1]
    assert graph(rows(1.0, 0.5, NO_CORE, 0.25), 2, 4.0) == [4, 2, 0, 1]


def test_a_row_that_lasts_longer_than_a_column_fills_all_of_its_columns() -> None:
    assert graph(rows(1.0, 0.25, seconds=2.0), 2, 4.0) == [4, 4, 1, 1]


def test_of_several_rows_in_a_column_the_highest_is_shown() -> None:
    assert graph(rows(0.25, 1.0, 0.25, None, 0.5, 0.25, seconds=0.5), 1, 3.0) == [4, 2]


def test_a_gap_in_a_column_does_not_hide_what_was_measured_beside_it() -> None:
    assert graph(rows(1.0, NO_CORE, 0.5, NO_CORE, seconds=0.5), 1, 2.0) == [4, 2]
    history = LoadHistory()
    for at, share, gap in ((0.5, 1.0, ""), (1.0, 0.0, "late"), (1.5, 0.25, ""), (2.0, 0.25, "")):
        cpus = () if gap else (CpuShare(0, share, 0.0, share, 0.0),)
        history.fast(HostRates("dut", at, 0.5, cpus=cpus, gap=gap))
    assert graph(list(history.cores), 1, 4.0) == [4, 0]


@pytest.mark.parametrize(("cores", "rows_held"), [(4, 36_000), (64, 15_625), (1000, 3_600)])
def test_an_hour_is_held_unless_the_cores_are_very_many(cores: int, rows_held: int) -> None:
    history = LoadHistory()
    one = rates(1.0, *[0.5] * cores)
    for _ in range(rows_held + 3):
        history.fast(one)
    assert len(history.cores) == rows_held


def test_time_without_rows_is_blank() -> None:
    assert graph(rows(1.0), 2, 4.0) == [4, 0, 0, 0]
    assert graph([], 2, 4.0) == [0, 0, 0, 0]


def test_a_core_that_is_not_in_the_rows_is_blank() -> None:
    assert small_graphs(rows(1.0, 1.0), {7: 1.0}, 0.0, 2.0, 1) == {7: " "}


def test_where_all_is_zero_the_lowest_dots_are_drawn() -> None:
    assert graph(rows(0.0, 0.0), 1, 2.0, top=0.0) == [1, 1]


def rates(at: float, *busy: float, gap: str = "") -> HostRates:
    cpus = tuple(CpuShare(n, share, 0.0, share, 0.0) for n, share in enumerate(busy))
    return HostRates("dut", at, 1.0, cpus=cpus, gap=gap)


def test_the_history_has_a_row_a_tick_and_gaps_are_rows_without_names() -> None:
    history = LoadHistory()
    history.fast(rates(1.0, 0.5, 1.0))
    history.fast(rates(2.0, gap="late"))
    history.fast(rates(3.0, 0.25, 0.75))
    assert [(row.at, row.names, row.values) for row in history.cores] == [
        (1.0, (0, 1), (0.5, 1.0)),
        (2.0, (), ()),
        (3.0, (0, 1), (0.25, 0.75)),
    ]
    assert [row.at for row in history.cores.since(1.0)] == [2.0, 3.0]


def test_slow_ticks_without_queues_are_no_row() -> None:
    history = LoadHistory()
    history.slow(HostRates("dut", 1.0, 1.0, queues=(QueueRate("igb1", "rx", 3, pps=7.0),)))
    history.slow(HostRates("dut", 2.0, 1.0))
    assert [(row.names, row.values) for row in history.queues] == [((("igb1", "rx", 3),), (7.0,))]


def test_a_fork_goes_its_own_way() -> None:
    history = LoadHistory()
    history.fast(rates(1.0, 0.5))
    twin = history.fork()
    twin.fast(rates(2.0, 0.5))
    assert (len(history.cores), len(twin.cores)) == (1, 2)


def test_graphs_are_drawn_again_only_when_the_axis_has_moved_by_a_dot_or_they_are_others() -> None:
    drawn: list[tuple[float, float]] = []

    def draw(start: float, end: float) -> dict[Hashable, str]:
        drawn.append((start, end))
        return {0: f"{end:g}"}

    history = SmallGraphs()
    # ten seconds on five cells: a dot is a second
    assert history.of("a", 20.0, 10.0, 5, draw) == {0: "20"}
    assert history.of("a", 20.1, 10.0, 5, draw) == history.of("a", 21.0, 10.0, 5, draw) == {0: "21"}
    assert drawn == [(10.0, 20.0), (11.0, 21.0)]
    history.of("b", 21.0, 10.0, 5, draw)
    history.of("a", 21.0, 20.0, 5, draw)
    history.of("a", 21.0, 20.0, 10, draw)
    assert drawn[2:] == [(11.0, 21.0), (2.0, 22.0), (1.0, 21.0)]
    assert history.of("a", 21.0, 20.0, 0, draw) == {}


@pytest.mark.parametrize(
    ("span", "most"),  # of 12 cells: how often a graph is drawn in 60 s
    [(10.0, 145), (20.0, 73), (60.0, 61), (600.0, 61), (3600.0, 11)],
)
def test_where_a_dot_is_longer_than_a_second_the_newest_is_filled_meanwhile(span: float, most: int) -> None:
    found = [LoadRow(n / 10, 0.1, (0,), (0.0 if n < 30_100 else 1.0,)) for n in range(29_000, 31_500)]
    history, times = SmallGraphs(), 0

    def draw(start: float, end: float) -> dict[Hashable, str]:
        nonlocal times
        times += 1
        return small_graphs(seen, {0: 1.0}, start, end, 12, history.columns)

    for tenth in range(29_900, 30_501):  # ten samples a second, and a core is full from 3,010 s on
        seen = found[: tenth - 29_000 + 1]
        shown = history.of("a", tenth / 10, span, 12, draw)
        if tenth >= 30_100 + max(20, span / 24 / 25 * 10 + 1):
            assert max(dots(shown[0])[-2:]) == 4, f"at {tenth / 10:.1f} s"
    assert times <= most


def run_of_two_cores(chance: Random, count: int) -> list[LoadRow]:
    """One row a second, by clocks that are not exact; some are late, some are missing, some are gaps."""
    found, before = [], 0.0
    for second in range(1, count + 1):
        if chance.random() < 0.1:
            continue
        at = second + chance.uniform(-0.05, 0.05)
        begin = before + chance.uniform(-0.02, 0.02)
        values = tuple(chance.choice((0.0, chance.random(), None)) for _ in range(2))
        known = chance.random() > 0.1
        found.append(LoadRow(at, at - begin, (0, 1) if known else (), values if known else ()))
        before = at
    return found


@pytest.mark.parametrize("cells", [3, 10, 43])
def test_graphs_that_keep_their_columns_are_those_that_are_drawn_anew(cells: int) -> None:
    chance, columns, dot = Random(cells), Columns(), 20.0 / (2 * cells)
    for found in (run_of_two_cores(chance, 90), run_of_two_cores(chance, 90)):  # a second run: the same times
        for now in (89, *range(1, 60), 80, 30, 31, 33, 90):  # going back, too, as a replay does
            end = ceil(now / dot) * dot
            rows = [row for row in found if now - 23.0 < row.at <= now + 0.05]
            draw = partial(small_graphs, rows, {0: 1.0, 1: 0.7}, end - 20.0, end, cells)
            assert draw(columns=columns) == draw()


def test_columns_from_before_the_rows_so_far_are_drawn_when_those_come() -> None:
    """After zooming out the first picture may still hold the rows of the shorter span."""
    found, columns = rows(0.25, 0.5, 0.75, 1.0), Columns()
    draw = partial(small_graphs, tops={0: 1.0}, start=0.0, end=4.0, cells=2, columns=columns)
    assert dots(draw(found[2:])[0]) == [0, 0, 3, 4]
    assert dots(draw(found)[0]) == [1, 2, 3, 4]


def test_only_the_newest_columns_are_looked_at_again() -> None:
    looked: list[float] = []

    class Seen(LoadRow, frozen=True):
        @property
        def begin(self) -> float:
            looked.append(self.at)
            return self.at - self.seconds

    found = [Seen(float(at), 1.0, (0,), (0.5,)) for at in range(1, 101)]
    columns = Columns()
    small_graphs(found[:90], {0: 1.0}, 30.0, 90.0, 60, columns)
    looked.clear()
    small_graphs(found[:91], {0: 1.0}, 31.0, 91.0, 60, columns)
    assert looked and min(looked) >= 89.0
