"""Nothing is drawn while nothing changes or nobody sees it; measuring goes on."""

from live_pilot import WIDE, asked, blasting, settled, text
from waiting import press, seen

from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.common.table_screen import TableScreen
from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen


class Looks:
    """How often the live screen has drawn what it saw."""

    def __init__(self, monkeypatch) -> None:
        self.count = 0
        look = LiveScreen._draw

        def counted(screen: LiveScreen) -> None:
            self.count += 1
            look(screen)

        monkeypatch.setattr(LiveScreen, "_draw", counted)


async def test_without_a_new_sample_nothing_is_drawn(live, monkeypatch):
    control = blasting(4.0)
    app, run = live(control, WIDE)
    async with run as pilot:
        await settled(pilot)
        looks = Looks(monkeypatch)
        await settled(pilot)
        assert looks.count == 0
        control.rig.step()
        await settled(pilot)
        assert looks.count == 1  # the samples of three hosts at once
        control.generator_running = True
        await seen(pilot, lambda: "generator running" in text(app, "heading-line"))
        await settled(pilot)
        assert looks.count == 2


async def test_behind_another_screen_nothing_is_drawn_and_what_was_measured_stands_there_at_once(
    live, monkeypatch
):
    control = blasting(4.0)
    app, run = live(control, WIDE)
    async with run as pilot:
        await settled(pilot)
        shown = app.screen
        await press(pilot, "f3")
        await seen(pilot, lambda: isinstance(app.screen, SessionsScreen))
        looks, ticks, drawings = (
            Looks(monkeypatch),
            shown._ticks,
            [one.drawings for one in shown.query(Panel)],
        )
        control.rig.run(60.0)
        await pilot.pause(0.35)
        assert looks.count == 0 and shown._ticks <= ticks + 1  # one was under way
        assert [one.drawings for one in shown.query(Panel)] == drawings
        assert len(control.rig.monitor.snapshot().iterations) == 1  # a blast was saved meanwhile
        await press(pilot, "f2")
        assert looks.count and shown._snapshot is not None and len(shown._snapshot.iterations) == 1


async def test_behind_a_page_that_covers_it_nothing_is_drawn_either_but_below_a_dialog(live, monkeypatch):
    control = blasting(20.0)
    app, run = live(control, WIDE)
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "T")
        await seen(pilot, lambda: isinstance(app.screen, TableScreen))
        looks = Looks(monkeypatch)
        control.rig.step()
        await pilot.pause(0.35)
        assert looks.count == 0
        await press(pilot, "escape", "g")
        await asked(pilot, Confirm)
        before = looks.count
        control.rig.step()
        await seen(pilot, lambda: looks.count > before)
