"""Keeps one host connected: makes attempts, sends heartbeats, and has the state that others can observe."""

import asyncio
import contextlib
import importlib
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fwdtui.transport.base import HostState, Phase
from fwdtui.transport.destination import Destination
from fwdtui.transport.errors import HostError, Unreachable
from fwdtui.transport.settings import SshSettings

if TYPE_CHECKING:
    from fwdtui.transport.wire.connection import Connection

_CLOSE = 2.0


async def load_wire() -> Any:
    """The module that opens connections. A thread imports asyncssh (0.2 s), so the screen does not freeze."""
    return await asyncio.to_thread(importlib.import_module, "fwdtui.transport.wire.connect")


class SshLink:
    """The one connection to a machine, shared by the hosts that name it."""

    def __init__(self, destination: Destination, settings: SshSettings, key: tuple[object, ...]) -> None:
        """`key`: what ssh_config makes of the destination; every attempt must lead there."""
        self.destination = destination
        self.label = str(destination)
        self.state = HostState(Phase.IDLE, time.monotonic())
        self._settings = settings
        self.key = key
        self._connection: Connection | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._attempting = asyncio.Lock()
        self._changed = asyncio.Event()
        self._hurry = asyncio.Event()
        self._callbacks: list[Callable[[HostState], None]] = []
        self._left: set[str] = set()  # marks of programs whose end no earlier connection has reported
        self._tidying: asyncio.Task[None] | None = None

    def on_state(self, callback: Callable[[HostState], None]) -> Callable[[], None]:
        """See base.Host.on_state."""
        self._callbacks.append(callback)

        def forget() -> None:
            with contextlib.suppress(ValueError):
                self._callbacks.remove(callback)

        return forget

    async def connect(self) -> None:
        """Make one attempt, then stay connected. Raises the error of that attempt.

        If connecting goes on in the background already, its current attempt counts.
        """
        if self._keeper is not None and not self._keeper.done():
            if self.state.phase is Phase.LOST:
                self._hurry.set()
                await self._next_state()
            await self._outcome()
            return
        async with self._attempting:
            if self._connection is None:
                await self._attempt()
        self.keep_connected()

    def keep_connected(self) -> None:
        """See base.Host.keep_connected."""
        if self.state.phase is Phase.LOST:
            self._hurry.set()
        if self.state.phase is not Phase.CLOSED and (self._keeper is None or self._keeper.done()):
            self._keeper = asyncio.get_running_loop().create_task(self._keep())

    async def connection(self) -> "Connection":
        """The live connection. Waits for it if necessary; raises a HostError if there will be none."""
        while self._connection is None or not self._connection.alive:
            phase = self.state.phase
            if phase is Phase.CLOSED:
                raise Unreachable(self.label, "the connection was closed")
            if phase is Phase.FAILED and self.state.error is not None:
                raise self.state.error
            if self._keeper is None or self._keeper.done():
                await self.connect()
            else:
                await self._next_state()
        return self._connection

    async def aclose(self) -> None:
        """End the connection and everything that runs over it. Takes bounded time, may be called again."""
        if self.state.phase is Phase.CLOSED:
            return
        self._set(Phase.CLOSED)
        keeper, connection = self._keeper, self._connection
        self._keeper = self._connection = None
        for task in (keeper, self._tidying):
            if task is not None:
                task.cancel()
                await asyncio.wait([task], timeout=_CLOSE)
        if connection is not None:
            await connection.close()

    async def _attempt(self) -> None:
        # the cause of an outage stays in the state during an attempt, for a caller that times out meanwhile
        self._set(Phase.CONNECTING, self.state.reason, self.state.error)
        try:
            wire = await load_wire()
            connection = await wire.connect(self.destination, self._settings, self.key)
        except HostError as error:
            self._set(Phase.LOST if error.retry else Phase.FAILED, error.text, error)
            raise
        except Exception as problem:
            # no code awaits the keeper task: an error that it does not report in the state is never seen
            unexpected = HostError(self.label, f"unexpected {type(problem).__name__}: {problem}")
            self._set(Phase.LOST, unexpected.text, unexpected)
            raise unexpected from problem
        if self.state.phase is Phase.CLOSED:
            await connection.close()
            raise Unreachable(self.label, "the connection was closed")
        self._connection = connection
        self._set(Phase.UP)
        if self._left and (self._tidying is None or self._tidying.done()):
            self._tidying = asyncio.get_running_loop().create_task(self._tidy(connection))

    async def _tidy(self, connection: "Connection") -> None:
        """Ends programs that a lost connection left behind: stopped ones do not end by themselves."""
        marks = set(self._left)
        if await connection.end(marks):
            self._left -= marks

    async def _keep(self) -> None:
        """Connects, watches the connection and reconnects. Returns only when retrying cannot help."""
        pause = unstable = self._settings.backoff_first
        while True:
            if self._connection is None:
                try:
                    async with self._attempting:
                        await self._attempt()
                except HostError as error:
                    if not error.retry:
                        return
                    await self._pause(pause, error.text, error)
                    pause = min(pause * 2, self._settings.backoff_max)
                    continue
            began = time.monotonic()
            reason = await self._watch()
            # A host that was connected for longer than the last pause after a loss is not unstable: it was
            # rebooted, say. The attempts that failed meanwhile say nothing about that.
            if time.monotonic() - began > unstable:
                unstable = self._settings.backoff_first
            await self._pause(unstable, reason, Unreachable(self.label, reason))
            pause = unstable = min(unstable * 2, self._settings.backoff_max)

    async def _pause(self, seconds: float, reason: str, error: HostError) -> None:
        # jitter: hosts that were lost at the same time should not all reconnect at the same instant
        seconds *= random.uniform(0.8, 1.2)
        self._hurry.clear()
        self._set(Phase.LOST, reason, error, time.monotonic() + seconds)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._hurry.wait()

    async def _watch(self) -> str:
        """Sends heartbeats until the connection ends, and marks silence as `stale`; returns why it ended."""
        connection = self._connection
        assert connection is not None
        lost = asyncio.ensure_future(connection.wait_lost())
        try:
            while not lost.done():
                await asyncio.wait([lost], timeout=self._settings.beat)
                if lost.done():
                    break
                silent = connection.beat()
                if silent > self._settings.stale_after:
                    self._set(Phase.STALE, f"nothing received for {silent:.0f} s")
                else:
                    self._set(Phase.UP)
            return lost.result()
        finally:
            lost.cancel()
            self._connection = None
            await connection.close()
            self._left |= connection.unended

    def _set(
        self,
        phase: Phase,
        reason: str = "",
        error: HostError | None = None,
        retry_at: float | None = None,
    ) -> None:
        old = self.state
        if old.phase is phase and phase in (Phase.UP, Phase.STALE):
            return
        if old.phase is Phase.CLOSED:
            return
        # failed attempts do not restart the time of an outage
        same = old.phase is phase or {old.phase, phase} <= {Phase.LOST, Phase.CONNECTING}
        since = old.since if same else time.monotonic()
        self.state = HostState(phase, since, reason, error, retry_at)
        self._changed.set()
        self._changed = asyncio.Event()
        loop = asyncio.get_running_loop()
        for callback in self._callbacks:
            loop.call_soon(callback, self.state)

    async def _next_state(self) -> None:
        await self._changed.wait()

    async def _outcome(self) -> None:
        """Waits for the result of the keeper's current attempt."""
        while True:
            match self.state.phase:
                case Phase.UP | Phase.STALE:
                    return
                case Phase.CLOSED:
                    raise Unreachable(self.label, "the connection was closed")
                case Phase.LOST | Phase.FAILED if self.state.error is not None:
                    raise self.state.error
            await self._next_state()
