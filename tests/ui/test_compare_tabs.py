"""What stands behind a verdict: each tab shows its evidence, from the recording itself."""

from pathlib import Path

import pytest
from compare_rig import SHIPPED, active, comparing, press, row, rows, settled, shown
from textual.widgets import TabbedContent
from waiting import seen

from fwdtui.cli import main
from fwdtui.monitor.replay import iteration_series
from fwdtui.store import annotations, read_session
from fwdtui.ui.compare import charts
from fwdtui.ui.compare import time_series as compared_series
from fwdtui.ui.draw.styles import NOT_COMPARABLE

EXAMPLES = SHIPPED.parents[1] / "sessions"
PAIR = SHIPPED / "no-rules", SHIPPED / "rules-100"


async def test_each_tab_of_a_session_of_values_alone_opens_by_its_key_and_says_what_there_is(folder, pair):
    async with comparing(pair) as pilot:
        app = pilot.app
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

        await press(pilot, "1")
        told = shown(pilot, "why")
        assert "No bottleneck was recorded for either side." in told
        assert "7 says which settings and facts differ." in told
        await press(pilot, "9")
        told = shown(pilot, "statistics")
        assert "Welch: difference of the means" in told and "Verdict:" not in told
        assert "slowed down by" not in told  # that is above the tabs, and said once
        await press(pilot, "2")
        assert "histogram   x n311215 (5)   + n311215-UDP2 (5)" in shown(pilot, "histogram")
        await press(pilot, "5")
        assert "Neither of the two has recorded samples" in shown(pilot, "time")
        await press(pilot, "6")
        assert "No bottleneck was recorded for these two iterations." in shown(pilot, "profile")
        await press(pilot, "4", "down")
        told = shown(pilot, "iterations")
        assert told.startswith("iterations  x n311215 (5)")
        assert "380 400" in told and "1 002 000" in told

        await press(pilot, "7")  # only facts that differ, the others counted
        for size in ((80, 24), (140, 40)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            told = shown(pilot, "facts")
            assert told.startswith("1 fact differs; 1 recorded fact is equal.")
            assert "Settings of the hosts were not recorded for these two" in told
            assert "n311215-UDP2" in told and "igb" not in told
        await pilot.click(app.screen.query_one(TabbedContent).get_tab("tab-ministat"))
        await settled(pilot)
        assert active(pilot) == "ministat"


async def test_a_chart_is_drawn_once_for_a_row_a_size_a_theme_and_a_comparison(folder, pair, monkeypatch):
    """The table tells its row again after each of its own drawings, and a chart takes long."""
    drawn, histogram = [], charts.histogram

    def counted(entry, compared, width, rows, styles):
        drawn.append((id(entry), width, rows))
        return histogram(entry, compared, width, rows, styles)

    monkeypatch.setattr(charts, "histogram", counted)
    async with comparing(pair) as pilot:
        app = pilot.app

        async def again(what: str) -> None:
            await settled(pilot)
            assert len(set(drawn)) == len(drawn) > 0, what
            drawn.clear()

        await press(pilot, "2")
        await again("opened")
        await press(pilot, "down")
        await again("another case")
        await pilot.resize_terminal(120, 30)
        await again("another height")
        await pilot.resize_terminal(110, 30)
        await again("another width")
        app.theme = "fwdtui-light"
        await again("other colours")
        await press(pilot, "f5")
        await again("another comparison, if of the same files")
        app.screen._draw()
        await settled(pilot)
        assert not drawn, "nothing has changed"
        assert "histogram   x n311215 (5)" in shown(pilot, "histogram")


async def test_a_wide_window_has_two_tabs_side_by_side_and_a_small_one_has_one_alone(folder, pair):
    async with comparing(pair, (200, 50)) as pilot:
        screen = pilot.app.screen
        beside = screen.query_one("#beside")
        assert beside.display and shown(pilot, "beside-title").startswith("2 histogram")
        assert "histogram   x n311215 (5)" in shown(pilot, "beside-text")
        await press(pilot, "2")
        assert shown(pilot, "beside-title").startswith("9 statistics")
        assert "Welch" in shown(pilot, "beside-text")
        drawn = screen.query_one("#shown-histogram").region
        assert drawn.right <= beside.region.x
        await pilot.resize_terminal(120, 40)
        await seen(pilot, lambda: not beside.display)

        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        before = screen.query_one("#below").size.height
        await press(pilot, "m")
        assert screen.query_one("#below").size.height > before
        assert "slowed down by" in shown(pilot, "selected")
        await press(pilot, "3", "shift+down")
        assert screen.query_one("#tab-ministat VerticalScroll").scroll_y > 0


@pytest.fixture
def odd(folder, session) -> tuple[Path, Path]:
    """Two sessions with limits; in the second case an iteration has no value, in the third a whole side."""
    limits = ["dut-limited", "generator-limited", "dut-limited", "dut-limited"]
    base = {"a": [100.0, 110.0, 120.0], "b": [1000, None, 1001, 1002], "c": [None, None]}
    other = {"a": [200.0, 230.0, 240.0], "b": [1100, 1101, 1102], "c": [1100, 1101, 1102]}
    return session("old", base, limits=["generator-limited"] * 4), session("new", other, limits=limits)


async def test_what_limited_each_side_and_the_values_with_their_means_and_those_without_one(odd):
    async with comparing(odd, (120, 50)) as pilot:
        lines = shown(pilot, "why").splitlines()
        assert lines[0] == "The bottleneck changed: old is generator-limited, new is DUT-limited."
        assert lines[2] == "old  generator-limited in 3 of 3 iterations"
        assert "new  DUT-limited in 2 of 3 iterations, generator-limited in 1" in lines

        await press(pilot, "2")  # as large as the room
        chart = shown(pilot, "histogram").splitlines()
        height = pilot.app.screen.query_one("#below").size.height
        assert height - 6 <= len(chart) <= height
        means = [line for line in chart if "●" in line and line[:1] in "x+"]
        assert [line[0] for line in means] == ["x", "+"]
        assert all("├" in line or "◂" in line for line in means)
        assert chart[-1] == "● mean, with its 95 % interval"

        annotations.drop(odd[0], "b", 4, "the cable was loose")
        await press(pilot, "down", "4", "f3", "f4")  # away and back: it is read again by itself
        told = shown(pilot, "iterations")
        assert "left out: iteration 2: no value" in told
        assert "dropped: the cable was loose" in told and "(2)   + new (3)" in told
        assert row(pilot, 1)["n"] == "2/3"

        await press(pilot, "down")  # a side without any value breaks no tab
        for key in "12345678":
            await press(pilot, key)
            assert shown(pilot, active(pilot))
        assert "One of the two has no iteration that counts." in shown(pilot, "profile")


async def test_the_list_of_iterations_shortens_neither_loads_nor_the_names_of_warnings(subtests) -> None:
    async with comparing([EXAMPLES / "no-rules", EXAMPLES / "rules-100"], (80, 24)) as pilot:
        await press(pilot, "4")
        for size, of_no_rules, of_rules in (
            ((80, 24), "offered 593 503.5  ! in-run-variation", "! in-run-variation  ! mean-differs"),
            ((120, 40), "offered 593 503.5  ! 1 warning", "offered 517 427.9  ! 2 warnings"),
            ((200, 60), "offered 593 503.5  ! 1", "offered 517 427.9  ! 2"),
        ):
            with subtests.test(size=size):
                await pilot.resize_terminal(*size)
                await settled(pilot)
                (left,) = [line for line in shown(pilot, "iterations").splitlines() if "590 115.3" in line]
                (right,) = [line for line in shown(pilot, "iterations").splitlines() if "214 840.2" in line]
                assert of_no_rules in left and of_rules in right
                assert "…" not in left + right


async def test_the_ministat_block_is_byte_for_byte_what_the_command_prints(folder, pair, session, capsys):
    third = session("third", {"pf.inet4": [402113, 412113, 398113], "forwarding.on": [1.5, 2.5, 3.5]})
    paths = [*pair, third]
    printed = []
    for level in ("95", "98"):
        assert main(["compare", "--format", "ministat", "-c", level, *map(str, paths)]) == 0
        printed.append(capsys.readouterr().out)
    async with comparing(paths) as pilot:
        for wanted, keys in zip(printed, (("3",), ("right_parenthesis", "ctrl+home")), strict=True):
            await press(pilot, *keys)
            blocks = {}
            for number in range(len(rows(pilot))):
                cells = row(pilot, number)
                if NOT_COMPARABLE not in cells["verdict"]:
                    blocks[cells["case"]] = shown(pilot, "ministat")
                await press(pilot, "down")
            assert "\n".join(blocks.values()) == wanted


async def test_samples_are_read_once_somebody_looks_and_say_what_became_the_bottleneck(monkeypatch):
    read = []
    original = iteration_series.read_series

    def counting(folder, session):
        read.append(folder)
        return original(folder, session)

    monkeypatch.setattr(compared_series, "read_series", counting)
    async with comparing(PAIR, (120, 50)) as pilot:
        await press(pilot, "2", "3", "7")
        assert not read
        await press(pilot, "5", "6", "5", "minus", "6")
        assert [path.parts[-3:] for path in read] == [
            ("no-rules", "forwarding.inet4", "004"),
            ("rules-100", "forwarding.inet4", "001"),
        ]
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


async def test_time_series_are_of_the_iterations_nearest_to_the_medians_and_others_can_be_chosen():
    async with comparing(PAIR, (160, 50)) as pilot:
        screen = pilot.app.screen
        await press(pilot, "6", "5")  # it has the height of the window, whichever tab was open before
        room = screen.query_one("#tab-time VerticalScroll").size.height
        assert room - 2 <= shown(pilot, "time").count("\n") + 1 <= room

        told = shown(pilot, "time")
        assert "╌╌ no-rules  iteration 4 (4 of 5)" in told
        assert "── rules-100  iteration 1 (1 of 5)" in told
        assert told.count("measured 1") == 2  # both windows, each under its own dashes
        assert "0 = start" in told and "┈ offered to each" in told
        await press(pilot, "n", "P")
        assert "no-rules  iteration 3 (3 of 5)" in shown(pilot, "time")
        assert "rules-100  iteration 2 (2 of 5)" in shown(pilot, "time")
        line = shown(pilot, "time").split("\n")[1]
        await pilot.click(screen.query_one("#shown-time"), offset=(line.index("›"), 1))
        await settled(pilot)
        assert "rules-100  iteration 3 (3 of 5)" in shown(pilot, "time")

        await pilot.resize_terminal(120, 50)
        await settled(pilot)
        for from_zero in (True, False, True):  # the axis can look closer than from zero
            assert ("\n     0 ┤" in shown(pilot, "time")) is from_zero
            await press(pilot, "f")
