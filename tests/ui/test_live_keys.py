"""The live screen driven by keys: pause, zoom, maximise, bits, iterations and the baseline."""

import asyncio
import re
import threading
import time

import live_rig
import msgspec
from live_pilot import PANELS, SMALL, WIDE, asked, blasting, settled, text
from live_rig import Control, Rig
from textual.widgets import OptionList
from waiting import press, seen

from fwdtui.core.model import Case, Iteration, RateSample, Session
from fwdtui.core.profile import Profile
from fwdtui.report import interim
from fwdtui.store import drop, read_session
from fwdtui.ui.common.choosers import ChooseBaseline
from fwdtui.ui.draw.graph import table_of
from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.live.baseline import Baseline, _choice, _choices
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.shell.messages import MessagesScreen


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


async def test_a_paused_picture_keeps_the_clock_of_the_run_that_it_is_of(live):
    """In the demo the next session begins meanwhile, and its clock at 0 is another one."""
    control = blasting()
    control.started = 1_000_000.0
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        control.started = 1_000_600.0  # since the last drawing: the picture that is taken is of the new run
        await pilot.press("space")
        await settled(pilot)
        at = re.search(r"paused at (..:..:..)", text(app, "heading-line"))[1]
        assert at == time.strftime(
            "%H:%M:%S", time.localtime(1_000_600.0 + control.rig.monitor.snapshot().now)
        )
        for later in (1_009_999.0, None):  # the next session, and between two of them
            control.started = later
            await pilot.press("Z")
            await settled(pilot)
            assert f"paused at {at}" in text(app, "heading-line")
        await pilot.press("space")
        await seen(pilot, lambda: "paused" not in text(app, "heading-line"))
        assert app.screen._view.started is None


async def test_a_paused_picture_says_that_recording_goes_on_only_where_it_does(live):
    """The samples may end meanwhile, or the hosts may not have been reached."""
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("space")
        await settled(pilot)
        assert text(app, "heading-line").count("recording goes on") == 1
        before = text(app, "numbers")
        control.measuring = False
        await seen(pilot, lambda: "nothing is recorded" in text(app, "heading-line"))
        assert "goes on" not in text(app, "heading-line") and text(app, "numbers") == before


async def test_a_paused_picture_says_so_beside_a_lost_host_and_where_one_panel_is_alone(live, monkeypatch):
    """Else numbers that stand still look like those of now."""
    plan = "iteration 3 of 5 · settle 4 s left · run 46 s left"
    monkeypatch.setattr(LiveScreen, "_plan_text", lambda _: plan)
    control = blasting()
    control.rig.lose("sink")
    app, run = live(control, SMALL)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("space")
        await settled(pilot)
        heading = text(app, "heading-line")
        assert "⏸ paused at 01:1" in heading and "✕ sink lost at 01:1" in heading
        await press(pilot, "m")
        await seen(pilot, lambda: app.screen.query_one("#graph").region.height > 18)
        assert app.screen.query_one("#heading-line").region.size == (80, 1)


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
        await pilot.press("Z")
        await settled(pilot)
        assert app.screen.query_one("#graph").border_subtitle == "2 min"
        assert "−110 s" in text(app, "graph")
        await pilot.press(*["z"] * 7)
        await settled(pilot)
        assert "−8 s" in text(app, "graph")
        await pilot.press(*["Z"] * 12)
        await settled(pilot)
        assert "min" in text(app, "graph")


async def test_after_zooming_out_scale_and_small_graphs_are_of_all_that_is_seen_at_once(live, monkeypatch):
    """The picture of before holds only the time that it showed: what it lacks is no silence."""
    rig = Rig()
    rig.run(45.0)
    monkeypatch.setattr(live_rig, "OFFERED", 200_000.0)  # since then far less than in the first blast
    rig.run(70.0)
    pictures = []
    for keys in ("zzZZZ", ""):  # the second screen opens with what the first one was left at
        app, run = live(Control(rig), WIDE)
        async with run as pilot:
            await settled(pilot)
            for key in keys:
                await pilot.press(key)
                await settled(pilot)
            assert app.screen.query_one("#graph").border_subtitle == "2 min"
            pictures.append([text(app, name) for name in ("graph", "queues", "cores")])
    assert pictures[0] == pictures[1]


async def test_a_paused_picture_that_is_zoomed_out_has_what_was_recorded_and_no_gap(live):
    control = blasting(200.0)
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("Z", "Z")
        await settled(pilot)
        whole, panels = text(app, "graph"), [text(app, name) for name in ("queues", "cores")]
        assert app.screen.query_one("#graph").border_subtitle == "5 min" and whole.count("⣿") > 20
        await pilot.press("z", "z", "space")
        await settled(pilot)
        control.rig.run(210.0)
        await pilot.press("Z", "Z")
        await settled(pilot)
        assert text(app, "graph") == whole
        assert [text(app, name) for name in ("queues", "cores")] == panels
        assert len(table_of(app.screen._snapshot, app.screen._view).rows) == 199


async def test_m_shows_the_panel_in_focus_alone_and_again_all(live):
    app, run = live(blasting(), SMALL)
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "m")
        assert app.screen.maximized is not None and app.screen.maximized.id == "graph"
        await settled(pilot)
        assert len(text(app, "graph").split("\n")) > 18
        await press(pilot, "m")
        assert app.screen.maximized is None
        await press(pilot, "tab", "tab", "m")
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
        await pilot.press("B")
        for _ in range(5):
            control.rig.step()
            await settled(pilot)
        assert "Mbps" in text(app, "numbers") and "kpps" in text(app, "numbers"), "loss stays in packets"
        row = next(row for row in text(app, "interfaces").split("\n") if "gen" in row)
        assert 690 < float(row.split()[3]) < 710 and row.split()[4] == "M"  # 1.456 M x 60 bytes x 8
        assert "98" not in text(app, "graph")


async def test_a_tool_that_the_kernel_does_not_count_has_no_bits(live):
    from fwdtui.monitor.live.monitor import Monitor

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
        await pilot.press("B")
        await settled(pilot)
        assert text(app, "numbers").split("\n")[1].split()[0] == "–"


async def test_s_saves_the_current_window_as_an_iteration(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        assert "n 1" in text(app, "iterations")
        await pilot.press("s")
        await settled(pilot)
        assert len(control.rig.monitor.snapshot().iterations) == 2
        assert "n 2" in text(app, "iterations") and "spread" in text(app, "iterations")


async def test_without_traffic_s_saves_nothing_and_says_why(live):
    rig = Rig()
    rig.run(4)
    control = Control(rig)
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("s")
        await settled(pilot)
        assert rig.monitor.snapshot().iterations == ()
        (told,) = app._notifications
        assert told.title == "Nothing saved" and "no traffic in the last 10 s" in told.message


async def test_one_notice_is_shown_at_a_time_none_over_a_dialog_and_all_are_listed(live):
    """Several would cover the numbers, and the list that a dialog offers."""
    app, run = live(blasting(4.0))
    async with run as pilot:
        await settled(pilot)

        async def shown(*titles: str) -> None:
            await seen(pilot, lambda: [one.title for one in app._notifications] == list(titles))

        await pilot.press("s")
        await shown("Nothing saved")
        for _ in range(2):
            await pilot.press("u")
            await shown("Nothing taken back")
        app.notify("the same text", title="Saved", timeout=60)
        await shown("Nothing taken back", "Saved")  # an error is not taken away unread
        await pilot.press("M")
        await seen(pilot, lambda: isinstance(app.screen, MessagesScreen))
        await shown()
        listed = [str(option.prompt) for option in app.screen.query_one(OptionList).options]
        assert [line.split("  ", 1)[1].split(":")[0] for line in listed] == [
            "· Saved",
            "✕ Nothing taken back",
            "✕ Nothing taken back",
            "✕ Nothing saved",
        ]


async def test_what_s_saved_is_taken_back_and_does_not_count(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("u")
        await settled(pilot)
        assert [one.title for one in app._notifications] == ["Nothing taken back"]
        await pilot.press("s")
        await settled(pilot)
        assert "n 2" in text(app, "iterations")
        assert "u takes it back" in list(app._notifications)[-1].message
        await pilot.press("u")
        await settled(pilot)
        assert "n 1" in text(app, "iterations") and "does not count" in text(app, "iterations")
        assert [bool(one.dropped) for one in control.rig.monitor.snapshot().iterations] == [False, True]


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
        await asked(pilot, ChooseBaseline)
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await settled(pilot)
        told = " ".join(text(app, "iterations").split())
        assert "so far +16" in told and "faster ! (one-boot); against n311215" in told
        control.rig.run(190)
        await settled(pilot)
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert "n 4" in text(app, "iterations") and "against n311215" in text(app, "iterations")


async def test_in_a_replay_of_several_cases_each_is_compared_with_its_own(session):
    values = {"forwarding.off": [1_001_291, 1_002_000, 999_000], "forwarding.on": [379_926, 380_400, 378_000]}
    baseline = Baseline("forwarding.off")
    baseline.session = read_session(session("n311215", values))
    seen = 9e5, 9.1e5, 8.9e5, 4e5, 4.1e5, 4.2e5
    found = tuple(Iteration(number % 3 + 1, value) for number, value in enumerate(seen))
    cases = ("forwarding.off",) * 3 + ("forwarding.on",) * 3
    snapshot = msgspec.structs.replace(Rig().monitor.snapshot(), iterations=found, cases=cases)
    assert (await baseline.judge(snapshot)).startswith("so far +8.1 %") and baseline.median == 379_926
    snapshot = msgspec.structs.replace(snapshot, iterations=found[:3], cases=cases[:3])
    assert (await baseline.judge(snapshot)).startswith("so far −10.") and baseline.median == 1_001_291


async def test_what_becomes_of_the_baselines_session_meanwhile_reaches_the_difference(session):
    path = session("n311215", {"forwarding.on": [379_926, 380_400, 378_000, 900_000]})
    baseline = Baseline("forwarding.on")
    baseline.session = read_session(path)
    index = baseline.session.cases[0].iterations[-1].index
    found = tuple(Iteration(number, 4e5 + number) for number in (1, 2, 3))
    snapshot = msgspec.structs.replace(
        Rig().monitor.snapshot(), iterations=found, cases=("forwarding.on",) * 3
    )
    assert baseline.due(snapshot) and not baseline.due(snapshot)
    before = await baseline.judge(snapshot)
    assert baseline.median == 380_163
    drop(path, "forwarding.on", index, "another kernel")
    assert baseline.due(snapshot) and not baseline.due(snapshot)
    assert await baseline.judge(snapshot) != before and baseline.median == 379_926
    path.rename(path.with_name("elsewhere"))
    assert baseline.due(snapshot) and not baseline.due(snapshot)
    told = await baseline.judge(snapshot)
    assert told.startswith("n311215 can no longer be read, so the difference to it is not shown: ")
    assert baseline.median is None


async def test_a_baseline_without_this_case_says_that_there_is_no_difference(live, session):
    session("other", {"elsewhere": [1, 2, 3]})
    app, run = live(blasting())
    async with run as pilot:
        await settled(pilot)
        await pilot.press("b")
        await asked(pilot, ChooseBaseline)
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert "other has no case forwarding.on" in text(app, "iterations")


async def test_the_session_that_is_recorded_is_no_baseline_for_itself(live, session, folder):
    session("n311215", {"forwarding.on": [379_926, 380_400, 378_000]})
    control = blasting()
    control.own_session = session("own", {"forwarding.on": [379_926, 380_400, 378_000]})
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("b")
        await asked(pilot, ChooseBaseline)
        offered = [str(option.prompt) for option in app.screen.query_one(OptionList).options]
        assert offered == ["n311215  (3 iterations)", "no baseline"]


async def test_without_another_session_there_is_no_baseline_to_choose(live, session):
    control = blasting()
    control.own_session = session("own", {"forwarding.on": [379_926, 380_400, 378_000]})
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("b")
        await app.workers.wait_for_complete()
        await settled(pilot)
        (notice,) = app._notifications
        assert notice.message.startswith("There are no other sessions in ")


async def test_a_changes_automatic_cutting_while_paused_too_and_shows_it(live):
    control = blasting()
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "space")
        for automatic, told in (
            (False, "Only s makes an iteration now."),
            (True, "Each blast becomes an iteration again."),
        ):
            await press(pilot, "a")
            assert control.rig.monitor.automatic is automatic
            assert [note.message for note in app._notifications] == [told]


async def test_no_baseline_is_not_followed_by_the_difference_to_the_one_before(live, session, monkeypatch):
    session("n311215", {"forwarding.on": [379_926, 380_400, 378_000, 381_000, 380_000]})
    begun, go_on, compare = threading.Event(), threading.Event(), interim.interim_difference

    def waits(*given):
        begun.set()
        go_on.wait(30)
        return compare(*given)

    monkeypatch.setattr(interim, "interim_difference", waits)
    control = blasting(160)
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        screen = app.screen
        await pilot.press("b")
        await asked(pilot, ChooseBaseline)
        await pilot.press("enter")
        await seen(pilot, begun.is_set)
        await pilot.press("b")
        await asked(pilot, ChooseBaseline)
        await press(pilot, "end", "enter")  # none
        assert screen._baseline.session is None
        go_on.set()
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert screen._view.interim == "" and screen._view.baseline is None


async def test_s_waits_until_what_u_takes_back_is_on_disk(live):
    control = blasting()
    control.rig.run(72)
    take_back, go_on = control.take_back, asyncio.Event()
    begun = []

    async def slow() -> Iteration:
        begun.append(True)
        await go_on.wait()
        return await take_back()

    control.take_back = slow
    app, run = live(control)
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "s")
        app.screen.action_take_back()
        await seen(pilot, lambda: begun)
        app.screen.action_save()
        await pilot.pause(0.2)
        go_on.set()
        await app.workers.wait_for_complete()
        by_hand = control.rig.monitor.snapshot(0).iterations[-2:]
        assert [bool(one.dropped) for one in by_hand] == [True, False], "as on disk"


def test_the_choice_of_a_baseline_counts_what_it_would_be_compared_with():
    five = [Iteration(number, 5.0) for number in range(1, 6)]
    assert _choice(Session("/s/a", "a", "", cases=(Case("x", tuple(five)),)), "x") == "a  (5 iterations)"
    five[1:3] = [msgspec.structs.replace(five[1], dropped="spoilt"), Iteration(3, None, incomplete="paused")]
    profiled = Iteration(6, None, complete=False, profile=Profile(samples=1))
    part = Session("/s/a", "a", "", cases=(Case("x", (*five, profiled)),))
    assert _choice(part, "x") == "a  (3 of 5 iterations)"
    assert _choice(part, "y") == "a  (no y)"


def test_baselines_that_can_be_compared_are_at_the_top_of_the_list():
    of = {"1": "x", "r10": "y", "r9": "y", "s": "x"}
    sessions = [Session(f"/s/{name}", name, "", cases=(Case(case, ()),)) for name, case in of.items()]
    assert [path for path, _ in _choices(sessions, "y")] == ["/s/r9", "/s/r10", "/s/1", "/s/s"]
