"""What the layers above see of a host: its state, one-shot commands and long-running processes.

Nothing here knows SSH. Output is bytes as the host sent them; decoding and cleaning is the parser's duty
(core.text), so that one odd byte never costs a connection.
"""

import enum
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol

from fwdtui.transport.errors import HostError


class Phase(enum.StrEnum):
    """Where a host is in its life. `lost` is retried by itself, `failed` only after the user has acted."""

    IDLE = "idle"  # nobody has asked for it yet
    CONNECTING = "connecting"
    UP = "up"
    STALE = "stale"  # connected, but nothing was heard for a while: its numbers are old
    LOST = "lost"  # no connection; the next try is at `retry_at`
    FAILED = "failed"  # host key, login or configuration: trying again by itself would not help
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class HostState:
    """One state, why it is so, and since when (seconds of time.monotonic)."""

    phase: Phase
    since: float
    reason: str = ""  # one clean line; empty while all is well
    error: HostError | None = None  # what to offer the user when `failed`, e.g. UnknownHostKey
    retry_at: float | None = None  # seconds of time.monotonic


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended. A shell reports a program that died of signal N as status 128 + N."""

    status: int | None  # None: never learned (the connection went first) or killed by `signal`
    signal: str | None = None  # "KILL", without SIG
    lost: bool = False  # the connection ended before the process did
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Completed:
    """What a one-shot command left behind. A status other than 0 is an answer, not an exception."""

    stdout: bytes
    stderr: bytes
    status: int | None
    signal: str | None = None
    truncated: bool = False  # stdout was longer than the limit; the rest was discarded


class Process(Protocol):
    """A running program whose lines arrive as it prints them.

    Lines come without their LF. A line longer than 64 KiB is dropped whole, for half a line may read as a
    wrong number, and counted in `oversize`.
    """

    @property
    def host(self) -> str: ...
    @property
    def exit(self) -> Exit | None: ...
    @property
    def oversize(self) -> int: ...
    @property
    def stderr(self) -> bytes:
        """The last few KiB of stderr (empty when it was merged into stdout)."""
        ...

    async def readline(self) -> bytes | None:
        """The next line, or None when there will be no more. Safe to cancel."""
        ...

    def read_ready(self) -> list[bytes]:
        """All lines that are here already, without waiting."""
        ...

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    def send(self, line: bytes) -> bool:
        """One line for the program's stdin. False: it was not sent (ended, or the link is not draining)."""
        ...

    async def wait(self) -> Exit: ...

    async def stop(self, signal: str = "INT", grace: float = 2.0) -> Exit:
        """Signal the program, read what it still prints for `grace` seconds, then `close`."""
        ...

    async def close(self) -> Exit:
        """End the program and everything it started; bounded in time, may be called again."""
        ...


class Host(Protocol):
    """A machine of the lab, reached somehow."""

    @property
    def name(self) -> str: ...
    @property
    def destination(self) -> str: ...
    @property
    def state(self) -> HostState: ...

    def on_state(self, callback: Callable[[HostState], None]) -> Callable[[], None]:
        """Call back at each change of state; the returned function ends that."""
        ...

    async def connect(self) -> None:
        """One attempt; raises a HostError. Once up, the connection is kept up until the pool closes."""
        ...

    def keep_connected(self) -> None:
        """Connect and reconnect in the background; progress shows in `state`."""
        ...

    async def run(
        self,
        script: str,
        *,
        timeout: float = 30.0,  # noqa: ASYNC109  - the error that follows names the host
        limit: int = 1 << 20,
    ) -> Completed:
        """Run a /bin/sh script to its end. Raises a HostError, TimedOut after `timeout` seconds.

        `limit` bounds stdout in bytes. Nothing of the script outlives the call.
        """
        ...

    async def start(
        self,
        script: str,
        *,
        stdin: bool = False,
        merge_stderr: bool = False,
        timeout: float = 20.0,  # noqa: ASYNC109
    ) -> Process:
        """Start a /bin/sh script and return as soon as it runs. It ends with the connection at the latest.

        With `stdin`, lines given to `Process.send` reach the program; else its stdin is empty.
        """
        ...
