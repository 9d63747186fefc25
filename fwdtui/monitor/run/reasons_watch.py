"""Counts the DUT's drop reasons during blasts, if that was requested, and never between them.

A generator that we start waits until the kernel counts. In a blast that others start, the counting begins
late and covers only a part of the blast.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from fwdtui.collectors.drop_reasons import ReasonCounter

PATIENCE = 10.0
"""Seconds that a generator waits until the kernel counts; bpftrace takes about one."""
_LOOK = 0.05


class ReasonsWatch:
    """Starts and stops the counting. `measuring`, called at each sample, says whether a blast is going on.

    If the counting failed, it is not tried again in the same blast.
    """

    def __init__(
        self, make: Callable[[], Awaitable[ReasonCounter]], add: Callable[[ReasonCounter], None]
    ) -> None:
        """`make` returns a new counter for the DUT, and `add` runs it."""
        self._make, self._add = make, add
        self._counter: ReasonCounter | None = None
        self._starting: asyncio.Task[None] | None = None
        self._stopping: set[asyncio.Task[None]] = set()
        self._held = False

    async def before_blast(self, sampled: Callable[[float], bool], seconds: float = PATIENCE) -> None:
        """Begin, and wait at most `seconds` until the kernel counts. Always call `release` afterwards.

        `sampled`: whether all hosts were sampled after a time of the recording. A blast is only known to
        begin somewhere between two samples, so the first of these must come after the counting began.
        """
        self._held = True
        self._begin()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                if self._starting is not None:
                    await asyncio.shield(self._starting)
                if self._counter is not None:
                    await self._counter.counting.wait()
                    since = self._counter.since
                    while since is not None and not sampled(since):  # noqa: ASYNC110 - a sample is no event
                        await asyncio.sleep(_LOOK)

    def release(self) -> None:
        """From now on `measuring` decides whether to count."""
        self._held = False

    def measuring(self, on: bool) -> None:
        """Start or stop the counting. `on`: a blast is going on, or may begin at any moment."""
        if on:
            self._begin()
        elif not self._held:
            self._end()

    def _begin(self) -> None:
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        counter = await self._make()
        self._counter = counter
        self._add(counter)

    def _end(self) -> None:
        if self._starting is None or not self._starting.done():
            return
        self._starting.exception()  # retrieved only: the code that asked for the host reports it
        self._starting = None
        if (counter := self._counter) is not None:
            self._counter = None
            task = asyncio.create_task(counter.stop())
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)

    async def aclose(self) -> None:
        """End the watch; a counter that still runs ends with the source that runs it."""
        tasks = [*self._stopping, *([self._starting] if self._starting else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
