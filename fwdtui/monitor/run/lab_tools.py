"""The tools of lab.toml, which send and receive: started on request, and what they printed."""

import asyncio
import contextlib
import time
from collections.abc import Mapping
from pathlib import Path

from fwdtui.collectors.source import LabSource
from fwdtui.collectors.tools.base import GENERATOR, RECEIVER
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint, Lab
from fwdtui.monitor.run import closing
from fwdtui.transport.ssh import SshPool

LISTEN = 15.0  # seconds that a receiver may take until it is ready, beyond its wait for the link
_SILENT = 2.0  # seconds after which one that has no words for it, and prints nothing, is taken for ready
_LOOK = 0.05
_STARTS = 5.0  # seconds for which leaving waits for a tool that is being started


class LabTools:
    """Those of the current blast are `running`, also when they have ended."""

    def __init__(self, pool: SshPool, path: Path, source: LabSource) -> None:
        """`path` is lab.toml's, for messages. What the tools print becomes samples of `source`."""
        self.running: list[RunningTool] = []
        self.leaving = False
        """Whether the lab is being left: nothing is started any more, also by what waits to do so."""
        self._pool = pool
        self._path = path
        self._source = source
        self._left: list[str] = []  # what may still run of earlier blasts: not the tools, which hold logs
        self._logged: set[RunningTool] = set()  # those whose whole output an iteration has
        self._starting = asyncio.Lock()

    @property
    def run(self) -> bool:
        """Whether one of them still runs."""
        return any(tool.ended is None for tool in self.running)

    async def start(self, lab: Lab, mark: str, listen: float) -> list[RunningTool]:
        """Start them, the receiver first. Raises FwdtuiError.

        `mark`: see `RunningTool.start`. With `listen` the generators are started once the receiver is ready;
        FwdtuiError if that takes more seconds, and then it still runs.
        """
        self.refuse_if_leaving()  # before anything is forgotten of what may still run
        self._left, self.running, self._logged = list(dict.fromkeys(self.left)), [], set()
        # one program may send on the ports of several; without any command the first one says what is missing
        started = [one for one in lab.generators if one.start] or lab.generators
        ends: list[tuple[str, Endpoint]] = [(GENERATOR, generator) for generator in started]
        if lab.receiver and lab.receiver.start:
            ends.insert(0, (RECEIVER, lab.receiver))
        if not ends:
            raise FwdtuiError(f"{self._path}: generator.start: missing, so there is nothing to start")
        for role, endpoint in ends:
            host = await self._pool.open(endpoint.host, endpoint.host)
            async with self._starting:
                self.refuse_if_leaving()
                tool = await RunningTool.start(
                    host, endpoint, role, self._source.axis.now, path=str(self._path), mark=mark
                )
                self.running.append(tool)
            self._source.add(tool)
            if listen and role == RECEIVER:
                await self._listening(tool, listen)
        return self.running

    def refuse_if_leaving(self) -> None:
        """Raises FwdtuiError when the lab is being left."""
        if self.leaving:
            raise FwdtuiError("the generator is not started: the lab is being left")

    async def _listening(self, tool: RunningTool, seconds: float) -> None:
        end = time.monotonic() + seconds
        silent = end - LISTEN + _SILENT if not tool.tool.listens else end
        while not tool.listening and tool.ended is None:
            if silent < end and time.monotonic() >= silent:
                break
            if time.monotonic() >= end:
                raise FwdtuiError(f"{tool.tool.on(tool.endpoint.host)} was not ready within {seconds:.0f} s")
            await asyncio.sleep(_LOOK)
        if tool.ended is not None:
            raise FwdtuiError(f"the receiver ended before anything was sent: {tool.ended.text}")

    async def stop(self) -> None:
        """Stop what `start` started, generators first.

        All are told before: a stop command such as ``pkill pkt-gen`` ends the receiver beside its generator.
        """
        for tool in self.running:
            tool.expect_end()
        for tool in reversed(self.running):
            await tool.stop()

    @property
    def left(self) -> list[str]:
        """What may still run on the hosts although it was to be ended, of any blast, one sentence each."""
        now = [tool.doubt for tool in self.running if tool.doubt]
        return [*(one for one in self._left if one not in now), *now]

    def logs(self, began: float) -> Mapping[str, bytes]:
        """File name -> the output of a tool, for the iteration of a blast that began then.

        A blast that begins after our generator's is somebody else's, of which no tool tells that had ended.
        `began` is in seconds of the recording.
        """
        tools = [tool for tool in self.running if not self._was_of_another(tool, began)]
        self._logged.update(tool for tool in tools if tool.ended is not None)
        logs: dict[str, bytes] = {}
        for tool in tools:
            name = tool.origin.role
            number = sum(key.startswith(name) for key in logs)
            logs[f"{name}{number + 1 if number else ''}.log"] = tool.log.data
        return logs

    def _was_of_another(self, tool: RunningTool, began: float) -> bool:
        """Whether it had ended before this blast began, and all that it has printed is saved with another.

        One that only lets something else send, and ends, is of the blast that comes then.
        """
        return tool in self._logged and tool.ended_at is not None and tool.ended_at < began

    async def aclose(self) -> None:
        """Start nothing any more, and end what runs."""
        self.leaving = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STARTS), self._starting:
                pass  # what is just being started is among those that are ended
        await closing.end(self.running)
