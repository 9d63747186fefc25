"""Leaving: the recording is closed first, and a notice says so if that takes time."""

import asyncio
from typing import TYPE_CHECKING

from fwdtui.core.text import clean

if TYPE_CHECKING:
    from fwdtui.ui.common.dialogs import Confirm
    from fwdtui.ui.common.ports import LiveControl
    from fwdtui.ui.shell.app import FwdtuiApp

_AT_ONCE = 1.0  # seconds in which most recordings are closed, without a notice
_STANDS = 60.0  # seconds that the notice stays: longer than any limit on closing a host


class Leaving:
    """Leaves in a task of its own: keys and drawing go on while hosts take their time."""

    def __init__(self, app: "FwdtuiApp") -> None:
        self._app = app
        self._task: asyncio.Task[None] | None = None
        self.hurried = False
        """Whether the user asked again while hosts were being closed."""

    @property
    def begun(self) -> bool:
        """Whether leaving has begun."""
        return self._task is not None

    def begin(self) -> None:
        """Close the run and exit. A second call exits without waiting for the hosts any longer."""
        if self._task is None:
            self._task = asyncio.create_task(self._leave())
        else:
            self.hurried = True
            self._app.exit()

    async def _leave(self) -> None:
        app = self._app
        closing = asyncio.ensure_future(app.close_live())
        try:
            if not (await asyncio.wait({closing}, timeout=_AT_ONCE))[0]:
                app.notify(
                    "The recording and the connections are being closed. Press the key again to leave now.",
                    title="Leaving",
                    timeout=_STANDS,
                )
            await closing
        except Exception as error:  # reported like that of any other action; leaving may be tried again
            self._task = None
            app._handle_exception(error)
            return
        app.exit()


def question(live: "LiveControl") -> "Confirm | None":
    """What to ask before a run is left; None if leaving interrupts nothing.

    While it is open, the dialog's text follows what the run does.
    """
    asked = _asked(live)
    if asked is None:
        return None
    from fwdtui.ui.common.dialogs import Confirm

    return Confirm(
        *asked, "y  leave", "n  stay", again=lambda: _asked(live) or ("Leave?", _saved(live, "What"))
    )


def _asked(live: "LiveControl") -> tuple[str, list[str]] | None:
    """Title and lines; None if leaving interrupts nothing now."""
    from fwdtui.ui.common.ports import AsksToLeave

    running, unsaved = live.generator_running, live.unsaved
    if isinstance(live, AsksToLeave) and not unsaved and (own := live.leaving()):
        return own
    if not (running or unsaved or live.unfinished):
        return None
    if unsaved:
        lines = [clean(unsaved), "Saving is tried once more; what cannot be saved is lost."]
        return "Leave with unsaved data?", lines
    tool = "receiver" if live.only_receiver else "generator"
    title = f"Leave while the {tool} runs?" if running else "Leave while a blast is measured?"
    return title, _stopped(live) if running else _saved(live, "What")


def _stopped(live: "LiveControl") -> list[str]:
    """The lines on how what runs will be stopped.

    That is not known of a tool that another user runs and lab.toml has no stop command for.
    """
    from fwdtui.collectors.tools.shell import another_user

    lab = live.lab
    ends = [*([] if live.only_receiver else lab.generators), *([lab.receiver] if lab.receiver else [])]
    started = [end for end in ends if end.start]
    others = {another_user(end.start or "") for end in started if not end.stop} - {None}
    if others:
        names = " or ".join(sorted(filter(None, others)))
        unsure = f"Programs started through {names} may keep running: lab.toml has no stop command for them."
        return [unsure, *_saved(live, "What")]
    how = " by its stop command" if any(end.stop for end in started) else ""
    return _saved(live, f"It will be stopped{how}, and what")


def _saved(live: "LiveControl", what: str) -> list[str]:
    if live.sessions is None:
        return [f"{what} was recorded so far will be saved."]
    return [f"{what} was recorded so far will be saved:", clean(str(live.sessions.absolute()))]
