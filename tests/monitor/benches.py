"""A lab for tests of what measures one: the real bench, monitor and recorder, fed by `Machines`.

Only the clock is another one: when nothing is to be done, it jumps to the next thing that is. An hour of
waiting takes a moment, and every bound on it can be tested to the quarter of a second.
"""

import asyncio
import selectors
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar

import pytest
from machines import LAB, Machines

from fwdtui.collectors.tools.base import GENERATOR, Origin
from fwdtui.collectors.tools.rawlog import RawLog
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.lab import Endpoint, parse
from fwdtui.core.model import EventSample, HostSample, Sample
from fwdtui.monitor.run.bench import Bench
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool

RATE = 10_000.0
PLAN = f'{LAB}duration = "10s"\nsettle = "3s"\niterations = 2\n'
T = TypeVar("T")


class Clock(selectors.DefaultSelector):
    """Waiting for nothing takes no time, but moves the clock on."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.now = 1000.0
        patch.setattr(time, "monotonic", lambda: self.now)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if not found and timeout:
            self.now += timeout
        return found


def quickly(coroutine: Callable[[], Awaitable[T]]) -> T:
    """Run it by a clock that jumps."""

    async def main() -> T:
        return await coroutine()

    with pytest.MonkeyPatch.context() as patch:
        clock = Clock(patch)
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(clock)) as runner:
            return runner.run(main())


class Lab:
    """The source of the samples. `rate` is what its generator sends; hosts in `silent` give no samples.

    `error` ends it, as a producer that fails.
    """

    def __init__(self) -> None:
        self.rate = 0.0
        self.silent: set[str] = set()
        self.samplers: dict[str, object] = {}
        self.revived = 0
        self.said: list[EventSample] = []
        self.over = asyncio.Event()
        self.error: Exception | None = None
        self.began = time.monotonic()
        self._machines = Machines(lambda second: self.rate)

    async def __aiter__(self) -> AsyncIterator[Sample]:
        for sample in self._machines.run(100_000):
            assert isinstance(sample, HostSample)
            await asyncio.sleep(max(sample.at - self.now, 0.0))
            while self.said:
                yield self.said.pop(0)
            if self.error is not None:
                raise self.error
            if self.over.is_set():
                return
            if sample.host not in self.silent:
                yield sample
            elif len(self.silent) == 3:
                yield EventSample(sample.at, "tick", "nothing came from any host")

    @property
    def now(self) -> float:
        """Seconds since its first sample."""
        return time.monotonic() - self.began

    def say(self, code: str, text: str, host: str) -> None:
        """What the samplers report beside the samples."""
        self.said.append(EventSample(self.now, code, text, host))

    def revive(self) -> None:
        self.revived += 1

    async def aclose(self) -> None:
        self.over.set()


def ended(text: str, seconds: float = 0.0, failed: bool = False, asked: bool = False) -> object:
    """How a tool ended."""
    return SimpleNamespace(text=text, failed=failed, asked=asked, seconds=seconds)


class Switch:
    """A generator: `ended` says that it is no longer there."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.ended: object | None = None
        self.ended_at: float | None = None
        self.origin = Origin(GENERATOR, "gen", "g0")
        self.endpoint = Endpoint("gen", "g0")
        self.tool = SimpleNamespace(frames=False)
        self.doubt = self.system = ""
        self.log = RawLog()

    def expect_end(self) -> None:
        pass

    async def stop(self) -> None:
        self._lab.rate = 0.0
        if self.ended is None:
            self.ended, self.ended_at = ended("stopped", asked=True), self._lab.now

    async def aclose(self) -> None:
        await self.stop()


class SampledBench(Bench):
    """A bench that reaches no hosts. `starts` and `stops`: when its generator was started and stopped."""

    def __init__(self, text: str = PLAN) -> None:
        super().__init__(parse(text), SshPool(SshSettings()), Path("lab.toml"), {})
        self.source = Lab()
        self._source = self.tools._source = self.source  # type: ignore[assignment]
        self.unattended = self._keeps_turn = True
        self.savable = True
        self.starts: list[float] = []
        self.stops: list[float] = []
        self.settings: list[HostSettings] = []
        self.settings_take = 0.0  # seconds
        self.settings_read: list[float] = []  # when they were asked for
        self.started: Callable[[Switch], None] = lambda switch: None
        self.stopped: Callable[[], None] = lambda: None

    async def _read_settings(self) -> list[HostSettings]:
        self.settings_read.append(self.source.now)
        await asyncio.sleep(self.settings_take)
        return self.settings

    async def start_tools(self) -> list:  # type: ignore[type-arg,override]
        await self._settings.before_blast()
        self.source.rate = RATE
        switch = Switch(self.source)
        self.tools.running = [switch]  # type: ignore[list-item]
        self.starts.append(self.source.now)
        self.started(switch)
        return self.tools.running

    async def stop_tools(self) -> None:
        self.stops.append(self.source.now)
        await super().stop_tools()
        self.stopped()

    def can_save(self) -> bool:
        return self.savable and super().can_save()
