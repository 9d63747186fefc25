"""The interface to a host for the layers above: its state, one-shot commands and long-running processes.

Nothing here knows SSH. Output is bytes as the host sent them; decoding and cleaning is the parser's duty
(core.text), so that one odd byte never breaks a connection.
"""

import enum
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol

from fwdtui.transport.errors import HostError


class Phase(enum.StrEnum):
    """The phase of a host's connection. `lost` is retried automatically, `failed` only when the user acts."""

    IDLE = "idle"  # not requested yet
    CONNECTING = "connecting"
    UP = "up"
    STALE = "stale"  # connected, but nothing was received for a while: its numbers are old
    LOST = "lost"  # no connection; the next try is at `retry_at`
    FAILED = "failed"  # host key, login or configuration: retrying would not help
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class HostState:
    """A state with its reason and start (seconds of time.monotonic)."""

    phase: Phase
    since: float
    reason: str = ""  # one clean line; empty while all is well
    error: HostError | None = None  # of the last attempt, kept during the next one; e.g. UnknownHostKey
    retry_at: float | None = None  # seconds of time.monotonic


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended. A shell reports a program killed by signal N as status 128 + N."""

    status: int | None  # None: unknown (the connection ended first) or killed by `signal`
    signal: str | None = None  # "KILL", without SIG
    lost: bool = False  # the connection ended before the process did
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Completed:
    """The result of a one-shot command. A status other than 0 is an answer, not an exception."""

    stdout: bytes
    stderr: bytes
    status: int | None
    signal: str | None = None
    truncated: bool = False  # stdout is incomplete: it exceeded the limit, or still came after the end


class Process(Protocol):
    """A running program whose lines arrive as it prints them.

    Lines come without their LF. A line longer than 64 KiB is dropped completely, since half a line may look
    like a wrong number, and is counted in `oversize`.
    """

    @property
    def host(self) -> str: ...
    @property
    def exit(self) -> Exit | None: ...
    @property
    def ending(self) -> bool:
        """Whether the host has reported how the program ended. Its last lines may still be on their way."""
        ...

    @property
    def oversize(self) -> int: ...
    @property
    def truncated(self) -> bool:
        """Whether lines still came after the program's end when it was given up: some are missing."""
        ...

    @property
    def stderr(self) -> bytes:
        """The last few KiB of stderr (empty if it was merged into stdout)."""
        ...

    async def readline(self) -> bytes | None:
        """The next line, or None if there are no more. Safe to cancel."""
        ...

    def read_ready(self) -> list[bytes]:
        """All lines that have already arrived, without waiting."""
        ...

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    def send(self, line: bytes) -> bool:
        """Send one line to the program's stdin. False: not sent (it has ended, or the link is blocked)."""
        ...

    async def wait(self) -> Exit: ...

    async def stop(self, signal: str = "INT", grace: float = 2.0) -> Exit:
        """Signal the program, read what it still prints for `grace` seconds, then `close`.

        If it has ended by then, lines that are still on their way are waited for, ten seconds at most.
        """
        ...

    async def close(self) -> Exit:
        """End the program and everything it started. Takes bounded time and may be called again."""
        ...


class Host(Protocol):
    """A machine of the lab."""

    @property
    def name(self) -> str: ...
    @property
    def destination(self) -> str: ...
    @property
    def state(self) -> HostState: ...

    def on_state(self, callback: Callable[[HostState], None]) -> Callable[[], None]:
        """Call `callback` at each change of state. The returned function ends that."""
        ...

    async def connect(self) -> None:
        """Make one attempt; raises a HostError. Once up, the connection is kept up until the pool closes."""
        ...

    def keep_connected(self) -> None:
        """Connect and reconnect in the background; progress shows in `state`. Cuts a pause short."""
        ...

    async def run(
        self,
        script: str,
        *,
        timeout: float = 30.0,  # noqa: ASYNC109  - the error that follows names the host
        limit: int = 1 << 20,
    ) -> Completed:
        """Run a /bin/sh script to its end. Raises a HostError, TimedOut after `timeout` seconds.

        `limit` bounds stdout in bytes. Nothing that the script starts outlives the call.
        """
        ...

    async def start(
        self,
        script: str,
        *,
        stdin: bool = False,
        merge_stderr: bool = False,
        timeout: float = 20.0,  # noqa: ASYNC109
        heed: Callable[[bytes], bool] | None = None,
    ) -> Process:
        """Start a /bin/sh script and return as soon as it runs. It ends with the connection at the latest.

        With `stdin`, lines given to `Process.send` reach the program; else its stdin is empty. `heed` is
        called with each line of stderr when it arrives, and returns whether to leave the line out of
        `Process.stderr`. It must not raise.
        """
        ...
