"""The replay, driven by keys and the mouse, on the shipped sessions."""

import asyncio
import math
import re
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import mean

import pytest
from textual.widgets import OptionList, Tree
from waiting import done, paint, until

from fwdtui.core.model import Iteration
from fwdtui.monitor.replay.replay import Replay
from fwdtui.store import SessionWriter, read_session
from fwdtui.ui.common.choosers import ChooseBaseline
from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.replay import replay_control
from fwdtui.ui.replay.choose import NONE_FOUND, ChooseRecording
from fwdtui.ui.replay.replay_control import ReplayControl
from fwdtui.ui.replay.screen import ReplayScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp

SHIPPED = Path(__file__).resolve().parents[2] / "sessions"
SMALL, WIDE = (80, 24), (200, 60)


class Played:
    """A replay that is open, and its keys."""

    def __init__(self, app: FwdtuiApp, pilot, control: ReplayControl) -> None:
        self.app, self.pilot, self.control = app, pilot, control

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await done(self.app)

    def text(self, name: str) -> str:
        return self.app.screen.query_one(f"#{name}", Panel).plain()

    @property
    def at(self) -> float:
        return self.control.replay.position

    @property
    def iterations(self) -> list[int]:
        return [one.index for one in self.control.snapshot(0).iterations]


@asynccontextmanager
async def playing(
    target: str = "no-rules", size=SMALL, folder: Path = SHIPPED, beside: str | None = None
) -> AsyncIterator[Played]:
    """Read, and stopped at its beginning."""
    control = ReplayControl(folder / target, folder / beside if beside else None)
    control.playing = False
    app = FwdtuiApp(folder, live=control, live_screen=ReplayScreen)
    async with app.run_test(size=size) as pilot:
        await until(lambda: control.replay is not None and (beside is None or control.beside is not None))
        await pilot.pause()
        yield Played(app, pilot, control)


def stand_still(monkeypatch, played: Played) -> None:
    """While it plays, too: on a busy machine a key may take more than a sample's time."""
    monkeypatch.setattr(played.control, "advance", lambda seconds: False)


async def test_the_heading_says_that_it_is_a_replay_of_what_how_fast_and_where(monkeypatch):
    async with playing("no-rules/forwarding.inet4/3") as played:
        await played.press("right", "right")
        heading = played.text("heading-line")
        assert heading.startswith(" ‖ replay 1× 00:10/00:27  no-rules ▸ forwarding.inet4 ▸ 3")
        name = "stable-14-n268123-e1000-netisr-direct-with-patches ▸ forwarding.inet4 ▸ 3"
        with monkeypatch.context() as patched:
            patched.setattr(ReplayControl, "where", property(lambda _: name))
            await played.press("left", "right")
            heading = played.text("heading-line")
            assert heading.startswith(" ‖ replay 1× 00:10/00:27  stable-14-n2") and "…" in heading
            assert heading.count("●") == 3 and "4 ▸ 3 " in heading, "the hosts keep their room"
        await played.press("space")
        assert played.text("heading-line").startswith(" ▶ replay 1× ")


async def test_it_shows_the_numbers_and_the_sentence_of_the_live_run_and_keeps_or_starts_nothing():
    kept = read_session(SHIPPED / "no-rules").cases[0].iterations
    async with playing() as played:
        strips = played.app.screen._compositor.render_strips()
        footer = "".join(segment.text for segment in strips[-1])
        assert "esc back" in footer and footer.rstrip().endswith("? keys …"), "in 80 columns"
        bar = played.text("timeline")  # blasts and windows
        assert bar.startswith("├█") and bar.endswith("┤")
        assert re.findall(r"═(\d)═", bar) == ["1", "2", "3", "4", "5"]

        await played.press("home")  # before the first iteration it promises nothing that a replay does not do
        said = played.text("iterations")
        assert "none up to this moment" in said and "next blast" not in said
        for panel in ("queues", "cores"):
            told = " ".join(played.text(panel).split())
            assert "no counters of the DUT up to this moment" in told
        await played.press("n", "right", "s", "u", "a", "g")
        assert isinstance(played.app.screen, ReplayScreen) and played.iterations == []
        assert not played.app._notifications
        assert played.control.snapshot(0).automatic

        await played.press("end")
        assert played.iterations == [1, 2, 3, 4, 5]
        assert "median 594 945 pps" in played.text("iterations")
        assert played.control.snapshot(0).iterations[1].limit == kept[1].limit
        await played.press("home", "n", "right", "right")
        rates = re.findall(r"([\d.]+) kpps", played.text("numbers"))
        assert [float(rate) for rate in rates] == pytest.approx([595.0] * 3, rel=0.03)
        assert "DUT-limited, last 5 s: " in played.text("diagnosis")

        await played.pilot.click("#timeline", offset=(40, 0))  # goes there
        await played.pilot.pause()
        assert played.at == pytest.approx(0.5 * played.control.replay.end, rel=0.03)
        assert played.text("timeline")[40] == "█"
        assert played.app.screen.maximized is None


async def test_time_stops_and_goes_on_from_blast_to_blast_and_begins_again_at_the_end(monkeypatch):
    async with playing() as played:
        control = played.control
        still = played.at
        await asyncio.sleep(0.3)
        assert played.at == still
        await played.press("right_square_bracket", "right_square_bracket", "space")
        assert "4×" in played.text("heading-line")
        await until(lambda: played.at > still + 1.0)
        await played.press("space")
        still = played.at
        await asyncio.sleep(0.3)
        assert played.at == still

        await played.press("home", *["n"] * len(control.replay.beginnings()))
        at = played.at
        control.playing = True
        await played.press("n")  # after the last blast it stays where it is, and says why
        assert control.playing and played.at >= at and played.at < control.replay.end
        assert "No further blast" in " ".join(note.message for note in played.app._notifications)

        control.playing = False
        await played.press("L", "end")
        assert "↻" in played.text("heading-line")
        control.playing = True
        control.advance(0.1)
        assert played.at == control.replay.start and control.playing
        await played.press("L", "end")
        control.advance(0.1)
        assert not control.playing
        stand_still(monkeypatch, played)
        await played.press("space")
        assert control.playing and played.at == control.replay.start, "it begins anew"

        begins = control.replay.beginnings()
        await played.press("n", "n")
        assert played.at == begins[1]
        control.playing = True
        await played.press("full_stop")  # one sample
        assert played.at == pytest.approx(begins[1] + 1.0, abs=0.1) and not control.playing
        await played.press("comma", "p")
        assert played.at == begins[0]


async def test_time_goes_by_the_samples_at_the_speed_that_is_chosen_or_sample_by_sample(monkeypatch):
    monkeypatch.setattr(replay_control, "_SLICE", 0.0)  # as on a machine that is too slow for the speed
    async with playing() as played:
        control = played.control
        due = [at for at in control.replay.recording.due if at > played.at]
        control.playing = True
        reached = []
        for _ in range(5):
            control.advance(20.0)
            reached.append(played.at)
        assert reached == due[:5] and control.playing

        monkeypatch.setattr(replay_control, "_SLICE", math.inf)  # and on one that is quick enough
        control.playing = False
        await played.press("home")
        control.playing = True
        control.advance(2.0)
        assert played.at == 2.0
        await played.press("space", *["left_square_bracket"] * 9)
        assert control.speed == 0.125 and "1/8×" in played.text("heading-line")
        await played.press(*["right_square_bracket"] * 12)
        assert control.speed == 64.0
        control.playing = True
        for _ in range(10):
            control.advance(0.1)
        assert played.at >= 2.0 + 0.99 * 64.0
        control.advance(9.0)
        assert played.at == control.replay.end and not control.playing


async def test_seeking_back_shows_what_was_shown_there_before():
    async with playing(size=WIDE) as played:
        await played.press("pagedown", "left", "left")
        assert played.at == 50.0
        panels = "numbers", "diagnosis", "graph", "queues", "cores", "iterations", "events", "interfaces"
        before = {name: played.text(name) for name in panels}
        await played.press("end", "home", "shift+right", "left", "left")
        assert played.at == 50.0 and {name: played.text(name) for name in panels} == before


async def test_clocks_show_the_time_of_the_recording():
    async with playing("rules-100", WIDE) as played:
        await played.press("n", "n", "right")
        kept = read_session(SHIPPED / "rules-100").cases[0].iterations[1]
        began = time.strftime("%H:%M:%S", time.localtime(_seconds(kept)))
        clocks = re.findall(r"(\d\d:\d\d:\d\d) ▶ A blast began", played.text("events"))
        assert began in (clocks[0], _earlier(clocks[0]))


def _seconds(kept: Iteration) -> float:
    from datetime import datetime

    return datetime.fromisoformat(kept.began).timestamp()


def _earlier(clock: str) -> str:
    """Whole seconds of two clocks may differ by one."""
    hours, minutes, seconds = map(int, clock.split(":"))
    before = hours * 3600 + minutes * 60 + seconds - 1
    return f"{before // 3600:02d}:{before // 60 % 60:02d}:{before % 60:02d}"


async def test_a_second_recording_is_chosen_and_laid_blast_beside_blast():
    async with playing(size=(120, 40)) as played:
        await played.press("v")
        await until(lambda: isinstance(played.app.screen, ChooseRecording))
        await played.press("down", "enter")
        await until(lambda: played.control.beside is not None)
        await played.press("n", "n", "right", "right")
        await played.press("end")
        assert "received 0 pps" in played.text("beside"), "a rate of zero has its blank"
        await played.press("home", "n", "n", "right", "right")
        line = played.text("beside")
        assert line.startswith(" ┉ B rules-100 ▸ 2 "), "which of its iterations"
        difference = float(re.search(r"([+−]?[\d.]+) % against this, last 5 s", line)[1].replace("−", "-"))
        other = ReplayControl(SHIPPED / "rules-100").open()
        other.to_blast(1)
        other.to_blast(1)
        other.seek(other.position + 10.0)
        now, there = played.control.beside.at(played.control.snapshot(0).now), other.snapshot(40)
        means = [
            mean([p.value for p in flow.points[-8:] if at - 5.1 <= p.at - p.seconds and p.value is not None])
            for flow, at in (
                (there.received, other.position),
                (played.control.snapshot(40).received, played.at),
            )
        ]
        assert difference == pytest.approx((means[0] / means[1] - 1) * 100, abs=3.0), "over the same span"
        assert now.received == pytest.approx(there.received.now, rel=1e-9)
        assert re.search(r"┉ B [\d.]+ k", played.text("graph"))
        await played.press("v")
        await until(lambda: isinstance(played.app.screen, ChooseRecording))
        await played.press("enter")
        await until(lambda: played.control.beside is None)
        assert "┉" not in played.text("graph") and not played.app.screen.query_one("#beside").display


async def test_no_second_recording_holds_also_for_one_that_is_still_being_read(monkeypatch):
    begun, go_on, over = (threading.Event() for _ in range(3))
    original = ReplayControl.read_beside

    def slow(control, *arguments):
        begun.set()
        go_on.wait(30.0)
        try:
            return original(control, *arguments[:2])
        finally:
            over.set()

    async with playing("no-rules/forwarding.inet4/3", beside="rules-100") as played:
        screen, pilot = played.app.screen, played.pilot
        monkeypatch.setattr(ReplayControl, "read_beside", slow)
        await choices(played)
        await pilot.press("down", "enter")
        await until(begun.is_set)
        await pilot.press("v")
        await until(lambda: played.app.screen.query(Tree))
        await pilot.pause()
        await pilot.press("up", "up", "up", "enter")
        await until(lambda: played.app.screen is screen)
        assert played.control.beside is None
        go_on.set()
        await until(over.is_set)
        await pilot.pause(0.3)
        assert played.control.beside is None and not screen.query_one("#beside").display


async def test_on_a_small_screen_the_second_recordings_rate_is_still_there():
    async with playing("no-rules/forwarding.inet4/3", beside="rules-100/forwarding.inet4/3") as played:
        await played.press("right", "right", "right")
        assert re.search(r"inet4 ▸ 3 .*−[\d.]+ % against this, last 5 s", played.text("beside"))
        assert "┉ B " in played.text("graph")


async def test_cases_and_iterations_can_be_chosen_too():
    async with playing() as played:
        await played.press("v")
        await until(lambda: isinstance(played.app.screen, ChooseRecording))
        await played.press("down", "right", "down", "right", "down", "down", "enter")
        await until(lambda: played.control.beside is not None)
        assert played.control.beside.name == "rules-100 ▸ forwarding.inet4 ▸ 2"


async def choices(played: Played, *keys: str) -> list[str]:
    """What `v` shows, after these keys."""
    await played.press("v")
    await until(lambda: isinstance(played.app.screen, ChooseRecording))
    await played.press(*keys)
    tree = played.app.screen.query_one(Tree)
    return [str(tree.get_node_at_line(line).label) for line in range(tree.last_line + 1)]


async def test_the_recording_that_is_played_only_opens_to_its_parts_and_is_no_baseline_for_itself():
    async with playing() as played:
        await played.press("b")
        await until(lambda: isinstance(played.app.screen, ChooseBaseline))
        offered = [str(option.prompt) for option in played.app.screen.query_one(OptionList).options]
        assert offered == ["rules-100  (5 iterations)", "no baseline"]
        await played.press("escape")

        assert await choices(played) == ["no-rules  being played", "rules-100"]
        await played.press("up", "enter")
        assert isinstance(played.app.screen, ChooseRecording), "nothing was chosen: its cases are shown"
        await played.press("down", "right", "down", "down", "enter")
        await until(lambda: played.control.beside is not None)
        assert played.control.beside.name == "no-rules ▸ forwarding.inet4 ▸ 2"


async def test_a_case_or_an_iteration_that_is_played_is_not_offered_beside_itself():
    async with playing("no-rules/forwarding.inet4") as played:
        shown = await choices(played, "right", "down")
        assert shown == ["no-rules", "forwarding.inet4  being played", "rules-100"]
    async with playing("no-rules/forwarding.inet4/003") as played:
        shown = await choices(played, "right", "down", "right", "down")
        assert shown == ["no-rules", "forwarding.inet4", "1", "2", "4", "5", "rules-100"]


async def test_every_size_is_drawn_while_it_plays():
    async with playing(size=(20, 5), beside="rules-100") as played:
        for size in ((20, 5), (40, 12), SMALL, (120, 40), (250, 70)):
            await played.pilot.resize_terminal(*size)
            await played.press("home", "n")
            begun = played.at
            if not played.control.playing:
                await played.press("space")
            await played.press("right", "left", "B", "right", "z", "B")
            await until(lambda begun=begun: played.at > max(begun, 3.0))
            assert "replay" in played.text("heading-line") and played.app.size == size


async def test_the_first_picture_is_there_before_the_recording_was_gone_through(monkeypatch):
    go_on = threading.Event()
    survey = Replay.survey

    def waiting(replay, progress):
        assert go_on.wait(40.0)
        survey(replay, progress)

    monkeypatch.setattr(Replay, "survey", waiting)
    # no key waits for what is under way until this test ends
    monkeypatch.setattr("textual.pilot.wait_for_idle", lambda *_: asyncio.sleep(0))
    control = ReplayControl(SHIPPED / "no-rules")
    control.playing = False
    app = FwdtuiApp(SHIPPED, live=control, live_screen=ReplayScreen)
    try:
        async with app.run_test(size=SMALL) as pilot:
            await until(lambda: control.opened is not None)
            played = Played(app, pilot, control)
            await pilot.press("end", "n", "full_stop", "space")
            await until(lambda: not app._in_turn.waits and app._in_turn.drained())
            paint(app)
            assert "reading no-rules" in played.text("heading-line") and control.replay is None
            assert "├█─" in played.text("timeline") and control.opened.position == control.opened.start
            shown = played.text("numbers"), played.text("graph"), played.text("events")
            control.playing = False
            go_on.set()
            await until(lambda: control.replay is not None)
            await pilot.pause()
            assert shown == (played.text("numbers"), played.text("graph"), played.text("events"))
            assert "reading" not in played.text("heading-line") and "━" in played.text("timeline")
    finally:
        go_on.set()


async def test_what_cannot_be_played_is_told_and_escape_goes_on(tmp_path):
    with SessionWriter.create(tmp_path / "old", label="old", created="2026-01-02T03:04:05+00:00") as writer:
        writer.begin("forwarding").commit(Iteration(0, 5.0))
    control = ReplayControl(tmp_path / "old")
    app = FwdtuiApp(tmp_path, live=control, live_screen=ReplayScreen)
    async with app.run_test(size=SMALL) as pilot:
        await until(lambda: "cannot be played" in app.screen.query_one("#heading-line", Panel).plain())
        assert "has no samples to play" in app.screen.query_one("#events", Panel).plain()
        await pilot.press("right", "n", "full_stop", "space", "end", "escape")
        await until(lambda: isinstance(app.screen, SessionsScreen))


async def test_it_is_opened_over_the_sessions_and_escape_leads_back():
    app = FwdtuiApp(SHIPPED)
    async with app.run_test(size=SMALL) as pilot:
        await until(lambda: isinstance(app.screen, SessionsScreen))
        app.replay(SHIPPED / "no-rules", SHIPPED / "rules-100")
        await until(lambda: isinstance(app.screen, ReplayScreen) and app.screen.player.beside is not None)
        await pilot.press("m")
        await until(lambda: app.screen.maximized is not None)
        await pilot.press("escape")
        await until(lambda: app.screen.maximized is None)
        assert isinstance(app.screen, ReplayScreen)
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, SessionsScreen))


async def test_what_is_chosen_while_the_recording_is_read_stays(monkeypatch):
    go_on, survey = threading.Event(), ReplayControl.survey

    def waits(*given):
        go_on.wait(30)
        return survey(*given)

    monkeypatch.setattr(ReplayControl, "survey", waits)
    control = ReplayControl(SHIPPED / "no-rules" / "forwarding.inet4", None)
    control.playing = False
    app = FwdtuiApp(SHIPPED, live=control, live_screen=ReplayScreen)
    async with app.run_test(size=WIDE) as pilot:
        await until(lambda: control.opened is not None)
        screen = app.screen
        await pilot.press("b")
        await until(lambda: isinstance(app.screen, ChooseBaseline))
        await pilot.press("enter")
        await until(lambda: screen._baseline.session is not None)
        chosen = screen._baseline.session.label
        screen._change(interfaces=("dut igb1",))
        go_on.set()
        await until(lambda: control.replay is not None and not screen._view.reading)
        assert screen._baseline.session.label == chosen and screen._view.interfaces == ("dut igb1",)
        await pilot.press("end")
        await until(lambda: f"against {chosen}" in screen._view.interim)


async def test_recordings_have_their_labels_and_are_found_by_label_and_folder(folder, session):
    session("Dual stack", {"x": [1.0]}, name="r1")
    session("r2", {"x": [1.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(ChooseRecording(folder, None))
        listed = lambda: [str(node.label) for node in app.screen.query_one(Tree).root.children]  # noqa: E731
        await until(lambda: listed() == ["Dual stack  r1", "r2"])
        for typed, found in (("DUAL", ["Dual stack  r1"]), ("r2", ["r2"]), ("r3", [NONE_FOUND])):
            await pilot.press("slash", "home", "shift+end", "delete", *typed)
            await until(lambda found=found: listed() == found)
        await pilot.press("escape", "escape")
        assert not isinstance(app.screen, ChooseRecording)
