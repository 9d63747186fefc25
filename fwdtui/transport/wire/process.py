"""A script on a host: one ssh channel, from its start to the end of everything it started.

It uses asyncssh's callbacks, not its streams. The streams share one window between stdout and stderr (an
unread stderr stops stdout: measured), have no line limit, and a cancelled call leaves its channel open.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import asyncssh

from fwdtui.transport import remote_shell
from fwdtui.transport.base import Exit
from fwdtui.transport.errors import HostError, Unreachable
from fwdtui.transport.lines import LineSplitter
from fwdtui.transport.wire.explain import lost_text, shell_failed, shell_stuck
from fwdtui.transport.wire.sinks import Preamble, StderrTail

_HIGH_WATER = 8192  # lines that wait for a reader before the channel is paused
_LOW_WATER = 1024
_TURN = 256  # lines returned before other tasks get a turn
_LINGER = 1.5  # seconds that output may follow the exit status: the host sends KILL after one second
_LATEST = 10.0  # seconds that lines may follow it while more keep arriving, as over a slow link
_CLOSE = 2.0  # seconds for the host to confirm the end
_SILENT = 1.0  # seconds without an answer after which the login shell is named as the cause
_KNOCK = 3.0  # seconds after which the login shell is asked again whether it runs commands


class SshProcess(asyncssh.SSHClientSession[bytes]):
    """`base.Process` over a channel. `capture`: for one-shot use, collect up to that many bytes of stdout."""

    def __init__(
        self,
        host: str,
        launch: bytes,
        mark: str,
        *,
        capture: int | None = None,
        heed: Callable[[bytes], bool] | None = None,
        heard: Callable[[], None] = lambda: None,
        closed: Callable[["SshProcess"], None] = lambda process: None,
        force: Callable[["SshProcess"], Awaitable[None]] | None = None,
    ) -> None:
        """`heed` takes lines of stderr; `force` ends the processes if the end of stdin does not."""
        self.mark = mark
        self._force = force
        self._host = host
        self._launch = launch
        self._heard = heard
        self._on_closed = closed
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None
        self._abandoned = False
        self._door = Preamble(remote_shell.answer(mark))
        self._knock = remote_shell.knock(mark)
        self._preamble = Preamble(mark)
        self._stderr = StderrTail(mark, heed)
        self._splitter = LineSplitter()
        self._lines: deque[bytes] = deque()
        self._paused = False
        self._draining = True
        self._handed_out = 0
        self._capture = capture
        self.captured = bytearray()
        self.truncated = False
        self._printed_at = 0.0  # when output last arrived, by the loop's clock
        self._asked_at = 0.0  # when the login shell was first asked, by the loop's clock
        self._status: int | None = None
        self._signal: str | None = None
        self._exit: Exit | None = None
        self._closing = False
        self._wake = asyncio.Event()
        self._ended = asyncio.Event()
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # marks the exception as retrieved: an abandoned start is not an error
        self.begun.add_done_callback(lambda done: done.cancelled() or done.exception())

    # What the layers above use

    @property
    def host(self) -> str:
        return self._host

    @property
    def exit(self) -> Exit | None:
        return self._exit

    @property
    def ending(self) -> bool:
        return self._status is not None or self._signal is not None

    @property
    def oversize(self) -> int:
        return self._splitter.oversize

    @property
    def stderr(self) -> bytes:
        return self._stderr.value

    async def readline(self) -> bytes | None:
        while not self._lines:
            if self._exit is not None:
                return None
            self._handed_out = 0
            self._wake.clear()
            await self._wake.wait()
        self._handed_out += 1
        if self._handed_out >= _TURN:
            # a loop over a flood of lines must not starve all other tasks
            self._handed_out = 0
            await asyncio.sleep(0)
        line = self._lines.popleft()
        self._resume()
        return line

    def read_ready(self) -> list[bytes]:
        lines = list(self._lines)
        self._lines.clear()
        self._resume()
        return lines

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (line := await self.readline()) is not None:
            yield line

    def send(self, line: bytes) -> bool:
        return self._write(remote_shell.program_line(line))

    async def wait(self) -> Exit:
        await self._ended.wait()
        assert self._exit is not None
        return self._exit

    async def stop(self, signal: str = "INT", grace: float = 2.0) -> Exit:
        if not self.ending and self._write(remote_shell.signal_line(signal)):
            await self.wait_ended(grace)
        if self.ending:  # its last lines may still be on their way
            await self.wait_ended(_LATEST)
        return await self.close()

    async def close(self) -> Exit:
        if self._exit is None and self._channel is not None:
            self._closing = True
            self._unpause()
            # the end of stdin ends the program, and the exit status confirms that, unless the peer is stalled
            with contextlib.suppress(TimeoutError, OSError):
                async with asyncio.timeout(_CLOSE):
                    self._channel.write_eof()
                    await self._ended.wait()
            force, self._force = self._force, None
            if self._exit is None and force is not None:
                await force(self)  # its shells may be stopped, and then do not notice the end of stdin
        self.abandon()
        self._finish("closed")
        assert self._exit is not None
        return self._exit

    # What the connection uses

    @property
    def paused(self) -> bool:
        """Whether our own reader is behind. Silence then says nothing about the link."""
        return self._paused

    @property
    def unended(self) -> bool:
        """Whether the script has begun and the host has not reported how it ended."""
        began = self.begun.done() and not self.begun.cancelled() and self.begun.exception() is None
        return began and not self.ending

    async def wait_ended(self, seconds: float) -> None:
        """Waits until the script has ended, but at most `seconds`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()

    @property
    def connected(self) -> bool:
        """Whether the server has a channel for this process."""
        return self._channel is not None

    def stuck(self) -> HostError | None:
        """Why the script has not begun; None if it has, or if the login shell was only just asked."""
        if self.begun.done() or self._channel is None or not self._asked_at:
            return None
        if asyncio.get_running_loop().time() - self._asked_at < _SILENT:
            return None
        return shell_stuck(self._host, self._door, self._stderr.value)

    def beat(self) -> None:
        """Send a heartbeat to the host."""
        if self.begun.done():
            self._write(remote_shell.HEARTBEAT)

    def abandon(self) -> None:
        """Close the channel now, or as soon as it opens."""
        if self.ending and self._exit is None:
            self._give_up_the_rest()
        self._abandoned = self._closing = True
        if self._channel is not None:
            self._channel.abort()

    # asyncssh's callbacks: an exception here would close the whole connection

    def connection_made(self, chan: asyncssh.SSHClientChannel[Any]) -> None:
        self._channel = chan
        if self._abandoned:
            chan.abort()

    def session_started(self) -> None:
        self._asked_at = asyncio.get_running_loop().time()
        self._ask()

    def _ask(self) -> None:
        """Asks, again and again, whether a shell reads what we send. The script follows its answer."""
        if not self._door.found and not self._abandoned and self._write(self._knock):
            asyncio.get_running_loop().call_later(_KNOCK, self._ask)

    def data_received(self, data: bytes, datatype: int | None) -> None:
        self._heard()
        if datatype is not None:
            self._stderr.feed(data)
            return
        if not self._door.found:
            data = self._door.feed(data)
            if not self._door.found:
                return
            if not self._abandoned:
                self._write(self._launch)
        if not self._preamble.found:
            rest = self._preamble.feed(data)
            if not self._preamble.found:
                return
            if not self.begun.done():
                self.begun.set_result(None)
            data = rest
        self._printed_at = asyncio.get_running_loop().time()
        if self._capture is not None:
            room = self._capture - len(self.captured)
            self.truncated = self.truncated or len(data) > room
            self.captured += data[:room]
            return
        lines = self._splitter.feed(data)
        full = len(self._lines) > _HIGH_WATER
        if full and self._closing:
            return  # no one reads any more, and pausing would delay the end
        self._deliver(lines)
        if full and not self._paused and self._channel is not None:
            self._paused = True
            self._channel.pause_reading()

    def eof_received(self) -> bool:
        return False  # the program's stdout is closed: close its stdin as well

    def pause_writing(self) -> None:
        self._draining = False

    def resume_writing(self) -> None:
        self._draining = True

    def exit_status_received(self, status: int) -> None:
        self._status = status
        self._linger()

    def exit_signal_received(self, signal: str, core_dumped: bool, msg: str, lang: str) -> None:
        self._signal = signal
        self._linger()

    def connection_lost(self, exc: Exception | None) -> None:
        # if the program has not ended, or was given up, the last line may be half a line, which could look
        # like a smaller number
        if self.ending and not self.truncated:
            self._deliver(self._splitter.finish())
        self._finish(lost_text(exc))
        self._channel = None
        self._on_closed(self)

    def _linger(self) -> None:
        # a daemon that inherited our stdout would keep the channel open forever
        loop = asyncio.get_running_loop()
        latest = loop.time() + (_LATEST if self._capture is None else 0.0)

        def give_up() -> None:
            silent = loop.time() - self._printed_at
            if self._paused:
                loop.call_later(_LINGER, give_up)
            elif self._exit is None and self._channel is not None:
                # more is on its way over a slow link, unless it is a daemon that prints
                if silent < _LINGER and loop.time() < latest and not self._closing:
                    loop.call_later(min(_LINGER - silent, latest - loop.time()), give_up)
                    return
                self._give_up_the_rest()
                if not self.truncated:  # else the last line may be half a line
                    self._deliver(self._splitter.finish())
                self._channel.abort()
                self._finish("")

        loop.call_later(_LINGER, give_up)

    def _give_up_the_rest(self) -> None:
        """Gives up the rest of the output of a program that has ended; notes whether there may be any."""
        silent = asyncio.get_running_loop().time() - self._printed_at
        self.truncated = self.truncated or silent < _LINGER / 2

    def _finish(self, reason: str) -> None:
        if self._exit is not None:
            return
        known = self.ending
        lost = not known and not self._closing
        self._exit = Exit(self._status, self._signal, lost=lost, reason="" if known else reason)
        if not self.begun.done():
            noise = self._door.noise or self._preamble.noise or self._stderr.value
            self.begun.set_exception(
                shell_failed(self._host, noise, self._status) if known else Unreachable(self._host, reason)
            )
        self._ended.set()
        self._wake.set()

    def _deliver(self, lines: list[bytes]) -> None:
        if lines and self._preamble.found:
            self._lines.extend(lines)
            self._wake.set()

    def _resume(self) -> None:
        if len(self._lines) <= _LOW_WATER:
            self._unpause()

    def _unpause(self) -> None:
        if self._paused:
            self._paused = False
            if self._channel is not None:
                self._channel.resume_reading()

    def _write(self, data: bytes) -> bool:
        if self._exit is not None or self._channel is None or not self._draining:
            return False
        try:
            self._channel.write(data)
        except OSError:  # the channel was closed for sending at this very moment
            return False
        return True
