"""One ssh channel: /bin/sh with its pipes, fed line by line, so that each request reads a single moment.

The client's knock and its script pass through unchanged. Once the script has answered, every line is a
request: the host's current state is written to files, then the line is passed on. The next line waits until
the answer is out, since it would otherwise change the numbers while they are being read. fwdtui's samplers
show when that is: an answer is a frame with marks at its beginning and end. For anything else that runs
there, such as a person's shell, silence is taken as the end.

A frame is printed by several programs, one line or table each. It is passed on in one piece, since server and
client would do all the work of a packet for each piece.
"""

import asyncio
import contextlib
import os
import re
import signal
import time
from collections.abc import Mapping
from typing import Any, Protocol

import asyncssh

from fwdtui.labs.simulated.snapshot import Snapshots
from fwdtui.labs.simulated.view import View
from fwdtui.transport.remote_shell import answer

_CHUNK = 65536
_KNOCKED = f"{answer('')}\n".encode()
_QUIET = (
    0.15,
    0.02,
    0.15,
)  # silence that ends an answer: share of the usual time between requests, and its bounds
_LONGEST = 0.5  # seconds that a line waits for the answer to the one before
_LONGEST_FRAME = 5.0  # the same while a frame is under way: a busy machine may be silent for long within it
_GATHERS = 0.05  # seconds that a part of a frame waits for the next part
_MARK = re.compile(rb"^@\S+ ([BE]) [0-9]+.*\n", re.MULTILINE)
_LONGEST_MARK = 200  # bytes
_BURST = 0.05  # seconds: lines closer together than this belong to one tick of the client
_GRACE = 2.5  # seconds for a shell whose channel is closed: it ends what it started within one second
_HELD_UP = 0.1


class Owner(Protocol):
    """What a channel needs to know of its host."""

    @property
    def held_up(self) -> bool: ...
    @property
    def until_step(self) -> float: ...
    def present(self) -> View: ...


class Channel:
    """One channel. `run` serves it until it ends; `aclose` ends it now."""

    def __init__(
        self,
        process: "asyncssh.SSHServerProcess[bytes]",
        snapshots: Snapshots,
        owner: Owner,
        environment: Mapping[str, str],
    ) -> None:
        self._process = process
        self._snapshots = snapshots
        self._owner = owner
        self._environment = environment
        self._written = 0.0
        self._asked = 0.0
        self._came = 0.0
        self._usual = 1.0  # seconds between requests
        self._heard = 0.0
        self._framed = False  # whether a frame has begun and not ended
        self._ended = 0.0
        self._shell: asyncio.subprocess.Process | None = None
        self._done = asyncio.Event()
        self._end = asyncio.Event()

    @property
    def age(self) -> float:
        """Seconds since the state that this channel sees."""
        return time.monotonic() - self._written

    def renew(self) -> None:
        """Updates the state that the channel sees to the current one."""
        self._snapshots.write(self._owner.present())
        self._written = time.monotonic()

    async def aclose(self) -> None:
        """End it and everything it runs."""
        self._end.set()
        await self._done.wait()

    async def run(self) -> None:
        """Start the shell, carry its bytes, and report how it ended. Leaves nothing behind."""
        tasks: list[asyncio.Task[None]] = []
        try:
            self.renew()
            command = self._process.command
            shell = self._shell = await asyncio.create_subprocess_exec(
                "/bin/sh",
                *(["-c", command] if command else ["-s"]),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=dict(self._environment),
                cwd=self._environment["HOME"],
                start_new_session=True,
            )
            assert shell.stdout is not None and shell.stderr is not None
            tasks = [
                asyncio.create_task(self._feed(shell)),
                asyncio.create_task(self._carry(shell.stdout, self._process.stdout, heard=True)),
                asyncio.create_task(self._carry(shell.stderr, self._process.stderr)),
            ]
            await self._attend(shell, tasks)
        finally:
            await self._bury(tasks)
            self._snapshots.remove()
            self._done.set()

    async def _attend(self, shell: asyncio.subprocess.Process, tasks: list[asyncio.Task[None]]) -> None:
        """Waits until the shell has ended and all its output is out, or the other side is gone."""
        finished = asyncio.gather(shell.wait(), *tasks[1:])
        closed = asyncio.ensure_future(self._process.wait_closed())
        ended = asyncio.ensure_future(self._end.wait())
        reasons: list[asyncio.Future[Any]] = [finished, closed, ended]
        try:
            await asyncio.wait(reasons, return_when=asyncio.FIRST_COMPLETED)
            if finished.done():
                self._tell(shell.returncode or 0)
            elif not self._end.is_set():
                # the end of its input tells a shell that the connection is lost
                if shell.stdin is not None:
                    shell.stdin.close()
                reasons.remove(closed)
                await asyncio.wait(reasons, timeout=_GRACE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for reason in (finished, closed, ended):
                reason.cancel()
            await asyncio.gather(finished, closed, ended, return_exceptions=True)

    def _tell(self, status: int) -> None:
        with contextlib.suppress(OSError, asyncssh.Error):
            if status < 0:
                self._process.exit_with_signal(signal.Signals(-status).name.removeprefix("SIG"))
            else:
                self._process.exit(status)

    async def _feed(self, shell: asyncio.subprocess.Process) -> None:
        """Carries the client's bytes to the shell."""
        stdin = shell.stdin
        assert stdin is not None
        rest = b""
        with contextlib.suppress(OSError, asyncssh.Error):
            while data := await self._read():
                if not self._heard:
                    stdin.write(data)
                    await stdin.drain()
                    continue
                self._note_request(time.monotonic())
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    await self._turn(line)
                    stdin.write(line + b"\n")
                    await stdin.drain()
            stdin.write(rest)
        with contextlib.suppress(OSError):
            stdin.close()

    async def _read(self) -> bytes:
        while True:
            try:
                return await self._process.stdin.read(_CHUNK)
            except (asyncssh.BreakReceived, asyncssh.SignalReceived) as event:
                name = event.signal if isinstance(event, asyncssh.SignalReceived) else "INT"
                self._signal(getattr(signal, f"SIG{name}", signal.SIGTERM))
            except asyncssh.TerminalSizeChanged:
                pass

    def _note_request(self, now: float) -> None:
        if self._came and now - self._came > _BURST:
            self._usual = now - self._came
        self._came = now

    async def _turn(self, line: bytes) -> None:
        """Prepares a request before `line` is passed on. Heartbeats and signals are not requests."""
        while self._owner.held_up:  # noqa: ASYNC110 - the model's time ends it, and that sends no event
            await asyncio.sleep(_HELD_UP)
        if not line.strip() or line.startswith(b"!"):
            return
        part, least, most = _QUIET
        quiet = min(max(part * self._usual, least), most)
        while (now := time.monotonic()) < self._asked + (_LONGEST_FRAME if self._framed else _LONGEST):
            silent = not self._framed and self._heard > self._asked and now - self._heard >= quiet
            if silent or self._ended > self._asked:
                break
            await asyncio.sleep(0.005)
        # the end of the previous step is a moment before the request: a client that compared two such
        # readings with its own clock would find that the host's clock had jumped
        await asyncio.sleep(self._owner.until_step)
        self.renew()
        self._asked = time.monotonic()

    async def _carry(
        self, source: asyncio.StreamReader, target: "asyncssh.SSHWriter[bytes]", heard: bool = False
    ) -> None:
        """Carries the shell's bytes to the client."""
        line = b""  # the last line, as far as it has arrived
        held = b""  # the part of a frame that has arrived
        while True:
            try:
                async with asyncio.timeout(_GATHERS if held else None):
                    data = await source.read(_CHUNK)
            except TimeoutError:
                held = await _pass(held, target)
                continue
            if not data:
                break
            if heard and not data.endswith(_KNOCKED):
                self._heard = time.monotonic()
                for mark in _MARK.findall(line + data):
                    self._framed = mark == b"B"
                    if not self._framed:
                        self._ended = self._heard
                line = (line + data).rpartition(b"\n")[2]
                if len(line) > _LONGEST_MARK:
                    line = b"-"
            held += data
            if not (heard and self._framed) or len(held) >= _CHUNK:
                held = await _pass(held, target)
        await _pass(held, target)

    def _signal(self, number: int) -> None:
        """Sends a signal to the shell's whole process group."""
        if self._shell is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._shell.pid, number)

    async def _bury(self, tasks: list[asyncio.Task[None]]) -> None:
        """Kills the shell's process group, so that nothing outlives its channel."""
        self._signal(signal.SIGKILL)
        if self._shell is not None:
            await self._shell.wait()
        if tasks:
            tasks[0].cancel()
            # the pipes have ended now; reading them to the end closes them
            await asyncio.wait(tasks, timeout=1.0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._shell is not None and self._shell.stdin is not None:
            # input that was still to be written gives a BrokenPipeError; asyncio would report it as "never
            # retrieved"
            self._shell.stdin.close()
            with contextlib.suppress(OSError):
                async with asyncio.timeout(1.0):
                    await self._shell.stdin.wait_closed()
        if self._shell is not None:
            # a pipe that was not read to its end stays open; asyncio has no public way to close it
            self._shell._transport.close()  # type: ignore[attr-defined]


async def _pass(data: bytes, target: "asyncssh.SSHWriter[bytes]") -> bytes:
    """Passes `data` on, if there is any; returns what is then left to pass on: nothing."""
    if data:
        with contextlib.suppress(OSError, asyncssh.Error):
            target.write(data)
            await target.drain()
    return b""
