"""A tool that runs on a host at the user's request. Nothing here starts one unasked, or restarts it.

The tool runs under the shell that the transport watches: it ends with the connection, and when fwdtui dies.
What the start command leaves in the background in a session of its own (``daemon``, ``setsid``), and what
others started, is not ours: it is neither read nor stopped.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable

from fwdtui.collectors.clock import Axis
from fwdtui.collectors.tools import plugged
from fwdtui.collectors.tools.base import GENERATOR, Origin, Reader, Tool, ToolSample, ToolVerdict
from fwdtui.collectors.tools.ending import Ended, judge, unreached
from fwdtui.collectors.tools.rawlog import RawLog
from fwdtui.collectors.tools.registry import tool_of
from fwdtui.collectors.tools.shell import another_user, printed_through
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint
from fwdtui.core.model import EventSample, RateSample
from fwdtui.core.text import clean, decode
from fwdtui.core.units import counted
from fwdtui.transport.base import Host, Process
from fwdtui.transport.errors import HostError

GRACE = 5.0  # seconds; pkt-gen's threads check for a signal every second or two
_STOP_COMMAND = 15.0  # seconds that lab.toml's stop command may take
_QUEUE = 10_000  # samples that wait for the consumer
_WORDS = 8  # lines kept to explain an end
_SHOWN = 200


class RunningTool:
    """One generator or receiver from start to end. Iterate once for its samples and events.

    `log` is its unmodified output, stdout and stderr in order of arrival.
    """

    def __init__(
        self,
        host: Host,
        endpoint: Endpoint,
        tool: Tool,
        role: str,
        process: Process,
        now: Callable[[], float],
        reader: Reader | None = None,
        system: str = "",
    ) -> None:
        """For internal use: call `start` instead."""
        self.endpoint = endpoint
        self.tool = tool
        self.origin = Origin(role, endpoint.host, endpoint.interface)
        self.system = system
        """The host's; "": it is not known."""
        self.log = RawLog()
        self.ended: Ended | None = None
        self.ended_at: float | None = None
        """When the tool ended, in seconds on the recording's axis; None while it runs."""
        self.listening = False
        """Whether the tool has said that it is ready (`Tool.listens`)."""
        self._host = host
        self._process = process
        self._now = now
        self._began = time.monotonic()
        self._reader = reader or tool.reader(self.origin)
        self._reads = True
        self._silence = Silence()
        self._samples: deque[ToolSample] = deque(maxlen=_QUEUE)
        self._lost_samples = 0
        self._words: deque[str] = deque(maxlen=_WORDS)
        self._notes: list[str] = []
        self._asked = False
        self._forced = False
        self._signalled = False
        self._stopping = asyncio.Lock()
        self._wake = asyncio.Event()
        shown = clean(" ".join((endpoint.start or "").split()))[:_SHOWN]
        self._tell("tool-started", f"{tool.on(endpoint.host)}: {shown}", self.origin)
        if not endpoint.stop and (other := another_user(endpoint.start or "")):
            self._tell(
                "note",
                f"{tool.on(endpoint.host)} runs through {other}: unless the login is root, neither a signal"
                f" nor the end of the connection ends it; give it a stop command such as '{other} pkill ...'",
            )
        self._pump = asyncio.get_running_loop().create_task(self._read())

    @classmethod
    async def start(
        cls,
        host: Host,
        endpoint: Endpoint,
        role: str,
        now: Callable[[], float],
        *,
        tool: Tool | None = None,
        path: str = "lab.toml",
        mark: str = "",
        system: str = "",
    ) -> "RunningTool":
        """Start `endpoint.start` on `host`. `now` is the recording's time in seconds (clock.Axis.now).

        `mark` (transport.remote_shell.new_mark): a word in the arguments of the tool's shell, by which it can
        be found and ended over another connection. `system`: the host's (`System.name`), if it is known.

        Returns as soon as the command runs; `ended` later shows whether it failed. Raises FwdtuiError if
        lab.toml has no start command or names an unknown tool, or if the tool's own code fails before the
        start, or a HostError.
        """
        tool = tool or tool_of(endpoint, role, path)
        if not endpoint.start:
            raise FwdtuiError(
                f"{path}: {role}.start: missing (host {endpoint.host}): state the command; fwdtui has"
                " no default"
            )
        # before the start: nobody would stop what runs if the reader cannot be made
        reader, script = plugged.prepared(tool, endpoint, Origin(role, endpoint.host, endpoint.interface))
        process = await host.start(f": {mark}\n{script}" if mark else script, merge_stderr=True)
        return cls(host, endpoint, tool, role, process, now, reader, system)

    async def __aiter__(self) -> AsyncIterator[ToolSample]:
        while True:
            while self._samples:
                yield self._samples.popleft()
            if self._pump.done():
                return
            self._wake.clear()
            await self._wake.wait()

    async def run(self, emit: Callable[[ToolSample], None], axis: Axis) -> None:
        """As `collectors.base.Producer`, instead of iterating. If it is cancelled, it ends the tool."""
        try:
            async for sample in self:
                emit(sample)
        finally:
            await self.aclose()

    async def wait(self) -> Ended:
        """Waits until the tool has ended, for whatever reason."""
        await asyncio.shield(self._pump)
        assert self.ended is not None
        return self.ended

    def expect_end(self) -> None:
        """Announce that the tool is about to be stopped, by us or by a stop command of another tool there."""
        if not self._over:
            self._asked = True

    async def stop(self, grace: float = GRACE) -> Ended:
        """End the tool with lab.toml's stop command, else with a signal.

        Its output is read for `grace` more seconds. If it has ended by then, but its last output is still on
        its way over a slow link, that is waited for, ten seconds at most.

        If the tool has already ended, its stop command is not run: that might end other programs.
        """
        async with self._stopping:
            if not self._over:
                self._asked = True
                if self.endpoint.stop:
                    await self._stop_command(self.endpoint.stop, grace)
                if not self._over:
                    self._force()
                    self._signalled = True
                    await self._process.stop(self.tool.signal, grace)
        return await self.wait()

    async def aclose(self) -> Ended:
        """End the tool now, without its stop command. Takes at most a few seconds and may be called again.

        A program that only the stop command reaches may go on: see `doubt`, and `monitor.run.closing`.
        """
        if not self._over:
            self._asked = True
            self._force()
            await self._process.close()
        return await self.wait()

    def _force(self) -> None:
        """Note that we end the tool's shell, unless it is ending already."""
        self._forced = self._forced or not self._process.ending

    @property
    def doubt(self) -> str:
        """A sentence that says that the tool may still run although we are done with it; "" if it cannot."""
        endpoint = self.endpoint
        unknown = unreached(endpoint.host, endpoint.start or "", endpoint.stop)
        doubt = self.ended.doubt if self.ended is not None else clean(unknown)
        return f"{self.tool.on(endpoint.host)} may still run: {doubt}" if doubt else ""

    @property
    def _over(self) -> bool:
        return self._pump.done() or self._process.exit is not None

    async def _stop_command(self, command: str, grace: float) -> None:
        try:
            done = await self._host.run(command, timeout=_STOP_COMMAND)
        except HostError as error:
            self._note(f"the stop command did not run: {error.text}")
            return
        if done.status != 0:
            said = clean(decode(done.stderr.strip() or done.stdout.strip()).replace("\n", " "))[:_SHOWN]
            self._note(f"the stop command ended with status {done.status}" + (said and f": {said}"))
        try:
            async with asyncio.timeout(grace):
                await asyncio.shield(self._pump)
        except TimeoutError:
            if self._process.ending:  # only its last lines are still on their way
                return
            self._note(f"it kept running after the stop command: it is sent SIG{self.tool.signal}")

    def _note(self, text: str) -> None:
        self._notes.append(text)
        self._tell("note", f"{self.tool.on(self.endpoint.host)}: {text}")

    async def _read(self) -> None:
        while (line := await self._process.readline()) is not None:
            self._take(line)
        end = await self._process.wait()
        try:
            verdict = plugged.verdict(self._reader)
        except Exception as error:
            verdict = ToolVerdict(skipped=(self._broken(error),))
        self._close_notes(verdict)
        self.ended = judge(
            self.tool,
            self.origin,
            self.endpoint.start or "",
            end,
            verdict,
            asked=self._asked,
            seconds=time.monotonic() - self._began,
            words=tuple(self._words),
            notes=self._notes,
            stop=self.endpoint.stop,
            forced=self._forced,
            signalled=self._signalled,
            system=self.system,
        )
        self.ended_at = self._now()
        self._tell(self.ended.code, self.ended.text, self.origin)

    def _take(self, raw: bytes) -> None:
        """Handles one line: it is logged unmodified, then read."""
        self.log.add(raw)
        line = clean(decode(raw))
        self.listening = self.listening or self.tool.listens in line
        at = self._now()
        samples: list[ToolSample] = []
        if self._reads:
            try:
                samples = plugged.samples(self._reader, line, at)
            except Exception as error:  # a plug-in's: the tool itself goes on, and so does its log
                self._reads = False
                self._tell("note", self._broken(error))
        if line.strip() and not any(isinstance(sample, RateSample) for sample in samples):
            self._words.append(line)
        for sample in samples:
            self._add(sample)
            if isinstance(sample, RateSample) and sample.role == GENERATOR:
                silent = self._silence.saw(sample)
                if silent:
                    self._tell("note", f"{self.tool.on(self.endpoint.host)}: {silent}")

    def _close_notes(self, verdict: ToolVerdict) -> None:
        """Note which parts of the tool's output are missing: nothing else says so."""
        if self._process.oversize:
            many = self._process.oversize
            were = "was" if many == 1 else "were"
            self._note(f"{counted(many, 'line')} longer than 64 KiB {were} not saved")
        if self._process.truncated:
            self._note("it was still printing when fwdtui stopped reading; later lines were not saved")
        if self.log.omitted:
            self._note(f"{self.log.omitted} bytes from the middle of its output were not saved")
        if self._lost_samples:
            were = "was" if self._lost_samples == 1 else "were"
            self._note(f"{counted(self._lost_samples, 'sample')} {were} not fetched in time")
        if verdict.skipped and not self.tool.counted:
            first, *more = verdict.skipped
            and_more = f", and {len(more)} more" if more else ""
            self._tell(
                "note",
                f"{self.tool.on(self.endpoint.host)}: its packet counts may be too low, because fwdtui"
                f" could not read part of its output: {first}{and_more}",
            )
        behind = printed_through(self.endpoint.start or "", self.tool.program)
        if behind and self._asked and not self.tool.counted and verdict.packets is None:
            self._note(
                "its last line (up to a second of packets) may be missing: the signal that stops it also ends"
                f" {behind}, which passes on its output; write tee -i, or leave {behind} out"
            )

    def _broken(self, error: Exception) -> str:
        return (
            f"the output of {self.tool.name} is no longer read: {type(error).__name__}: {clean(str(error))}"
        )

    def _tell(self, code: str, text: str, of: Origin | None = None) -> None:
        role, interface = (of.role, of.interface) if of else ("", "")
        self._add(EventSample(self._now(), code, text, self.endpoint.host, role=role, interface=interface))

    def _add(self, sample: ToolSample) -> None:
        self._lost_samples += len(self._samples) == _QUEUE
        self._samples.append(sample)
        self._wake.set()


_SECONDS = 5.0


class Silence:
    """Watches the samples of one generator; reports once when nothing was sent for five seconds."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._said = False

    def saw(self, sample: RateSample) -> str | None:
        """A message once the silence is long enough, else None."""
        if sample.pps > 0:
            self._seconds = 0.0
            self._said = False
            return None
        self._seconds += sample.interval
        if self._seconds < _SECONDS or self._said:
            return None
        self._said = True
        return f"0 pps for {self._seconds:.0f} s"
