"""Without traffic the last result and its scale stay; panels give away the rows that they do not need."""

import pytest
from live_pilot import SMALL, WIDE, blasting, settled, text
from live_rig import Control, Rig
from waiting import press

from fwdtui.monitor.live.monitor import Monitor
from fwdtui.ui.draw.graph import Graph
from fwdtui.ui.draw.panel import Panel

QUIET = 89.0  # seconds: the second blast is an iteration, the third has not begun


def scale(app) -> list[str]:
    """The labels of the rate axis, the highest first."""
    rows = [row.split("┤")[0].strip() for row in text(app, "graph").split("\n") if "┤" in row]
    return [row for row in rows if row]


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_the_last_result_stays_and_is_marked_as_the_last(live, size):
    app, run = live(blasting(QUIET), size)
    async with run as pilot:
        await settled(pilot)
        names = text(app, "numbers").split("\n")[0]
        loss = "blast's loss" if size == SMALL else "last loss, whole blast"  # the others: of the window
        for name in ("last offered", "last forwarded", "last received", loss):
            assert name in names
        assert text(app, "diagnosis").startswith(" · No traffic; last: 1.00")
        assert "Mpps, loss 31.3 % over the whole blast, DUT-limited" in text(app, "diagnosis").replace(
            "\n  ", ""
        )
        assert "offered 0 pps" not in text(app, "diagnosis")
        if size == SMALL:
            assert "31.3 %" in text(app, "numbers") and "98 %" in text(app, "numbers")


async def test_before_the_first_blast_there_is_no_last_result(live):
    app, run = live(blasting(4.0), SMALL)
    async with run as pilot:
        await settled(pilot)
        assert "last" not in text(app, "numbers") + text(app, "diagnosis")
        assert scale(app)[0] == "1.5 M" or float(scale(app)[0].split()[0]) >= 1  # what the link can carry
        assert "M" in scale(app)[0]


async def test_when_the_blasts_have_left_the_graph_its_scale_stays(live):
    rig = Rig()
    rig.run(35.0 + 6.0)
    control = Control(rig)
    app, run = live(control, SMALL)
    async with run as pilot:
        await settled(pilot)
        before = scale(app)
        for _ in range(3):
            await press(pilot, "Z")  # 60 s -> 10 s: the blast ended 6 s ago
        await settled(pilot)
        rig.run(49.5)
        await settled(pilot)
        assert scale(app) == before


async def test_the_grid_is_crosses_and_no_series_looks_like_that(live):
    app, run = live(blasting(4.0), WIDE)
    async with run as pilot:
        await settled(pilot)
        drawn = text(app, "graph")
        assert "+         +" in drawn
        assert "┈" not in drawn.replace("┈ offered", "")


async def test_a_panel_with_little_to_say_leaves_its_rows_to_the_graph(live):
    few, many = [], []
    for cores, heights in ((2, few), (16, many)):
        app, run = live(blasting(cores=cores, queues=2), WIDE)
        async with run as pilot:
            await settled(pilot)
            for name in ("cores", "graph"):
                panel = app.screen.query_one(f"#{name}", Panel)
                heights.append(panel.content_size.height)
            rows = text(app, "cores").split("\n")
            assert sum("99" in row or "%" in row or "irq" in row for row in rows) >= 3
    assert few[0] < many[0] and few[1] > many[1]
    assert few[1] - many[1] == many[0] - few[0]


async def test_the_graph_does_not_jump_when_a_panel_has_less_to_say_again(live):
    rig = Rig()
    rig.run(20.0)
    app, run = live(Control(rig), WIDE)
    async with run as pilot:
        await settled(pilot)
        for number in range(5):
            rig.event("link-down", f"igb{number}: no carrier", "dut")
        await settled(pilot)
        graph = app.screen.query_one(Graph)
        height = graph.content_size.height
        rig.monitor = Monitor(rig.lab)  # nothing was ever said
        rig.run(22.0)
        await settled(pilot)
        assert text(app, "events").strip() == "– no events yet" or "began" in text(app, "events")
        assert graph.content_size.height == height


async def test_each_queue_and_core_has_its_history_where_there_is_room(live):
    app, run = live(blasting(uneven=True), WIDE)
    async with run as pilot:
        await settled(pilot)
        rows = text(app, "queues").split("\n")
        (rx,) = (n for n, row in enumerate(rows) if "igb1 rx" in row)
        assert (
            rows[rx].rstrip().endswith("!") and "q3" in rows[rx]
        )  # one row a direction, imbalance at its end
        assert sum("⠀" < character <= "⣿" for character in rows[rx + 1]) > 20
        assert "igb2 tx" in rows[rx + 2]
        core = next(row for row in text(app, "cores").split("\n") if row.lstrip().startswith("0 "))
        assert "⣿" in core and core.rstrip().endswith("99!")
        busy = [row for row in text(app, "cores").split("\n") if "⣿" in row]
        assert len(busy) == 4
