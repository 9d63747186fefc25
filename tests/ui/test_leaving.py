"""The way out, when hosts take their time: the user is told, and need not wait."""

import asyncio

import msgspec
import pytest
from live_rig import Control, Rig
from waiting import until

from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.shell.app import FwdtuiApp


class Slow(Control):
    """A run whose hosts answer when `answered` is set."""

    answered: asyncio.Event
    asked = 0

    async def close(self) -> None:
        self.asked += 1
        await self.answered.wait()
        await super().close()


def slow(folder) -> tuple[FwdtuiApp, Slow]:
    rig = Rig()
    rig.run(3)
    control = Slow(rig, folder)
    control.answered = asyncio.Event()
    return FwdtuiApp(folder, live=control), control


async def test_hosts_that_take_their_time_are_told_of_and_waited_for(folder):
    app, control = slow(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await until(lambda: [one for one in app._notifications if one.title == "Leaving"])
        assert app.is_running and not control.closed
        control.answered.set()
        await until(lambda: not app.is_running)
    assert control.closed and not app.hurried


async def test_the_same_key_again_leaves_without_them(folder):
    app, control = slow(folder)
    control.generator_running = False
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await until(lambda: control.asked)
        control.generator_running = True  # nothing is asked any more either
        await pilot.press("q")
        await until(lambda: not app.is_running)
    assert app.hurried and not control.closed
    control.answered.set()
    await until(lambda: control.closed)


@pytest.mark.parametrize("unsaved", ["", "not saved: no space left"])
async def test_without_confirm_quit_only_what_would_be_lost_is_asked_about(folder, unsaved):
    app, control = slow(folder)
    app.settings.config = msgspec.structs.replace(app.settings.config, confirm_quit=False)
    control.generator_running, control.unsaved = True, unsaved
    control.answered.set()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await until(lambda: isinstance(app.screen, Confirm) or not app.is_running)
        assert isinstance(app.screen, Confirm) is bool(unsaved)
        if unsaved:
            await pilot.press("y")
            await until(lambda: not app.is_running)
    assert control.closed


async def test_what_goes_wrong_on_the_way_out_is_told_and_it_can_be_tried_again(folder):
    app, control = slow(folder)
    app.forgiving = True
    original, control.close = control.close, broken  # type: ignore[method-assign]
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("q")
        await until(lambda: [one for one in app._notifications if "the disk is gone" in one.message])
        assert app.is_running
        control.close = original  # type: ignore[method-assign]
        control.answered.set()
        await pilot.press("q")
        await until(lambda: not app.is_running)
    assert control.closed


async def broken() -> None:
    raise OSError("the disk is gone")
