"""Hosts that are silent, on the screen: one glance tells which numbers are old and since when."""

import pytest
from live_pilot import SMALL, WIDE, blasting, settled, text
from live_rig import Control, Rig

from fwdtui.core.model import TICK


def silent(*hosts: str, seconds: int = 12) -> Control:
    """These hosts have given nothing for so long; where all are silent, time passes by ticks."""
    control = blasting()
    rig = control.rig
    rig.silent |= set(hosts)
    if len(hosts) < 3:
        rig.run(rig.now + seconds)
    else:
        for _ in range(seconds):
            rig.now += 1.0
            rig.event(TICK, "nothing came from any host")
    return control


@pytest.mark.parametrize("size", [SMALL, WIDE], ids=["80x24", "200x60"])
async def test_of_a_silent_dut_the_numbers_are_marked_old_with_their_age(live, size):
    app, run = live(silent("dut"), size)
    async with run as pilot:
        await settled(pilot)
        assert "◌ dut silent 12 s" in text(app, "heading-line")
        assert text(app, "heading-line").count("●") == 2
        names = text(app, "numbers").split("\n")[0]
        assert "forwarded 12 s" in names and names.count(" s") == 1
        assert text(app, "numbers").count("◌") == 1
        said = " ".join(text(app, "diagnosis").split())
        assert said.startswith("✕ No samples from dut for 12 s: its numbers are old")
        for name in ("queues", "cores"):
            assert "◌ 12 s old" in text(app, name).split("\n")[0]


@pytest.mark.parametrize("size", [SMALL, WIDE], ids=["80x24", "200x60"])
async def test_when_all_are_silent_nothing_looks_like_now(live, size):
    app, run = live(silent("gen", "dut", "sink"), size)
    async with run as pilot:
        await settled(pilot)
        assert "●" not in text(app, "heading-line")
        numbers = text(app, "numbers")
        assert numbers.split("\n")[0].count(" s ") == 3 and numbers.count("◌") == 3
        assert "100" not in numbers, "no loss is made of old numbers"
        assert "No samples from any host for 1" in text(app, "diagnosis")
        assert "nothing came" not in text(app, "events")
        if size == WIDE:
            rows = text(app, "interfaces").split("\n")[1:]
            assert len(rows) == 4 and all("s old" in row for row in rows)


async def test_what_comes_again_is_of_now(live):
    control = silent("dut")
    control.rig.silent.clear()
    control.rig.run(control.rig.now + 2)
    app, run = live(control, WIDE)
    async with run as pilot:
        await settled(pilot)
        for name in ("heading-line", "numbers", "queues", "cores"):
            assert "old" not in text(app, name) and "silent" not in text(app, name)


async def test_a_host_that_is_lost_after_its_first_sample_was_reached(live):
    rig = Rig()
    rig.step()
    rig.lose("dut")
    app, run = live(Control(rig), WIDE)
    async with run as pilot:
        await settled(pilot)
        assert "✕ dut lost at" in text(app, "heading-line")
        assert "not reached" not in (text(app, "heading-line") + text(app, "diagnosis")).lower()
        assert "No connection any more, so nothing is measured there: dut: " in text(app, "diagnosis")
