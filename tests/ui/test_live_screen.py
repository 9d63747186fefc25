"""The live screen: what is seen first, on a real Monitor fed with three machines' counters."""

import pytest
from live_pilot import SMALL, blasting, settled, text
from live_rig import Control, Rig
from waiting import seen

from fwdtui.ui.common.footer import Footer
from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.live.screen import LiveScreen


async def test_the_first_things_seen_are_the_rates_the_loss_and_why_and_the_keys_that_lead_on(live):
    app, run = live(blasting(), SMALL)
    async with run as pilot:
        await settled(pilot)
        assert isinstance(app.screen, LiveScreen)
        names, values = text(app, "numbers").split("\n")
        assert names.split() == [
            *["┈", "offered", "╌", "forwarded", "─", "received", "!", "loss", "of", "line", "rate"]
        ]
        rates = values.split()[:6]
        assert rates[1::2] == ["Mpps"] * 3
        assert [float(rate) for rate in rates[::2]] == pytest.approx([1.456, 1.0, 1.0], rel=0.01)
        assert "31." in values and "98 %" in values
        assert text(app, "diagnosis").startswith(" ! DUT-limited, last 5 s: ")
        assert "cores 0-3 are" in text(app, "diagnosis").replace("\n  ", "")
        footer = app.screen.query_one(Footer)
        assert {"s", "space", "F3", "q", "?"} <= {key.key_display for key in footer.shown}


async def test_a_good_run_says_so_with_a_mark_and_no_loss(live):
    app, run = live(blasting(capacity=2e6))
    async with run as pilot:
        await settled(pilot)
        assert text(app, "diagnosis").startswith(" ✓ ")
        assert "! loss" not in text(app, "numbers") and "lost" not in text(app, "graph")


async def test_each_flow_bears_its_name_and_mark_at_its_lines_end(live):
    app, run = live(blasting(), SMALL)
    async with run as pilot:
        await settled(pilot)
        graph = text(app, "graph")
        for name in ("┈ offered", "╌ forwarded", "─ received", "⠒ lost", "╍ line rate"):
            assert name in graph
        rows = graph.split("\n")
        order = [
            next(n for n, row in enumerate(rows) if name in row) for name in ("offered", "lost", "received")
        ]
        assert order == sorted(order)


async def test_blasts_and_measured_windows_stand_on_the_time_axis(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        line = text(app, "graph").split("\n")[-2]
        assert "═" in line and "┣━" in line and "measured" in line
        assert text(app, "graph").split("\n")[-1].rstrip().endswith("now")


async def test_a_lost_host_is_shown_as_lost_with_the_time_while_the_others_go_on(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        control.rig.lose("sink")
        control.rig.run(80)
        await settled(pilot)
        assert "✕ sink lost at 01:10, 10 s ago" in text(app, "heading-line")
        assert "● gen" in text(app, "heading-line")
        assert "received –" in text(app, "graph"), "the missing flow has a dash, not a zero"
        assert "No connection to sink" in text(app, "diagnosis")
        assert "sink: connection lost" in text(app, "events")
        row = next(row for row in text(app, "interfaces").split("\n") if "sink" in row)
        assert row.split()[2:] == ["–"] * 4


async def test_before_the_first_sample_everything_is_a_dash(live):
    app, run = live(Control(Rig()), SMALL)
    async with run as pilot:
        await settled(pilot)
        assert text(app, "numbers").split("\n")[1].split() == ["–"] * 5
        assert "waiting for the DUT's counters" in text(app, "queues") + text(app, "cores")
        assert "○ gen" in text(app, "heading-line")


async def test_another_theme_recolours_the_panels(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        graph = app.screen.query_one("#graph", Panel)
        before = {segment.style for strip in graph.lines() for segment in strip}
        await seen(pilot, lambda: "fwdtui-light" in app.available_themes)
        app.theme = "fwdtui-light"
        await settled(pilot)
        after = {segment.style for strip in graph.lines() for segment in strip}
        assert before.isdisjoint(after)


async def test_hostile_text_is_shown_and_does_nothing(live):
    control = blasting()
    control.where = "[bold red]x[/] [/]"
    control.rig.event("dmesg", "[link=https://x]y[/link] [/nothing]", "dut")
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        assert "[bold red]x[/] [/]" in text(app, "heading-line")
        assert "[link=https://x]y[/link] [/nothing]" in text(app, "events")


def test_every_key_has_a_name_for_keymaps():
    names = [binding.id for binding in LiveScreen.BINDINGS]
    assert all(names) and len(set(names)) == len(names)


async def test_the_three_rates_share_a_scale_so_that_they_compare_at_a_glance(live):
    app, run = live(blasting(capacity=990_000.0, noise=0.0), SMALL)
    async with run as pilot:
        await settled(pilot)
        assert text(app, "numbers").split("\n")[1].split()[:4] == ["1.456", "Mpps", "0.990", "Mpps"]
