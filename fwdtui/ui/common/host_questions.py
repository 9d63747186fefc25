"""What a run has to ask before it may use a host: its key, or the files of its lab."""

import asyncio
from typing import TYPE_CHECKING

from textual.screen import Screen

from fwdtui.ui.common.ports import shell

if TYPE_CHECKING:
    from fwdtui.collectors.lab_trust import UntrustedError
    from fwdtui.transport.errors import HostKeyError


class HostQuestions:
    """Shows one dialog at a time over a screen; `ask` is an AskHostKey (ui/common/ports)."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._lock = asyncio.Lock()

    async def ask(self, error: "HostKeyError | UntrustedError") -> bool:
        """Show a host's key or the lab's files. For a changed key the answer is no.

        It waits until the screen is on top, so that no letter typed elsewhere becomes the answer.
        """
        from fwdtui.ui.common import dialogs  # late: most runs ask nothing

        async with self._lock:
            question, needs = dialogs.question(error), dialogs.needs(error)
            return await shell(self._screen).ask_unbidden(self._screen, question, needs)
