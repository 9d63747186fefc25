"""The live screen, driven by keys, on a real Monitor fed with three machines' counters."""

import asyncio
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from live_rig import Control, Rig

from fwdtui.core.model import RateSample
from fwdtui.transport.errors import ChangedHostKey, UnknownHostKey
from fwdtui.ui.app import FwdtuiApp
from fwdtui.ui.screens.dialogs import ChooseInterfaces, Confirm
from fwdtui.ui.screens.live import LiveScreen
from fwdtui.ui.screens.sessions import SessionsScreen
from fwdtui.ui.widgets.panel import Panel

WIDE = 200, 60
SMALL = 80, 24
PANELS = "heading-line", "numbers", "diagnosis", "graph", "queues", "cores", "iterations", "events"


def blasting(seconds: float = 70.0, **options) -> Control:
    """Twenty seconds into the second blast; the first became an iteration."""
    rig = Rig(**options)
    rig.run(seconds)
    return Control(rig)


async def settled(pilot) -> None:
    await pilot.pause(0.15)
    await pilot.pause()


def text(app: FwdtuiApp, name: str) -> str:
    return app.screen.query_one(f"#{name}", Panel).plain()


@pytest.fixture
def live(folder: Path):
    """live(control, size) -> the app with its live screen, to be entered."""

    def make(control: Control, size: tuple[int, int] = WIDE):
        control.sessions = folder
        app = FwdtuiApp(folder, live=control)
        return app, app.run_test(size=size)

    return make


async def test_the_first_things_seen_are_the_rates_the_loss_and_why(live):
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
        assert text(app, "diagnosis").startswith(" ! DUT-limited: ")
        assert "cores 0-3 are" in text(app, "diagnosis").replace("\n  ", "")


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


async def test_pause_stops_the_picture_and_not_the_recording(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("space")
        await settled(pilot)
        looks, before = control.looks, text(app, "numbers")
        assert "⏸ paused at 01:0" in text(app, "heading-line")
        control.rig.run(85)
        await settled(pilot)
        assert control.looks == looks and text(app, "numbers") == before
        await pilot.press("space")
        await settled(pilot)
        assert control.looks > looks and "paused" not in text(app, "heading-line")
        assert "quiet" in text(app, "heading-line")


async def test_no_more_than_ten_looks_a_second_are_taken(live):
    control = blasting()
    _, run = live(control)
    async with run as pilot:
        await settled(pilot)
        began = control.looks
        await asyncio.sleep(1.0)
        assert 3 <= control.looks - began <= 11


async def test_a_panel_whose_part_did_not_change_is_not_drawn_again(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        before = [app.screen.query_one(f"#{name}", Panel).drawings for name in PANELS]
        await asyncio.sleep(0.5)
        assert [app.screen.query_one(f"#{name}", Panel).drawings for name in PANELS] == before


async def test_zoom_shows_more_and_less_time(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        subtitle = app.screen.query_one("#graph").border_subtitle
        assert subtitle == "60 s" and "−55 s" in text(app, "graph")
        await pilot.press("z")
        await settled(pilot)
        assert app.screen.query_one("#graph").border_subtitle == "2 min"
        assert "−110 s" in text(app, "graph")
        await pilot.press("Z", "Z", "Z", "Z", "Z", "Z", "Z")
        await settled(pilot)
        assert "−8 s" in text(app, "graph")
        await pilot.press(*["z"] * 12)
        await settled(pilot)
        assert "min" in text(app, "graph")


async def test_m_shows_the_panel_in_focus_alone_and_again_all(live):
    app, run = live(blasting(), SMALL)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("m")
        assert app.screen.maximized is not None and app.screen.maximized.id == "graph"
        await settled(pilot)
        assert len(text(app, "graph").split("\n")) > 18
        await pilot.press("m")
        assert app.screen.maximized is None
        await pilot.press("tab", "tab", "m")
        assert app.screen.maximized is not None and app.screen.maximized.id == "queues"


async def test_a_double_click_enlarges_a_panel(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        await pilot.click("#cores", times=2)
        await pilot.pause()
        assert app.screen.maximized is not None and app.screen.maximized.id == "cores"


async def test_bits_are_those_of_the_interfaces(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("u")
        for _ in range(5):
            control.rig.step()
            await settled(pilot)
        assert "Mbps" in text(app, "numbers") and "kpps" in text(app, "numbers"), "loss stays in packets"
        row = next(row for row in text(app, "interfaces").split("\n") if "gen" in row)
        assert 690 < float(row.split()[3]) < 710 and row.split()[4] == "M"  # 1.456 M x 60 bytes x 8
        assert "98" not in text(app, "graph")


async def test_a_tool_that_the_kernel_does_not_count_has_no_bits(live):
    from fwdtui.monitor.monitor import Monitor

    rig = Rig()
    rig.monitor = Monitor(rig.lab, uncounted=["counters"])
    rig.run(40)
    control = Control(rig)
    app, run = live(control, SMALL)
    async with run as pilot:
        for _ in range(3):
            rig.step()
            rig.monitor.push(RateSample("generator", rig.now, 1.0, 1.4e6, host="gen", at=rig.now))
            await settled(pilot)
        assert text(app, "numbers").split("\n")[1].split()[:2] == ["1.400", "Mpps"]
        await pilot.press("u")
        await settled(pilot)
        assert text(app, "numbers").split("\n")[1].split()[0] == "–"


async def test_s_keeps_the_current_window_as_an_iteration(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        assert "n 1" in text(app, "iterations")
        await pilot.press("s")
        await settled(pilot)
        assert len(control.rig.monitor.snapshot().iterations) == 2
        assert "n 2" in text(app, "iterations") and "spread" in text(app, "iterations")


async def test_a_stops_and_resumes_automatic_cutting(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("a")
        await settled(pilot)
        assert not control.rig.monitor.automatic and "by hand" in text(app, "heading-line")
        await pilot.press("a")
        await settled(pilot)
        assert control.rig.monitor.automatic and "auto" in text(app, "heading-line")


async def test_a_baseline_puts_the_difference_so_far_beside_the_iterations(live, session):
    session("n311215", {"forwarding.on": [379_926, 380_400, 378_000, 381_000, 380_000]})
    session("other", {"elsewhere": [1, 2, 3]})
    control = blasting(160)
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("b")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert "so far +16" in text(app, "iterations") and "against n311215: faster" in text(
            app, "iterations"
        )
        control.rig.run(190)
        await settled(pilot)
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert "n 4" in text(app, "iterations") and "against n311215" in text(app, "iterations")


async def test_a_baseline_without_this_case_says_that_there_is_no_difference(live, session):
    session("other", {"elsewhere": [1, 2, 3]})
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        await pilot.press("b")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert "other has no case forwarding.on" in text(app, "iterations")


async def test_starting_the_generator_asks_first_and_shows_the_command(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("g")
        await pilot.pause(0.2)
        assert isinstance(app.screen, Confirm)
        assert "pkt-gen -f tx -i igb0 [bold]-l 60[/]" in str(app.screen.query_one("#question").render())
        await pilot.press("enter")
        await settled(pilot)
        assert not control.generator_running, "Enter alone starts nothing"
        await pilot.press("g")
        await pilot.pause(0.2)
        await pilot.press("y")
        await settled(pilot)
        assert control.generator_running and "generator running" in text(app, "heading-line")
        await pilot.press("g")
        await pilot.pause(0.2)
        assert "Stop the generator?" in str(app.screen.query_one("#question").render())
        await pilot.press("y")
        await settled(pilot)
        assert not control.generator_running


def key(kind: type, **more) -> UnknownHostKey | ChangedHostKey:
    return kind("dut", "192.0.2.7", 22, "ssh-ed25519", "SHA256:abcDEF", **more)


async def test_a_first_key_is_confirmed_with_its_fingerprint(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        error = key(UnknownHostKey, pattern="dut", public_key="ssh-ed25519 AAAA")
        for answer in ("n", "y"):
            asked = asyncio.ensure_future(control.ask(error))
            await pilot.pause(0.2)
            assert "SHA256:abcDEF" in str(app.screen.query_one("#question").render())
            await pilot.press(answer)
            assert await asked is (answer == "y")


async def test_a_changed_key_is_told_and_never_offered(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        asked = asyncio.ensure_future(control.ask(key(ChangedHostKey, known="SHA256:old", pattern="dut")))
        await pilot.pause(0.2)
        assert "THE HOST KEY HAS CHANGED" in str(app.screen.query_one("#question").render())
        assert not app.screen.query("#yes")
        await pilot.press("y")
        await pilot.pause(0.1)
        assert not asked.done()
        await pilot.press("escape")
        assert await asked is False


async def test_two_unknown_hosts_are_asked_about_one_after_the_other(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        error = key(UnknownHostKey, pattern="dut", public_key="k")
        both = [asyncio.ensure_future(control.ask(error)) for _ in range(2)]
        await pilot.pause(0.2)
        assert [type(one).__name__ for one in app.screen_stack].count("Confirm") == 1
        await pilot.press("y")
        await pilot.pause(0.2)
        await pilot.press("n")
        assert await asyncio.gather(*both) == [True, False]


async def test_chosen_interfaces_are_what_is_shown(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        assert "igb1 rx" in text(app, "queues") and "igb2 tx" in text(app, "queues")
        await pilot.press("i")
        await pilot.pause(0.2)
        assert isinstance(app.screen, ChooseInterfaces)
        await pilot.press("down", "space", "escape")  # without the DUT's input
        await settled(pilot)
        assert "igb1" not in text(app, "queues") and "igb2 tx" in text(app, "queues")
        assert "dut igb1" not in text(app, "interfaces") and "dut igb2" in text(app, "interfaces")
        await pilot.press("i")
        await pilot.pause(0.2)
        await pilot.press("a")
        await settled(pilot)
        assert "igb1 rx" in text(app, "queues")


@pytest.mark.parametrize("queues", [2, 8, 31, 128])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_two_to_128_queues_and_cores_fit(live, queues, size):
    app, run = live(blasting(queues=queues, cores=queues, uneven=True), size)
    async with run as pilot:
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


@pytest.mark.parametrize(
    "size",
    [(20, 5), (1, 1), (40, 12), (60, 20), (80, 24), (100, 40), (120, 40), (160, 45), (200, 60), (250, 70)],
)
async def test_every_size_draws_and_can_be_changed(live, size):
    app, run = live(blasting(), size)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("m", "u")
        await pilot.pause()
        await pilot.press("m", "question_mark")
        await pilot.resize_terminal(90, 30)
        await settled(pilot)
        assert "DUT-limited" in text(app, "diagnosis")
        await pilot.resize_terminal(*size)
        await settled(pilot)
        assert app.is_running


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_at_usual_sizes_nothing_that_matters_is_hidden(live, size):
    app, run = live(blasting(), size)
    async with run as pilot:
        await settled(pilot)
        for name in PANELS:
            panel = app.screen.query_one(f"#{name}", Panel)
            assert panel.display and panel.content_size.height >= 1, name
            assert panel.region.bottom <= size[1], name
        assert app.screen.query_one("#graph", Panel).content_size.height >= 9


async def test_the_smallest_screen_shows_the_loss_and_the_sentence(live):
    app, run = live(blasting(), (20, 5))
    async with run as pilot:
        await settled(pilot)
        assert "loss" in text(app, "numbers") and "DUT-limited" in text(app, "diagnosis")


async def test_another_theme_recolours_the_panels(live):
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        graph = app.screen.query_one("#graph", Panel)
        before = {segment.style for strip in graph.lines() for segment in strip}
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


async def test_leaving_closes_the_control_so_that_nothing_is_lost(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("q")
        await pilot.pause(0.2)
        assert control.closed
    assert control.ask is None and not app.is_running


async def test_c_goes_to_the_sessions_and_l_comes_back_to_the_same_picture(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("z", "c")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(app.screen, SessionsScreen) and not control.closed
        looks = control.looks
        control.rig.run(85)
        await settled(pilot)
        assert control.looks == looks, "what is not seen is not drawn"
        await pilot.press("l")
        await settled(pilot)
        assert isinstance(app.screen, LiveScreen) and "quiet" in text(app, "heading-line")
        assert app.screen.query_one("#graph").border_subtitle == "2 min"


def test_every_key_has_a_name_for_keymaps():
    names = [binding.id for binding in LiveScreen.BINDINGS]
    assert all(names) and len(set(names)) == len(names)


async def test_the_three_rates_share_a_scale_so_that_they_compare_at_a_glance(live):
    app, run = live(blasting(capacity=990_000.0, noise=0.0), SMALL)
    async with run as pilot:
        await settled(pilot)
        assert text(app, "numbers").split("\n")[1].split()[:4] == ["1.456", "Mpps", "0.990", "Mpps"]
