"""An error that nobody foresaw is told, written down, and does not end the app: what is recorded goes on.

Textual ends the app at the first exception of a handler or a worker. In a terminal (`Shell.forgiving`)
the message or the work that failed is given up instead, and nothing else. Tests are not forgiven.
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
from fwdtui.ui.common.ports import Shell

_QUIET = 10.0  # seconds in which the same error is told once
_SHOWN = 10.0  # seconds that a notice stands, unless it is clicked away
_LONGEST = 120  # characters of an error that are shown: the rest is in the log
_LARGEST = 1 << 20  # bytes of the log before it begins anew
_PAINTING = {"_display", "_compositor_refresh", "_refresh_layout", "render_lines", "render_update"}


class Trouble:
    """The errors of one app."""

    def __init__(self, app: Shell) -> None:
        self._app = app
        self._told: dict[object, float] = {}

    def tell(self, error: Exception) -> bool:
        """Show and write down an error; False where there is no screen to show it on."""
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
            # this screen can show nothing, not even a message
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


class TroubleScreen(Screen[None]):
    """Instead of a screen that could not be drawn: `what` happened, and the ways on."""

    HELP = "# Something went wrong\nThe screen below could not be drawn. Every other one is still there."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter", "app.pop_screen", "try it again", id="trouble.again"),
    ]

    def __init__(self, what: str, comfort: str) -> None:
        super().__init__()
        self._what, self._comfort = what, comfort

    def compose(self) -> ComposeResult:
        from textual.widgets import Footer, Static

        text = Text("! This screen could not be drawn\n\n", style="bold")
        text.append(f"{self._what}\n\n{self._comfort}\n\n", style="not bold")
        text.append(
            "Esc tries it again, F2 F3 F4 go to Live, Sessions and Compare, q leaves.", style="not bold"
        )
        yield Static(text, id="how", markup=False)
        yield Footer(show_command_palette=False, compact=True)


def _comfort(log: Path | None) -> str:
    where = f" Details for a bug report: {log}" if log else ""
    return f"The app goes on, and so does a recording.{where}"


def in_short(error: Exception) -> str:
    """One line on an error: what users can act on as it is said, of others the kind and where it begins."""
    first = clean((str(error).strip().splitlines() or [""])[0])
    what = first if isinstance(error, (FwdtuiError, OSError)) else f"{type(error).__name__}: {first}"
    what = what.strip(" :")
    return what if len(what) <= _LONGEST else f"{what[: _LONGEST - 1]}…"


def in_place(error: Exception) -> str:
    """What a screen says in the place of what it could not load; the details are in the log then."""
    if isinstance(error, (FwdtuiError, OSError)):
        return clean(str(error))
    log = written(error)
    return f"{in_short(error)}{f' (details: {log})' if log else ''}"


def let_go(app: "App[Any]") -> None:
    """Take away the advice of the screen that was left: its keys do nothing on the next one."""
    for notice in [one for one in app._notifications if one.severity == "information"]:
        app._unnotify(notice)


def written(error: Exception) -> Path | None:
    """The log that now has the traceback; None where it cannot be written."""
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
    """From now on a message whose handler fails is given up alone: Textual would stop its whole widget.

    For the process of a real run; calling it again changes nothing.
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
