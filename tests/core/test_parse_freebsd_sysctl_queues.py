"""Per-queue and device-wide counters of FreeBSD drivers, and which names to ask for."""

from pathlib import Path

import pytest
from fixtures import Agree, freebsd, matching

from fwdtui.core.counters import QueueCounters
from fwdtui.core.parse import sysctl
from fwdtui.core.parse.sysctl_oids import HOST, SAMPLE, counters, names, node, settings
from fwdtui.core.parse.sysctl_queues import parse
from fwdtui.core.parse.sysctl_stages import offered, ring_drops
from fwdtui.core.parse.sysctl_stages import parse as stages


def values(text: str) -> dict[str, str]:
    return dict(sysctl.parse(text).value.values)


def one(text: str) -> QueueCounters:
    (row,) = parse(values(text)).value.rows
    return row


@pytest.mark.parametrize(
    ("text", "interface", "direction", "index", "packets"),
    [
        ("dev.ix.0.queue3.rx_packets: 45256216", "ix0", "rx", 3, 45256216),
        ("dev.ix.1.queue3.tx_packets: 7", "ix1", "tx", 3, 7),
        ("dev.igb.2.queue0.rx_packets: 7", "igb2", "rx", 0, 7),
        ("dev.ixl.1.pf.que1.rx_packets: 7", "ixl1", "rx", 1, 7),
        ("dev.ixl.1.pf.rxq01.packets: 7", "ixl1", "rx", 1, 7),
        ("dev.iavf.0.vsi.txq11.packets: 7", "iavf0", "tx", 11, 7),
        ("dev.mce.0.rxstat0.packets: 64563591", "mce0", "rx", 0, 64563591),
        ("dev.mce.0.txstat12tc0.packets: 7", "mce0", "tx", 12, 7),
        ("dev.vtnet.0.rxq0.ipackets: 7", "vtnet0", "rx", 0, 7),
        ("dev.vtnet.0.txq0.opackets: 7", "vtnet0", "tx", 0, 7),
    ],
)
def test_packets_of_a_queue_by_driver(
    text: str, interface: str, direction: str, index: int, packets: int
) -> None:
    row = one(text)
    assert (row.interface, row.direction, row.index, row.packets) == (interface, direction, index, packets)


@pytest.mark.parametrize(
    ("text", "interface", "direction", "drops"),
    [
        ("dev.ix.0.queue3.rx_discarded: 9", "ix0", "rx", 9),
        ("dev.vtnet.0.rxq3.iqdrops: 9", "vtnet0", "rx", 9),
        ("dev.vmx.0.rxq3.hstats.nobuffer: 9", "vmx0", "rx", 9),
        ("dev.ix.0.iflib.txq3.r_drops: 9", "ix0", "tx", 9),
        ("dev.ix.0.queue3.br_drops: 9", "ix0", "tx", 9),  # of a node that serves both directions
        ("dev.mce.0.txstat3tc0.dropped: 9", "mce0", "tx", 9),
        ("dev.ixl.1.pf.que3.dropped: 9", "ixl1", "tx", 9),
        ("dev.ix.0.queue3.rx_copies: 9", "ix0", "rx", None),
    ],
)
def test_drops_of_a_queue_by_driver_and_direction(text, interface, direction, drops) -> None:
    row = one(text)
    assert (row.interface, row.direction, row.index, row.drops) == (interface, direction, 3, drops)


def test_chelsio_transmits_what_its_three_kinds_of_work_requests_carried() -> None:
    queue = "dev.cxl.1.txq.1"
    new = one(
        f"{queue}.txpkt_wrs: 714494990\n{queue}.txpkts0_pkts: 10\n{queue}.txpkts1_pkts: 5\n{queue}.r_drops: 3"
    )
    assert (new.interface, new.direction, new.index) == ("cxl1", "tx", 1)
    assert (new.packets, new.drops) == (714494990 + 15, 3)
    assert one(f"{queue}.txpkt_wrs: 100\n{queue}.txpkts_pkts: 20").packets == 120
    assert one(f"{queue}.txpkt_wrs: 100\n{queue}.mp_ring.dropped: 7").drops == 7, "since FreeBSD 12.2"


def test_chelsio_does_not_count_received_packets_by_queue() -> None:
    row = one("dev.cxl.0.rxq.1.rxcsum: 4711")
    assert row.packets is None
    assert row.extra == {"rxcsum": 4711}


def test_a_vmware_queue_adds_its_three_casts_and_counts_missing_buffers() -> None:
    queue = "dev.vmx.0.rxq2.hstats"
    row = one(
        f"{queue}.ucast_packets: 5\n{queue}.mcast_packets: 2\n{queue}.bcast_packets: 1\n{queue}.nobuffer: 9"
    )
    assert (row.index, row.packets, row.drops) == (2, 8, 9)
    assert one(f"{queue}.ucast_packets: 5").packets is None  # a part is not the whole


def test_traffic_classes_of_one_mellanox_queue_are_added() -> None:
    row = one(
        "dev.mce.0.txstat0tc0.packets: 10\ndev.mce.0.txstat0tc1.packets: 5\ndev.mce.0.txstat0tc0.dropped: 2"
    )
    assert (row.packets, row.drops) == (15, 2)


@pytest.mark.parametrize("number", ["7", "07", "007"])
def test_iflib_pads_the_queue_number_by_the_count_of_queues(number: str) -> None:
    row = one(f"dev.ix.0.iflib.txq{number}.r_drops: 12")
    assert (row.direction, row.index, row.drops) == ("tx", 7, 12)


def test_a_queue_known_to_iflib_and_to_its_driver_is_one_row() -> None:
    row = one(
        "dev.ix.0.queue1.tx_packets: 100\n"
        "dev.ix.0.iflib.txq01.r_drops: 3\n"
        "dev.ix.0.iflib.txq01.txq_in_use: 40\n"
    )
    assert (row.packets, row.drops, row.depth) == (100, 3, 40)


def test_a_counter_told_at_two_places_is_not_added_to_itself() -> None:
    row = one("dev.ix.0.queue1.no_desc_avail: 4\ndev.ix.0.iflib.txq1.no_desc_avail: 4\n")
    assert row.extra == {"no_desc_avail": 4}


def test_rows_are_sorted_whatever_the_order_of_the_output() -> None:
    text = "\n".join(f"dev.ix.0.queue{queue}.rx_packets: 1" for queue in (10, 2, 1))
    assert [row.index for row in parse(values(text)).value.rows] == [1, 2, 10]


SIMPLE = """\
dev.igb.1.iflib.simple_tx: 1
dev.igb.1.iflib.txq0.r_enqueues: 0
dev.igb.1.iflib.txq0.r_drops: 0
dev.igb.1.iflib.txq0.r_stalls: 0
dev.igb.1.iflib.txq0.ring_state: pidx_head: 0000 pidx_tail: 0000 cidx: 0000 state: IDLE
dev.igb.1.iflib.txq0.txq_processed: 5000
dev.igb.1.iflib.txq0.txq_in_use: 17
"""


def test_with_simple_tx_the_soft_ring_is_not_applicable_and_not_zero() -> None:
    queues = parse(values(SIMPLE)).value
    assert queues.soft_ring == {"igb1": False}
    (row,) = queues.rows
    assert (row.drops, row.state, row.depth) == (None, None, 17)
    assert row.extra == {"txq_processed": 5000, "txq_in_use": 17}


def test_without_simple_tx_a_flat_soft_ring_is_a_real_zero() -> None:
    queues = parse(values(SIMPLE.replace("simple_tx: 1", "simple_tx: 0"))).value
    assert queues.soft_ring == {"igb1": True}
    assert (queues.rows[0].drops, queues.rows[0].state) == (0, "IDLE")


def test_the_tunable_for_all_interfaces_takes_the_soft_ring_off_too() -> None:
    text = SIMPLE.replace("dev.igb.1.iflib.simple_tx: 1", "net.iflib.prefer_mpring: 0")
    assert parse(values(text)).value.soft_ring == {"igb1": False}


def test_a_soft_ring_that_was_used_counts_whatever_the_tunable_says() -> None:
    queues = parse(
        values(SIMPLE.replace("r_enqueues: 0", "r_enqueues: 9").replace("r_drops: 0", "r_drops: 2"))
    ).value
    assert queues.soft_ring == {"igb1": True}
    assert queues.rows[0].drops == 2


def test_a_driver_without_iflib_has_no_soft_ring_to_speak_of() -> None:
    assert parse(values("dev.mce.0.rxstat0.packets: 1")).value.soft_ring == {}


def test_ring_indexes_are_printed_signed() -> None:
    text = "dev.ix.0.iflib.txq0.ring_state: pidx_head: -0002 pidx_tail: -0001 cidx: 0003 state: BUSY"
    row = one(text)
    assert (row.state, row.extra) == (
        "BUSY",
        {"ring_pidx_head": 65534, "ring_pidx_tail": 65535, "ring_cidx": 3},
    )


def ours(name: str) -> dict[str, str]:
    return values(freebsd(f"sysctl-{name}"))


def test_em_over_iflib() -> None:
    rows = parse(ours("dev.em.0-iflib")).value.rows
    assert [(row.direction, row.index) for row in rows] == [("rx", 0), ("tx", 0)]
    assert rows[0].extra == {"rxq_fl0.credits": 1023, "rxq_fl0.cidx": 62, "rxq_fl0.pidx": 61}
    assert (rows[1].drops, rows[1].depth, rows[1].state, rows[1].packets) == (5, 40, "IDLE", None)
    assert rows[1].extra["r_enqueues"] == 29_003
    assert rows[1].extra["txq_processed"] == 28_002


def test_em_queues_have_interrupts_and_registers_only() -> None:
    rows = parse(ours("dev.em.0-dump")).value.rows
    assert [(row.direction, row.packets, row.extra) for row in rows] == [
        ("rx", None, {"rx_irq": 11, "rxd_tail": 860, "rxd_head": 862}),
        ("tx", None, {"tx_irq": 12, "txd_tail": 60}),
    ]


def test_ix_queues_are_sorted_though_printed_downwards() -> None:
    rows = parse(ours("dev.ix-queues")).value.rows
    assert [(row.interface, row.direction, row.index, row.packets) for row in rows] == [
        (f"ix{unit}", way, queue, 139_000_000 + 1000 * unit + queue)
        for unit, way in ((0, "rx"), (1, "tx"))
        for queue in range(4)
    ]


def test_a_stalled_ring_is_seen() -> None:
    row = one(freebsd("sysctl-dev.igc.0-stalled"))
    assert (row.interface, row.state, row.extra["ring_cidx"]) == ("igc0", "STALLED", 1602)


def test_em_says_recvd_and_ix_says_rcvd() -> None:
    em, ix = stages(ours("dev.em.0-mac_stats")).value, stages(ours("dev.ix.0-mac_stats")).value
    assert (offered(em, "em0"), offered(ix, "ix0")) == (27_908, 77)
    assert (ring_drops(em, "em0"), ring_drops(ix, "ix0")) == (8, None)  # ix tells no rx_missed_packets here
    assert offered(em, "em1") is None


def test_what_igb_was_offered_is_what_it_took_and_what_it_missed() -> None:
    text = freebsd("sysctl-dev.igb.0-remark").replace("   (static afterwards)", "")
    found = stages(values(text)).value
    assert offered(found, "igb0") == 300 + 800 == 1100
    assert ring_drops(found, "igb0") == 800


def test_a_value_with_a_remark_is_unknown() -> None:
    parsed = stages(ours("dev.igb.0-remark"))
    assert "mac_stats.good_pkts_recvd" not in {row.name for row in parsed.value}
    assert "static afterwards" in parsed.skipped[0]


def test_chelsio_drops_by_buffer_group() -> None:
    found = stages(ours("dev.cxl.0-stats")).value
    assert ring_drops(found, "cxl0") == 7_400_000_000 + 40
    assert offered(found, "cxl0") == 12_500_000_100
    assert {(row.direction, row.stage) for row in found if row.kind == "drops"} == {("rx", "rx-ring")}


def test_counters_are_asked_by_leaf_and_no_dump_is() -> None:
    listed = [name for text in matching("freebsd", "sysctl-dev*").values() for name in values(text)]
    asked = counters(listed)
    assert "dev.ix.0.queue3.rx_packets" in asked
    assert "dev.em.0.iflib.txq0.r_drops" in asked
    assert "dev.igb.0.mac_stats.missed_packets" in asked
    assert "dev.cxl.0.stats.rx_ovflow0" in asked
    assert not [
        name for name in asked if name.endswith(("reg_dump", "rs_dump", "ring_state", "nvm", "debug"))
    ]
    assert [name for name in counters(listed, soft_state=True) if name.endswith("ring_state")]


def test_settings_are_asked_once() -> None:
    listed = ours("dev.em.0-iflib")
    asked = settings([*listed, "dev.em.0.iflib.simple_tx", "dev.em.0.iflib.txq0.cpu"])
    assert {"dev.em.0.iflib.simple_tx", "dev.em.0.fc", "dev.em.0.%desc", "dev.em.0.iflib.txq0.cpu"} <= set(
        asked
    )
    assert not set(asked) & set(counters(listed))
    assert "net.iflib.prefer_mpring" in HOST and "kern.cp_times" in SAMPLE


def test_ixl_is_offered_its_three_casts() -> None:
    text = "".join(f"dev.ixl.0.mac.{way}_pkts_rcvd: 5\n" for way in ("ucast", "mcast", "bcast"))
    assert offered(stages(values(text)).value, "ixl0") == 15
    assert offered(stages(values(text.replace("bcast", "x"))).value, "ixl0") is None


def test_mellanox_out_of_buffer_is_a_drop_of_the_receive_ring() -> None:
    found = stages(values("dev.mce.0.vstats.rx_out_of_buffer: 12\ndev.mce.0.pstats.frames_rx: 100\n")).value
    assert (ring_drops(found, "mce0"), offered(found, "mce0")) == (12, 100)


def test_the_node_to_list_comes_from_the_interface() -> None:
    assert [node(name) for name in ("igb0", "t5nex1", "ix12", "vm-public", "em0.7", "", "x\n0")] == [
        "dev.igb.0",
        "dev.t5nex.1",
        "dev.ix.12",
        None,
        None,
        None,
        None,
    ]


def test_names_are_taken_from_a_listing_and_nothing_else() -> None:
    listing = (
        "dev.ix.0.fc\nsysctl: unknown oid 'x'\n dev.ix.0.%desc \n$(reboot).a\ndev.ix.0.mac_stats.crc_errs\r\n"
    )
    assert names(listing) == ("dev.ix.0.fc", "dev.ix.0.%desc", "dev.ix.0.mac_stats.crc_errs")


def test_what_is_asked_is_what_is_read() -> None:
    listed = [
        "dev.ix.0.queue0.rx_packets",
        "dev.ixl.0.pf.rxq00.packets",
        "dev.ixl.0.pf.que0.tx_packets",
        "dev.iavf.0.vsi.rxq00.packets",
        "dev.mce.0.rxstat0.packets",
        "dev.mce.0.txstat0tc0.packets",
        "dev.cxl.0.txq.0.txpkt_wrs",
        "dev.cxl.1.txq.0.mp_ring.dropped",
        "dev.vtnet.0.rxq0.ipackets",
        "dev.vtnet.0.txq0.opackets",
        "dev.vmx.0.rxq0.hstats.ucast_packets",
        "dev.igb.0.iflib.txq00.r_drops",
        "dev.igb.0.queue_rx_0.rx_irq",
    ]
    assert counters(listed) == tuple(listed)
    assert len(parse(dict.fromkeys(listed, "1")).value.rows) == len(listed)


@pytest.mark.parametrize(
    ("enqueued", "simple", "mpring", "used"),
    [
        ("0", "0", "1", True), ("0", "1", "1", False), ("0", "0", "0", False), ("1", "1", "1", True),
        ("1", "0", "0", True), ("0", "", "1", True),
    ],
)  # fmt: skip
def test_a_soft_ring_is_in_use_unless_it_is_switched_off_and_never_had_a_packet(
    enqueued, simple, mpring, used
):
    values = {
        "dev.ix.0.iflib.txq0.r_enqueues": enqueued,
        "dev.ix.0.iflib.txq0.r_drops": "0",
        "dev.ix.0.iflib.simple_tx": simple,
        "net.iflib.prefer_mpring": mpring,
    }
    found = parse(values).value
    assert found.soft_ring == {"ix0": used}
    assert found.rows[0].drops == (0 if used else None)


# the same in real results


def real_em_over_iflib_from_a_capture(captures: Path) -> None:
    rows = parse(values((captures / "freebsd/sysctl-dev.em.0-iflib.txt").read_text())).value.rows
    assert [(row.direction, row.index) for row in rows] == [("rx", 0), ("tx", 0)]
    assert rows[0].extra == {"rxq_fl0.credits": 1023, "rxq_fl0.cidx": 862, "rxq_fl0.pidx": 861}
    assert (rows[1].drops, rows[1].depth, rows[1].state, rows[1].packets) == (0, 40, "IDLE", None)
    assert rows[1].extra["r_enqueues"] == 29353
    assert rows[1].extra["txq_processed"] == 28732


def real_em_queues_from_a_capture_have_interrupts_and_registers_only(captures: Path) -> None:
    text = (captures / "freebsd/sysctl-dev.em.0-queues-and-multiline-reg_dump.txt").read_text()
    rows = parse(values(text)).value.rows
    assert [(row.direction, row.packets, row.extra) for row in rows] == [
        ("rx", None, {"rx_irq": 0, "rxd_tail": 860, "rxd_head": 862}),
        ("tx", None, {"tx_irq": 0, "txd_tail": 60, "txd_head": 60}),
    ]


def real_ix_queues_from_a_capture(captures: Path) -> None:
    rows = parse(values((captures / "freebsd/sysctl-dev.ix.queueN.packets.txt").read_text())).value.rows
    assert [(row.interface, row.direction, row.index, row.packets) for row in rows] == [
        ("ix0", "rx", 0, 139301732),
        ("ix0", "rx", 1, 140704642),
        ("ix0", "rx", 2, 141867655),
        ("ix0", "rx", 3, 143762837),
        ("ix1", "tx", 0, 139301734),
        ("ix1", "tx", 1, 140704643),
        ("ix1", "tx", 2, 141867655),
        ("ix1", "tx", 3, 143762837),
    ]


def real_a_stalled_ring_is_seen(captures: Path) -> None:
    row = one((captures / "freebsd/sysctl-dev.igc.0-ring_state-STALLED.txt").read_text())
    assert (row.interface, row.state, row.extra["ring_cidx"]) == ("igc0", "STALLED", 1592)


def real_em_says_recvd_and_ix_says_rcvd(captures: Path) -> None:
    em = stages(values((captures / "freebsd/sysctl-dev.em.0-interrupts-mac_stats.txt").read_text())).value
    ix = stages(values((captures / "freebsd/sysctl-dev.ix.0.mac_stats.txt").read_text())).value
    assert (offered(em, "em0"), offered(ix, "ix0")) == (28508, 77)
    assert (ring_drops(em, "em0"), ring_drops(ix, "ix0")) == (
        0,
        None,
    )  # that ix capture has no rx_missed_packets
    assert offered(em, "em1") is None


def real_what_igb_was_offered_is_what_it_took_and_what_it_missed(captures: Path) -> None:
    text = (captures / "freebsd/sysctl-dev.igb.0-iflib-mac_stats-stuck.txt").read_text()
    found = stages(values(text.replace("   (static afterwards)", ""))).value
    by_name = {row.name: row.value for row in found}
    assert (
        by_name["mac_stats.good_pkts_recvd"] + by_name["mac_stats.missed_packets"]
        == offered(found, "igb0")
        == 1094
    )
    assert ring_drops(found, "igb0") == 833


def real_a_value_with_a_remark_is_unknown(captures: Path) -> None:
    parsed = stages(values((captures / "freebsd/sysctl-dev.igb.0-iflib-mac_stats-stuck.txt").read_text()))
    assert "mac_stats.good_pkts_recvd" not in {row.name for row in parsed.value}
    assert "static afterwards" in parsed.skipped[0]


def real_chelsio_drops_by_buffer_group(captures: Path) -> None:
    found = stages(values((captures / "freebsd/sysctl-dev.cxl.0.stats.txt").read_text())).value
    assert ring_drops(found, "cxl0") == 7301719197
    assert {(row.direction, row.stage) for row in found if row.kind == "drops"} == {("rx", "rx-ring")}


def real_counters_are_asked_by_leaf_and_no_dump_is(captures: Path) -> None:
    listed: list[str] = []
    for file in sorted((captures / "freebsd").glob("sysctl-dev*")):
        listed += values(file.read_text())
    asked = counters(listed)
    assert "dev.ix.0.queue3.rx_packets" in asked
    assert "dev.em.0.iflib.txq0.r_drops" in asked
    assert "dev.igb.0.mac_stats.missed_packets" in asked
    assert "dev.cxl.0.stats.rx_ovflow0" in asked
    assert not [
        name for name in asked if name.endswith(("reg_dump", "rs_dump", "ring_state", "nvm", "debug"))
    ]
    assert [name for name in counters(listed, soft_state=True) if name.endswith("ring_state")]


def real_settings_are_asked_once(captures: Path) -> None:
    listed = values((captures / "freebsd/sysctl-dev.em.0-iflib.txt").read_text())
    asked = settings([*listed, "dev.em.0.iflib.simple_tx", "dev.em.0.iflib.txq0.cpu"])
    assert {"dev.em.0.iflib.simple_tx", "dev.em.0.fc", "dev.em.0.%desc", "dev.em.0.iflib.txq0.cpu"} <= set(
        asked
    )
    assert not set(asked) & set(counters(listed))
    assert "net.iflib.prefer_mpring" in HOST and "kern.cp_times" in SAMPLE


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_em_over_iflib_from_a_capture,
        real_em_queues_from_a_capture_have_interrupts_and_registers_only,
        real_ix_queues_from_a_capture,
        real_a_stalled_ring_is_seen,
        real_em_says_recvd_and_ix_says_rcvd,
        real_what_igb_was_offered_is_what_it_took_and_what_it_missed,
        real_a_value_with_a_remark_is_unknown,
        real_chelsio_drops_by_buffer_group,
        real_counters_are_asked_by_leaf_and_no_dump_is,
        real_settings_are_asked_once,
    )
