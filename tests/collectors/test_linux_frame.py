"""A Linux frame as it was recorded on a router with an ixgbe and a veth -> a sample."""

import pytest

from fwdtui.collectors.frames import FrameReader
from fwdtui.collectors.linux_sampler import LinuxHello, read_frame, read_hello

HELLO = """\
@T B 0 H
@T boot_id
26908785-f042-4a20-be90-feacc4870340
@T owners
0000:01:00.0 eth0
virtio2 eth1
@T tools
ethtool
tc
@T awk
mawk -W interactive
@T clock
/proc/timer_list
@T E 0
"""
PLAIN = """\
@T B 7 P
@T wall
1795195857
@T before
now at 5189445678341 nsecs
@T dev
  eth0:3563180668 4895712    0 822057    0     0          0         0    20 2    0    0    0     0       0          0
  eth1:       0       0    0    0    0     0          0         0 237649584 4167792    0 727920    0     0       0          0
@T sys eth0
rx_dropped 817057
rx_missed_errors 5000
ifindex 4
@T sys eth1
ifindex 5
@T softnet
00d3f9c1 0017931b 00000003 00000000 00000000 00000000 00000000 00000000 00000000 0002ef07 00000000 00000000 00000000 00000000 00000000
08eb7f8e 004e28c3 00000009 00000000 00000000 00000000 00000000 00000000 00000000 0058863e 00000000 00000000 00000001 00000000 00000000
@T stat
cpu  409925 0 97135 468933 2118 0 54838 268 0 0
cpu0 189619 0 65920 219773 293 0 41573 124 0 0
cpu1 220305 0 31215 249159 1824 0 13265 143 0 0
@T after
now at 5189445878341 nsecs
@T E 7
"""  # noqa: E501
SLOW = """\
@T B 8 S
@T before
now at 5189500000000 nsecs
@T links
eth0 up
eth1 lowerlayerdown
@T snmp
Ip: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors ForwDatagrams
Ip: 1 64 536124 0 0 4895700
@T snmp6
Ip6OutForwDatagrams             	12
@T interrupts
           CPU0       CPU1
 38:          1       6570 PCI-MSIX-0000:01:00.0   1-edge      eth0-TxRx-0
 39:       4929          0 PCI-MSIX-0000:00:03.0   2-edge      virtio2-output.0
@T ethtool eth0
NIC statistics:
     rx_queue_0_packets: 2447856
     rx_queue_1_packets: 2447856
     tx_queue_0_packets: 2
     rx_no_dma_resources: 77
@T qdisc eth0
qdisc mq 0: root
 Sent 120 bytes 2 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
@T ethtool eth1
@T qdisc eth1
@T after
now at 5189504000000 nsecs
@T E 8
"""


def frame(text: str):
    reader = FrameReader("T")
    (found,) = [one for line in text.encode().splitlines() if (one := reader.feed(line))]
    return found


HELLO_READ = read_hello(frame(HELLO))
BOTH = ("eth0", "eth1")


def test_the_first_frame_says_boot_owners_and_tools() -> None:
    assert HELLO_READ.boot == "26908785-f042-4a20-be90-feacc4870340"
    assert HELLO_READ.owners == {"0000:01:00.0": "eth0", "virtio2": "eth1"}
    assert HELLO_READ.tools == ("ethtool", "tc")
    assert (HELLO_READ.awk, HELLO_READ.clock) == ("mawk -W interactive", "/proc/timer_list")


def test_interrupts_of_a_card_with_two_ports_are_of_neither() -> None:
    """As with mlx4: one PCI device, whose interrupts serve both."""
    both = HELLO.replace("virtio2 eth1", "0000:01:00.0 eth1")
    text = SLOW.replace("eth0-TxRx-0", "mlx4-1@0000:01:00.0")
    told = read_frame(frame(text), read_hello(frame(both)), BOTH).sample.interrupts
    assert [(row.irq, row.interface, row.queue) for row in told] == [("38", None, 0), ("39", None, 0)]
    alone = read_frame(frame(text), HELLO_READ, BOTH).sample.interrupts
    assert [(row.irq, row.interface, row.queue) for row in alone] == [("38", "eth0", 0), ("39", "eth1", 0)]


def test_a_plain_frame_is_a_sample_at_the_middle_of_its_reading() -> None:
    readout = read_frame(frame(PLAIN), HELLO_READ, BOTH)
    sample = readout.sample
    assert (readout.begin, readout.end) == (5189.445678341, 5189.445878341)
    assert (sample.seq, sample.t, sample.resolution) == (7, 5189.445778341, 1e-9)
    assert sample.boot == HELLO_READ.boot
    eth0, eth1 = sample.interfaces
    assert (eth0.rx_packets, eth0.rx_bytes, eth0.tx_packets) == (4895712, 3563180668, 2)
    assert (eth1.tx_packets, eth1.tx_dropped) == (4167792, 727920)
    assert (eth0.link, eth1.link) == (4, 5)
    assert [core.softirq for core in sample.cpus] == [41573, 13265]
    assert [row.dropped for row in sample.softnet] == [0x17931B, 0x4E28C3]
    assert sample.wall == 1795195857
    assert sample.forwarded is None  # not sampled in this tick
    assert sample.skipped == ()


@pytest.mark.parametrize(
    ("seed", "wall"),
    [
        ("1795195857", 1795195857),
        ("1795195857250000", 1795195857.25),  # newer mawk, by gettimeofday()
        ("1795195857250000128", 1795195857.25),  # and by clock_gettime()
        ("999999999", None),  # before September 2001
        ("10000000000", None),  # of no unit that an awk is known to have
        ("1795195857250", None),
        ("17951958572500001280", None),
        ("1.7952e+18", None),  # in six digits it is hours off
        ("#srand1795195857", None),
        ("-1", None),
        ("", None),
    ],
)
def test_an_awks_seed_is_the_wall_clock_in_whichever_unit_it_can_be(seed: str, wall: float | None) -> None:
    text = PLAIN.replace("@T wall\n1795195857\n", f"@T wall\n{seed}\n")
    assert text != PLAIN or seed == "1795195857"
    found = read_frame(frame(text), HELLO_READ, BOTH).sample.wall
    assert found == (None if wall is None else pytest.approx(wall, abs=1e-6))


def test_a_kernel_that_numbers_no_backlogs_has_them_on_the_cpus_online() -> None:
    """Before Linux 5.10, with CPU 1 offline: the second row is CPU 2's."""
    old = PLAIN.replace(" 00000000 00000000 00000000 00000000\n", "\n")
    old = old.replace(" 00000000 00000001 00000000 00000000\n", "\n").replace("cpu1 ", "cpu2 ")
    sample = read_frame(frame(old), HELLO_READ, BOTH).sample
    assert [(row.cpu, row.dropped) for row in sample.softnet] == [(0, 0x17931B), (2, 0x4E28C3)]
    without = read_frame(frame(old.replace("cpu2 ", "cpu0 ")), HELLO_READ, BOTH).sample
    assert without.softnet == () and any("softnet" in note for note in without.skipped)


def test_what_else_a_driver_counts_of_a_queue_is_in_no_recording() -> None:
    """mlx5 counts some 95 things of each queue, and nothing reads them."""
    more = "     rx_queue_0_bytes: 5\n     rx_queue_0_drops: 4\n     rx_queue_0_csum_err: 3\n"
    text = SLOW.replace("     rx_no_dma_resources", f"{more}     rx_no_dma_resources")
    queues = read_frame(frame(text), HELLO_READ, BOTH).sample.queues
    assert [(row.direction, row.index, row.packets) for row in queues] == [
        ("rx", 0, 2447856),
        ("rx", 1, 2447856),
        ("tx", 0, 2),
    ]
    assert queues[0].bytes == 5 and all(row.extra == {} for row in queues)


def test_what_the_device_missed_stands_apart_from_what_the_stack_dropped() -> None:
    eth0, eth1 = read_frame(frame(PLAIN), HELLO_READ, BOTH).sample.interfaces
    assert (eth0.rx_dropped, eth0.rx_missed) == (817057, 5000)  # /proc/net/dev adds them up
    assert (eth1.rx_dropped, eth1.rx_missed) == (0, None)  # no file told them apart: "n/a", not 0


def test_a_slow_frame_has_queues_stages_qdiscs_interrupts_and_links() -> None:
    readout = read_frame(frame(SLOW), HELLO_READ, BOTH)
    sample = readout.sample
    assert [(q.direction, q.index, q.packets) for q in sample.queues] == [
        ("rx", 0, 2447856),
        ("rx", 1, 2447856),
        ("tx", 0, 2),
    ]
    assert [(s.stage, s.kind, s.value) for s in sample.stages] == [("rx-ring", "drops", 77)]
    assert [(q.interface, q.sent_packets) for q in sample.qdiscs] == [("eth0", 2)]
    assert [(r.interface, r.queue, r.direction) for r in sample.interrupts] == [
        ("eth0", 0, "rxtx"),
        ("eth1", 0, "tx"),
    ]
    assert readout.links == {"eth0": True, "eth1": False}
    assert readout.downs == {}  # Linux 4.15 and older do not count it
    assert sample.forwarded == 4895712
    assert sample.wall is None  # the frame had none
    assert sample.interfaces == () and sample.cpus == ()  # not sampled in this tick


def test_an_interface_that_is_gone_is_said_and_is_not_zero() -> None:
    sample = read_frame(frame(PLAIN), HELLO_READ, ("eth0", "eth9")).sample
    assert [row.name for row in sample.interfaces] == ["eth0"]
    assert sample.skipped == ("no interface eth9",)


def test_without_ipv6_forwarded_is_what_ipv4_forwarded() -> None:
    text = SLOW.replace("Ip6OutForwDatagrams             \t12\n", "")
    assert read_frame(frame(text), HELLO_READ, BOTH).sample.forwarded == 4895700
    text = text.replace("ForwDatagrams", "ForwSomething")
    assert read_frame(frame(text), HELLO_READ, BOTH).sample.forwarded is None


def test_without_root_the_clock_is_the_uptime() -> None:
    text = PLAIN.replace("now at 5189445678341 nsecs", "5189.44 9000.00").replace(
        "now at 5189445878341 nsecs", "5189.45 9000.01"
    )
    readout = read_frame(frame(text), HELLO_READ, BOTH)
    assert (readout.begin, readout.end, readout.sample.resolution) == (5189.44, 5189.45, 0.01)


def test_a_frame_without_its_clock_has_no_time() -> None:
    readout = read_frame(frame(PLAIN.replace("now at", "never at")), HELLO_READ, BOTH)
    assert readout.begin is None and readout.end is None
    assert any("not an uptime" in note for note in readout.sample.skipped)


def test_messages_that_may_not_be_read_are_refused_and_are_no_message() -> None:
    head = "@T B 1 M\n@T before\nnow at 1 nsecs\n@T messages\n"
    tail = "\n@T after\nnow at 2 nsecs\n@T E 1\n"
    refused = "dmesg: read kernel buffer failed: Operation not permitted"
    readout = read_frame(frame(head + refused + tail), HELLO_READ, BOTH)
    assert (readout.messages, readout.refused) == (None, refused)
    readout = read_frame(frame(head + "[ 1.0] eth0: up\ndmesg: fake" + tail), HELLO_READ, BOTH)
    assert (readout.messages, readout.refused) == ("[ 1.0] eth0: up\ndmesg: fake", "")


def test_any_kernel_text_gives_what_could_be_read() -> None:
    for cut in range(0, len(PLAIN), 41):
        garbled = PLAIN[:cut] + "\x00garbage\n" + PLAIN[cut:]
        reader = FrameReader("T")
        for line in garbled.encode().splitlines():
            if one := reader.feed(line):
                read_frame(one, LinuxHello(), BOTH)


def test_how_often_a_link_went_down_is_beside_its_state() -> None:
    text = SLOW.replace("eth0 up\n", "eth0 up\ndown eth0 7\n")
    readout = read_frame(frame(text), HELLO_READ, BOTH)
    assert readout.links == {"eth0": True, "eth1": False} and readout.downs == {"eth0": 7}
