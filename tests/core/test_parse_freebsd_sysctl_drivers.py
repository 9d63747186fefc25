"""Counters of FreeBSD drivers of which no output is at hand: names from their sources under sys/dev."""

import pytest

from fwdtui.core.host_evidence import PAUSES, PAUSES_RECEIVED
from fwdtui.core.parse import sysctl, sysctl_queues, sysctl_stages
from fwdtui.core.parse.sysctl_oids import counters

# ice/ice_lib.c: ice_add_device_sysctls(), ice_add_vsi_sysctls(), ice_add_txq_sysctls()
ICE = """\
dev.ice.0.hw.mac.ucast_pkts_rcvd: 700
dev.ice.0.hw.mac.mcast_pkts_rcvd: 20
dev.ice.0.hw.mac.bcast_pkts_rcvd: 3
dev.ice.0.hw.mac.rx_discards: 5
dev.ice.0.hw.mac.xoff_txd: 8
dev.ice.0.hw.mac.xoff_recvd: 9
dev.ice.0.vsi.0.hw.rx_discards: 70
dev.ice.0.vsi.0.rxqs.0.rx_packets: 400
dev.ice.0.vsi.0.rxqs.0.rx_bytes: 24000
dev.ice.0.vsi.0.rxqs.1.rx_packets: 250
dev.ice.0.vsi.0.txqs.1.tx_packets: 260
dev.ice.0.vsi.0.txqs.1.mss_too_small: 0
"""
# ena/ena_sysctl.c: ena_sysctl_add_stats()
ENA = """\
dev.ena.0.queue0.tx_ring.count: 11
dev.ena.0.queue0.tx_ring.bytes: 660
dev.ena.0.queue0.tx_ring.doorbells: 4
dev.ena.0.queue0.rx_ring.count: 12
dev.ena.0.queue0.rx_ring.bytes: 720
dev.ena.0.queue0.rx_ring.empty_rx_ring: 1
dev.ena.0.hw_stats.rx_drops: 13
"""
# bnxt/bnxt_en/bnxt_sysctl.c: bnxt_create_rx_sysctls(), bnxt_create_port_stats_sysctls()
BNXT = """\
dev.bnxt.0.hwstats.rxq3.ucast_pkts: 100
dev.bnxt.0.hwstats.rxq3.mcast_pkts: 20
dev.bnxt.0.hwstats.rxq3.bcast_pkts: 3
dev.bnxt.0.hwstats.rxq3.discard_pkts: 44
dev.bnxt.0.hwstats.txq3.ucast_pkts: 7
dev.bnxt.0.hwstats.txq3.mcast_pkts: 0
dev.bnxt.0.hwstats.txq3.bcast_pkts: 0
dev.bnxt.0.hwstats.port_stats.tx_pause_frames: 2
dev.bnxt.0.hwstats.port_stats.rx_pause_frames: 1
"""
# ixl/ixl_pf_main.c: ixl_add_sysctls_mac_stats(); mlx5/mlx5_en/en.h
IXL = "dev.ixl.0.mac.xoff_txd: 6\ndev.ixl.0.mac.xoff_recvd: 5\ndev.ixl.0.mac.xon_txd: 3\n"
MCE = """\
dev.mce.0.pstats.pause_ctrl_tx: 4
dev.mce.0.pstats.pause_ctrl_rx: 3
dev.mce.0.pstats.drop_events: 2
dev.mce.0.vstats.rx_out_of_buffer: 30
dev.mce.0.vstats.rx_steer_missed_packets: 1
"""
# hyperv/netvsc/if_hn.c: hn_create_rx_data(), hn_tx_ring_create(); gve/gve_sysctl.c: gve_setup_rxq_sysctl()
HN = """\
dev.hn.0.rx.3.packets: 500
dev.hn.0.rx.3.rss_pkts: 499
dev.hn.0.tx.3.packets: 510
dev.hn.0.tx.3.oactive: 0
"""
GVE = """\
dev.gve.0.rxq0.rx_bytes: 6000
dev.gve.0.rxq0.rx_packets: 100
dev.gve.0.rxq0.rx_dropped_pkt: 4
dev.gve.0.rxq0.rx_dropped_pkt_mbuf_alloc_fail: 4
dev.gve.0.txq0.tx_packets: 90
dev.gve.0.txq0.tx_bytes: 5400
dev.gve.0.txq0.tx_dropped_pkt_nospace_bufring: 2
dev.gve.0.txq0.tx_delayed_pkt_nospace_device: 7
"""


def values(text: str) -> dict[str, str]:
    """Of those that would be asked for."""
    known = sysctl.parse(text).value.values
    return {name: known[name] for name in counters(known)}


@pytest.mark.parametrize(("text", "sent", "received"), [(ICE, 8, 9), (BNXT, 2, 1), (IXL, 6, 5), (MCE, 4, 3)])
def test_pause_frames_of_each_driver_are_known(text: str, sent: int, received: int) -> None:
    """Else a DUT that holds its generator back by them is taken for one whose generator sends no more."""
    rows = sysctl_stages.parse(values(text)).value
    assert sum(row.value for row in rows if row.name in PAUSES) == sent
    assert sum(row.value for row in rows if row.name in PAUSES_RECEIVED) == received


def test_the_queues_of_ice_ena_and_bnxt() -> None:
    rows = sysctl_queues.parse(values(ICE + ENA + BNXT)).value.rows
    found = {(row.interface, row.direction, row.index): (row.packets, row.bytes, row.drops) for row in rows}
    assert found == {
        ("bnxt0", "rx", 3): (123, None, 44),
        ("bnxt0", "tx", 3): (7, None, None),
        ("ena0", "rx", 0): (12, 720, None),
        ("ena0", "tx", 0): (11, 660, None),
        ("ice0", "rx", 0): (400, 24000, None),
        ("ice0", "rx", 1): (250, None, None),
        ("ice0", "tx", 1): (260, None, None),
    }


def test_the_queues_of_clouds_cards() -> None:
    rows = sysctl_queues.parse(values(HN + GVE)).value.rows
    found = {(row.interface, row.direction, row.index): (row.packets, row.bytes, row.drops) for row in rows}
    assert found == {
        ("gve0", "rx", 0): (100, 6000, 4),
        ("gve0", "tx", 0): (90, 5400, 2),
        ("hn0", "rx", 3): (500, None, None),
        ("hn0", "tx", 3): (510, None, None),
    }


def test_what_ice_received_and_lost() -> None:
    rows = sysctl_stages.parse(values(ICE)).value
    assert sysctl_stages.offered(rows, "ice0") == 723
    lost = {row.name: row.value for row in rows if row.kind == "drops"}
    assert lost == {"hw.mac.rx_discards": 5, "vsi.0.hw.rx_discards": 70}


def test_mlx5en_s_events_are_no_drops() -> None:
    """A drop event is counted once however many packets are lost in it (RFC 2819, etherStatsDropEvents)."""
    rows = sysctl_stages.parse(values(MCE)).value
    lost = {row.name: row.value for row in rows if row.kind == "drops"}
    assert lost == {"vstats.rx_out_of_buffer": 30, "vstats.rx_steer_missed_packets": 1}
    assert sysctl_stages.ring_drops(rows, "mce0") == 30
