"""Reads the hosts' settings in the background: at the start and between blasts, never during one.

While we change the hosts ourselves (levels, reboots, hooks) nothing is read either: a reading of before and
after a change is of no state that was ever measured.
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
"""Seconds for which nothing is read again before a blast."""
_LOOK = 0.25


class SettingsWatch:
    """`ask` for a reading; it begins as soon as nothing is measured or changed, and either breaks it off."""

    def __init__(
        self,
        read: Callable[[], Awaitable[Sequence[HostSettings]]],
        keep: Callable[[HostSettings], None],
        busy: Callable[[], bool],
        missed: Callable[[], None] = lambda: None,
    ) -> None:
        """`read` reads all hosts, `keep` takes what was read of one; `busy`: something is measured.

        `missed` is called when a blast begins and nothing was read since the last change.
        """
        self._read, self._keep, self._busy, self._missed = read, keep, busy, missed
        self._wanted = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._task: asyncio.Task[None] | None = None
        self._ended = -math.inf  # when the last reading did
        self._changing = 0  # changes that are being made
        self._changes = 0  # how often one began or ended
        self._outdated = False  # nothing was read since the last change

    def start(self) -> None:
        """Begin, with a first reading."""
        self._task = asyncio.create_task(self._run())
        self.ask()

    def ask(self) -> None:
        """Something may have changed."""
        if self._task is not None and not self._task.done():
            self._wanted.set()
            self._idle.clear()

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """While the hosts are changed. What was read before does not hold afterwards, however fresh it is."""
        self._changing += 1
        self._changes += 1
        try:
            yield
        finally:
            self._changing -= 1
            self._changes += 1
            self._ended, self._outdated = -math.inf, True

    async def before_blast(self, seconds: float = PATIENCE) -> None:
        """Read what may have changed, and wait for it at most so long: a blast is about to begin.

        If one is on already, nothing is read; nor for traffic that only probes, while the hosts are changed.

        Raises what ended the readings unexpectedly.
        """
        if self._changing or self._task is None:
            return
        if not self._busy():
            if self._idle.is_set() and time.monotonic() - self._ended > FRESH:
                self.ask()  # else a reading is on, which is as fresh
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
                    self._wanted.set()  # a blast or a change has begun: again after it
                if not self._wanted.is_set():
                    self._idle.set()
        finally:
            self._idle.set()

    async def _once(self) -> bool:
        """One reading; False: it was broken off, since something is measured or was changed."""
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
        """End it; what is being read is given up."""
        if self._task is not None:
            with contextlib.suppress(Exception):
                await cancelled(self._task)
        self._idle.set()
