"""What stands behind a verdict: each tab shows its evidence, from the recording itself."""

import pytest
from compare_rig import SHIPPED, active, comparing, press, row, rows, settled, shown
from textual.widgets import TabbedContent
from waiting import seen

from fwdtui.cli import main
from fwdtui.monitor.replay import iteration_series
from fwdtui.store import annotations, read_session
from fwdtui.ui.compare import time_series as compared_series
from fwdtui.ui.draw.styles import NOT_COMPARABLE

EXAMPLES = SHIPPED.parents[1] / "sessions"
PAIR = SHIPPED / "no-rules", SHIPPED / "rules-100"


async def test_keys_and_mouse_open_the_tabs(folder, pair):
    async with comparing(pair) as pilot:
        opened = []
        for key in "123456789H":
            await press(pilot, key)
            opened.append(active(pilot))
        names = ["why", "histogram", "ministat", "iterations", "time", "profile", "facts", "warnings"]
        assert opened == [*names, "statistics", "functions"]
        await press(pilot, "tab")
        assert active(pilot) == "why"
        await press(pilot, "shift+tab")
        assert active(pilot) == "functions"
        await pilot.click(pilot.app.screen.query_one(TabbedContent).get_tab("tab-ministat"))
        await settled(pilot)
        assert active(pilot) == "ministat"


async def test_why_explains_and_the_histogram_and_the_strip_show_both_sets(folder, pair):
    async with comparing(pair) as pilot:
        assert "No bottleneck was recorded for either side." in shown(pilot, "why")
        await press(pilot, "9")
        told = shown(pilot, "statistics")
        assert "Welch: difference of the means" in told and "Verdict:" not in told
        assert "slowed down by" not in told  # that is above the tabs, and said once
        await press(pilot, "2")
        assert "histogram   x n311215 (5)   + n311215-UDP2 (5)" in shown(pilot, "histogram")
        await press(pilot, "4", "down")
        told = shown(pilot, "iterations")
        assert told.startswith("iterations  x n311215 (5)")
        assert "380 400" in told and "1 002 000" in told


async def test_why_begins_with_what_limited_each_side(folder, session):
    one = session("old", {"x": [1000, 1001, 1002]}, limits=["generator-limited"] * 3)
    two = session("new", {"x": [900, 901, 902]}, limits=["dut-limited", "generator-limited", "dut-limited"])
    async with comparing([one, two], (100, 40)) as pilot:
        lines = shown(pilot, "why").splitlines()
        assert lines[0] == "The bottleneck changed: old is generator-limited, new is DUT-limited."
        assert lines[2] == "old  generator-limited in 3 of 3 iterations"
        assert "new  DUT-limited in 2 of 3 iterations, generator-limited in 1" in lines


@pytest.mark.parametrize(
    ("size", "of_no_rules", "of_rules"),
    [
        ((80, 24), "offered 593 503.5  ! in-run-variation", "! in-run-variation  ! mean-differs"),
        ((120, 40), "offered 593 503.5  ! 1 warning", "offered 517 427.9  ! 2 warnings"),
        ((200, 60), "offered 593 503.5  ! 1", "offered 517 427.9  ! 2"),
    ],
)
async def test_the_list_of_iterations_shortens_neither_loads_nor_the_names_of_warnings(
    size: tuple[int, int], of_no_rules: str, of_rules: str
) -> None:
    async with comparing([EXAMPLES / "no-rules", EXAMPLES / "rules-100"], size) as pilot:
        await press(pilot, "4")
        (left,) = [line for line in shown(pilot, "iterations").splitlines() if "590 115.3" in line]
        (right,) = [line for line in shown(pilot, "iterations").splitlines() if "214 840.2" in line]
        assert of_no_rules in left and of_rules in right
        assert "…" not in left + right


async def test_on_a_wide_terminal_two_tabs_stand_side_by_side(folder, pair):
    async with comparing(pair, (200, 50)) as pilot:
        beside = pilot.app.screen.query_one("#beside")
        assert beside.display and shown(pilot, "beside-title").startswith("2 histogram")
        assert "histogram   x n311215 (5)" in shown(pilot, "beside-text")
        await press(pilot, "2")
        assert shown(pilot, "beside-title").startswith("9 statistics")
        assert "Welch" in shown(pilot, "beside-text")
        drawn = pilot.app.screen.query_one("#shown-histogram").region
        assert drawn.right <= beside.region.x
        await pilot.resize_terminal(120, 40)
        await seen(pilot, lambda: not beside.display)


async def test_the_charts_are_as_large_as_the_room_and_mark_means_with_their_intervals(folder, session):
    one = session("old", {"x": [100.0, 110.0, 120.0]})
    two = session("new", {"x": [200.0, 230.0, 240.0]})
    async with comparing([one, two], (120, 50)) as pilot:
        await press(pilot, "2")
        chart = shown(pilot, "histogram").splitlines()
        height = pilot.app.screen.query_one("#below").size.height
        assert height - 6 <= len(chart) <= height
        means = [line for line in chart if "●" in line and line[:1] in "x+"]
        assert [line[0] for line in means] == ["x", "+"]
        assert all("├" in line or "◂" in line for line in means)
        assert chart[-1] == "● mean, with its 95 % interval"


async def test_iterations_without_a_value_and_dropped_ones_are_named_with_their_reason(folder, session):
    one = session("old", {"x": [1000, None, 1001, 1002]})
    two = session("new", {"x": [1100, 1101, 1102]})
    async with comparing([one, two], (100, 40)) as pilot:
        annotations.drop(one, "x", 4, "the cable was loose")
        await press(pilot, "4", "f3", "f4")  # away and back: it is read again by itself
        told = shown(pilot, "iterations")
        assert "left out: iteration 2: no value" in told
        assert "dropped: the cable was loose" in told and "(2)   + new (3)" in told
        assert row(pilot, 0)["n"] == "2/3"


async def test_the_ministat_block_is_byte_for_byte_what_the_command_prints(folder, pair, session, capsys):
    third = session("third", {"pf.inet4": [402113, 412113, 398113], "forwarding.on": [1.5, 2.5, 3.5]})
    paths = [*pair, third]
    for level, keys in ((95.0, ()), (98.0, ("right_parenthesis",))):
        assert main(["compare", "--format", "ministat", "-c", f"{level:g}", *map(str, paths)]) == 0
        printed = capsys.readouterr().out
        async with comparing(paths) as pilot:
            await press(pilot, *keys, "3")
            blocks = {}
            for number in range(len(rows(pilot))):
                cells = row(pilot, number)
                if NOT_COMPARABLE not in cells["verdict"]:
                    blocks[cells["case"]] = shown(pilot, "ministat")
                await press(pilot, "down")
        assert "\n".join(blocks.values()) == printed


async def test_time_series_are_of_the_iterations_nearest_to_the_medians_and_others_can_be_chosen():
    async with comparing(PAIR, (160, 50)) as pilot:
        await press(pilot, "5")
        told = shown(pilot, "time")
        assert "╌╌ no-rules  iteration 4 (4 of 5)" in told
        assert "── rules-100  iteration 1 (1 of 5)" in told
        assert told.count("measured 1") == 2  # both windows, each under its own dashes
        assert "0 = start" in told and "┈ offered to each" in told
        await press(pilot, "n", "P")
        assert "no-rules  iteration 3 (3 of 5)" in shown(pilot, "time")
        assert "rules-100  iteration 2 (2 of 5)" in shown(pilot, "time")
        line = shown(pilot, "time").split("\n")[1]
        content = pilot.app.screen.query_one("#shown-time")
        await pilot.click(content, offset=(line.index("›"), 1))
        await settled(pilot)
        assert "rules-100  iteration 3 (3 of 5)" in shown(pilot, "time")


async def test_the_graph_has_the_height_of_the_window_whichever_tab_was_open_before():
    async with comparing(PAIR, (160, 50)) as pilot:
        await press(pilot, "6", "5")
        room = pilot.app.screen.query_one("#tab-time VerticalScroll").size.height
        assert room - 2 <= shown(pilot, "time").count("\n") + 1 <= room


async def test_the_time_axis_can_look_closer_than_from_zero():
    async with comparing(PAIR, (120, 50)) as pilot:
        await press(pilot, "5")
        assert "\n     0 ┤" in shown(pilot, "time")
        await press(pilot, "f")
        assert "\n     0 ┤" not in shown(pilot, "time")
        await press(pilot, "f")
        assert "\n     0 ┤" in shown(pilot, "time")


async def test_samples_are_read_only_when_somebody_looks_and_only_once(monkeypatch):
    read = []
    original = iteration_series.read_series

    def counting(folder, session):
        read.append(folder)
        return original(folder, session)

    monkeypatch.setattr(compared_series, "read_series", counting)
    async with comparing(PAIR) as pilot:
        await press(pilot, "2", "3", "7")
        assert not read
        await press(pilot, "5", "6", "5", "minus")
        assert [path.parts[-3:] for path in read] == [
            ("no-rules", "forwarding.inet4", "004"),
            ("rules-100", "forwarding.inet4", "001"),
        ]


async def test_queues_and_cpu_say_what_became_the_bottleneck():
    async with comparing(PAIR, (120, 50)) as pilot:
        await press(pilot, "6")
        told = shown(pilot, "profile")
        limits = {
            name: read_session(SHIPPED / name).cases[0].iterations[index - 1].limit
            for name, index in (("no-rules", 4), ("rules-100", 1))
        }
        assert {limit.code for limit in limits.values()} == {"dut-limited"}
        assert told.startswith("These two iterations have the same kind of bottleneck: DUT-limited.")
        assert told.count("2 cores, 2 full") == 2 and "✕ 95.97 k" in told and "irq" in told
        await press(pilot, "N")  # round to the fifth, which the generator limited
        told = shown(pilot, "profile").split("\n")[0]
        assert told.startswith("The bottleneck changed from “Generator-limited” to “DUT-limited”: 191.2 kpps")


async def test_a_session_of_values_alone_says_that_nothing_was_recorded(folder, pair):
    async with comparing(pair) as pilot:
        await press(pilot, "5")
        assert "Neither of the two has recorded samples" in shown(pilot, "time")
        await press(pilot, "6")
        assert "No bottleneck was recorded for these two iterations." in shown(pilot, "profile")


async def test_a_side_without_any_value_breaks_no_tab(folder, session):
    paths = session("old", {"x": [None, None]}), session("new", {"x": [1100, 1101, 1102]})
    async with comparing(paths) as pilot:
        for key in "12345678":
            await press(pilot, key)
            assert shown(pilot, active(pilot))
        assert "One of the two has no iteration that counts." in shown(pilot, "profile")


async def test_only_facts_that_differ_are_shown_and_the_others_counted(folder, pair):
    async with comparing(pair, (80, 24)) as pilot:
        await press(pilot, "7")
        for size in ((80, 24), (140, 40)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            told = shown(pilot, "facts")
            assert told.startswith("1 fact differs; 1 recorded fact is equal.")
            assert "Settings of the hosts were not recorded for these two" in told
            assert "n311215-UDP2" in told and "igb" not in told


async def test_the_tab_alone_has_the_whole_window(folder, pair):
    async with comparing(pair, (80, 24)) as pilot:
        before = pilot.app.screen.query_one("#below").size.height
        await press(pilot, "m")
        assert pilot.app.screen.query_one("#below").size.height > before
        assert "slowed down by" in shown(pilot, "selected")
        await press(pilot, "3", "shift+down")
        assert pilot.app.screen.query_one("#tab-ministat VerticalScroll").scroll_y > 0
