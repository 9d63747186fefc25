"""The comparison at sizes that change under it."""

import pytest
from compare_rig import comparing, press, settled, shown
from textual.widgets import DataTable

from fwdtui.store.annotations import drop
from fwdtui.ui.compare.screen import CompareScreen


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_after_a_small_window_the_columns_are_as_wide_as_their_cells_at_once(folder, pair, size):
    async with comparing(pair, size) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, CompareScreen)
        table = screen.query_one("#cases", DataTable)
        await pilot.resize_terminal(40, 12)
        await settled(pilot)
        await pilot.resize_terminal(*size)
        await settled(pilot)
        # what is painted before the table has measured anything stays painted
        screen.on_verdict_tabs_resized()
        line = table.render_line(1).text
        assert "forwarding.off" in line and "slower" in line


async def test_a_size_that_comes_while_the_screen_is_being_left_is_no_error(folder, pair):
    async with comparing(pair) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, CompareScreen)
        await screen.query_one("#behind").remove()
        screen.on_verdict_tabs_resized()
        await screen.query_one("#below").remove()
        screen.on_verdict_tabs_resized()


async def test_at_80_by_24_a_dropped_iteration_is_told_above_the_chart(folder, pair):
    drop(pair[0], "forwarding.off", 2, "the cable was touched")
    async with comparing(pair, (80, 24)) as pilot:
        await press(pilot, "4")
        told = shown(pilot, "iterations").splitlines()[0]
        assert told == "! dropped by hand, and not drawn: iteration 2 of n311215"
