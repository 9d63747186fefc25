"""The current state of a FreeBSD host of the simulated lab: the world as seen by the host's own counters."""

from dataclasses import dataclass

from fwdtui.labs.simulated.dut import Core, Line
from fwdtui.labs.simulated.hosts import DUT, GENERATOR
from fwdtui.labs.simulated.scenario import Dut
from fwdtui.labs.simulated.world import World

_UPTIME = {GENERATOR: 7200.0, DUT: 3600.0}  # seconds for which the hosts had been up when the lab began


@dataclass(frozen=True, slots=True)
class Port:
    """One interface. `receive` and `transmit` are its queues; () if the interface shows none."""

    name: str
    index: int  # Link#
    ether: str
    address: str
    network: str
    model: str = ""
    device_id: str = ""
    carrier: bool = True
    input: int = 0  # packets received
    missed: int = 0  # packets that found the receive rings full
    output: int = 0
    receive: tuple[Line, ...] = ()
    transmit: tuple[Line, ...] = ()
    irqs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """One host. `boot`: microseconds since 1970; `uptime`: seconds."""

    name: str
    boot: int
    uptime: float
    setup: Dut
    cores: tuple[Core, ...]
    ports: tuple[Port, ...]
    netisr: tuple[Line, ...] = ()
    directly: tuple[int, ...] = ()  # packets that netisr did not queue, by workstream
    messages: tuple[str, ...] = ()
    stepped: int = 0  # microseconds by which the wall clock was set ahead since the boot
    idled: float = 0.0
    """Seconds for which the host had been up, and idle, before the lab began."""

    @property
    def wall(self) -> int:
        """Microseconds since 1970."""
        return self.boot + self.stepped + round(self.uptime * 1e6)


def first_boot(host: str) -> float:
    """When the host had booted, in seconds since the lab began: a negative number."""
    return -_UPTIME[host]


def boot_time(host: str, began: float) -> int:
    """The host's boot in microseconds since 1970, for a lab that began at `began` (seconds since 1970)."""
    return round((began - _UPTIME[host]) * 1e6)


def of(host: str, world: World, boot: int, since: float | None = None) -> View:
    """The host at `world.now`. Its queues are the world's own objects: render them before time goes on.

    `since`: when the host booted, in seconds since the lab began; None: at `first_boot`.
    """
    since = first_boot(host) if since is None else since
    return _dut(world, boot, since) if host == DUT else _generator(world, boot, since)


def _dut(world: World, boot: int, since: float) -> View:
    dut = world.dut
    rings = tuple(dut.rings)
    inside = Port(
        "ix0", 1, "00:1b:21:00:00:01", "198.18.0.205", "198.18.0.0/24",
        "Ethernet 10G 2P X520 Adapter", "154d",
        carrier=world.link,
        input=sum(ring.arrived - ring.dropped for ring in rings),
        missed=dut.ring_drops,
        receive=rings,
        transmit=tuple(Line() for _ in rings),
        irqs=tuple(int(count) for count in dut.irqs),
    )  # fmt: skip
    transmit = tuple(dut.transmit)
    outside = Port(
        "ix1", 2, "00:1b:21:00:00:02", "198.19.0.205", "198.19.0.0/24",
        "Ethernet 10G 2P X520 Adapter", "154d",
        output=dut.sent,
        receive=tuple(Line() for _ in transmit),
        transmit=transmit,
        irqs=tuple(line.passed // 16 for line in transmit),
    )  # fmt: skip
    changes = [f"ix0: link state changed to {'UP' if event.up else 'DOWN'}" for event in world.link_events]
    threads = dut.netisr[: dut.setup.netisr_threads]
    taken = sum(ring.passed for ring in rings) - sum(line.arrived for line in dut.netisr)
    return View(
        DUT, boot, world.now - since, dut.setup, tuple(dut.cores),
        (inside, outside, _management(3, "00:1b:21:00:00:03", world, DUT), _loopback(4)),
        netisr=tuple(threads),
        directly=tuple(taken // len(threads) for _ in threads),
        messages=tuple(changes),
        idled=max(-since, 0.0),
    )  # fmt: skip


def _generator(world: World, boot: int, since: float) -> View:
    """The generator. netmap takes the cards away from the kernel, whose counters for them do not change."""
    ports = tuple(
        Port(
            f"ix{number}", number + 1, f"00:1b:21:00:01:0{number}",
            f"198.1{8 + number}.0.1", f"198.1{8 + number}.0.0/24",
            "Ethernet 10G 2P X520 Adapter", "154d",
            carrier=world.link if number == 0 else True,
            receive=tuple(Line() for _ in range(4)),
            transmit=tuple(Line() for _ in range(4)),
            irqs=(0,) * 4,
        )
        for number in range(2)
    )  # fmt: skip
    changes = [f"ix0: link state changed to {'UP' if event.up else 'DOWN'}" for event in world.link_events]
    return View(
        GENERATOR, boot, world.now - since, Dut(), tuple(world.generator_cores),
        (*ports, _management(3, "00:1b:21:00:01:03", world, GENERATOR), _loopback(4)),
        netisr=(Line(),),
        directly=(0,),
        messages=tuple(changes),
        idled=max(-since, 0.0),
    )  # fmt: skip


def _management(index: int, ether: str, world: World, host: str) -> Port:
    """The port used by ssh, with its low packet rate."""
    packets = int((_UPTIME[host] + world.now) * 6)
    return Port(
        "igb0", index, ether, f"192.0.2.{index + 10}", "192.0.2.0/24",
        "I210 Gigabit Network Connection", "1533",
        input=packets, output=packets * 4 // 5,
        receive=(Line(passed=packets, arrived=packets),), transmit=(Line(passed=packets * 4 // 5),),
        irqs=(packets,),
    )  # fmt: skip


def _loopback(index: int) -> Port:
    return Port("lo0", index, "lo0", "127.0.0.1", "127.0.0.0/8")
