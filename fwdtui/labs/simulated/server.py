"""One host of the simulated lab: an ssh server on loopback, whose channels are real shells."""

import asyncio
import contextlib
import dataclasses
import logging
import os
import shutil
from pathlib import Path

import asyncssh
import msgspec

from fwdtui.labs.simulated import hosts, view
from fwdtui.labs.simulated.channel import Channel
from fwdtui.labs.simulated.clock import Clock
from fwdtui.labs.simulated.pktgen import PktGens
from fwdtui.labs.simulated.snapshot import Snapshots
from fwdtui.transport.cancelling import cancelled

# without a handler, Python would print asyncssh's warnings over the screen
logging.getLogger("asyncssh").addHandler(logging.NullHandler())

_STALE = 2.5  # seconds after which a channel sees a new state even if it asks for nothing
_BACKGROUND = 0.1
_BOOT = 1.5  # seconds
_REBOOT = "reboot"
"""A file in the host's folder. If it exists, reboot(8) was run."""
_SYSCTLS = "sysctl"
"""A folder in the host's folder, with a file for each sysctl that was set, until the next boot."""
_DISPATCH = "net.isr.dispatch"


class SimulatedHost:
    """One host. `folder` is its own folder, `programs` the folder of stand-ins."""

    def __init__(self, name: str, folder: Path, programs: Path, clock: Clock) -> None:
        self.name = name
        self.port = 0
        self._folder = folder
        self._clock = clock
        self._boot = view.boot_time(name, clock.began)
        self._since = view.first_boot(name)
        self._stepped = 0
        self._keys: tuple[asyncssh.SSHKey, str] | None = None
        self.boots = 0
        """How often the host was rebooted."""
        self._channels: set[Channel] = set()
        self._count = 0
        self._pktgens: PktGens | None = None
        self._server: asyncssh.SSHAcceptor | None = None
        self._connections: set[asyncssh.SSHServerConnection] = set()
        self._background: asyncio.Task[None] | None = None
        self._starved = folder / "starved"
        self._reboots = folder / _REBOOT
        self._dispatch = folder / _SYSCTLS / _DISPATCH
        home = folder / "home"
        self._environment = {
            "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": str(home),
            "SHELL": "/bin/sh",
            "FWDTUI_HOST": str(folder),
        }

    async def start(self, host_key: asyncssh.SSHKey, user_key: asyncssh.SSHKey) -> None:
        """Listen on a free port of 127.0.0.1."""
        self._folder.mkdir(mode=0o700)
        (self._folder / "home").mkdir(mode=0o700)
        self._pktgens = PktGens(self.name, self._folder / "pktgen", self._clock)
        self._keys = host_key, user_key.export_public_key().decode()
        await self._listen()
        self._background = asyncio.create_task(self._go_on())

    async def _listen(self) -> None:
        """Let clients in, on the same port as before."""
        assert self._keys is not None
        host_key, public = self._keys
        self._server = await asyncssh.create_server(
            lambda: _Login(self._connections),
            "127.0.0.1",
            self.port,
            server_host_keys=[host_key],
            authorized_client_keys=asyncssh.import_authorized_keys(public),
            password_auth=False,
            kbdint_auth=False,
            host_based_auth=False,
            gss_host=None,
            allow_pty=False,
            agent_forwarding=False,
            x11_forwarding=False,
            line_editor=False,
            compression_algs=["none"],  # one process would compress and decompress data that never leaves it
            process_factory=self._serve,
            encoding=None,
        )
        self.port = self._server.get_port()

    async def aclose(self) -> None:
        """Close the server, end its connections and everything that runs for them."""
        if self._background is not None:
            await cancelled(self._background)
        await self._hang_up()
        if self._pktgens is not None:
            await self._pktgens.aclose()

    async def _hang_up(self) -> None:
        """Let no client in, and end all connections and everything that runs for them."""
        if self._server is not None:
            self._server.close()
        for connection in list(self._connections):
            connection.abort()
        # from Python 3.12 on, the server closes only after its connections: close them first, and do not wait
        # forever
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2.0):
                await asyncio.gather(*(c.wait_closed() for c in list(self._connections)))
                if self._server is not None:
                    await self._server.wait_closed()
        await asyncio.gather(*(channel.aclose() for channel in list(self._channels)))

    async def _reboot(self) -> None:
        """Go down and come up again."""
        world = self._clock.world
        self._clock.catch_up()
        if self.name == hosts.DUT:
            world.shut_dut()
        await self._hang_up()
        await asyncio.sleep(_BOOT)
        self._reboots.unlink(missing_ok=True)
        self.boot()
        await self._listen()

    def boot(self) -> None:
        """Begin another boot now, with counters at zero and only persistent settings."""
        world = self._clock.world
        shutil.rmtree(self._folder / _SYSCTLS, ignore_errors=True)
        self._clock.catch_up()
        if self.name == hosts.DUT:
            world.boot_dut(world.scenario.dut)
        self._boot, self._since = round(self._clock.wall() * 1e6), world.now
        self.boots += 1

    def _heed_settings(self) -> None:
        """Applies what sysctl(8) has set, as far as the model knows the sysctl."""
        if self.name != hosts.DUT:
            return
        dut, told = self._clock.world.dut, self._dispatch
        wanted = told.read_text().strip() if told.exists() else self._clock.world.scenario.dut.dispatch
        if wanted != dut.setup.dispatch and wanted in ("direct", "deferred"):
            dut.change(msgspec.structs.replace(dut.setup, dispatch=wanted))

    @property
    def held_up(self) -> bool:
        """Whether no program gets a core here at the moment."""
        return self.name == hosts.DUT and self._clock.world.starved

    async def _serve(self, process: "asyncssh.SSHServerProcess[bytes]") -> None:
        self._count += 1
        folder = self._folder / f"channel{self._count}"
        channel = Channel(
            process, Snapshots(folder), self, {**self._environment, "FWDTUI_CHANNEL": str(folder)}
        )
        self._channels.add(channel)
        try:
            await channel.run()
        finally:
            self._channels.discard(channel)

    @property
    def until_step(self) -> float:
        """Seconds until the model's current step ends: only then is its state the present one."""
        return self._clock.until_step()

    def present(self) -> view.View:
        """The current state of this host."""
        self._clock.catch_up()
        shown = view.of(self.name, self._clock.world, self._boot, self._since)
        return dataclasses.replace(shown, stepped=self._stepped)

    def set_clock(self, seconds: float) -> None:
        """Set the wall clock ahead (negative: back), as an NTP daemon does when it steps the clock."""
        self._stepped += round(seconds * 1e6)

    async def _go_on(self) -> None:
        """Keeps time passing when no one asks for it."""
        while True:
            self._clock.catch_up()
            if self._reboots.exists():
                await self._reboot()
            self._heed_settings()
            held_up = self.held_up
            if held_up and not self._starved.exists():
                self._starved.touch()
            elif not held_up and self._starved.exists():
                # programs that waited continue with the counters after the wait
                self._renew(0.0)
                self._starved.unlink()
            elif not held_up:
                self._renew(_STALE)
            await asyncio.sleep(_BACKGROUND)

    def _renew(self, age: float) -> None:
        """Renews all channels that see a state older than `age` seconds."""
        for channel in self._channels:
            if channel.age > age:
                # a full disk must not stop time: the channel continues with what it has
                with contextlib.suppress(OSError):
                    channel.renew()


class _Login(asyncssh.SSHServer):
    """Keeps track of connections. Only the user's key may log in."""

    def __init__(self, connections: set[asyncssh.SSHServerConnection]) -> None:
        self._connections = connections
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        self._connections.add(conn)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._connection is not None:
            self._connections.discard(self._connection)
