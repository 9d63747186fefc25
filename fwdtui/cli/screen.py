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
    """Refuse, with a reason, where there is no terminal to draw on; a browser (`textual serve`) is one."""
    if os.environ.get("TEXTUAL_DRIVER"):
        return
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

    run_app(FwdtuiApp(into, live=BenchControl(lab, into, session or _name(lab), case)))
    return 0


def run_screen(lab: Path, into: Path, session: str | None, case: str, iterations: int | None) -> int:
    """Unattended iterations on the screen. 1 where fewer came about than were wanted. Raises FwdtuiError."""
    need_terminal("fwdtui run --headless")
    from fwdtui.ui.app import FwdtuiApp
    from fwdtui.ui.run_control import RunControl
    from fwdtui.ui.screens.run import RunScreen

    control = RunControl(lab, into, session or _name(lab), case, iterations)
    run_app(FwdtuiApp(into, live=control, live_screen=RunScreen))
    print(f"{control.kept} of {control.wanted} iterations are recorded in {into / control.session}")
    return 0 if control.kept == control.wanted else 1


def run_app(app: "FwdtuiApp") -> None:
    """Until the user leaves it, or a signal does: either way what a run recorded is on disk."""
    from fwdtui.ui import trouble

    app.forgiving = True
    trouble.survive()

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


def _name(lab: Path) -> str:
    """A session's name where none was given: the lab and the second."""
    from fwdtui.collectors.labfile import load

    return f"{load(lab).name}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
