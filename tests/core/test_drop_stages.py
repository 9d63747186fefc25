"""A card's own drop counters beside the interface's: every loss in one stage, and in no two of them.

Each case is a driver: what it counts of the same true losses, by the sources named in drop_stages.py and
ethtool_names.py. The true losses are packets lost in the card, and `kernel` packets lost after it.
"""

from pathlib import Path

import fixtures
import pytest
from fixtures import Agree, cases
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fwdtui.core.counters import CpuTicks, InterfaceCounters, QdiscRow, QueueCounters, StageCounter
from fwdtui.core.drop_stages import (
    CARD_FILTER,
    FRAME_CHECK,
    INPUT_ERRORS,
    INPUT_QUEUE,
    MISSED,
    NETISR,
    OUTPUT,
    QUEUED,
    RX_RING,
    STAGES,
    TX_SOFT_QUEUE,
    Place,
    by_place,
    counters,
    counting_of,
    listed,
    reader,
    stages,
    unread,
)
from fwdtui.core.growth import Growth, growth
from fwdtui.core.host_rates import between, with_slow
from fwdtui.core.model import HostSample
from fwdtui.core.parse.ethtool_stats import parse_ethtool_stats
from fwdtui.core.parse.netisr import parse as parse_netisr
from fwdtui.core.parse.sysctl import parse as parse_sysctl
from fwdtui.core.parse.sysctl_queues import parse as parse_queues
from fwdtui.core.parse.sysctl_stages import parse as parse_stages

IN, OUT = ["in"], ["out"]


def nic(
    name: str, value: int, interface: str = "in", way: str = "rx", stage: str = "rx-ring"
) -> StageCounter:
    return StageCounter(interface, way, stage, "drops", name, value)


def rx(value: int, index: int = 0) -> QueueCounters:
    return QueueCounters("in", "rx", index, drops=value)


def linux(missed: int | None, dropped: int, *rows: StageCounter, queues=()) -> dict:
    port = InterfaceCounters("in", rx_missed=missed, rx_dropped=dropped, link=2)
    return {"interfaces": (port,), "stages": rows, "queues": tuple(queues)}


# what each driver shows of `buffer` (no room in the card), `ring` (no descriptor) and `kernel` packets lost
LINUX = {
    "ixgbe": lambda buffer, ring, kernel: linux(
        buffer,
        kernel,
        nic("rx_missed_errors", buffer),
        nic("rx_no_dma_resources", ring),
        nic("rx_dropped", 0),
    ),
    "igb": lambda buffer, ring, kernel: linux(
        buffer, kernel, nic("rx_missed_errors", buffer), queues=[rx(ring // 2), rx(ring - ring // 2, 1)]
    ),
    "ice since it reports rx_missed": lambda buffer, ring, kernel: linux(
        buffer, kernel + ring, nic("rx_dropped.nic", buffer), nic("rx_dropped", ring)
    ),
    "ice before": lambda buffer, ring, kernel: linux(
        0, kernel + ring, nic("rx_dropped.nic", buffer), nic("rx_dropped", ring)
    ),
    "mlx5 since rx_dropped holds if_in_discards": lambda buffer, ring, kernel: linux(
        ring, kernel + buffer, nic("rx_out_of_buffer", ring), nic("rx_discards_phy", buffer)
    ),
    "i40e before it reports rx_missed": lambda buffer, ring, kernel: linux(
        0, kernel + ring, nic("port.rx_dropped", buffer, stage="mac"), nic("rx_dropped", ring)
    ),
    "i40e since": lambda buffer, ring, kernel: linux(
        ring,
        kernel,
        nic("rx_dropped", 0),
        nic("rx_missed_errors", ring, stage="mac"),
        nic("port.rx_discards", buffer, stage="mac"),
    ),
    "bnxt_en": lambda buffer, ring, kernel: linux(
        buffer + ring, kernel, nic("rx_total_discard_pkts", buffer + ring), queues=[rx(buffer), rx(ring, 1)]
    ),
    "tg3": lambda buffer, ring, kernel: linux(buffer + ring, kernel, nic("rx_discards", buffer + ring)),
    "sfc": lambda buffer, ring, kernel: linux(
        0, buffer + ring + kernel, nic("port_rx_nodesc_drops", buffer + ring)
    ),
    "be2net, virtio_net, veth": lambda buffer, ring, kernel: linux(
        0, buffer + ring + kernel, queues=[rx(buffer), rx(ring, 1)]
    ),
    "without statistics in /sys": lambda buffer, ring, kernel: linux(
        None, buffer + ring + kernel, nic("rx_missed_errors", buffer + ring)
    ),
    "a driver that tells nothing": lambda buffer, ring, kernel: linux(buffer + ring, kernel),
}


def freebsd(errors: int, dropped: int, *rows: StageCounter, queues=()) -> dict:
    port = InterfaceCounters("in", rx_errors=errors, rx_dropped=dropped, link=1, up=True)
    return {"interfaces": (port,), "stages": rows, "queues": tuple(queues)}


def bad(name: str, value: int) -> StageCounter:
    return StageCounter("in", "rx", "mac", "errors", name, value)


# what each driver shows of frames that came damaged or too long, and of those that it had no room for
FREEBSD = {
    "ix": lambda crc, missed: freebsd(
        crc, missed, nic("mac_stats.rx_missed_packets", missed), bad("mac_stats.crc_errs", crc)
    ),
    "ix whose Idrop is always 0": lambda crc, missed: freebsd(
        crc + missed, 0, nic("mac_stats.rx_missed_packets", missed), bad("mac_stats.crc_errs", crc)
    ),
    "em, igb": lambda crc, missed: freebsd(
        crc + missed,
        0,
        nic("mac_stats.missed_packets", missed),
        bad("mac_stats.crc_errs", crc - crc // 2),
        bad("mac_stats.recv_oversize", crc // 2),
        bad("mac_stats.recv_length_errors", crc // 3),  # the same frames once more
    ),
    "ixl": lambda crc, missed: freebsd(
        crc,
        missed,
        nic("mac.rx_discards", missed // 3, stage="mac"),
        nic("pf.rx_discards", missed - missed // 3),
        bad("mac.crc_errors", crc),
    ),
    "cxgbe": lambda crc, missed: freebsd(
        crc,
        missed,
        nic("stats.rx_ovflow0", missed // 4),
        nic("stats.rx_ovflow1", missed - missed // 4),
        bad("stats.rx_fcs_err", crc),
    ),
    "mlx5en": lambda crc, missed: freebsd(
        crc, missed, nic("vstats.rx_out_of_buffer", missed), bad("pstats.check_seq_err", crc)
    ),
}


def told(before: dict, after: dict) -> dict[str, float]:
    samples = [HostSample("dut", n, t=1.0 + n, at=float(n), **held) for n, held in enumerate((before, after))]
    found = stages(by_place(growth(samples, reader(IN, OUT, None))).found)
    rates = between(*samples, inputs=IN, outputs=OUT)
    assert rates.drops == found, "the live rates and a blast's account are made by the same rules"
    return found


counts = st.integers(0, 10**6)


@pytest.mark.parametrize("driver", LINUX)
@given(buffer=counts, ring=counts, kernel=counts)
def test_linux_every_loss_is_in_one_stage_and_in_no_two(driver: str, buffer: int, ring: int, kernel: int):
    found = told(LINUX[driver](0, 0, 0), LINUX[driver](buffer, ring, kernel))
    assert sum(found.values()) == buffer + ring + kernel
    assert found == {RX_RING: buffer + ring, INPUT_QUEUE: kernel}


def test_an_overloaded_x710_loses_packets_in_its_rings_and_not_in_the_input_queue():
    """Of Debian 12 and Ubuntu 22.04: rx_dropped has GLV_RDPC, and port.rx_dropped GLPRT_RDPC."""
    text = "NIC statistics:\n rx_packets: 1\n rx_dropped: {}\n port.rx_dropped: {}\n"
    held = []
    for ring, buffer in ((0, 0), (5_000_000, 2_000_000)):
        rows = parse_ethtool_stats(text.format(ring, buffer), "in").value.stages
        held.append(linux(0, ring, *rows))
    assert told(*held) == {RX_RING: 7_000_000, INPUT_QUEUE: 0}


def test_frames_that_are_too_long_for_an_x710_are_no_losses_of_its_rings():
    """Since it has rx_missed_errors, its rx_dropped counts them alone (GL_RXERR1)."""

    def held(long: int) -> dict:
        others = nic("rx_missed_errors", 0, stage="mac"), nic("port.rx_discards", 0, stage="mac")
        return linux(0, long + long // 2, nic("rx_dropped", long), *others)

    assert told(held(0), held(600)) == {FRAME_CHECK: 600, RX_RING: 0, INPUT_QUEUE: 300}


def test_where_an_x710s_register_of_32_bits_goes_round_its_driver_tells_all_that_the_interface_does_not():
    """The interface's counters are taken for 64 bits, so that a reset of them is never a wrap."""
    samples = []
    for n, lost in enumerate((2**32 - 40, 20)):
        rows = nic("rx_missed_errors", lost, stage="mac"), nic("port.rx_discards", 0, stage="mac")
        samples.append(HostSample("dut", n, t=1.0 + n, at=float(n), **linux(lost, 0, *rows)))
    found = between(*samples, inputs=IN, outputs=OUT)
    assert found.drops == {RX_RING: 60.0, INPUT_QUEUE: 0.0} and found.unread == {RX_RING: "reset"}


@given(ring=counts, kernel=counts)
def test_an_mlx5_before_6_10_has_what_its_rings_lost_in_rx_dropped(ring: int, kernel: int):
    """`stats->rx_dropped = priv->stats.qcnt.rx_out_of_buffer` in mlx5e_get_stats()."""
    shown = linux(0, ring + kernel, nic("rx_out_of_buffer", ring), nic("rx_discards_phy", 0))
    nothing = linux(0, 0, nic("rx_out_of_buffer", 0), nic("rx_discards_phy", 0))
    assert told(nothing, shown) == {RX_RING: ring, INPUT_QUEUE: kernel}


def test_an_older_mlx5_that_tells_discards_of_the_port_nowhere_else_is_not_believed_to_have_lost_more():
    shown = linux(5, 9, nic("rx_out_of_buffer", 5), nic("rx_discards_phy", 7))
    found = told(LINUX["mlx5 since rx_dropped holds if_in_discards"](0, 0, 0), shown)
    # 7 of the 9 may be the port's: what is certain is 5 + max(7, 9), the rest stays unaccounted
    assert found == {RX_RING: 12.0, INPUT_QUEUE: 2.0}


@pytest.mark.parametrize("driver", FREEBSD)
@given(crc=counts, missed=counts)
def test_freebsd_bad_frames_are_no_losses_of_the_ring(driver: str, crc: int, missed: int):
    found = told(FREEBSD[driver](0, 0), FREEBSD[driver](crc, missed))
    assert found == {RX_RING: missed} | ({FRAME_CHECK: crc} if crc else {})


@given(errors=counts, missed=counts)
def test_freebsd_errors_that_no_driver_tells_apart_are_not_said_to_be_the_rings(errors: int, missed: int):
    """vtnet, re, bge: Ierrs of some hold what the card had no room for, and no counter says so."""
    found = told(freebsd(0, 0, queues=[rx(0)]), freebsd(errors, missed, queues=[rx(missed)]))
    assert found == {RX_RING: missed} | ({INPUT_ERRORS: errors} if errors else {})


def test_freebsd_a_wrong_checksum_of_what_a_frame_carries_is_no_bad_frame():
    """The frame is delivered (xec of e1000 and ixgbe), so Ierrs are something else."""
    found = told(
        freebsd(0, 0, bad("mac_stats.checksum_errs", 0)), freebsd(50, 0, bad("mac_stats.checksum_errs", 80))
    )
    assert found == {RX_RING: 0, INPUT_ERRORS: 50}


def test_a_driver_that_tells_the_interface_nothing_is_heard():
    found = told(freebsd(0, 0, nic("vsi.rx_discards", 0)), freebsd(0, 0, nic("vsi.rx_discards", 80)))
    assert found == {RX_RING: 80}


@pytest.mark.parametrize(
    ("held", "name"),
    [
        (lambda ring, row: linux(ring, 0, row), "rx_steer_missed_packets"),
        (lambda ring, row: linux(ring, 0, row), "rx_classifier_drops"),
        (lambda ring, row: freebsd(0, ring, row), "vstats.rx_steer_missed_packets"),
    ],
    ids=["mlx5", "mvpp2", "mlx5en"],
)
def test_frames_that_match_no_flow_of_the_card_are_no_drops_of_its_ring(held, name):
    """A wrong destination MAC is the common cause, and says nothing of what the DUT can do."""
    shown = (held(0, nic(name, 0, stage="mac")), held(7, nic(name, 900, stage="mac")))
    found = {stage: lost for stage, lost in told(*shown).items() if lost}
    assert found == {CARD_FILTER: 900, RX_RING: 7}


def test_an_mlx5_may_have_frames_that_match_no_flow_in_rx_dropped_and_they_are_counted_once():
    """Whether if_in_discards has them is not known, so what it has beyond them is the least."""
    shown = linux(0, 1000, nic("rx_steer_missed_packets", 900, stage="mac"))
    found = told(linux(0, 0, nic("rx_steer_missed_packets", 0, stage="mac")), shown)
    assert found == {CARD_FILTER: 900, RX_RING: 0, INPUT_QUEUE: 100}


def queued(text: str, **more: int) -> dict:
    """`netstat -Q` in which the queues of these protocols have dropped so many more."""
    rows = [
        replace(row, queue_drops=(row.queue_drops or 0) + more.get(row.protocol, 0))
        for row in parse_netisr(text).value.rows
    ]
    return {"counting": "freebsd", "netisr": tuple(rows)}


NETISR_ROWS = """\
Workstreams:
WSID CPU   Name     Len WMark   Disp'd  HDisp'd   QDrops   Queued  Handled
   0   0   ip         0   256        0     3651        9  8681903  8685554
   0   0   rtsock     0   256        0        0       70     4500     4500
   0   0   ether      0     0 47512660        0        0        0 47512660
   0   0   ip6        0     0        0        0        0        0        0
   1   1   ip         3   256        0       17        2       20       37
   1   1   rtsock     0     0        0        0        0        0        0
   1   1   ether      0     0 47512660        0        0        0 47512660
   1   1   ip6        0     0        0        0        0        0        0
"""


def test_each_protocols_queue_of_each_netisr_workstream_drops_packets_of_its_own():
    """What ether's queue drops never reaches the one of ip."""
    found = told(queued(NETISR_ROWS), queued(NETISR_ROWS, ip=100, ip6=20, ether=3))
    assert found == {NETISR: 2 * (100 + 20 + 3)}


def test_messages_to_routing_daemons_that_netisr_dropped_are_no_packets():
    """rtsock queues what the kernel says of routes and links to programs that listen (rt_dispatch())."""
    assert told(queued(NETISR_ROWS), queued(NETISR_ROWS, rtsock=5000)) == {NETISR: 0}


def test_stages_that_few_drivers_show_are_listed_where_they_are_known():
    ordinary = tuple(stage for stage in STAGES if stage not in (FRAME_CHECK, CARD_FILTER, INPUT_ERRORS))
    assert listed({RX_RING: 5.0}) == ordinary
    assert listed({CARD_FILTER: 0.0}) == (CARD_FILTER, *ordinary)
    assert listed({}, {FRAME_CHECK: "reset"}) == (FRAME_CHECK, *ordinary)


def sending(dropped: int, *rows: StageCounter, queues: int | None = None, qdisc: int | None = None, up=None):
    held = {"interfaces": (InterfaceCounters("out", tx_dropped=dropped, link=3, up=up),), "stages": rows}
    if queues is not None:
        held["queues"] = (QueueCounters("out", "tx", 0, drops=queues),)
    if qdisc is not None:
        held["qdiscs"] = (QdiscRow("out", "fq", "1:", "root", dropped=qdisc),)
    return held


@pytest.mark.parametrize(
    ("driver", "before", "after", "expected"),
    [
        (
            "mlx5: each queue's dropped is in tx_dropped, and tx_queue_dropped is their sum",
            sending(0, nic("tx_queue_dropped", 0, "out", "tx"), queues=0, qdisc=0),
            sending(30, nic("tx_queue_dropped", 30, "out", "tx"), queues=30, qdisc=4),
            {TX_SOFT_QUEUE: 4, OUTPUT: 30},
        ),
        (
            "cxgbe: Drop holds the soft ring's drops and the card's",
            sending(0, queues=0, up=True),
            sending(50, queues=30, up=True),
            {TX_SOFT_QUEUE: 30, OUTPUT: 20},
        ),
        (
            "ix under iflib: Drop is 0",
            sending(0, queues=0, up=True),
            sending(0, queues=30, up=True),
            {TX_SOFT_QUEUE: 30, OUTPUT: 0},
        ),
        (
            "mlx5en: three names of one loss",
            sending(0, nic("vstats.tx_queue_dropped", 0, "out", "tx"), queues=0, up=True),
            sending(9, nic("vstats.tx_queue_dropped", 9, "out", "tx"), queues=9, up=True),
            {TX_SOFT_QUEUE: 9, OUTPUT: 0},
        ),
    ],
)
def test_what_was_lost_on_the_way_out_is_in_one_stage(driver, before, after, expected):
    assert told(before, after) == expected


def test_what_the_card_discarded_after_it_was_counted_as_sent_is_no_loss_of_the_dut():
    after = sending(0, nic("tx_discards_phy", 40, "out", "tx", "mac"))
    assert told(sending(0, nic("tx_discards_phy", 0, "out", "tx", "mac")), after) == {OUTPUT: 0}
    samples = [HostSample("dut", n, t=1.0 + n, at=n, **held) for n, held in enumerate((sending(0), after))]
    assert counters(samples[1], IN, OUT).keys() == counters(samples[0], IN, OUT).keys()


@pytest.mark.parametrize("up", [None, True], ids=["Linux", "FreeBSD"])
@pytest.mark.parametrize(
    ("interface", "direction", "stage"),
    [
        ("in", "rx", RX_RING),
        ("in", "tx", None),
        ("out", "rx", None),
        ("out", "tx", OUTPUT),
    ],
)
def test_a_queue_counts_where_its_direction_is_the_packets_way(up, interface, direction, stage):
    """Every port has queues of both directions: what an output's receive queues drop came from elsewhere."""
    if up and stage == OUTPUT:
        stage = TX_SOFT_QUEUE
    ports = tuple(
        InterfaceCounters(
            name, rx_missed=None if up else 0, rx_dropped=0, rx_errors=0, tx_dropped=0, link=n, up=up
        )
        for n, name in enumerate(("in", "out"), 1)
    )

    def held(drops: int) -> dict:
        return {"interfaces": ports, "queues": (QueueCounters(interface, direction, 0, drops=drops),)}

    lost = {name: count for name, count in told(held(0), held(70)).items() if count}
    assert lost == ({} if stage is None else {stage: 70})


@pytest.mark.parametrize("up", [None, True], ids=["Linux", "FreeBSD"])
@pytest.mark.parametrize(
    ("interface", "name"),
    [("out", "rx_missed_errors"), ("out", "rx_out_of_buffer"), ("in", "tx_queue_dropped")],
)
def test_a_drivers_counter_of_the_other_direction_is_no_loss_of_the_dut(up, interface, name):
    ports = tuple(
        InterfaceCounters(port, rx_dropped=0, tx_dropped=0, link=1, up=up) for port in ("in", "out")
    )
    way = name[:2]

    def held(value: int) -> dict:
        return {"interfaces": ports, "stages": (nic(name, value, interface, way),)}

    assert not any(told(held(0), held(70)).values())


@pytest.mark.parametrize("up", [None, True], ids=["Linux", "FreeBSD"])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rx_dropped", "drops"),  # a copy of the interface's own
        ("rx_crc_errors", "errors"),
        ("rx_pause", "events"),
        ("rx_packets", "packets"),
    ],
)
def test_a_copy_and_what_is_no_drop_are_no_loss(up, name, kind):
    port = InterfaceCounters("in", rx_missed=0, rx_dropped=0, rx_errors=0, link=1, up=up)

    def held(value: int) -> dict:
        return {"interfaces": (port,), "stages": (StageCounter("in", "rx", "mac", kind, name, value),)}

    assert not any(told(held(0), held(70)).values())


@pytest.mark.parametrize(("interface", "parent"), [("in", "root"), ("other", "root"), ("out", "1:")])
def test_of_the_qdiscs_the_outputs_roots_count(interface, parent):
    def held(dropped: int) -> dict:
        return {"qdiscs": (QdiscRow(interface, "fq", "2:", parent, dropped=dropped),)}

    assert told(held(0), held(70)) == {}


def test_what_several_ports_lost_is_added_up():
    def held(one: int, two: int) -> dict:
        ports = (("in", one), ("in2", two), ("out", 9 * one))
        return {"interfaces": tuple(InterfaceCounters(n, rx_missed=v, rx_dropped=2 * v) for n, v in ports)}

    samples = [HostSample("dut", n, t=1.0 + n, at=n, **held(30 * n, 7 * n)) for n in range(2)]
    rates = between(*samples, inputs=["in", "in2"], outputs=OUT)
    assert rates.drops == {RX_RING: 37.0, INPUT_QUEUE: 74.0}


@pytest.mark.parametrize(
    ("port", "name", "up"),
    [
        ("in", "rx_missed", None),
        ("in", "rx_dropped", None),
        ("in", "rx_missed", True),
        ("in", "rx_dropped", True),
        ("in", "rx_errors", True),
        ("out", "tx_dropped", None),
        ("out", "tx_dropped", True),
    ],
)
def test_the_drops_of_another_device_with_the_same_name_are_not_its_growth(port, name, up):
    def held(value: int, link: int) -> dict:
        return {"interfaces": (InterfaceCounters(port, link=link, up=up, **{name: value}),)}

    def rates(link: int):
        pair = held(50, 3), held(70, link)
        samples = [HostSample("dut", n, t=1.0 + n, at=n, **one) for n, one in enumerate(pair)]
        return between(*samples, inputs=IN, outputs=OUT)

    assert list(rates(3).drops.values()).count(20.0) == 1 and not rates(3).unread
    assert not any(rates(4).drops.values()) and list(rates(4).unread.values()) == ["replaced"]


def test_a_place_whose_counters_have_gaps_has_what_the_others_counted():
    """A counter with a gap counts what it grew by outside of the gap; without any growth it says nothing."""
    netisr = Place("", QUEUED, "", "netisr")
    ring = Place("in", MISSED, "", "interface")
    found = by_place(
        Growth(
            counts={(netisr, "0"): 4, (netisr, "1"): 0, (netisr, "2"): 6, (ring, "a"): 0},
            gaps={(netisr, "0"): "reset", (netisr, "1"): "missing", (ring, "a"): "late"},
        )
    )
    assert found.found == {netisr: 10} and found.gaps == {netisr: "reset", ring: "late"}
    assert unread(found.gaps) == {RX_RING: "late", NETISR: "reset"}, "in the packets' order"
    both = {netisr: "reset", Place("", QUEUED, "", "other"): "late"}
    assert unread(both) == {NETISR: "reset"}, "the first reason"


def test_counters_of_a_slow_tick_join_those_of_the_plain_one_without_counting_twice():
    """Linux reads the interface with every tick and the driver with slow ones."""
    plain = [linux(n, 0) | {"stages": ()} for n in (0, 40)]
    slow = [{"stages": (nic("rx_missed_errors", n), nic("rx_no_dma_resources", 2 * n))} for n in (0, 40)]

    def rates(pair):
        samples = [HostSample("dut", n, t=1.0 + n, at=float(n), **held) for n, held in enumerate(pair)]
        return between(*samples, inputs=IN, outputs=OUT)

    assert with_slow(rates(plain), rates(slow)).drops == {RX_RING: 120.0, INPUT_QUEUE: 0.0}


# against the drivers' real output


def raised(text: str, name: str, by: int) -> str:
    lines = [
        f"{line.rpartition(':')[0]}: {int(line.rpartition(':')[2]) + by}"
        if line.strip().startswith(f"{name}:")
        else line
        for line in text.splitlines()
    ]
    assert lines != text.splitlines(), f"{name} is not in this capture"
    return "\n".join(lines)


def reaches(before: str, after: str, stage: str = RX_RING) -> None:
    """What `ethtool -S` shows before and after 60 packets were lost."""
    held = []
    for shown in (before, after):
        parsed = parse_ethtool_stats(shown, "in").value
        held.append({"stages": parsed.stages, "queues": parsed.queues})
    assert {name: lost for name, lost in told(*held).items() if lost} == {stage: 60.0}


def test_what_a_connectx_steers_nowhere_reaches_its_filter() -> None:
    text = fixtures.linux("ethtool-S-mlx5_core")
    reaches(text, raised(text, "rx_steer_missed_packets", 60), CARD_FILTER)


@pytest.mark.parametrize(
    ("driver", "name"),
    [
        ("ixgbe", "rx_no_dma_resources"),
        ("ixgbe", "rx_missed_errors"),
        ("e1000e", "rx_missed_errors"),
        ("igb", "rx_missed_errors"),
        ("igb", "rx_queue_1_drops"),
        ("mlx5_core", "rx_out_of_buffer"),
        ("mlx5_core", "rx_discards_phy"),
        ("ice", "rx_dropped.nic"),
        ("i40e", "port.rx_dropped"),
        ("tg3", "rx_discards"),
        ("bnxt_en", "[1]: rx_discards"),
        ("bnxt_en", "rx_total_discard_pkts"),
        ("sfc", "port_rx_nodesc_drops"),
        ("be2net", "rx_drops_no_pbuf"),
        ("virtio_net", "rx0_drops"),
    ],
)
def test_each_linux_drivers_drop_counter_reaches_the_ring(driver: str, name: str) -> None:
    text = fixtures.linux(f"ethtool-S-{driver}")
    reaches(text, raised(text, name, 60))


def gone_round(text: str) -> None:
    shown = [parse_ethtool_stats(one, "in").value.stages for one in (text, raised(text, "rx_missed", 60))]
    samples = [
        HostSample("dut", n, t=1.0 + n, at=float(n), **linux(60 * n, 0, *rows))
        for n, rows in enumerate(shown)
    ]
    rates = between(*samples, inputs=IN, outputs=OUT)
    assert rates.drops[RX_RING] == 60.0 and rates.unread == {RX_RING: "ambiguous"}


def test_a_register_of_16_bits_may_have_gone_round_between_two_samples_so_its_drops_are_a_lower_bound():
    gone_round(fixtures.linux("ethtool-S-r8169").replace("65500", "100"))


def by_sysctl(text: str, driver: str, name: str) -> None:
    """60 packets more in one of a FreeBSD driver's counters."""
    values = parse_sysctl(text).value.values
    samples = []
    for number, more in enumerate((0, 60)):
        shown = {**values, name: str(int(values[name]) + more)}
        samples.append(
            HostSample(
                "dut", number, t=1.0 + number, at=number, stages=parse_stages(shown).value,
                queues=parse_queues(shown).value.rows,
                interfaces=(InterfaceCounters(driver, rx_errors=0, rx_dropped=0, link=1, up=True),),
            )
        )  # fmt: skip
    rates = between(*samples, inputs=[driver], outputs=OUT)
    assert rates.drops == {RX_RING: 60.0}
    assert [(row.name, row.per_second) for row in rates.nic if row.per_second] == [
        (name.split(".", 3)[3], 60.0)
    ]


@pytest.mark.parametrize(
    ("text", "driver", "name"),
    [
        ("sysctl-dev.em.0-mac_stats", "em0", "dev.em.0.mac_stats.missed_packets"),
        ("sysctl-dev.igb.0-remark", "igb0", "dev.igb.0.mac_stats.missed_packets"),
        ("sysctl-dev.cxl.0-stats", "cxl0", "dev.cxl.0.stats.rx_ovflow0"),
    ],
)
def test_each_freebsd_drivers_drop_counter_reaches_the_ring(text: str, driver: str, name: str) -> None:
    by_sysctl(fixtures.freebsd(text), driver, name)


NO_SOFTIRQ, SOFTIRQ = CpuTicks(0, 1, 1, 1, 1, 1), CpuTicks(0, 1, 1, 1, 1, 1, softirq=0)


@pytest.mark.parametrize(
    ("declared", "ports", "cores", "counting"),
    [
        ("freebsd", (), (SOFTIRQ,), "freebsd"),
        ("linux", (InterfaceCounters("ix0", up=True),), (NO_SOFTIRQ,), "linux"),
        # older recordings declare nothing, and a system may declare what this version does not know
        ("", (InterfaceCounters("ix0", up=True),), (), "freebsd"),
        ("", (), (NO_SOFTIRQ,), "freebsd"),
        ("", (), (SOFTIRQ,), "linux"),
        ("", (InterfaceCounters("ix0", up=False),), (SOFTIRQ,), "freebsd"),
        ("", (), (NO_SOFTIRQ, SOFTIRQ), "linux"),
        ("", (), (), "linux"),
        ("plan9", (), (NO_SOFTIRQ,), "freebsd"),
    ],
)
def test_what_a_system_declares_counts_and_else_what_only_one_of_them_tells(declared, ports, cores, counting):
    sample = HostSample("dut", 1, 1.0, 1.0, interfaces=ports, cpus=cores, counting=declared)
    assert counting_of(sample) == counting


def test_stages_come_in_the_packets_order():
    losses = by_place(
        growth(
            [HostSample("dut", n, t=1.0 + n, at=n, **sending(n, qdisc=n)) for n in range(2)],
            reader(IN, OUT, None),
        )
    )
    assert list(stages(losses.found)) == [stage for stage in STAGES if stage in (TX_SOFT_QUEUE, OUTPUT)]


# the same in real results


@cases(
    ("capture", "name"),
    [
        ("ixgbe-nonzero-netmap79", "rx_no_dma_resources"),
        ("ixgbe-x540-ethq1-head", "rx_missed_errors"),
        ("e1000e-ethq", "rx_missed_errors"),
        ("igb-insights", "rx_missed_errors"),
        ("igb-insights", "rx_queue_1_drops"),
        ("mlx5_core-ethq-part1", "rx_out_of_buffer"),
        ("mlx5_core-ethq-part1", "rx_discards_phy"),
        ("ice-ethq-tail", "rx_dropped.nic"),
        ("bnxt_en-ethq-head", "[1]: rx_discards"),
        ("sfc-ethq", "port_rx_nodesc_drops"),
        ("be2net-ethq", "rx_drops_no_pbuf"),
        ("virtio_net", "rx0_drops"),
    ],
)
def real_each_linux_drivers_drop_counter_reaches_the_ring(captures: Path, capture: str, name: str):
    text = (captures / "linux" / f"ethtool-S-{capture}.txt").read_text()
    reaches(text, raised(text, name, 60))


def real_what_a_connectx_steers_nowhere_reaches_its_filter(captures: Path):
    text = (captures / "linux/ethtool-S-mlx5-grep-cx4lx.txt").read_text()
    reaches(text, raised(text, "rx_steer_missed_packets", 60), CARD_FILTER)


def real_a_register_of_16_bits_may_have_gone_round_between_two_samples_so_its_drops_are_a_lower_bound(
    captures,
):
    gone_round((captures / "linux/ethtool-S-r8169-ethq.txt").read_text())


@cases(
    ("capture", "driver", "name"),
    [
        ("sysctl-dev.em.0-interrupts-mac_stats", "em0", "dev.em.0.mac_stats.missed_packets"),
        ("sysctl-dev.igb.0-iflib-mac_stats-stuck", "igb0", "dev.igb.0.mac_stats.missed_packets"),
        ("sysctl-dev.cxl.0.stats", "cxl0", "dev.cxl.0.stats.rx_ovflow0"),
    ],
)
def real_each_freebsd_drivers_drop_counter_reaches_the_ring(captures, capture, driver, name):
    by_sysctl((captures / "freebsd" / f"{capture}.txt").read_text(), driver, name)


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_each_linux_drivers_drop_counter_reaches_the_ring,
        real_what_a_connectx_steers_nowhere_reaches_its_filter,
        real_a_register_of_16_bits_may_have_gone_round_between_two_samples_so_its_drops_are_a_lower_bound,
        real_each_freebsd_drivers_drop_counter_reaches_the_ring,
    )
