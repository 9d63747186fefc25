"""A lab as one stream of samples."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from fwdtui.collectors.base import Producer
from fwdtui.collectors.clock import Axis
from fwdtui.collectors.sampler import HostSampler
from fwdtui.collectors.watch import watches
from fwdtui.core.lab import Lab
from fwdtui.core.model import Sample
from fwdtui.transport.base import Host

_CLOSE = 5.0


class Pool(Protocol):
    """What opens hosts (transport.ssh.SshPool). It stays its owner's: closing a source does not close it."""

    async def open(self, name: str, destination: str) -> Host: ...


class LabSource:
    """`base.Source`: the samplers of all hosts of a lab, merged in the order of arrival.

    `producers` are further ones, such as the output of generators. Sampling begins with `start` or the first
    sample asked for; the axis of all times is `axis`. A producer that fails unexpectedly ends the iteration
    with its exception; a host in trouble only tells so by events.
    """

    def __init__(
        self,
        lab: Lab,
        pool: Pool,
        *,
        producers: Sequence[Producer] = (),
        slow: float = 1.0,
        axis: Axis | None = None,
    ) -> None:
        self.lab = lab
        self.axis = axis or Axis()
        self.samplers: dict[str, HostSampler] = {}
        self._pool = pool
        self._producers = list(producers)
        self._slow = slow
        self._queue: asyncio.Queue[Sample | None] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._running = 0
        self._started = self._closed = False

    async def start(self) -> None:
        """Open the hosts and begin. Raises BadSshConfig for a destination that cannot be used."""
        if self._started:
            return
        self._started = True
        for watch in watches(self.lab):
            host = await self._pool.open(watch.host, watch.host)
            self.samplers[watch.host] = HostSampler(host, watch, self.lab.interval, slow=self._slow)
        for producer in (*self.samplers.values(), *self._producers):
            self._launch(producer)

    def add(self, producer: Producer) -> None:
        """Another producer, while it runs."""
        self._producers.append(producer)
        if self._started and not self._closed:
            self._launch(producer)

    def _launch(self, producer: Producer) -> None:
        self._running += 1
        task = asyncio.create_task(producer.run(self._queue.put_nowait, self.axis))
        task.add_done_callback(self._ended)
        self._tasks.append(task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running -= 1
        failed = not task.cancelled() and task.exception() is not None
        if failed or self._running == 0:
            self._queue.put_nowait(None)

    def ready(self) -> list[Sample]:
        """All samples that are here already, without waiting."""
        found: list[Sample] = []
        while not self._queue.empty():
            sample = self._queue.get_nowait()
            if sample is None:
                self._queue.put_nowait(None)
                break
            found.append(sample)
        return found

    def __aiter__(self) -> AsyncIterator[Sample]:
        return self

    async def __anext__(self) -> Sample:
        await self.start()
        sample = await self._queue.get()
        if sample is not None:
            return sample
        self._queue.put_nowait(None)  # for whoever asks again
        for task in self._tasks:
            if task.done() and not task.cancelled() and (problem := task.exception()) is not None:
                raise problem
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """See base.Source; nothing of it is left on the hosts."""
        self._closed = self._started = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE)
        self._queue.put_nowait(None)

    async def __aenter__(self) -> "LabSource":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
