"""Reads the hosts' settings in the background: at the start and between blasts, never during one.

While we change the hosts ourselves (levels, reboots, hooks) nothing is read either: a reading that is partly
from before and partly from after a change shows no state that was ever measured.
"""

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence

from fwdtui.core.host_settings import HostSettings
from fwdtui.transport.cancelling import cancelled

PATIENCE = 10.0
"""Seconds that a generator waits for a reading; one takes about a second."""
FRESH = 3.0
"""Seconds for which a reading is fresh enough not to be repeated before a blast."""
_LOOK = 0.25


class SettingsWatch:
    """`ask` for a reading. It begins once nothing is measured or changed any more; either breaks it off."""

    def __init__(
        self,
        read: Callable[[], Awaitable[Sequence[HostSettings]]],
        keep: Callable[[HostSettings], None],
        busy: Callable[[], bool],
        missed: Callable[[], None] = lambda: None,
    ) -> None:
        """`read` reads all hosts; `keep` takes the settings of one; `busy`: whether something is measured.

        `missed` is called when a blast begins although nothing was read since the last change.
        """
        self._read, self._keep, self._busy, self._missed = read, keep, busy, missed
        self._wanted = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._task: asyncio.Task[None] | None = None
        self._ended = -math.inf  # when the last reading ended
        self._changing = 0  # how many changes are being made now
        self._changes = 0  # how often a change began or ended
        self._outdated = False  # whether nothing was read since the last change

    def start(self) -> None:
        """Begin to watch, with a first reading."""
        self._task = asyncio.create_task(self._run())
        self.ask()

    def ask(self) -> None:
        """Ask for a reading, because something may have changed."""
        if self._task is not None and not self._task.done():
            self._wanted.set()
            self._idle.clear()

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """A context in which the hosts are changed. After it no earlier reading holds, however fresh."""
        self._changing += 1
        self._changes += 1
        try:
            yield
        finally:
            self._changing -= 1
            self._changes += 1
            self._ended, self._outdated = -math.inf, True

    async def before_blast(self, seconds: float = PATIENCE) -> None:
        """Read what may have changed, and wait for it at most `seconds`: a blast is about to begin.

        Nothing is read if a blast is already going on, nor while the hosts are changed, when traffic is only
        a probe.

        Raises the error that ended the readings unexpectedly.
        """
        if self._changing or self._task is None:
            return
        if not self._busy():
            if self._idle.is_set() and time.monotonic() - self._ended > FRESH:
                self.ask()  # else a reading is going on, or the last one is fresh enough
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._idle.wait()
            if self._task.done() and not self._task.cancelled():
                self._task.result()
        if self._outdated:
            self._missed()

    async def _run(self) -> None:
        try:
            while True:
                await self._wanted.wait()
                while self._busy() or self._changing:  # noqa: ASYNC110 - the end of a blast is no event
                    await asyncio.sleep(_LOOK)
                self._wanted.clear()
                if not await self._once():
                    self._wanted.set()  # a blast or a change has begun: read again after it
                if not self._wanted.is_set():
                    self._idle.set()
        finally:
            self._idle.set()

    async def _once(self) -> bool:
        """Read once. False if it was broken off, because something is being measured or was changed."""
        changes = self._changes
        reading = asyncio.ensure_future(self._read())
        try:
            while not reading.done():
                if self._busy() or self._changes != changes:
                    return False
                await asyncio.wait([reading], timeout=_LOOK)
            if self._changes != changes:
                return False
            for settings in reading.result():
                self._keep(settings)
            self._ended, self._outdated = time.monotonic(), False
            return True
        finally:
            with contextlib.suppress(Exception):
                await cancelled(reading)

    async def aclose(self) -> None:
        """End the watch; a reading that is going on is given up."""
        if self._task is not None:
            with contextlib.suppress(Exception):
                await cancelled(self._task)
        self._idle.set()
