"""Two samples of one host: rates by the host's own clock, disjoint drops, and gaps that are gaps."""

import pytest

from fwdtui.core.counters import (
    CpuTicks,
    InterfaceCounters,
    NetisrRow,
    QdiscRow,
    QueueCounters,
    SoftnetRow,
)
from fwdtui.core.drop_stages import INPUT_QUEUE, NETISR, OUTPUT, RX_RING, TX_SOFT_QUEUE
from fwdtui.core.host_rates import between
from fwdtui.core.model import HostSample


def sample(t: float, *interfaces: InterfaceCounters, boot: str = "a", **fields) -> HostSample:
    return HostSample("dut", int(t * 10), t=t, at=t + 100, boot=boot, interfaces=interfaces, **fields)


def port(name: str, rx: int | None = None, tx: int | None = None, **fields) -> InterfaceCounters:
    return InterfaceCounters(name, rx_packets=rx, tx_packets=tx, **fields)


def test_rates_are_by_the_hosts_own_interval_and_not_by_arrival():
    before = HostSample("dut", 1, t=10.0, at=0.0, boot="a", interfaces=(port("e0", 1000),))
    after = HostSample("dut", 2, t=10.5, at=7.0, boot="a", interfaces=(port("e0", 2000, rx_bytes=None),))
    found = between(before, after)
    assert found.seconds == 0.5
    assert found.interfaces["e0"].rx_pps == 2000.0 and found.interfaces["e0"].rx_count == 1000


def test_what_a_host_does_not_count_is_none_and_never_zero():
    found = between(sample(1, port("e0", 5)), sample(2, port("e0", 5)), inputs=["e0"], outputs=["e0"])
    assert found.interfaces["e0"].rx_pps == 0.0
    assert found.interfaces["e0"].tx_pps is None and found.interfaces["e0"].rx_dropped is None
    assert found.drops == {} and found.squeezed is None


def test_another_boot_is_a_gap_and_no_rate():
    found = between(sample(100, port("e0", 5)), sample(2, port("e0", 9), boot="b"))
    assert found.gap == "reboot" and found.interfaces == {}


def test_a_long_silence_is_a_gap_with_the_average_over_it():
    found = between(sample(1, port("e0", 0)), sample(54, port("e0", 53_000)), inputs=["e0"], longest=3.0)
    assert (found.gap, found.seconds, found.average) == ("late", 53.0, 1000.0)
    assert found.interfaces == {}


def test_an_interface_that_was_replaced_has_no_rate():
    found = between(sample(1, port("e0", 5, link=3)), sample(2, port("e0", 9, link=7)))
    assert found.interfaces["e0"].rx_pps is None


def test_linux_drops_are_told_by_stage_and_softnet_is_not_added_to_them():
    before = sample(
        1,
        port("in", 0, rx_dropped=0, rx_missed=0),
        port("out", tx=0, tx_dropped=0),
        softnet=(SoftnetRow(0, True, 0, 0, 0),),
        qdiscs=(
            QdiscRow("out", "mq", "0:", "root", dropped=0),
            QdiscRow("out", "fq", "1:", "0:1", dropped=0),
        ),
    )
    after = sample(
        2,
        port("in", 100, rx_dropped=20, rx_missed=3),
        port("out", tx=70, tx_dropped=5),
        softnet=(SoftnetRow(0, True, 0, 25, 9),),
        qdiscs=(
            QdiscRow("out", "mq", "0:", "root", dropped=7),
            QdiscRow("out", "fq", "1:", "0:1", dropped=7),
        ),
    )
    found = between(before, after, inputs=["in"], outputs=["out"])
    assert found.drops == {RX_RING: 3.0, INPUT_QUEUE: 20.0, TX_SOFT_QUEUE: 7.0, OUTPUT: 5.0}
    assert found.squeezed == 9.0
    assert [row.dropped for row in found.softnet] == [25.0]


def test_freebsd_input_drops_are_the_rings_and_netisr_has_its_own():
    def netisr(drops: int) -> tuple[NetisrRow, ...]:
        return (NetisrRow(0, 0, "ip", queue_drops=drops), NetisrRow(0, 0, "ip6", queue_drops=0))

    before = sample(1, port("igb1", 0, rx_dropped=0, rx_errors=0, link=2, up=True), netisr=netisr(0))
    after = sample(2, port("igb1", 10, rx_dropped=4, rx_errors=2, link=2, up=True), netisr=netisr(8))
    found = between(before, after, inputs=["igb1"], outputs=["igb2"])
    assert found.drops == {RX_RING: 6.0, NETISR: 8.0}


def test_drops_of_other_ports_do_not_count():
    before = sample(1, port("mgmt", 0, rx_dropped=0, tx_dropped=0))
    after = sample(2, port("mgmt", 0, rx_dropped=50, tx_dropped=50))
    assert between(before, after, inputs=["in"], outputs=["out"]).drops == {}


def test_cores_are_shares_of_their_own_ticks_with_interrupts_kept_apart():
    before = sample(1, cpus=(CpuTicks(0, 0, 0, 0, 0, 0, softirq=0), CpuTicks(1, 9, 9, 9, 9, 9)))
    after = sample(2, cpus=(CpuTicks(0, 10, 0, 20, 30, 15, softirq=25), CpuTicks(1, 9, 9, 9, 9, 9)))
    (first,) = between(before, after).cpus
    assert (first.busy, first.user, first.system, first.irq, first.softirq) == pytest.approx(
        (0.7, 0.1, 0.2, 0.15, 0.25)
    )


TICKS = {"user": 0, "nice": 0, "system": 0, "idle": 0, "irq": 0, "softirq": 0, "iowait": 0, "steal": 0}


@pytest.mark.parametrize(
    ("state", "busy"),
    [
        ("user", 0.4),
        ("nice", 0.4),
        ("system", 0.4),
        ("irq", 0.4),
        ("softirq", 0.4),
        ("steal", 0.4),  # taken by another guest: this core could do nothing with it
        ("idle", 0.0),
        ("iowait", 0.0),  # idle with a disk request outstanding (proc(5)): it could forward
    ],
)
def test_a_core_is_busy_in_all_states_but_idle_and_waiting_for_a_disk(state: str, busy: float):
    spent = TICKS | {"idle": 60}
    spent[state] += 40
    before, after = sample(1, cpus=(CpuTicks(0, **TICKS),)), sample(2, cpus=(CpuTicks(0, **spent),))
    (found,) = between(before, after).cpus
    shares = [found.user, found.system, found.irq, found.softirq]
    expected = [
        0.4 if state in names else 0.0 for names in (("user", "nice"), ("system",), ("irq",), ("softirq",))
    ]
    assert found.busy == pytest.approx(busy) and shares == pytest.approx(expected)


def test_queues_are_matched_by_port_direction_and_index():
    def row(direction: str, index: int, packets: int | None, depth: int | None = None) -> QueueCounters:
        return QueueCounters("e0", direction, index, packets=packets, depth=depth)

    before = sample(1, queues=(row("rx", 0, 0), row("tx", 0, 0), row("tx", 1, None)))
    after = sample(2, queues=(row("tx", 0, 7, depth=3), row("rx", 0, 9), row("tx", 1, None)))
    found = {(q.direction, q.index): (q.pps, q.depth) for q in between(before, after).queues}
    assert found == {("tx", 0): (7.0, 3), ("rx", 0): (9.0, None), ("tx", 1): (None, None)}
