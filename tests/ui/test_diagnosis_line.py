"""The line under the diagnosis: numbers that are whole, or not there."""

from live_pilot import WIDE, blasting, settled, text
from live_rig import Rig
from rich.cells import cell_len

from fwdtui.ui.draw.panel import wrapped
from fwdtui.ui.draw.view import View
from fwdtui.ui.live.diagnosis import _rows, packed, sentence

RATES = ["offered 14.88 Mpps", "dut in 14.88 Mpps", "forwarded 1.389 Mpps"]


def test_numbers_stand_side_by_side_and_go_on_in_the_next_row():
    assert packed(RATES, 80, 2) == ["offered 14.88 Mpps · dut in 14.88 Mpps · forwarded 1.389 Mpps"]
    assert packed(RATES, 40, 2) == ["offered 14.88 Mpps · dut in 14.88 Mpps", "forwarded 1.389 Mpps"]


def test_what_has_no_place_is_left_out_whole_and_no_dot_is_left_hanging():
    for room in range(1, 70):
        for most in (0, 1, 2, 3):
            rows = packed(RATES, room, most)
            assert len(rows) <= most and all(len(row) <= room for row in rows)
            said = [item for row in rows for item in row.split(" · ")]
            assert said == RATES[: len(said)]


def test_a_row_is_as_wide_as_its_cells():
    assert packed(["端口 1", "端口 2"], 13, 1) == ["端口 1"]
    assert packed(["端口 1", "端口 2"], 15, 1) == ["端口 1 · 端口 2"]


def test_a_sentence_of_wide_characters_is_not_cut_off():
    """A case may have any name, and the figures stand behind it."""
    rig = Rig()
    rig.monitor.case = "経路=全部 規則=百個 転送方式=高速経路 待ち行列=一六"
    rig.run(44)
    snapshot, view = rig.monitor.snapshot(63), View(rig.lab, case="規則=無し")
    for columns in range(30, 120):
        rows = _rows(snapshot, view, columns)
        assert all(cell_len(row) <= columns - 4 for row in rows), rows
        assert " ".join(rows) == sentence(snapshot, view)
        told = "so far −45.2 %, slower; against 二〇二六年十一月の転送試験 規則百個・高速経路"
        assert all(cell_len(row) <= columns for row in wrapped(told, columns))
    assert wrapped("規則百個", 4) == ["規則", "百個"] and wrapped("規", 1) == ["規"] and wrapped("", 5) == []


async def test_what_the_sentence_says_is_not_said_again_below_it(live):
    app, run = live(blasting(), WIDE)
    async with run as pilot:
        await settled(pilot)
        told = text(app, "diagnosis")
        assert "dut in" in told and told.count("most of it in interrupt") == told.count("rx ring drops") == 1


async def test_before_any_traffic_there_are_no_rates_of_zero_below_the_sentence(live):
    app, run = live(blasting(4.0), WIDE)
    async with run as pilot:
        await settled(pilot)
        assert text(app, "diagnosis").strip() == "· No traffic is offered."
