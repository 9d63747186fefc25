"""One fwdtui at a time sends on a lab: if two do, both show the sum of both blasts as their own.

This is a lock on this computer, between processes of one user. What is sent from elsewhere is found by its
packets (`others.py`, `live/account.py`).
"""

import asyncio
import contextlib
import time
from collections.abc import Iterable
from pathlib import Path

from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.errors import FwdtuiError
from fwdtui.store import lock
from fwdtui.transport.ssh import SshPool

_FOLDER = "measured"
_PATIENCE = 2.0  # seconds for one that is just leaving the lab
_LOOK = 0.1


class Turn:
    """The right to send on the lab of this DUT: whatever generators a lab has, the DUT is what they share."""

    def __init__(self, pool: SshPool, dut: str) -> None:
        """`dut`: the DUT's ssh destination."""
        self._pool = pool
        self._dut = dut
        self._lock: lock.Lock | None = None
        self._letting_go: asyncio.Task[None] | None = None

    async def take(self) -> None:
        """Take the turn, and keep it until `release`. Raises FwdtuiError if another one has it."""
        if self._letting_go is not None:
            self._letting_go.cancel()
            self._letting_go = None
        if self._lock is not None:
            return
        path = _folder() / f"{await self._pool.machine(self._dut)}.lock"
        until = time.monotonic() + _PATIENCE
        # measuring goes on where no lock can be made: no home folder, or a file system without locks
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            while (held := lock.take(path, 0.0)) is None:
                if time.monotonic() >= until:
                    raise FwdtuiError(
                        f"another fwdtui on this computer measures {self._dut} at present, and both would"
                        " measure the sum of what is sent: wait for it, or end it"
                    )
                await asyncio.sleep(_LOOK)
            self._lock = held

    def release_after(self, tools: Iterable[RunningTool]) -> None:
        """Release it once these have ended."""

        async def ended() -> None:
            for tool in tools:
                await tool.wait()
            self._letting_go = None  # this task, which is over
            self.release()

        if self._letting_go is not None:
            self._letting_go.cancel()
        self._letting_go = asyncio.get_running_loop().create_task(ended())

    def release(self) -> None:
        """Let others send; a second call does nothing."""
        if self._letting_go is not None:
            self._letting_go.cancel()
            self._letting_go = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def _folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_state_dir("fwdtui", appauthor=False)) / _FOLDER
