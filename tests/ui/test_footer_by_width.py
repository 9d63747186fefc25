"""What the footers of the screens show: all keys in words at 200 columns, the most wanted ones at 80."""

from pathlib import Path

import pytest
from compare_rig import settled
from live_pilot import blasting
from live_pilot import settled as live_settled
from waiting import seen

from fwdtui.ui.common.footer import Footer, placed
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.draw.graph import Graph
from fwdtui.ui.replay.screen import ReplayScreen
from fwdtui.ui.report.preview import PreviewScreen
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp


def at(app: FwdtuiApp, width: int) -> str:
    """The screen's keys as `width` columns show them."""
    return " ".join(f"{one.key_display} {one.description}" for one in placed(keys(app), width))


def keys(app: FwdtuiApp):
    return app.screen.query_one(Footer).keys


async def test_the_live_screen_has_words_where_they_fit_and_short_ones_where_they_do_not(live):
    app, run = live(blasting(), (200, 50))
    async with run as pilot:
        await live_settled(pilot)
        await seen(pilot, lambda: bool(keys(app)))
        assert at(app, 200).startswith(
            "s save space pause g generator F3 sessions m maximise a automatic z/Z zoom in/out"
        )
        assert len(placed(keys(app), 200)) == len(keys(app))
        narrow = at(app, 80)
        assert narrow.startswith("s save space pause g gen F3 sessions m max a auto z/Z zoom")
        assert narrow.endswith("q quit ? keys")
        app.screen.query_one(Graph).focus()
        await seen(pilot, lambda: "cursor" in at(app, 80))
        assert at(app, 80).startswith("s save space pause g gen F3 sessions ←/→ cursor m max a auto")


async def test_in_80_columns_every_screen_keeps_its_four_most_wanted_keys_and_quit_and_help(
    folder: Path, pair: tuple[Path, Path], subtests: pytest.Subtests
) -> None:
    app = FwdtuiApp(folder)
    async with app.run_test(size=(200, 50)) as pilot:
        for key, kind, wanted in (
            ("", SessionsScreen, "⏎ open b base space candidate c compare"),
            ("enter", SessionScreen, "r replay d drop n/p iteration 1-7 tab"),
            ("escape c", CompareScreen, "1-9 tab e report r replay +/- margin"),
            ("e", PreviewScreen, "e export y copy x Markdown i include"),
            ("escape escape r", ReplayScreen, "space stop ←/→ 5 s n/p blast esc back"),
        ):
            for one in key.split():
                await settled(pilot)
                await pilot.press(one)
            await seen(pilot, lambda kind=kind: isinstance(app.screen, kind) and app.screen.is_mounted)
            await settled(pilot)
            with subtests.test(kind.__name__):
                await seen(pilot, lambda wanted=wanted: wanted.split()[-1] in at(app, 80))
                assert at(app, 80).startswith(wanted)
                assert at(app, 80).endswith("q quit ? keys")
                assert len(placed(keys(app), 200)) == len(keys(app)), "at 200 columns there is room for all"
