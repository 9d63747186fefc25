"""Counts the DUT's drop reasons within blasts, if that was asked for: never between them.

Before a generator that we start, it waits until the kernel counts. To a blast that others start it is late,
and what it counts is of a part of the blast.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from fwdtui.collectors.drop_reasons import ReasonCounter

PATIENCE = 10.0
"""Seconds that a generator waits until the kernel counts; bpftrace takes about one."""
_LOOK = 0.05


class ReasonsWatch:
    """`measuring` tells it at each sample whether a blast is on. What failed is not tried again in it."""

    def __init__(
        self, make: Callable[[], Awaitable[ReasonCounter]], add: Callable[[ReasonCounter], None]
    ) -> None:
        """`make` returns a new counter of the DUT, and `add` runs it."""
        self._make, self._add = make, add
        self._counter: ReasonCounter | None = None
        self._starting: asyncio.Task[None] | None = None
        self._stopping: set[asyncio.Task[None]] = set()
        self._held = False

    async def before_blast(self, sampled: Callable[[float], bool], seconds: float = PATIENCE) -> None:
        """Begin, and wait at most so long until the kernel counts. `release` follows in any case.

        `sampled`: whether all hosts were sampled after a time of the recording. A blast is known to begin
        somewhere between two samples, so the first of them must come after the counting began.
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
        """From now on `measuring` decides."""
        self._held = False

    def measuring(self, on: bool) -> None:
        """Whether a blast is on, or may begin at any moment."""
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
        self._starting.exception()  # told by who asked for the host
        self._starting = None
        if (counter := self._counter) is not None:
            self._counter = None
            task = asyncio.create_task(counter.stop())
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)

    async def aclose(self) -> None:
        """End it; what still runs is ended with its producer."""
        tasks = [*self._stopping, *([self._starting] if self._starting else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
