"""A dialog says what its answers do, and shows no key that does nothing there."""

from preview_rig import previewed
from sessions_rig import EXAMPLES, read
from textual.widgets import Button, Input
from waiting import press, seen

from fwdtui.ui.common.dialogs import Confirm, Prompt
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.replay.choose import ChooseRecording
from fwdtui.ui.replay.screen import ReplayScreen
from fwdtui.ui.report.dialogs import Destination, Writing
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp


def keys(app: FwdtuiApp) -> list[str]:
    """The keys in the footer of the screen on top, left to right."""
    return [key.key for footer in app.screen.query(Footer) for key in footer.shown]


async def test_the_button_says_what_the_answer_does_and_the_footer_has_its_key_where_everything_fits(
    folder, session, subtests
):
    session("a", {"inet4": [100.0, 102.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await read(pilot)
        for key, wanted, accepts in (
            ("R", "Enter  rename", "enter"),
            ("t", "ctrl+s  save the note", "ctrl+s"),
            ("o", "Enter  open", "enter"),
        ):
            with subtests.test(wanted):
                await pilot.press(key)
                await seen(pilot, lambda: isinstance(app.screen, Prompt))
                assert str(app.screen.query_one("#yes", Button).label) == wanted
                await seen(pilot, lambda accepts=accepts: keys(app) == [accepts, "escape"])
                await press(pilot, "escape")
                assert isinstance(app.screen, SessionsScreen)
        for size in ((80, 24), (40, 12)):
            with subtests.test(size=size):
                await pilot.resize_terminal(*size)
                await press(pilot, "R")
                await seen(pilot, lambda: isinstance(app.screen, Prompt) and keys(app))
                footer = app.screen.query_one(Footer)
                assert footer.region.bottom == size[1] and footer.region.width == size[0]
                assert keys(app) == ["enter", "escape"]
                for shown in (app.screen.query_one("#yes"), app.screen.query_one(Input)):
                    assert app.screen.region.contains_region(shown.region)
                    assert not shown.region.overlaps(footer.region), shown
                await press(pilot, "escape")


async def test_where_there_is_no_yes_the_footer_offers_none(folder):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Confirm("dut: not connected", ["THE HOST KEY HAS CHANGED"], None, "close"))
        await seen(pilot, lambda: isinstance(app.screen, Confirm) and keys(app))
        assert keys(app) == ["n"]
        app.pop_screen()
        app.push_screen(Confirm("Delete it?", ["5 iterations"], "y  delete it", "n  keep it"))
        await seen(pilot, lambda: len(keys(app)) == 2)
        assert keys(app) == ["y", "n"]


async def test_the_dialogs_of_the_report_have_a_footer_of_their_own(
    folder, pair, tmp_path, monkeypatch, subtests
):
    monkeypatch.chdir(tmp_path)
    async with previewed(folder, pair, (80, 24)) as pilot:
        app = pilot.app
        for size in ((80, 24), (120, 40), (200, 60)):
            with subtests.test(size=size):
                await pilot.resize_terminal(*size)
                await press(pilot, "e")
                await seen(pilot, lambda: isinstance(app.screen, Destination) and keys(app))
                footer = app.screen.query_one(Footer)
                assert footer.region.bottom == size[1] and footer.region.width == size[0]
                await seen(pilot, lambda: app.screen._answer is not None)
                assert keys(app) == ["enter", "escape"]
                assert not app.screen.query_one("#box").region.overlaps(footer.region)
                await press(pilot, "escape")
        await press(pilot, "e")
        await seen(pilot, lambda: isinstance(app.screen, Destination) and app.screen._answer is not None)
        plan = app.screen._answer.plan
        (tmp_path / "there.md").write_text("mine")
        app.screen.query_one(Input).value = "there.md"
        await seen(pilot, lambda: keys(app) == ["ctrl+n", "escape"])
        monkeypatch.setattr(Writing, "_write", lambda self: None)  # it stands still to be looked at
        app.push_screen(Writing(plan))
        await seen(pilot, lambda: isinstance(app.screen, Writing) and keys(app))
        assert keys(app) == ["escape"]


async def test_what_a_recording_is_chosen_with_has_its_own_footer():
    app = FwdtuiApp(EXAMPLES)
    async with app.run_test(size=(80, 24)) as pilot:
        app.replay(EXAMPLES / "no-rules")
        await seen(
            pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.player.replay is not None
        )
        await pilot.press("v")
        await seen(
            pilot,
            lambda: isinstance(app.screen, ChooseRecording) and keys(app),
        )
        assert "escape" in keys(app)
        assert app.screen.query_one(Footer).region.bottom == 24
