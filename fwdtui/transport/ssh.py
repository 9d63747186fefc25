"""Hosts over SSH: the user's own OpenSSH configuration, keys and agent, one connection per machine."""

import asyncio
import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from fwdtui.transport.base import Completed, HostState, Process
from fwdtui.transport.destination import Destination, parse_destination
from fwdtui.transport.errors import HostError, TimedOut
from fwdtui.transport.link import SshLink, load_wire
from fwdtui.transport.settings import SshSettings

if TYPE_CHECKING:
    from fwdtui.transport.wire.connection import Connection


class SshHost:
    """`base.Host` over SSH. Several hosts may share one link."""

    def __init__(self, name: str, destination: str, link: SshLink) -> None:
        self._name = name
        self._destination = destination
        self._link = link

    @property
    def name(self) -> str:
        return self._name

    @property
    def destination(self) -> str:
        return self._destination

    @property
    def state(self) -> HostState:
        return self._link.state

    def on_state(self, callback: Callable[[HostState], None]) -> Callable[[], None]:
        return self._link.on_state(callback)

    async def connect(self) -> None:
        await self._link.connect()

    def keep_connected(self) -> None:
        self._link.keep_connected()

    async def run(
        self,
        script: str,
        *,
        timeout: float = 30.0,  # noqa: ASYNC109  - the error that follows names the host
        limit: int = 1 << 20,
    ) -> Completed:
        deadline = asyncio.get_running_loop().time() + timeout
        connection = await self._connected(timeout)
        return await connection.run(script, timeout, deadline, limit)

    async def start(
        self,
        script: str,
        *,
        stdin: bool = False,
        merge_stderr: bool = False,
        timeout: float = 20.0,  # noqa: ASYNC109
        heed: Callable[[bytes], bool] | None = None,
    ) -> Process:
        connection = await self._connected(timeout)
        return await connection.start(script, stdin, merge_stderr, timeout, heed)

    async def _connected(self, seconds: float) -> "Connection":
        try:
            async with asyncio.timeout(seconds):
                return await self._link.connection()
        except TimeoutError:
            state = self._link.state
            if isinstance(state.error, HostError):
                raise state.error from None
            raise TimedOut(self._destination, f"no connection within {seconds:g} s") from None


class SshPool:
    """All hosts of a lab. Destinations share a connection if ssh_config makes them one machine and login."""

    def __init__(self, settings: SshSettings | None = None) -> None:
        self.settings = settings or SshSettings()
        self._links: dict[tuple[object, ...], SshLink] = {}
        self._opened: dict[Destination, SshLink] = {}

    async def open(self, name: str, destination: str) -> SshHost:
        """The host in the role `name`. Does not connect. Raises BadSshConfig.

        ssh_config is read for a destination only once. A destination that led to another machine later would
        be another host: a command must reach the machine that is sampled.
        """
        parsed: Destination = parse_destination(destination)
        if parsed not in self._opened:
            wire = await load_wire()
            key = (await wire.resolve_later(parsed, self.settings)).key
            link = self._links.setdefault(key, SshLink(parsed, self.settings, key))
            self._opened.setdefault(parsed, link)  # another task may have opened it meanwhile
        return SshHost(name, destination, self._opened[parsed])

    async def machine(self, destination: str) -> str:
        """A word that stands for the machine and login of `destination`, the same in every process.

        Does not connect. Raises BadSshConfig.
        """
        await self.open(destination, destination)
        way = repr(self._opened[parse_destination(destination)].key)
        return hashlib.sha256(way.encode(errors="surrogateescape")).hexdigest()[:32]

    async def aclose(self) -> None:
        """Close all connections in parallel. Takes bounded time and may be called again."""
        await asyncio.gather(*(link.aclose() for link in self._links.values()))

    async def __aenter__(self) -> "SshPool":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
