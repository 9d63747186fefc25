"""Unexpected errors are reported and logged, and do not end the app: a recording goes on.

Textual ends the app at the first exception of a handler or a worker. In a terminal (`Shell.forgiving`)
only the message or the work that failed is given up instead. In tests, errors still end the app.
"""

import datetime
import time
import traceback
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.worker import WorkerFailed

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean, visible_lines
from fwdtui.ui.common.copying import Copy, lines
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import Shell
from fwdtui.ui.common.styled_once import StyledOnce

_QUIET = 10.0  # seconds in which the same error is reported once
_SHOWN = 10.0  # seconds that a notice stays unless clicked away
_LONGEST = 120  # characters of an error that are shown: the rest is in the log
_LARGEST = 1 << 20  # bytes of the log before it is restarted
_PAINTING = {"_display", "_compositor_refresh", "_refresh_layout", "render_lines", "render_update"}


class Trouble:
    """Reports the errors of one app."""

    def __init__(self, app: Shell) -> None:
        self._app = app
        self._told: dict[object, float] = {}

    def tell(self, error: Exception) -> bool:
        """Show an error, and log an unexpected one. Returns False if there is no screen to show it on."""
        app = self._app
        if isinstance(error, WorkerFailed) and isinstance(error.error, Exception):
            error = error.error
        if not app.is_running or not app.screen_stack:
            return False
        frames = traceback.extract_tb(error.__traceback__)
        place = (type(error), str(error), frames[-1].lineno if frames else 0)
        now = time.monotonic()
        if now - self._told.get(place, -_QUIET) < _QUIET:
            return True
        self._told[place] = now
        expected = isinstance(error, (FwdtuiError, OSError))
        what = in_short(error)
        log = None if expected else written(error)
        if not expected and _PAINTING & {frame.name for frame in frames}:
            # this screen cannot show anything, not even a message
            app.call_later(self._instead, what, log)
        else:
            self._notify(what, log)
        return True

    def _notify(self, what: str, log: Path | None) -> None:
        text = f"{what}\n{_comfort(log)}" if log is not None else what
        self._app.notify(text, title="Something went wrong", severity="error", timeout=_SHOWN, markup=False)

    def _instead(self, what: str, log: Path | None) -> None:
        if not isinstance(self._app.screen, TroubleScreen):
            self._app.push_screen(TroubleScreen(what, _comfort(log)))


class TroubleScreen(StyledOnce, Screen[None]):
    """Shown instead of a screen that could not be drawn: what happened, and what to do."""

    HELP = "# Something went wrong\nThis screen could not be drawn. All others still work."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter", "app.pop_screen", "try again", id="trouble.again"),
    ]

    def __init__(self, what: str, comfort: str) -> None:
        super().__init__()
        self._what, self._comfort = what, comfort

    def to_copy(self) -> Copy:
        """What happened, and where the details are."""
        return lines("the message", f"{self._what}\n{self._comfort}")

    def compose(self) -> ComposeResult:
        from textual.widgets import Static

        from fwdtui.ui.common.footer import Footer

        text = Text("! This screen could not be drawn\n\n", style="bold")
        text.append(f"{self._what}\n\n{self._comfort}\n\n", style="not bold")
        modes = (
            f"{key('app.mode_live', 'F2')} {key('app.mode_sessions', 'F3')} {key('app.mode_compare', 'F4')}"
        )
        again, ends = key("trouble.again", "Esc"), key("app.quit", "q")
        ways = f"{again} tries again, {modes} go to Live, Sessions and Compare, {ends} quits."
        text.append(ways, style="not bold")
        yield Static(text, id="how", markup=False)
        yield Footer()


def _comfort(log: Path | None) -> str:
    where = f" Details for a bug report: {log}" if log else ""
    return f"The app and any recording go on.{where}"


def in_short(error: Exception) -> str:
    """An error in one line: an expected one as it is, any other with its type."""
    first = clean((str(error).strip().splitlines() or [""])[0])
    what = first if isinstance(error, (FwdtuiError, OSError)) else f"{type(error).__name__}: {first}"
    what = what.strip(" :")
    return what if len(what) <= _LONGEST else f"{what[: _LONGEST - 1]}…"


def in_place(error: Exception) -> str:
    """What a screen shows instead of what it could not load; unexpected errors are logged."""
    if isinstance(error, (FwdtuiError, OSError)):
        return clean(str(error))
    log = written(error)
    return f"{in_short(error)}{f' (details: {log})' if log else ''}"


def let_go(app: "App[Any]") -> None:
    """Remove the notices of the previous screen: their keys do nothing on the next one."""
    for notice in [one for one in app._notifications if one.severity == "information"]:
        app._unnotify(notice)


def written(error: Exception) -> Path | None:
    """Log the traceback; returns the log's path, or None if it cannot be written."""
    from platformdirs import user_log_path

    path = user_log_path("fwdtui", appauthor=False) / "trouble.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        begin = not path.exists() or path.stat().st_size > _LARGEST
        with path.open("w" if begin else "a", encoding="utf-8", errors="replace") as file:
            now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
            text = "".join(traceback.format_exception(error))
            file.write(f"--- {now}\n{visible_lines(text)}\n")
    except OSError:
        return None
    return path


def survive() -> None:
    """From now on, if a handler fails, only its message is given up; Textual would stop the whole widget.

    This holds for the whole process, so it is meant for that of a real run. A second call changes nothing.
    """
    original = MessagePump._dispatch_message
    if getattr(original, "survives", False):
        return

    async def dispatch(self: MessagePump, message: Message) -> None:
        try:
            await original(self, message)
        except Exception as error:
            app = self.app
            if not (isinstance(app, Shell) and app.forgiving and app.is_running):
                raise
            app._handle_exception(error)

    dispatch.survives = True  # type: ignore[attr-defined]
    MessagePump._dispatch_message = dispatch  # type: ignore[method-assign]
