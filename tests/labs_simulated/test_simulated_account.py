"""Every packet of a simulated blast is forwarded or named by one stage; the card's own counters agree.

The hosts' texts go through the real parsers; only ssh is left out.
"""

import pytest
from simulated_helpers import dropped

from fwdtui.core.lab import parse as parse_lab
from fwdtui.core.model import HostSample, Packets, RateSample
from fwdtui.core.parse import netisr, netstat_interfaces, sysctl, sysctl_queues, sysctl_stages
from fwdtui.labs.simulated import scenario, view
from fwdtui.labs.simulated.snapshot import texts
from fwdtui.labs.simulated.world import World
from fwdtui.monitor.live.account import account

BOOT = 1_789_900_651_837_885
BLAST = 4.0
LAB = """
[generator]
host = "gen"
interface = "ix0"
tool = "netmap-pkt-gen"
[dut]
host = "dut"
in = "ix0"
out = "ix1"
"""


def samples(world: World) -> list[HostSample]:
    """What one plain and one slow tick read of the DUT now."""
    files = texts(view.of("dut", world, BOOT))
    values = sysctl.parse(files["sysctl"]).value.values
    common = {"t": 3600.0 + world.now, "at": world.now, "boot": "a"}
    plain = HostSample(
        "dut",
        int(world.now * 10),
        **common,
        interfaces=netstat_interfaces.parse(files["netstat-ibd"]).value,
        cpus=sysctl.cp_times(values["kern.cp_times"]).value,
        queues=sysctl_queues.parse(values).value.rows,
        stages=sysctl_stages.parse(values).value,
    )
    slow = HostSample(
        "dut", int(world.now * 10), **common, netisr=netisr.parse(files["netstat-Q"]).value.rows
    )
    return [plain, slow]


@pytest.fixture(scope="module", params=scenario.names())
def told(request: pytest.FixtureRequest) -> tuple[World, Packets]:
    """A blast of some seconds, from quiet to quiet, and its account."""
    world = World(scenario.load(request.param))
    seen: list[HostSample | RateSample] = [*samples(world)]
    sender = world.start("pkt-gen")
    began = world.now
    while world.now < began + BLAST:
        world.advance(world.now + 1.0)
        seen += samples(world)
    ended = world.now
    world.stop("pkt-gen")
    seen.append(RateSample("generator", BLAST, BLAST, sender.sent / BLAST, sender.sent, host="gen", at=ended))
    while world.now < ended + 4.0:
        world.advance(world.now + 1.0)
        seen += samples(world)
    found = account(parse_lab(LAB), seen, began, ended, uncounted=["netmap-pkt-gen"])
    assert found is not None
    return world, found


def test_every_offered_packet_is_forwarded_or_named_by_exactly_one_stage(told: tuple[World, Packets]):
    world, packets = told
    assert packets.offered == world.offered > 0
    assert packets.forwarded == world.dut.sent
    assert sum(packets.drops.values()) == world.offered - world.dut.sent
    assert packets.unaccounted == 0 and packets.unread == {}


def test_the_stages_are_the_models(told: tuple[World, Packets]):
    world, packets = told
    dut = world.dut
    assert packets.drops["rx ring"] == dut.ring_drops
    assert packets.drops["netisr"] == dropped(dut.netisr)
    assert packets.drops["tx soft queue"] == dropped(dut.transmit)


def test_what_the_card_missed_stands_under_its_own_name_and_is_not_added_again(told: tuple[World, Packets]):
    world, packets = told
    name = "ix0 mac_stats.rx_missed_packets"
    assert packets.nic.get(name, 0) == world.dut.ring_drops
    assert set(packets.nic) <= {name}
    assert packets.at_nic == world.offered == packets.drops["rx ring"] + (packets.dut_in or 0)
