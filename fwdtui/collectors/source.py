"""A lab as one stream of samples."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from fwdtui.collectors.base import Producer
from fwdtui.collectors.clock import Axis
from fwdtui.collectors.sampler import HostSampler
from fwdtui.collectors.watch import watches
from fwdtui.core.lab import Lab
from fwdtui.core.model import TICK, EventSample, Sample
from fwdtui.transport.base import Host

_CLOSE = 7.0
_TICK = 1.0  # seconds, or an interval if that is longer, without any sample before a tick is emitted


class Pool(Protocol):
    """Opens hosts (transport.ssh.SshPool). Its owner closes it: closing a source does not."""

    async def open(self, name: str, destination: str) -> Host: ...


class LabSource:
    """`base.Source`: the samplers of all hosts of a lab, merged in the order of arrival.

    `producers` are additional ones, such as the output of generators. Sampling begins with `start`, or when
    the first sample is asked for; `axis` is the axis of all times. A producer that fails unexpectedly ends
    the iteration with its exception; a host in trouble only emits events. While nothing arrives from any
    host, events of code "tick" mark the passing of time: the consumer needs no clock, and a replay sees the
    same silence.
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
        self._sampling: dict[str, asyncio.Task[None]] = {}
        self._ticking: asyncio.Task[None] | None = None
        self._came = time.monotonic()
        self._running = 0
        self._started = self._closed = False

    async def start(self) -> None:
        """Open the hosts and begin to sample. Raises BadSshConfig for a destination that cannot be used."""
        if self._started:
            return
        self._started = True
        producers = list(self._producers)  # `add` launches those that are added while hosts are being opened
        for watch in watches(self.lab):
            host = await self._pool.open(watch.host, watch.host)
            self.samplers[watch.host] = HostSampler(host, watch, self.lab.interval, slow=self._slow)
        for name, sampler in self.samplers.items():
            self._sampling[name] = self._launch(sampler)
        for producer in producers:
            self._launch(producer)
        self._ticking = asyncio.create_task(self._tick())

    def revive(self) -> list[str]:
        """Resumes the sampling of hosts whose samplers have failed for good; returns the hosts' names.

        It is called when the user asks for it.
        """
        if self._closed or not self._running:
            return []
        ended = [name for name, task in self._sampling.items() if task.done()]
        for name in ended:
            self.samplers[name].restarts = 0
            self._sampling[name] = self._launch(self.samplers[name])
        return ended

    def add(self, producer: Producer) -> None:
        """Adds another producer, also while the source runs."""
        self._producers.append(producer)
        if self._started and not self._closed:
            self._launch(producer)

    def _launch(self, producer: Producer) -> "asyncio.Task[None]":
        self._running += 1
        task = asyncio.create_task(producer.run(self._put, self.axis))
        task.add_done_callback(self._ended)
        self._tasks.append(task)
        return task

    def _put(self, sample: Sample) -> None:
        self._came = time.monotonic()
        self._queue.put_nowait(sample)

    async def _tick(self) -> None:
        every = max(_TICK, self.lab.interval)
        while True:
            await asyncio.sleep(max(self._came + every - time.monotonic(), 0.05))
            if self.axis.origin is not None and time.monotonic() - self._came >= every:
                self._put(EventSample(self.axis.now(), TICK, "nothing came from any host"))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running -= 1
        failed = not task.cancelled() and task.exception() is not None
        if (failed or self._running == 0) and self._ticking is not None:
            self._ticking.cancel()
        if failed or self._running == 0:
            self._queue.put_nowait(None)

    def ready(self) -> list[Sample]:
        """Takes all samples that have already arrived, without waiting."""
        samples: list[Sample] = []
        while not self._queue.empty():
            sample = self._queue.get_nowait()
            if sample is None:
                self._queue.put_nowait(None)
                break
            samples.append(sample)
        return samples

    def __aiter__(self) -> AsyncIterator[Sample]:
        return self

    async def __anext__(self) -> Sample:
        await self.start()
        sample = await self._queue.get()
        if sample is not None:
            return sample
        self._queue.put_nowait(None)  # so that the next call ends as well
        for task in self._tasks:
            if task.done() and not task.cancelled() and (problem := task.exception()) is not None:
                raise problem
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """See base.Source; nothing is left behind on the hosts."""
        self._closed = self._started = True
        if self._ticking is not None:
            self._ticking.cancel()
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
