"""How a test waits: for what it is about to look at, however busy the machine is, and no longer than that."""

import asyncio
import time
from collections.abc import Callable

from textual.pilot import Pilot

from fwdtui.ui.shell.app import FwdtuiApp


async def until(true: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for a condition."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "that did not happen"
        await asyncio.sleep(0.02)


async def done(app: FwdtuiApp) -> None:
    """Until every key had its turn and nothing of what they began is under way."""
    still = 0
    end = time.monotonic() + 60.0
    while still < 10 and app.is_running:
        assert time.monotonic() < end, "it does not come to rest"
        await asyncio.sleep(0.005)
        still = still + 1 if not app._in_turn.waits and app._in_turn.drained() and app._in_turn.rests() else 0


async def press(pilot: Pilot, *keys: str) -> None:
    """These keys, and all that they begin: a key may be held for a moment after it was pressed."""
    await pilot.press(*keys)
    assert isinstance(pilot.app, FwdtuiApp)
    await done(pilot.app)
