"""Connects the pkt-gen stand-in in a shell with the model. Each running pkt-gen has a task.

The stand-in sends its process ID through the host's control pipe (`start`, `finish`, `gone`) and prints what
comes through its own pipe. If it is killed, that pipe no longer has a reader.
"""

import asyncio
import contextlib
import os
from pathlib import Path

from fwdtui.labs.simulated.clock import Clock
from fwdtui.labs.simulated.hosts import GENERATOR
from fwdtui.labs.simulated.text import pktgen as text
from fwdtui.labs.simulated.text.pktgen import Arguments
from fwdtui.labs.simulated.world import Sender

_LOOK = 0.05  # seconds between checks
_EXTRA = 0.001  # main_thread's intervals are a millisecond or so longer than asked for
_PORTS = {"tx": "ix0", "rx": "ix1"}


class PktGens:
    """All pkt-gens of one host; `folder` is where the stand-ins put their files."""

    def __init__(self, host: str, folder: Path, clock: Clock) -> None:
        self._host = host
        self._folder = folder
        self._clock = clock
        self._runs: dict[int, asyncio.Task[None]] = {}
        self._finish: dict[int, asyncio.Event] = {}
        self._partial = b""
        folder.mkdir(mode=0o700)
        control = folder / "control"
        os.mkfifo(control, 0o600)
        self._reader = os.open(control, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        # a writer of our own: without one the pipe would end after each message
        self._writer = os.open(control, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        asyncio.get_running_loop().add_reader(self._reader, self._heard)

    async def aclose(self) -> None:
        """End all pkt-gens."""
        asyncio.get_running_loop().remove_reader(self._reader)
        os.close(self._reader)
        os.close(self._writer)
        for task in self._runs.values():
            task.cancel()
        await asyncio.gather(*self._runs.values(), return_exceptions=True)

    def _heard(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._partial += os.read(self._reader, 65536)
        *lines, self._partial = self._partial.split(b"\n")
        for line in lines:
            words = line.decode("ascii", "replace").split()
            if len(words) == 2 and words[1].isascii() and words[1].isdigit():
                self._told(words[0], int(words[1]))

    def _told(self, what: str, pid: int) -> None:
        if what == "start" and pid not in self._runs:
            self._finish[pid] = asyncio.Event()
            self._runs[pid] = task = asyncio.create_task(self._run(pid))
            task.add_done_callback(lambda _: self._forget(pid))
        elif what == "finish" and pid in self._finish:
            self._finish[pid].set()
        elif what == "gone" and pid in self._runs:
            self._runs[pid].cancel()

    def _forget(self, pid: int) -> None:
        self._runs.pop(pid, None)
        self._finish.pop(pid, None)

    async def _run(self, pid: int) -> None:
        folder = self._folder / str(pid)
        pipe = await _open_pipe(folder / "lines")
        run = _Run(self._host, pipe, self._clock, self._finish[pid])
        world = self._clock.world
        try:
            words = (folder / "arguments").read_text(encoding="utf-8", errors="replace").splitlines()
            closing = await run.through(words)
            (folder / "closing").write_text("".join(f"{line}\n" for line in closing), encoding="ascii")
        except BrokenPipeError:
            pass  # the stand-in was killed
        finally:
            self._clock.catch_up()
            world.stop(run)
            world.listeners.discard(run)
            os.close(pipe)


async def _open_pipe(path: Path) -> int:
    """The writing end of a pipe. Waits until the stand-in has opened the other end."""
    while True:
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            await asyncio.sleep(0.01)


class _Run:
    """One pkt-gen from its start to its end."""

    def __init__(self, host: str, pipe: int, clock: Clock, finish: asyncio.Event) -> None:
        self._host = host
        self._pipe = pipe
        self._clock = clock
        self._finish = finish

    async def through(self, words: list[str]) -> list[str]:
        """Prints pkt-gen's output until it is told to finish or has sent all; returns the closing lines."""
        try:
            arguments = text.read_arguments(words)
        except ValueError as error:
            self._say(text.refusal(str(error), self._clock.wall()))
            return []
        if self._host != GENERATOR or arguments.interface != _PORTS[arguments.mode]:
            complaint = f"Unable to open netmap:{arguments.interface}: Invalid argument"
            self._say(text.refusal(complaint, self._clock.wall()))
            return []
        self._say(text.opening(arguments, self._clock.wall()))
        if await self._pause(arguments.wait):
            return text.closing(arguments, 0, 1.0)
        self._say(text.ready(arguments, self._clock.wall()))
        return await self._work(arguments)

    async def _work(self, arguments: Arguments) -> list[str]:
        world = self._clock.world
        began = last = self._clock.catch_up()
        sender: Sender | None = None
        if arguments.mode == "tx":
            sender = world.start(self, arguments.rate, arguments.count)
        else:
            world.listeners.add(self)
        first = 0 if sender else world.received
        before, seen = first, False

        def total() -> int:
            return sender.sent if sender else world.received

        while True:
            ended = await self._interval(arguments, sender, last + arguments.span + _EXTRA)
            now = self._clock.catch_up()
            if ended:
                world.stop(self)  # so that everything sent is reported
            count, before = total() - before, total()
            if now > last:
                seen = seen or count > 0
                line = text.interval(arguments, self._clock.wall(), count, round((now - last) * 1e6))
                self._say([line] if sender or seen else [text.waiting(self._clock.wall()), line])
            last = now
            if ended or (sender and sender.finished):
                return text.closing(arguments, total() - first, max(now - began, 0.005))

    async def _interval(self, arguments: Arguments, sender: Sender | None, until: float) -> bool:
        """Waits for the interval's end; returns whether it is the last one."""
        while (left := until - self._clock.now()) > 0:
            if await self._pause(min(left, _LOOK) if arguments.count else left):
                return True
            if sender and arguments.count:
                self._clock.catch_up()
                if sender.finished:
                    return True
        return False

    async def _pause(self, seconds: float) -> bool:
        """Waits at most `seconds`; returns whether pkt-gen is to finish."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._finish.wait()
        return self._finish.is_set()

    def _say(self, lines: list[str]) -> None:
        # if no one reads, lines are lost; the real pkt-gen would block instead
        with contextlib.suppress(BlockingIOError):
            os.write(self._pipe, "".join(f"{line}\n" for line in lines).encode())
