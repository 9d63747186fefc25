"""The live screen at any size, with 2 to 128 queues and cores."""

import pytest
from live_pilot import blasting, settled, text
from waiting import press

from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.shell.help_panel import HelpPage


@pytest.mark.parametrize("queues", [2, 31, 128])
async def test_two_to_128_queues_and_cores_fit(live, queues):
    app, run = live(blasting(queues=queues, cores=queues, uneven=True), (80, 24))
    async with run as pilot:
        for size in ((80, 24), (120, 40), (200, 60)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            for name in ("queues", "cores"):
                panel = app.screen.query_one(f"#{name}", Panel)
                shown = panel.plain()
                assert all(len(row) <= panel.content_size.width for row in shown.split("\n"))
            assert "igb1 rx" in text(app, "queues") and "igb2 tx" in text(app, "queues")
            assert "imbal" in text(app, "queues") and "✕" in text(app, "queues")


async def test_every_stage_of_loss_is_a_number_or_a_dash(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        line = next(row for row in text(app, "queues").split("\n") if "drops" in row)
        assert (
            "rx ring ✕ 46" in line and "input queue 0" in line and "netisr –" in line and "output 0" in line
        )


async def test_time_in_interrupts_is_told_apart_without_colour(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        cores = text(app, "cores")
        bars = next(row for row in cores.split("\n") if row.lstrip().startswith("0 "))
        counts = [bars.count(mark) for mark in "█▓▒░"]
        assert counts[1] > 4 * counts[0] > 0 and counts[2] > 0
        assert "irq" in cores and "softirq" in cores and "99!" in cores


async def test_events_have_times_the_newest_first_and_scroll(live):
    control = blasting()
    for number in range(40):
        control.rig.event("note", f"note {number} [b]x[/b]")
    control.started = 1_763_650_000.0
    app, run = live(control, (120, 40))
    async with run as pilot:
        await settled(pilot)
        first = text(app, "events").split("\n")[0]
        assert first.endswith("note 39 [b]x[/b]") and first.count(":") == 2
        app.screen.query_one("#events").focus()
        await pilot.press(*["down"] * 5)
        await settled(pilot)
        assert "note 34" in text(app, "events").split("\n")[0]
        control.rig.event("note", "one more")
        await settled(pilot)
        assert "note 34" in text(app, "events").split("\n")[0], "what is being read stays"


async def test_every_size_draws_and_can_be_changed(live):
    sizes = (
        (1, 1), (20, 5), (40, 12), (60, 20), (80, 24), (250, 70), (200, 60), (160, 45), (120, 40), (100, 40)
    )  # fmt: skip
    app, run = live(blasting(), sizes[0])
    async with run as pilot:
        for size in sizes:
            await pilot.resize_terminal(*size)
            await settled(pilot)
            await press(pilot, "m", "B")
            await press(pilot, "m", "question_mark")
            await pilot.resize_terminal(90, 30)
            await settled(pilot)
            assert isinstance(app.screen, HelpPage), "a panel that has no room becomes a page"
            await press(pilot, "question_mark")
            assert "DUT-limited" in text(app, "diagnosis")
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert app.is_running and app.size == size


async def test_the_packets_lost_are_a_whole_figure_or_not_there(live, subtests):
    app, run = live(blasting(), (36, 24))
    async with run as pilot:
        for columns in (36, 44, 50, 58, 66, 80):
            with subtests.test(columns=columns):
                await pilot.resize_terminal(columns, 24)
                await settled(pilot)
                values = text(app, "numbers").split("\n")[1]
                assert "31.6 %" in values and "…" not in values
                assert ("461.9 k" in values) == (columns >= 80)


async def test_the_smallest_screen_shows_the_loss_and_the_sentence(live):
    app, run = live(blasting(), (20, 5))
    async with run as pilot:
        await settled(pilot)
        assert "loss" in text(app, "numbers") and "DUT-limited" in text(app, "diagnosis")
