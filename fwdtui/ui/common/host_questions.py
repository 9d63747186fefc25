"""What a run has to ask before it may use a host: its key, or the files of its lab."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from textual.screen import Screen

if TYPE_CHECKING:
    from fwdtui.collectors.lab_trust import UntrustedError
    from fwdtui.transport.errors import HostKeyError


class HostQuestions:
    """Shows one dialog at a time over a screen; `ask` is an AskHostKey (ui/common/ports)."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._lock = asyncio.Lock()

    async def ask(self, error: "HostKeyError | UntrustedError") -> bool:
        """Show a host's key or the lab's files. For a changed key the answer is no."""
        from fwdtui.ui.common import dialogs  # late: most runs ask nothing

        async with self._lock:
            answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

            def done(accepted: bool | None) -> None:
                if not answer.done():
                    answer.set_result(bool(accepted))

            pushed: Awaitable[None] = self._screen.app.push_screen(dialogs.question(error), done)
            await pushed
            return await answer
