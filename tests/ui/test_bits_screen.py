"""`u` only chooses what is drawn: the history in bits is there however long ago it was."""

import msgspec
import pytest
from live_pilot import blasting, settled, text
from live_rig import LAB, Control, Rig
from test_replay_screen import playing

from fwdtui.core.lab import parse
from fwdtui.core.model import RateSample
from fwdtui.monitor.live.moment import flows_of, moment_at
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.ui.draw.graph import Graph
from fwdtui.ui.live.big_numbers import digits
from fwdtui.ui.live.big_numbers import numbers as shown

LEFT, RIGHT = 7, 14
WIDE = 120, 40


def framed(seconds: float = 70.0, line: str = "frame = 64", **options) -> Control:
    """As `blasting`, with the length of the frames in lab.toml. The byte counters tell 60 a frame."""
    rig = Rig(**options)
    rig.lab = parse(LAB.format(interval=1000).replace("line_rate", f"{line}\nline_rate"))
    rig.monitor = Monitor(rig.lab)
    rig.run(seconds)
    return Control(rig)


def plot(app) -> list[str]:
    """The rows of the graph's plot, without its numbers and names."""
    graph = app.screen.query_one(Graph)
    width = graph.content_size.width
    return [row.ljust(width)[LEFT : width - RIGHT] for row in graph.plain().split("\n")[:-2]]


def columns(rows: list[str]) -> set[int]:
    """Where there is a dot in one of these rows."""
    return {place for row in rows for place, cell in enumerate(row) if "⠀" < cell <= "⣿"}


async def test_after_zooming_out_bits_are_drawn_from_before_the_screen_was_opened(live):
    control = blasting(70.0)  # a blast from 5 to 35 s, the next one from 50 s on
    app, run = live(control, WIDE)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("B", "Z")
        await settled(pilot)
        rows = plot(app)
        width = len(rows[0])
        assert app.screen.query_one(Graph).border_subtitle == "2 min"
        assert app.screen.query_one(Graph).border_title == ("bits per second (hosts count differently)")
        first, last = (round(width * (50 + second) / 120) for second in (6, 34))  # the axis begins at −50 s
        assert set(range(first, last)) <= columns(rows[: len(rows) // 2]), "the whole first blast, and high"
        assert min(columns(rows)) <= round(width * 51.5 / 120) and max(columns(rows)) >= width - 2


async def test_a_stopped_picture_can_be_seen_in_bits_and_back_in_packets(live):
    app, run = live(blasting(), WIDE)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("space")
        await settled(pilot)
        before = text(app, "graph"), text(app, "numbers")
        await pilot.press("B")
        await settled(pilot)
        assert "Mbps" in text(app, "numbers") and len(columns(plot(app))) == len(plot(app)[0])
        await pilot.press("B")
        await settled(pilot)
        assert (text(app, "graph"), text(app, "numbers")) == before


async def test_in_bits_nothing_is_called_lost_and_the_line_rate_keeps_its_unit(live):
    app, run = live(blasting(), (200, 60))
    async with run as pilot:
        await settled(pilot)
        assert "lost" in text(app, "graph") and "line rate" in text(app, "graph")
        await pilot.press("B")
        await settled(pilot)
        assert "lost" not in text(app, "graph") and "line rate" not in text(app, "graph")
        names = text(app, "numbers").split("\n")[0]
        assert "of line rate  1.488 Mpps" in names and "kpps" in names, "loss and line rate stay in packets"


async def test_with_the_frames_length_flows_loss_and_line_rate_are_bits_of_layer_2(live):
    app, run = live(framed(), (200, 60))
    async with run as pilot:
        await settled(pilot)
        await pilot.press("space")
        await settled(pilot)
        graph, snapshot = app.screen.query_one(Graph), app.screen._snapshot
        assert graph.border_title == "packets per second"
        await pilot.press("B")
        await settled(pilot)
        assert graph.border_title == "bits per second (L2, frames of 64 B)"
        assert "lost" in text(app, "graph") and "line rate" in text(app, "graph")
        numbers = {number.name: number for number in shown(snapshot, app.screen._view)}
        offered = snapshot.offered.now
        assert numbers["offered"].figures == f"{offered * 512 / 1e6:.1f}"
        assert numbers["offered"].unit == numbers["received"].unit == "Mbps"
        assert numbers["loss"].note == f"{snapshot.loss * 512 / 1e6:.1f} Mbps"
        assert numbers["of line rate"].note == "761.9 Mbps", "1.488 Mpps of 64 bytes: 84 on the link, 1 Gb/s"
        rate = f"L1 {offered * 84 * 8 / 1e6:.0f} Mbps"
        assert rate in text(app, "numbers") and "L2, 64 B" in text(app, "numbers")


async def test_with_the_frames_length_the_labs_interfaces_are_on_the_same_basis_and_others_are_marked(live):
    app, run = live(framed(), (200, 60))
    async with run as pilot:
        await settled(pilot)
        await pilot.press("space", "B")
        await settled(pilot)
        panel = app.screen.query_one("#interfaces")
        assert panel.border_title == "interfaces, bits (L2, 64 B)"
        own = next(row for row in text(app, "interfaces").split("\n") if "gen igb0" in row)
        sent = app.screen._snapshot.hosts[0].rates.interfaces["igb0"].tx_pps
        assert f"{sent * 512 / 1e6:.1f} M" in own and "*" not in own
        app.screen._change(interfaces=("gen igb0", "dut igb3"))  # igb3 has no byte counter
        await settled(pilot)
        assert panel.border_title == "interfaces, bits (L2, 64 B; * as counted)"
        other = next(row for row in text(app, "interfaces").split("\n") if "igb3" in row)
        assert other.split()[:4] == ["*dut", "igb3", "–", "–"], "no zero made of its packets"
        assert [row[-1] for row in panel.cells(app.screen._snapshot, app.screen._view)][2] == "as counted"


async def test_the_link_is_shown_beside_packets_too_and_not_without_the_frames_length(live):
    for control, there in ((framed(), True), (blasting(), False)):
        app, run = live(control, (200, 60))
        async with run as pilot:
            await settled(pilot)
            assert ("L1 9" in text(app, "numbers")) == there
            assert "L2" not in text(app, "numbers")


async def test_the_cursor_reads_the_same_bits_as_the_numbers(live):
    app, run = live(framed(line="frame = 1518"), (200, 60))
    async with run as pilot:
        await settled(pilot)
        await pilot.press("space", "B")
        await settled(pilot)
        graph = app.screen.query_one(Graph)
        graph.focus()
        await pilot.press("end")
        await settled(pilot)
        at = graph.cursor
        assert at is not None
        moment = moment_at(flows_of(app.screen._snapshot, receiver=True), at)
        line = text(app, "graph").split("\n")[-1]
        assert f"{moment.flows['offered'].pps * 1518 * 8 / 1e9:.2f} Gbps" in line
        assert f"lost {moment.lost * 1518 * 8 / 1e9:.3f} Gbps" in line


async def test_after_a_blast_its_result_stays_in_bits_on_the_same_basis(live):
    for control, size in ((framed(40.0), (200, 60)), (blasting(40.0), (80, 24))):
        frame = control.lab.frame
        app, run = live(control, size)
        async with run as pilot:
            await settled(pilot)
            if not app.screen._view.bits:  # the second time it is remembered
                await pilot.press("B")
                await settled(pilot)
            snapshot = app.screen._snapshot
            numbers = {number.name: number for number in shown(snapshot, app.screen._view)}
            bits = {"offered": snapshot.last.offered * 512, "received": snapshot.last.received * 512}
            if frame is None:  # the byte counters tell 60 a frame
                bits = {name: rate / 512 * 480 for name, rate in bits.items()}
            for name, rate in bits.items():
                assert numbers[name].label == f"last {name}" and numbers[name].unit == "Mbps"
                assert numbers[name].figures == f"{rate / 1e6:.1f}"
            basis = "as counted" if frame is None else "L2, 64 B"
            assert f"last: {bits['received'] / 1e6:.1f} Mbps ({basis}), loss 31." in text(app, "diagnosis")


async def test_where_the_last_bits_are_not_known_there_is_a_dash_and_no_zero(live):
    rig = Rig()
    rig.run(40.0)
    quiet = rig.monitor.snapshot(100)
    app, run = live(Control(rig), (80, 24))
    async with run as pilot:
        app.live.snapshot = lambda points: msgspec.structs.replace(quiet, last_bits={})
        await settled(pilot)
        await pilot.press("B")
        await settled(pilot)
        names, values = text(app, "numbers").split("\n")
        assert "last received" in names and values.split()[:3] == ["–", "–", "–"] and "31.3 %" in values
        assert "last: 1.000 Mpps (bits not known), loss 31.3 %" in text(app, "diagnosis")


@pytest.mark.parametrize(("width", "loss"), [(80, "%"), (100, "% 461.9 kpps")])
async def test_on_a_small_screen_the_loss_beside_bits_has_its_unit_or_is_not_shown(live, width, loss):
    app, run = live(blasting(), (width, 20))
    async with run as pilot:
        await settled(pilot)
        assert "% 461.9 k " in text(app, "numbers")
        await pilot.press("B")
        await settled(pilot)
        shown = text(app, "numbers").split("\n")[1]
        assert "Mbps" in shown and f"{loss} " in shown and ("461.9" in shown) == ("461.9" in loss)


async def test_bits_are_a_gap_where_no_byte_counter_told_them(live):
    rig = Rig()
    sent = Monitor(rig.lab, uncounted=["counters"])
    for second in range(60):
        bps = None if 20 <= second < 40 else 6.72e8
        sent.push(RateSample("generator", second, 1.0, 1.4e6, None, bps, "gen", at=float(second + 1)))
    rig.monitor = sent
    app, run = live(Control(rig), WIDE)
    async with run as pilot:
        await settled(pilot)
        assert len(columns(plot(app))) == len(plot(app)[0])
        await pilot.press("B")
        await settled(pilot)
        rows = plot(app)
        width = len(rows[0])
        gap = set(range(round(width / 3) + 1, round(width * 2 / 3) - 1))
        drawn = columns(rows)
        assert not drawn & gap and drawn >= set(range(width)) - set(range(min(gap) - 2, max(gap) + 3))
        assert digits("672.0")[0].strip() in text(app, "numbers") and "Mbps" in text(app, "numbers")


async def test_a_replay_has_its_bits_at_each_moment_one_jumps_to():
    async with playing("rules-100", beside="no-rules") as played:
        await played.press("B", "n", "n", "right", "right")
        received = played.control.snapshot(0).received
        assert received.bps > 1e7
        shown = " ".join(played.text("numbers").split())
        assert f"{received.bps / 1e6:.2f} Mbps" in shown
        there = columns(plot(played.app))
        await played.press("home", "end", "home", "n", "n", "right", "right")
        assert columns(plot(played.app)) == there and len(there) > 25, (
            "the history too, not only from here on"
        )
        beside = played.control.beside.arrived_bps(played.control.snapshot(0).now)
        assert f"┉ B {beside / 1e6:.1f} M" in played.text("graph")


async def test_on_a_small_screen_a_row_of_the_graph_says_which_bits_it_draws(live):
    for control, basis in ((framed(), "L2, frames of 64 B"), (blasting(), "hosts count differently")):
        app, run = live(control, (80, 24))
        async with run as pilot:
            await settled(pilot)
            app.screen._change(unit="pps")
            await settled(pilot)
            assert "per second" not in text(app, "graph")
            await pilot.press("B")
            await settled(pilot)
            assert text(app, "graph").split("\n")[0].strip() == f"bits per second ({basis})"
