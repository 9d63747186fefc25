"""How a test waits: for what it is about to look at, however busy the machine is, and no longer than that."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from textual._context import active_app
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from fwdtui.ui.shell.app import FwdtuiApp

_refresh, _shutdown = Screen._compositor_refresh, App._shutdown
LOOK = 5.0  # times as long as a look took, until the next one


async def until(true: Callable[[], object], seconds: float = 40.0) -> None:
    """Wait for a condition. It is looked at the less often the more work that is."""
    end = time.monotonic() + seconds
    begun = time.thread_time()
    while not true():
        assert time.monotonic() < end, f"that did not happen{_there()}"
        await asyncio.sleep(max(0.02, LOOK * (time.thread_time() - begun)))
        begun = time.thread_time()


def _there() -> str:
    """What there is instead, for whoever has to find out why."""
    app = active_app.get(None)
    if app is None or not app._screen_stack:
        return ""
    told = [note.message for note in app._notifications]
    under_way = [worker for worker in app.workers if not worker.is_finished]
    held = isinstance(app, FwdtuiApp) and app._in_turn.waits
    return f": {app.screen!r}, focus on {app.focused!r}, told {told}, {under_way}, keys held: {held}"


async def seen(pilot: Pilot[Any], true: Callable[[], object], seconds: float = 40.0) -> None:
    """Wait for a condition, and for what comes with it to be handled and painted."""
    await until(true, seconds)
    await pilot.pause()
    paint(pilot.app)


def paint(app: App[Any]) -> None:
    """Paint what has changed on the screen on top: see `_painted_at_rest`."""
    if app.is_running and app._screen_stack and app.screen.is_attached and not app._batch_count:
        _refresh(app.screen)


async def painted_at_the_end(self: App[Any]) -> None:
    """What an app does when a test leaves it: it paints what nobody waited for, too."""
    paint(self)
    await _shutdown(self)


def painted_at_rest(self: Screen[Any]) -> None:
    """What a screen does in place of painting: note what changed, for the next `paint`."""
    if self is not self.app.screen or self.app.is_inline:
        _refresh(self)
    else:
        self._dirty_widgets.clear()  # their regions are noted already
        self.app._update_mouse_over(self)


async def done(app: FwdtuiApp) -> None:
    """Until every key had its turn and nothing of what they began is under way."""
    still = 0
    end = time.monotonic() + 60.0
    while still < STILL and app.is_running:
        assert time.monotonic() < end, "it does not come to rest"
        await asyncio.sleep(0.005)
        still = still + 1 if not app._in_turn.waits and app._in_turn.drained() and app._in_turn.rests() else 0


async def press(pilot: Pilot, *keys: str) -> None:
    """These keys, and all that they begin: a key may be held for a moment after it was pressed."""
    await pilot.press(*keys)
    assert isinstance(pilot.app, FwdtuiApp)
    await done(pilot.app)


async def rest(app: FwdtuiApp) -> None:
    """Until nothing changes any more unless a key is pressed: for what is looked at as a whole.

    `done` waits for what a key waits for. The verdicts of a list are no part of that, neither is a worker for
    which a key has waited long enough, and a busy machine makes it so.
    """
    looks, end = 0, time.monotonic() + 120.0
    while looks < STILL:
        await asyncio.sleep(0.001 if looks else 0.01)
        looks = looks + 1 if not under_way(app) else 0
        assert time.monotonic() < end, f"it does not come to rest: {under_way(app)}"
    paint(app)


STILL = 5
"""Looks in a row that find nothing: the end of one thing begins another in the same turn of the loop."""
SOON = 5.0  # seconds: a later timer takes a notice away


def under_way(app: FwdtuiApp) -> str:
    """The first thing that may still change the picture; "" if there is nothing."""
    turn = app._in_turn
    if turn.waits or not turn.drained():
        return "messages"
    screens = [screen for stack in app._screen_stacks.values() for screen in stack]
    for worker in app.workers:
        if not worker.is_finished and turn._asked.get(worker) not in screens:
            return f"{worker!r}"
    for pump in (app, *screens, *(child for screen in screens for child in screen.walk_children())):
        for timer in list(pump._timers) if pump._timers else ():  # going through an empty weak set takes long
            once = timer._repeat == 0 and timer._interval <= SOON
            if once and timer._task is not None and not timer._task.done():
                return f"{timer!r} of {pump!r}"
    return ""
