"""What the simulated hosts print is what the real parsers read, without a line skipped, to the packet."""

from typing import TypeVar

import pytest
from simulated_helpers import dropped

from fwdtui.core.parse import (
    dmesg,
    freebsd_clock,
    freebsd_uname,
    ifconfig,
    netisr,
    netmap_pktgen,
    netstat_interfaces,
    netstat_rn,
    pciconf,
    sysctl,
    sysctl_oids,
    sysctl_queues,
    sysctl_stages,
    vmstat_i,
)
from fwdtui.core.parse.fields import Parsed
from fwdtui.labs.simulated import scenario, view
from fwdtui.labs.simulated.snapshot import texts
from fwdtui.labs.simulated.text import pktgen
from fwdtui.labs.simulated.world import World

BOOT = 1_789_900_651_837_885


T = TypeVar("T")


def whole(parsed: Parsed[T]) -> T:
    assert parsed.skipped == ()
    return parsed.value


def after(name: str, seconds: float = 3.0) -> World:
    """A scenario with traffic, `seconds` into it."""
    world = World(scenario.load(name))
    world.start("pkt-gen")
    world.advance(seconds)
    return world


@pytest.fixture(scope="module", params=scenario.names())
def world(request: pytest.FixtureRequest) -> World:
    return after(request.param, 4.5)


@pytest.mark.parametrize("variant", ["i", "ib", "id", "ibd"])
def test_interfaces_count_what_the_model_counted(world: World, variant: str) -> None:
    files = texts(view.of("dut", world, BOOT))
    rows = whole(netstat_interfaces.parse(files[f"netstat-{variant}"]))
    assert [row.name for row in rows] == ["ix0", "ix1", "igb0", "lo0"]
    inside, outside = rows[:2]
    waiting = sum(ring.waiting for ring in world.dut.rings)
    assert inside.rx_packets == world.offered - world.dut.ring_drops
    assert inside.rx_dropped == world.dut.ring_drops
    assert outside.tx_packets == world.dut.sent
    assert inside.rx_packets == sum(ring.passed for ring in world.dut.rings) + waiting
    assert inside.rx_bytes == (None if "b" not in variant else inside.rx_packets * 64)
    assert outside.tx_dropped == (0 if "d" in variant else None)
    assert inside.up and inside.link == 1


def test_queues_cores_and_stages_read_from_sysctl(world: World) -> None:
    files = texts(view.of("dut", world, BOOT))
    values = whole(sysctl.parse(files["sysctl"])).values
    queues = whole(sysctl_queues.parse(values))
    rows = {(row.interface, row.direction, row.index): row for row in queues.rows}
    for number in range(4):
        assert rows["ix0", "rx", number].packets == world.dut.rings[number].passed
        assert rows["ix1", "tx", number].packets == world.dut.transmit[number].passed
        assert rows["ix1", "tx", number].drops == world.dut.transmit[number].dropped
    assert queues.soft_ring == {"ix0": True, "ix1": True, "igb0": True}
    cores = whole(sysctl.cp_times(values["kern.cp_times"]))
    assert [core.cpu for core in cores] == [0, 1, 2, 3]
    for core in cores:
        ticks = core.user + core.nice + core.system + core.irq + core.idle
        assert abs(ticks - 127 * (3600 + world.now)) < 5
    stages = whole(sysctl_stages.parse(values))
    assert sysctl_stages.offered(stages, "ix0") == world.offered
    assert sysctl_stages.ring_drops(stages, "ix0") == world.dut.ring_drops


def test_what_a_sampler_would_ask_for_is_there(world: World) -> None:
    names = [line.partition("=")[0] for line in texts(view.of("dut", world, BOOT))["sysctl"].splitlines()]
    asked = sysctl_oids.counters(sysctl_oids.names("\n".join(names)), soft_state=True)
    assert {name for name in asked if name.startswith("dev.ix.0.queue")} >= {
        f"dev.ix.0.queue{number}.rx_packets" for number in range(4)
    }
    assert "dev.ix.1.iflib.txq3.ring_state" in asked
    assert sysctl_oids.settings(names)


def test_netisr_tells_its_queues(world: World) -> None:
    report = whole(netisr.parse(texts(view.of("dut", world, BOOT))["netstat-Q"]))
    rows = [row for row in report.rows if row.protocol == "ip"]
    assert report.dispatch("ip") == world.dut.setup.dispatch
    assert report.config.threads == len(rows) == world.dut.setup.netisr_threads
    assert sum(row.queue_drops or 0 for row in rows) == dropped(world.dut.netisr)
    if world.dut.setup.dispatch == "deferred":
        assert sum(row.handled or 0 for row in rows) == sum(line.passed for line in world.dut.netisr)


def test_interrupts_name_their_queues(world: World) -> None:
    rows = whole(vmstat_i.parse(texts(view.of("dut", world, BOOT))["vmstat-i"]))
    found = {(row.interface, row.queue) for row in rows if row.queue is not None}
    assert {("ix0", number) for number in range(4)} <= found


def test_the_clock_is_the_models(world: World) -> None:
    files = texts(view.of("dut", world, BOOT))
    seconds, nanoseconds = files["date"].split()
    boottime = whole(sysctl.parse(files["sysctl"])).values["kern.boottime"]
    reading = whole(freebsd_clock.parse(f"{seconds}.{nanoseconds}\n{boottime}\n"))
    assert reading.uptime_ns == round((3600 + world.now) * 1e6) * 1000
    assert not reading.coarse


@pytest.mark.parametrize("host", ["gen", "dut"])
def test_facts_are_read_and_say_that_they_are_simulated(world: World, host: str) -> None:
    files = texts(view.of(host, world, BOOT))
    kernel = whole(freebsd_uname.parse(" ".join(files["uname"].splitlines())))
    assert (kernel.host, kernel.release, kernel.config) == (host, "15.0-RELEASE", "SIMULATED")
    cards = whole(pciconf.parse(files["pciconf"]))
    assert [card.name for card in cards] == ["ix0", "ix1", "igb0"]
    ports = whole(ifconfig.parse(files["ifconfig"]))
    assert [port.name for port in ports] == ["ix0", "ix1", "igb0", "lo0"]
    assert ports[0].link is world.link
    assert whole(netstat_rn.parse(files["netstat-r"]))
    assert dmesg.queue_counts(files["dmesg"].splitlines())["ix0"] == (4, 4)


def test_links_that_change_are_told_by_the_kernel_as_they_are() -> None:
    world = after("link-bounce", 3.9)
    before = texts(view.of("dut", world, BOOT))["dmesg"]
    world.advance(6.5)
    later = texts(view.of("dut", world, BOOT))["dmesg"]
    found = dmesg.link_changes(whole(dmesg.new_lines(before, later)))
    assert [(change.interface, change.up) for change in found] == [("ix0", False), ("ix0", True)]


def test_netmap_hides_the_generators_packets_from_its_kernel(world: World) -> None:
    rows = whole(netstat_interfaces.parse(texts(view.of("gen", world, BOOT))["netstat-ibd"]))
    assert world.offered > 0
    assert [(row.tx_packets, row.rx_packets) for row in rows[:2]] == [(0, 0), (0, 0)]


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("mode", ["tx", "rx"])
def test_pkt_gens_lines_are_read(plain: bool, mode: str) -> None:
    words = f"{'-N ' if plain else ''}-f {mode} -i ix0 -l 60 -w 2 -4".split()
    arguments = pktgen.read_arguments(words)
    lines = [
        *pktgen.opening(arguments, 1234.5),
        pktgen.waiting(1235.0),
        *pktgen.ready(arguments, 1236.5),
        pktgen.interval(arguments, 1999.9, 14_880_952, 1_001_000),
        pktgen.interval(arguments, 2000.9, 0, 1_001_000),
        *pktgen.closing(arguments, 14_880_952, 2.002),
    ]
    log = netmap_pktgen.parse("\n".join(lines) + "\n")
    assert log.skipped == () and not log.truncated and log.crash is None
    assert log.role == ("generator" if mode == "tx" else "receiver")
    first, second = log.samples()
    assert first.pps == pytest.approx(14_880_952 / 1.001, rel=1e-3)
    assert first.packets == pytest.approx(14_880_952, rel=1e-3)
    assert second.pps == 0
    assert second.t == pytest.approx(1.0)
    assert (log.packets_total, log.seconds, log.waiting) == (14_880_952, 2.0, 1)
    assert log.speed == pytest.approx(14_880_952 / 2.002, rel=1e-3)


def test_pkt_gen_reads_its_options_as_getopt_does() -> None:
    found = pktgen.read_arguments(
        [
            "-U",
            "-N",
            "-ftx",
            "-i",
            "netmap:ix0",
            "-n",
            "80000000",
            "-l",
            "64",
            "-R",
            "1.5M",
            "-w4",
            "-T",
            "2000",
        ]
    )
    assert found == pktgen.Arguments("tx", "ix0", 80_000_000, 1.5e6, 4, True, 64, 2.0)
    for words, told in (("-f ping -i ix0", "function ping"), ("-f tx", "ifname"), ("-i", "argument -- i")):
        with pytest.raises(ValueError, match=told):
            pktgen.read_arguments(words.split())


def test_a_scenario_whose_fix_is_in_the_kernel_has_another_revision_of_it() -> None:
    revisions = []
    for name in ("tx-one-queue", "tx-one-queue-fixed"):
        files = texts(view.of("dut", World(scenario.load(name)), BOOT))
        revisions.append(whole(freebsd_uname.parse(" ".join(files["uname"].splitlines()))).revision)
    assert all(revisions) and revisions[0] != revisions[1]
