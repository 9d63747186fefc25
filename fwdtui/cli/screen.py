"""The app on a live lab."""

import asyncio
import contextlib
import datetime
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean

_HURRIED = 1.0  # seconds to close the hosts when the user did not want to wait
_LEAVE = 10.0  # seconds that leaving the screen may take, on a busy machine too
_STARTED = 2.0  # seconds until the first frame is drawn and everything after it is loaded
_YOUNG = 10_000  # new containers until garbage is sought in the youngest ones, for a millisecond or two

if TYPE_CHECKING:
    from fwdtui.core.factors import FactorValue
    from fwdtui.ui.shell.app import FwdtuiApp


def need_terminal(instead: str) -> None:
    """Raise FwdtuiError if there is no terminal to draw on; a browser (`textual serve`) counts as one."""
    if os.environ.get("TEXTUAL_DRIVER"):
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise FwdtuiError(f"the app needs a terminal; without one use: {instead}")
    if os.environ.get("TERM", "dumb") == "dumb":
        raise FwdtuiError(f"the app cannot draw on TERM=dumb; use: {instead}")
    # all that is loaded for the first frame stays: collecting garbage now would only make the user wait
    gc.disable()


def live_screen(
    lab: Path,
    into: Path,
    session: str | None,
    case: str,
    factors: "Mapping[str, FactorValue]",
    count: tuple[str, ...] | None = None,
    drop_reasons: bool = False,
) -> int:
    """Watch and record a lab on the screen. Raises FwdtuiError if lab.toml cannot be used."""
    need_terminal("fwdtui live --headless")
    from fwdtui.ui.live.bench_control import BenchControl
    from fwdtui.ui.shell.app import FwdtuiApp

    control = BenchControl(lab, into, session or _name(lab), case, factors, count, drop_reasons)
    return run_app(FwdtuiApp(into, live=control))


def run_screen(
    lab: Path,
    into: Path,
    session: str | None,
    case: str,
    iterations: int | None,
    factors: "Mapping[str, FactorValue]",
    count: tuple[str, ...] | None = None,
    drop_reasons: bool = False,
) -> int:
    """Unattended iterations on the screen. Returns 1 if some are missing. Raises FwdtuiError."""
    need_terminal("fwdtui run --headless")
    from fwdtui.ui.live.run_control import RunControl
    from fwdtui.ui.live.run_screen import RunScreen
    from fwdtui.ui.shell.app import FwdtuiApp

    control = RunControl(lab, into, session or _name(lab), case, iterations, factors, count, drop_reasons)
    status = run_app(FwdtuiApp(into, live=control, live_screen=RunScreen), control.told)
    return status or (0 if control.kept == control.wanted else 1)


def run_app(app: "FwdtuiApp", result: Callable[[], str] | None = None) -> int:
    """Run until the user leaves, a signal arrives, or the terminal is gone. Then the recording is on disk.

    `result`: gives a line about what was done, to print before where the sessions are and what comes next.
    Returns 0; 128 plus the signal's number; or 1 if something could not be saved, or may still run on a host,
    which stderr reports.
    """
    from fwdtui.ui.common import errors
    from fwdtui.ui.shell.hangup import HangupWatch, gone

    app.forgiving = True
    errors.survive()
    signals: list[int] = []
    terminal = (sys.stdin.fileno(), sys.stdout.fileno())  # taken now, since the app replaces these later

    async def leave(number: int) -> None:
        await app.close_live()
        if number == signal.SIGHUP and any(map(gone, terminal)):
            os._exit(128 + number)  # restoring the screen would wait for a reader that is gone
        # in a thread: if the terminal takes no more text, Textual's exit blocks the event loop
        late = threading.Timer(_LEAVE, os._exit, (128 + number,))
        late.daemon = True
        late.start()
        app.exit()

    async def on_screen() -> None:
        loop = asyncio.get_running_loop()
        leaving: list[asyncio.Task[None]] = []

        def asked(number: int) -> None:
            signals.append(number)
            leaving.append(loop.create_task(leave(number)))

        def hung_up() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has just ended
                loop.call_soon_threadsafe(asked, signal.SIGHUP)

        for number in (signal.SIGTERM, signal.SIGHUP):
            # by default these end the process at once, and a recording with it
            loop.add_signal_handler(number, asked, number)
        watch = HangupWatch(terminal, hung_up)
        app.driver_class = watch.reading(app.driver_class)
        loop.call_later(_STARTED, collect_garbage)
        try:
            await app.run_async()
        finally:
            watch.stop()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_HURRIED if app.hurried else None):
                    await app.close_live()

    asyncio.run(on_screen())
    for told in filter(None, (app.left, app.unsaved)):
        with contextlib.suppress(OSError):  # the terminal may be gone
            print(f"fwdtui: {clean(told)}", file=sys.stderr)
    _say_goodbye(app, result)
    if signals:
        return 128 + signals[0]
    return 1 if app.unsaved or app.left else 0


def _say_goodbye(app: "FwdtuiApp", result: Callable[[], str] | None) -> None:
    """Print what the user needs next, now that the app has left the terminal."""
    if os.environ.get("TEXTUAL_DRIVER"):  # standard output belongs to the browser
        return
    from fwdtui.cli.parting import parting

    lines = [] if result is None else [result()]
    with contextlib.suppress(OSError):  # the terminal may be gone
        for line in (*lines, *parting(app.recorded, app.compared, app.compared_how.options())):
            print(clean(line))
        sys.stdout.flush()


def collect_garbage() -> None:
    """Collect garbage from now on, but seldom, and not in what is already loaded.

    A whole collection stops the screen. With Python's own threshold, 700, reading 10,000 iterations started
    several of them, of 30 to 60 ms each.
    """
    gc.freeze()
    gc.set_threshold(_YOUNG, 10, 10)
    gc.enable()


def _name(lab: Path) -> str:
    """The default name of a session: the lab's name and the time, to the second."""
    from fwdtui.collectors.labfile import load

    return f"{load(lab).name}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
