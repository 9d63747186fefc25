"""The app on a live lab."""

import asyncio
import datetime
import gc
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError

_LEAVE = 5.0  # seconds that drawing the way out may take
_STARTED = 2.0  # seconds after which the first frame is there and all that follows it is loaded

if TYPE_CHECKING:
    from fwdtui.ui.app import FwdtuiApp


def need_terminal(instead: str) -> None:
    """Refuse, with a reason, where there is no terminal to draw on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise FwdtuiError(f"the app needs a terminal; without one use: {instead}")
    if os.environ.get("TERM", "dumb") == "dumb":
        raise FwdtuiError(f"the app cannot draw on TERM=dumb; use: {instead}")
    # what is loaded for the first frame stays: looking for garbage among it only makes the user wait
    gc.disable()


def live_screen(lab: Path, into: Path, session: str | None, case: str) -> int:
    """Watch and record a lab on the screen. Raises FwdtuiError when lab.toml cannot be used."""
    need_terminal("fwdtui live --headless")
    from fwdtui.ui.app import FwdtuiApp
    from fwdtui.ui.bench_control import BenchControl

    name = session or f"{datetime.datetime.now():%Y%m%d-%H%M%S}"
    control = BenchControl(lab, into, name if session else f"{_lab_name(lab)}-{name}", case)
    run_app(FwdtuiApp(into, live=control))
    return 0


def run_app(app: "FwdtuiApp") -> None:
    """Until the user leaves it, or a signal does: either way what a run recorded is on disk."""

    async def leave(number: int) -> None:
        await app.close_live()
        if number == signal.SIGHUP:
            # the terminal is gone: to draw the way out would wait for a reader that will not come
            os._exit(128 + number)
        asyncio.get_running_loop().call_later(_LEAVE, os._exit, 128 + number)
        app.exit()

    async def on_screen() -> None:
        loop = asyncio.get_running_loop()
        leaving: list[asyncio.Task[None]] = []

        def asked(number: int) -> None:
            leaving.append(loop.create_task(leave(number)))

        for number in (signal.SIGTERM, signal.SIGHUP):
            # by default these end the process at once, and a recording with it
            loop.add_signal_handler(number, asked, number)
        loop.call_later(_STARTED, _collect)
        try:
            await app.run_async()
        finally:
            await app.close_live()

    asyncio.run(on_screen())


def _collect() -> None:
    gc.freeze()
    gc.enable()


def _lab_name(lab: Path) -> str:
    from fwdtui.collectors.labfile import load

    return load(lab).name
