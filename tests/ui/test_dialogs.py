"""A dialog says what its answers do, and shows no key that does nothing there."""

import pytest
from sessions_rig import read, until
from textual.widgets import Button, Footer, Input
from textual.widgets._footer import FooterKey

from fwdtui.ui.app import FwdtuiApp
from fwdtui.ui.screens.dialogs import Prompt


@pytest.mark.parametrize(
    "key, wanted", [("R", "Enter  rename"), ("a", "ctrl+s  save the note"), ("o", "Enter  open")]
)
async def test_the_button_says_what_the_answer_does(folder, session, key, wanted):
    session("a", {"inet4": [100.0, 102.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await read(pilot)
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        assert str(app.screen.query_one("#yes", Button).label) == wanted


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_the_footer_is_that_of_the_dialog_and_everything_fits(folder, session, size):
    session("a", {"inet4": [100.0, 102.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=size) as pilot:
        await read(pilot)
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, Prompt) and bool(app.screen.query(FooterKey)))
        footer = app.screen.query_one(Footer)
        assert footer.region.bottom == size[1] and footer.region.width == size[0]
        assert [key.key for key in app.screen.query(FooterKey)] == ["ctrl+s", "escape"]
        for shown in (app.screen.query_one("#yes"), app.screen.query_one(Input)):
            assert app.screen.region.contains_region(shown.region)
            assert not shown.region.overlaps(footer.region), shown
