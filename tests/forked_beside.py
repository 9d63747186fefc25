"""A command of tests/forked.py beside a test that waits in asyncio: its streams, signals, and its end."""

import asyncio
import os
import signal
from pathlib import Path

from forked import Forked

_LOOK = 0.02  # seconds


class Beside:
    """Like `asyncio.subprocess.Process`, as far as tests of commands need it."""

    def __init__(self, process: Forked, stdin: int) -> None:
        self.stdout, self.stderr = asyncio.StreamReader(), asyncio.StreamReader()
        self._process = process
        self._stdin = stdin

    @classmethod
    async def start(cls, *arguments: object, program: Path | None = None) -> "Beside":
        """The command `fwdtui`, or a file that Python runs."""
        given, out, err = os.pipe(), os.pipe(), os.pipe()
        theirs = given[0], out[1], err[1]
        found = cls(Forked([str(one) for one in arguments], theirs, program=program), given[1])
        for descriptor in theirs:
            os.close(descriptor)
        loop = asyncio.get_running_loop()
        for reader, (ours, _) in ((found.stdout, out), (found.stderr, err)):
            protocol = asyncio.StreamReaderProtocol(reader)
            await loop.connect_read_pipe(lambda one=protocol: one, os.fdopen(ours, "rb"))  # type: ignore[misc]
        return found

    @property
    def returncode(self) -> int | None:
        """Its status, as `subprocess` has it; None while it runs."""
        return self._process.poll()

    def write(self, text: str) -> None:
        """A few words for its standard input."""
        os.write(self._stdin, text.encode())

    def end_input(self) -> None:
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1

    def send_signal(self, number: int) -> None:
        """To the process, if it has not ended."""
        if self.returncode is None:
            os.kill(self._process.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Its status, once it has ended."""
        while (status := self.returncode) is None:  # noqa: ASYNC110 - another process ends it
            await asyncio.sleep(_LOOK)
        self.end_input()
        return status

    async def communicate(self) -> tuple[bytes, bytes]:
        """What it still prints, until it has ended."""
        self.end_input()
        out, err = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return out, err
