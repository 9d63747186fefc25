"""The tools of lab.toml, which send and receive: starts and stops them on request, and keeps their output."""

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
_SILENT = 2.0  # seconds after which a receiver that has no words for it, and prints nothing, counts as ready
_LOOK = 0.05
_STARTS = 5.0  # seconds for which leaving waits for a tool that is being started


class LabTools:
    """The tools of a lab. Those of the current blast are in `running`, even if they have ended."""

    def __init__(self, pool: SshPool, path: Path, source: LabSource) -> None:
        """`path` is that of lab.toml, for messages. What the tools print becomes samples of `source`."""
        self.running: list[RunningTool] = []
        self.leaving = False
        """Whether the lab is being left: nothing more is started, even if a start is already waiting."""
        self._pool = pool
        self._path = path
        self._source = source
        self._left: list[str] = []  # sentences on tools of earlier blasts that may still run; tools hold logs
        self._logged: set[RunningTool] = set()  # tools whose whole output has been saved with an iteration
        self._starting = asyncio.Lock()

    @property
    def run(self) -> bool:
        """Whether any of the tools still runs."""
        return any(tool.ended is None for tool in self.running)

    async def start(self, lab: Lab, mark: str, listen: float) -> list[RunningTool]:
        """Start the tools, the receiver first. Raises FwdtuiError.

        `mark`: see `RunningTool.start`. `listen`: seconds that the receiver may take to be ready, for which
        the generators wait; 0: they do not wait. If it takes longer, FwdtuiError is raised, and the receiver
        is still running.
        """
        self.refuse_if_leaving()  # before the list of what may still run is replaced
        self._left, self.running, self._logged = list(dict.fromkeys(self.left)), [], set()
        # one program may send on the ports of several generators; if none has a command, starting the first
        # raises the error that says what is missing
        started = [one for one in lab.generators if one.start] or lab.generators
        ends: list[tuple[str, Endpoint]] = [(GENERATOR, generator) for generator in started]
        if lab.receiver and lab.receiver.start:
            ends.insert(0, (RECEIVER, lab.receiver))
        if not ends:
            raise FwdtuiError(f"{self._path}: generator.start: missing, so there is nothing to start")
        for role, endpoint in ends:
            host = await self._pool.open(endpoint.host, endpoint.host)
            sampler = self._source.samplers.get(endpoint.host)
            async with self._starting:
                self.refuse_if_leaving()
                tool = await RunningTool.start(
                    host, endpoint, role, self._source.axis.now, path=str(self._path), mark=mark,
                    system=sampler.system if sampler else "",
                )  # fmt: skip
                self.running.append(tool)
            self._source.add(tool)
            if listen and role == RECEIVER:
                await self._listening(tool, listen)
        return self.running

    def refuse_if_leaving(self) -> None:
        """Raise FwdtuiError if the lab is being left."""
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

        All tools are told beforehand to expect their end: a stop command such as ``pkill pkt-gen`` ends the
        receiver together with its generator.
        """
        for tool in self.running:
            tool.expect_end()
        for tool in reversed(self.running):
            await tool.stop()

    @property
    def left(self) -> list[str]:
        """What may still run on the hosts although it was stopped, of any blast, one sentence each."""
        now = [tool.doubt for tool in self.running if tool.doubt]
        return [*(one for one in self._left if one not in now), *now]

    def logs(self, began: float) -> Mapping[str, bytes]:
        """File name -> the output of a tool, for the iteration of a blast that began at `began`.

        `began` is in seconds of the recording. Tools that had ended before are left out: another person sent
        that blast, after the one of our generator.
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
        """Whether a tool had ended before this blast began, and its whole output is saved with another one.

        The second condition is for tools that only make something else send, and end: they belong to the
        blast that comes afterwards.
        """
        return tool in self._logged and tool.ended_at is not None and tool.ended_at < began

    async def aclose(self) -> None:
        """Start nothing more, and end what runs."""
        self.leaving = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STARTS), self._starting:
                pass  # a tool that is just being started is then among those that are ended
        await closing.end(self.running)
