"""The grid of small graphs: all if there is room, else the busiest, and how many are not shown."""

from collections.abc import Hashable

from textual.color import Color

from fwdtui.core.host_rates import QueueRate
from fwdtui.core.lab import parse
from fwdtui.monitor.live.load_history import LoadRow
from fwdtui.ui.draw.heat import spaced
from fwdtui.ui.draw.multiples import foremost, grid, rows_for_all
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, length
from fwdtui.ui.draw.view import View
from fwdtui.ui.live.queue_groups import Group, grouped
from fwdtui.ui.live.queue_lines import group_lines, history_grid, rows_wanted

COLORS = Palette({"foreground": "#cccccc", "error": "#ff0000", "warning": "#ffff00"}, Color(0, 0, 0))
VIEW = View(
    parse('[generator]\nhost = "gen"\ninterface = "g0"\n[dut]\nhost = "dut"\nin = "ix0"\nout = "ix1"\n')
)
GRAPH = "⣿"


def text(line: Line) -> str:
    return "".join(part for part, _ in line)


def group(count: int, drops: float | None = None) -> Group:
    """So many rx queues at 1 kpps; the last drops so many."""
    queues = [QueueRate("ix0", "rx", number, pps=1e3) for number in range(count - 1)]
    return grouped([*queues, QueueRate("ix0", "rx", count - 1, pps=1e3, drops=drops)], VIEW)[0]


def drawn(shown: Group, rows: int, width: int, numbers: range | list[int] | None = None) -> list[str]:
    place = history_grid(shown, rows - 1, width)
    assert place is not None
    these = range(place.shown) if numbers is None else numbers
    history: dict[Hashable, str] = {("ix0", "rx", number): GRAPH * place.graph for number in these}
    lines = list(group_lines(shown, rows, width, COLORS, history))
    assert all(length(line) <= width for line in lines)
    return [text(line) for line in lines]


def test_at_200_columns_64_queues_have_one_row_the_imbalance_at_its_right_and_a_history_each() -> None:
    assert rows_wanted(group(64), 98) == 7
    bars, *rows = drawn(group(64), 7, 98)
    assert bars.startswith(" ix0 rx █") and bars.rstrip().endswith("imbal. 1.00")
    assert bars.count("█") == 64 and "████████ ████████" in bars
    assert len(rows) == 6 and rows[0].startswith(" " * 8 + "q0 ")
    assert sum(row.count(GRAPH * 4) for row in rows) == 64
    assert not any("not shown" in row for row in rows)


def test_without_room_for_all_it_says_how_many_are_not_shown() -> None:
    _, first, second = drawn(group(64), 3, 98)
    assert first.startswith(" busiest 20 ") and second.startswith(" 44 not shown ")
    _, only = drawn(group(64), 2, 98)
    assert only.startswith(" 54 not shown ")


def test_in_an_enlarged_panel_histories_are_wide_and_have_their_figures() -> None:
    bars, *rows = drawn(group(64), 26, 198)
    assert bars.count("█ █") > 20, "apart"
    assert len(rows) == 22 and rows[0].count("1.00 k") == 3


def test_a_queue_that_drops_is_marked_in_words_if_there_is_room_else_by_a_sign() -> None:
    lossy = group(16, drops=2e3)
    assert "✕2.00 k" in drawn(lossy, 17, 198)[-1]
    assert f"{GRAPH}✕" in drawn(group(64, drops=2e3), 7, 98)[4]


def test_without_a_history_or_room_for_a_row_there_is_heat() -> None:
    assert "imbalance" in text(next(iter(group_lines(group(64), 4, 98, COLORS, {}))))
    assert history_grid(group(64), 3, 8 + 64 + 13) is None
    assert history_grid(group(64), 3, 8 + 64 + 14) is not None


def test_bars_are_apart_from_two_cells_each_on_and_in_eights_below() -> None:
    assert spaced([1.0] * 3, 6) == ["█ "] * 3
    assert "".join(spaced([1.0] * 9, 10)) == "████████ █"
    assert "".join(spaced([1.0] * 9, 9)) == "█████████"


def test_a_grid_has_as_few_columns_as_its_rows_allow() -> None:
    wide = grid(6, 3, 80, 3, 0)
    assert wide is not None and (wide.columns, wide.rows, wide.cell, wide.shown) == (2, 3, 40, 6)
    assert wide.figures and wide.graph == 40 - 3 - 1 - 7
    full = grid(20, 2, 80, 3, 0)
    assert full is not None and (full.columns, full.shown, full.graph) == (10, 20, 4)
    cut = grid(21, 2, 80, 3, 0)
    assert cut is not None and cut.shown == 16 and cut.lead == 14
    assert rows_for_all(20, 80, 3, 0) == 2 and rows_for_all(21, 80, 3, 0) == 3
    assert grid(1, 1, 7, 3, 0) is None and grid(0, 1, 80, 3) is None and grid(1, 0, 80, 3) is None


def test_the_busiest_of_the_window_are_chosen_those_with_a_mark_before_them_in_their_order() -> None:
    rows = [
        LoadRow(1.0, 1.0, (0, 1, 2, 3), (9.0, 0.0, 0.0, 0.0)),
        LoadRow(2.0, 1.0, (0, 1, 2), (1.0, 5.0, 4.0)),
    ]
    assert foremost(rows, [0, 1, 2, 3], 0.0, 2) == [0, 1]
    assert foremost(rows, [0, 1, 2, 3], 1.0, 2) == [1, 2]
    assert foremost(rows, [0, 1, 2, 3], 0.0, 2, [3]) == [0, 3]
    assert foremost(rows, [0, 1], 0.0, 2) == [0, 1]


def test_queues_that_have_no_room_for_histories_are_heat_with_the_busiest_in_figures() -> None:
    queues = [QueueRate("ix0", "rx", n, pps=1e3 * (n + 1), drops=5.0 if n == 3 else None) for n in range(64)]
    (uneven,) = grouped(queues, VIEW)
    lines = list(group_lines(uneven, 3, 58, COLORS, {}))
    heat, first, second = map(text, lines)
    assert all(length(line) <= 58 for line in lines)
    assert heat.startswith(" ix0 rx ▁") and heat.rstrip().endswith("imbal. 1.97!")
    # the one that drops stands before the busiest
    assert first.startswith(" busiest     q3 ") and "q63 " in first and "64.0 k" in first
    assert second.startswith(" 60 more ")
    assert "2 queues per cell, the busier one shown" in text(list(group_lines(uneven, 4, 58, COLORS, {}))[1])
