"""The simulated lab as a whole."""

import asyncio
from pathlib import Path
from types import TracebackType

from fwdtui.labs.simulated import client_files, scenario
from fwdtui.labs.simulated.clock import Clock
from fwdtui.labs.simulated.hosts import DUT, GENERATOR
from fwdtui.labs.simulated.place import Place
from fwdtui.labs.simulated.scenario import Scenario
from fwdtui.labs.simulated.server import SimulatedHost
from fwdtui.labs.simulated.world import World


class SimulatedLab:
    """``async with SimulatedLab("healthy") as lab:`` - then `lab.lab_toml` is a lab like any other.

    `interval` is its sampling interval, `wait` pkt-gen's -w in seconds. It needs no root and listens on
    127.0.0.1 only. Raises FwdtuiError for an unknown scenario, or if programs cannot run from the temporary
    folder. Afterwards no process, port or file of it is left.
    """

    def __init__(
        self, first: str | Scenario = scenario.FIRST, *, interval: str = "1s", wait: int = 2
    ) -> None:
        self.scenario = first if isinstance(first, Scenario) else scenario.load(first)
        self.lab_toml = Path()  # set once it is up
        self._interval = interval
        self._wait = wait
        self._place: Place | None = None
        self._world: World | None = None
        self._clock: Clock | None = None
        self._hosts: list[SimulatedHost] = []

    @property
    def folder(self) -> Path:
        """The folder of its files: keys, ssh_config, known_hosts, lab.toml."""
        return self.lab_toml.parent

    @property
    def world(self) -> World:
        """The model; only while the lab is up."""
        assert self._world is not None
        return self._world

    def switch(self, to: str | Scenario) -> Scenario:
        """Switch to another scenario; counters and running programs continue. Raises FwdtuiError.

        If its DUT has another kernel, the DUT is booted with it, at once: its counters begin at zero.
        """
        before, self.scenario = self.scenario, to if isinstance(to, Scenario) else scenario.load(to)
        if self._clock is not None:
            self._clock.catch_up()
            self.world.change(self.scenario)
            if self.scenario.dut.revision != before.dut.revision:
                next(host for host in self._hosts if host.name == DUT).boot()
        return self.scenario

    async def __aenter__(self) -> "SimulatedLab":
        self._place = Place()
        try:
            await self._start(self._place)
        except BaseException:
            await self.aclose()
            raise
        return self

    async def _start(self, place: Place) -> None:
        self._world = World(self.scenario)
        self._clock = Clock(self._world)
        user, keys = client_files.make_keys(place.folder, (GENERATOR, DUT))
        for name, key in keys.items():
            host = SimulatedHost(name, place.folder / name, place.bin, self._clock)
            self._hosts.append(host)
            await host.start(key, user)
        ports = {host.name: host.port for host in self._hosts}
        self.lab_toml = client_files.write(place.folder, keys, ports, self._interval, self._wait)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Remove everything. Takes bounded time and may be called again."""
        hosts, self._hosts = self._hosts, []
        await asyncio.gather(*(host.aclose() for host in hosts))
        if self._place is not None:
            self._place.remove()
            self._place = None
