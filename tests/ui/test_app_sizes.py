"""Every screen draws at every size, changes size while it is shown, and has a help text."""

from collections.abc import Callable
from pathlib import Path

import pytest
from live_rig import Control, Rig
from textual.screen import Screen

from fwdtui.report.comparison import judge_sides
from fwdtui.report.sides import load_sides
from fwdtui.ui.shell.app import FwdtuiApp

SIZES = [(20, 5), (40, 12), (80, 24), (250, 70)]
EXAMPLES = Path(__file__).resolve().parents[2] / "sessions"
BASE, OTHER = EXAMPLES / "no-rules", EXAMPLES / "rules-100"


def live(app: FwdtuiApp) -> None:
    app.action_mode("live")


def sessions(app: FwdtuiApp) -> None:
    app.action_mode("sessions")


def nothing_compared(app: FwdtuiApp) -> None:
    app.action_mode("compare")


def compare(app: FwdtuiApp) -> None:
    app.compare(BASE, [OTHER])


def session(app: FwdtuiApp) -> None:
    app.open_session(BASE)


def preview(app: FwdtuiApp) -> None:
    app.preview(judge_sides(load_sides([str(BASE), str(OTHER)])))


def replay(app: FwdtuiApp) -> None:
    app.replay(BASE / "forwarding.inet4" / "001")


def welcome(app: FwdtuiApp) -> None:
    from fwdtui.ui.shell.welcome import WelcomeScreen

    app.push_screen(WelcomeScreen(EXAMPLES, "examples"))


def doctor(app: FwdtuiApp) -> None:
    from fwdtui.ui.lab.doctor import DoctorScreen

    app.push_screen(DoctorScreen(Path("no-such-lab.toml")))


def new_lab(app: FwdtuiApp) -> None:
    from fwdtui.ui.lab.new_lab import NewLabScreen

    app.push_screen(NewLabScreen(Path("lab.toml")))


def trouble(app: FwdtuiApp) -> None:
    from fwdtui.ui.common.errors import TroubleScreen

    app.push_screen(TroubleScreen("RuntimeError: [b]no picture", "The app goes on."))


SHOW = (
    live, sessions, nothing_compared, compare, session, preview, replay, welcome, doctor, new_lab, trouble
)  # fmt: skip


@pytest.mark.parametrize("show", SHOW, ids=lambda show: show.__name__)
async def test_every_screen_at_every_size(show: Callable[[FwdtuiApp], None], tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rig = Rig()
    rig.run(70)
    app = FwdtuiApp(EXAMPLES, live=Control(rig, EXAMPLES) if show is live else None)
    async with app.run_test(size=SIZES[0]) as pilot:
        await pilot.pause()
        show(app)
        await pilot.pause()
        screen: Screen[object] = app.screen
        for size in (*SIZES[1:], (1, 1), SIZES[2]):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.05)
            assert app.screen is screen and app.size == size
            assert len(app.screen._compositor.render_strips()) == size[1]
        await pilot.press("question_mark")
        await pilot.pause()
        await pilot.resize_terminal(*SIZES[0])
        await pilot.pause(0.05)
        assert screen.HELP or show is live
        await app.workers.wait_for_complete() if show not in (live, replay) else None
        assert app.is_running
