"""ethtool as others pasted it, shortened: mostly `-S` of drivers that no other test has as a whole."""

import pytest

from fwdtui.core.counters import StageCounter
from fwdtui.core.host_evidence import PAUSES, PAUSES_RECEIVED
from fwdtui.core.parse import ethtool_settings, flow_hash
from fwdtui.core.parse.ethtool_names import DEVICE
from fwdtui.core.parse.ethtool_stats import EthtoolStats, parse_ethtool_stats
from fwdtui.core.parse.sysctl_stages import COUNTERS

# netdev mailing list, of an Armada 375; most of its numbers were zero, and are invented
MVPP2 = """\
NIC statistics:
     good_octets_received: 0
     unicast_frames_received: 0
     fc_sent: 11
     fc_received: 12
     rx_fifo_overrun: 13
     mac_receive_error: 0
     rx_fifo_or_parser_overrun_drops: 14
     rx_classifier_drops: 15
     txq_0_desc_enqueue: 0
     txq_0_packets_dequeued: 0
     txq_0_queue_full_drops: 0
     txq_0_packets_early_drops: 0
     txq_0_packets_bm_drops: 0
     txq_0_packets_rep_bm_drops: 0
     txq_1_desc_enqueue: 30
     txq_1_desc_enqueue_to_ddr: 0
     txq_1_buff_euqueue_to_ddr: 30
     txq_1_desc_hardware_forwarded: 0
     txq_1_packets_dequeued: 30
     txq_1_queue_full_drops: 1
     txq_1_packets_early_drops: 2
     txq_1_packets_bm_drops: 4
     txq_1_packets_rep_bm_drops: 8
     rxq_0_desc_enqueue: 983
     rxq_0_queue_full_drops: 100
     rxq_0_packets_early_drops: 20
     rxq_0_packets_bm_drops: 3
     rxq_1_desc_enqueue: 14
     rxq_1_queue_full_drops: 0
     rxq_1_packets_early_drops: 0
     rxq_1_packets_bm_drops: 0
     rx_xdp_redirect: 0
"""
# https://github.com/quinn-rs/quinn/issues/2202
ATLANTIC = """\
NIC statistics:
     InPackets: 449822216
     InErrors: 0
     OutPackets: 1628889972
     InPacketsDma: 445792448
     InDroppedDma: 4421
     Queue[0] InPackets: 4256334
     Queue[0] InJumboPackets: 0
     Queue[0] InErrors: 0
     Queue[0] AllocFails: 0
     Queue[0] Polls: 20819311
     Queue[0] OutPackets: 124552770
     Queue[0] Restarts: 0
     Queue[1] InPackets: 170421686
     Queue[1] InErrors: 1
     TC1 Queue[4] InPackets: 7
"""
# https://github.com/isc-projects/ethq, tests/fsl_dpaa2_eth
DPAA2 = """\
NIC statistics:
[hw] rx frames: 92343581
[hw] rx discarded frames: 5
[hw] rx nobuffer discards: 7
[hw] tx discarded frames: 0
[drv] cdan: 189818939
[qbman] buffer count: 20396
[mac] rx frame discards: 9
[mac] rx pause: 2
[mac] tx b-pause: 3
[mac] rx all frames: 92343583
"""


def read(text: str) -> EthtoolStats:
    parsed = parse_ethtool_stats(text, "eth0")
    assert parsed.skipped == ()
    return parsed.value


def drops(found: EthtoolStats) -> dict[str, int]:
    return {row.name: row.value for row in found.stages if (row.direction, row.kind) == ("rx", "drops")}


def test_mvpp2_drops_in_its_queues_what_no_counter_of_the_interface_has() -> None:
    found = read(MVPP2)
    assert [(row.direction, row.index, row.packets, row.drops) for row in found.queues] == [
        ("rx", 0, 983, 123),
        ("rx", 1, 14, 0),
        ("tx", 0, 0, 0),
        ("tx", 1, 30, 15),
    ]
    assert drops(found) == {
        "rx_fifo_overrun": 13,
        "rx_fifo_or_parser_overrun_drops": 14,
        "rx_classifier_drops": 15,
    }


def test_atlantic_names_its_queues_in_brackets() -> None:
    found = read(ATLANTIC)
    assert [(row.direction, row.index, row.packets, row.drops) for row in found.queues] == [
        ("rx", 0, 4256334, None),
        ("rx", 1, 170421686, None),
        ("rx", 4, 7, None),
        ("tx", 0, 124552770, None),
    ]
    assert found.stages == (StageCounter("eth0", "rx", "rx-ring", "drops", "InDroppedDma", 4421),)


def test_queues_of_mana_and_ionic_are_numbered_between_strokes_as_sizes_of_frames_are() -> None:
    """netdev mailing list, of Azure's device, and Documentation/networking of ionic, with other numbers."""
    mana = read(
        "NIC statistics:\n     stop_queue: 0\n     tx_cq_err: 0\n     rx_0_packets: 4230152\n"
        "     rx_0_bytes: 289545167\n     rx_0_xdp_drop: 0\n     rx_1_packets: 4113017\n"
        "     rx_1_bytes: 314552601\n     tx_0_packets: 5\n     hc_rx_discards_no_wqe: 12\n"
    )
    assert [(row.direction, row.index, row.packets, row.bytes) for row in mana.queues] == [
        ("rx", 0, 4230152, 289545167),
        ("rx", 1, 4113017, 314552601),
        ("tx", 0, 5, None),
    ]
    assert drops(mana) == {"hc_rx_discards_no_wqe": 12}
    (ionic,) = read("     rx_0_pkts: 2\n     rx_0_bytes: 120\n     rx_0_dropped: 1\n").queues
    assert (ionic.packets, ionic.bytes, ionic.drops) == (2, 120, 1)
    assert read("rx_64_byte_packets: 3\ntx_128_to_255_byte_packets: 4\n").queues == ()


def test_queues_of_bcmgenet_hns3_and_bna_have_their_number_behind_a_q() -> None:
    """STAT_GENET_Q() of bcmgenet.c, hns3_rxq_stats of hns3_ethtool.c, bnad_get_rxq_strings() of bna."""
    found = read(
        "NIC statistics:\n     txq0_packets: 7\n     txq0_bytes: 420\n     rxq0_bytes: 300\n"
        "     rxq0_packets: 5\n     rxq0_errors: 0\n     rxq0_dropped: 2\n     rxq16_packets: 4\n"
        "     cq0_producer_index: 9\n     txq1_dropped: 1\n     txq1_seg_pkt_cnt: 0\n     txq1_packets: 8\n"
        "     txq1_pktnum_rcd: 8\n"
    )
    assert [(row.direction, row.index, row.packets, row.bytes, row.drops) for row in found.queues] == [
        ("rx", 0, 5, 300, 2),
        ("rx", 16, 4, None, None),
        ("tx", 0, 7, 420, None),
        ("tx", 1, 8, None, 1),
    ]


@pytest.mark.parametrize(
    ("text", "received", "sent"),
    [
        # xgbe_get_strings() of xgbe-ethtool.c
        (
            "     txq_0_packets: 7\n     txq_0_bytes: 420\n     rxq_0_packets: 5\n     rxq_0_bytes: 300\n",
            (5, 300, None),
            (7, 420, None),
        ),
        # otx2_queue_stats of otx2_ethtool.c; nicvf_queue_stats of thunderx
        (
            "     rxq0: bytes: 300\n     rxq0: frames: 5\n     txq0: bytes: 420\n     txq0: frames: 7\n",
            (5, 300, None),
            (7, 420, None),
        ),
        # queue_statistics of macb.h
        (
            "     q0_rx_packets: 5\n     q0_rx_bytes: 300\n     q0_rx_dropped: 2\n     q0_tx_packets: 7\n"
            "     q0_tx_bytes: 420\n     q0_tx_dropped: 0\n",
            (5, 300, 2),
            (7, 420, 0),
        ),
        # stmmac_qstats_rx_string of stmmac_ethtool.c
        (
            "     q0_tx_pkt_n: 7\n     q0_tx_irq_n: 3\n     q0_rx_pkt_n: 5\n     q0_rx_irq_n: 4\n",
            (5, None, None),
            (7, None, None),
        ),
        # nfp_vnic_get_sw_stats_strings() of nfp_net_ethtool.c
        (
            "     rvec_0_rx_pkts: 5\n     rvec_0_tx_pkts: 7\n     rvec_0_tx_busy: 1\n",
            (5, None, None),
            (7, None, None),
        ),
        # idpf_gstrings_rx_queue_stats of idpf_ethtool.c
        (
            "     tx_q-0_pkts: 7\n     tx_q-0_bytes: 420\n     tx_q-0_lso_pkts: 0\n     rx_q-0_pkts: 5\n"
            "     rx_q-0_bytes: 300\n     rx_q-0_rx_gro_hw_pkts: 0\n",
            (5, 300, None),
            (7, 420, None),
        ),
        # qede_get_strings_stats_txq() of qede_ethtool.c: a line for each traffic class
        (
            "     0: rcv_pkts: 5\n     0: rx_hw_errors: 0\n     0_0: xmit_pkts: 4\n     0_0: stopped_cnt: 1\n"
            "     0_1: xmit_pkts: 3\n     0 [XDP]: xmit_pkts: 9\n",
            (5, None, None),
            (7, None, None),
        ),
        # hinic_rx_queue_stats of hinic_ethtool.c
        (
            "     txq0_pkts: 7\n     txq0_bytes: 420\n     txq0_tx_busy: 1\n     rxq0_pkts: 5\n"
            "     rxq0_bytes: 300\n     rxq0_errors: 0\n",
            (5, 300, None),
            (7, 420, None),
        ),
        # rx_ring_stats of enetc_ethtool.c; lan743x_set1_sw_cnt_strings of lan743x_ethtool.c
        (
            "     Rx ring  0 frames: 5\n     Rx ring  0 alloc errors: 0\n     Tx ring  0 frames: 7\n",
            (5, None, None),
            (7, None, None),
        ),
        (
            "     RX Queue 0 Frames: 5\n     RX Total Frames: 5\n     TX Queue 0 Frames: 7\n"
            "     TX Total Queue Frames: 7\n",
            (5, None, None),
            (7, None, None),
        ),
    ],
    ids=["xgbe", "octeontx2", "macb", "stmmac", "nfp", "idpf", "qede", "hinic", "enetc", "lan743x"],
)
def test_packets_of_each_queue_are_read_by_each_driver_s_own_names(
    text: str, received: tuple[int, int | None, int | None], sent: tuple[int, int | None, int | None]
) -> None:
    found = read(f"NIC statistics:\n{text}").queues
    assert [(row.direction, row.index) for row in found] == [("rx", 0), ("tx", 0)]
    assert [(row.packets, row.bytes, row.drops) for row in found] == [received, sent]


def test_mtk_eth_soc_drops_what_overflows() -> None:
    """https://github.com/openwrt/mt76/issues/732, with other numbers."""
    text = "NIC statistics:\n    tx_skip: 0\n    rx_packets: 7\n    rx_overflow: 5\n    rx_fcs_errors: 1\n"
    assert drops(read(text)) == {"rx_overflow": 5}


def test_what_macb_xgbe_and_stmmac_lose_is_in_none_of_the_interface_s_drops() -> None:
    """gem_get_stats() of macb, xgbe_get_stats64() and stmmac_get_stats64(): in its errors or nowhere."""
    macb = "     rx_frames: 9\n     rx_resource_errors: 5\n     rx_overruns: 2\n     q0_rx_packets: 2\n"
    assert drops(read(macb)) == {"rx_resource_errors": 5, "rx_overruns": 2}
    assert drops(read("     rx_fifo_overflow_errors: 3\n     rx_pause_frames: 1\n")) == {
        "rx_fifo_overflow_errors": 3
    }
    assert drops(read("     mmc_rx_fifo_overflow: 4\n     mmc_rx_pause_frames: 1\n")) == {
        "mmc_rx_fifo_overflow": 4
    }


def test_dpaa2_says_what_its_hardware_discards() -> None:
    assert drops(read(DPAA2)) == {
        "[hw] rx discarded frames": 5,
        "[hw] rx nobuffer discards": 7,
        "[mac] rx frame discards": 9,
    }


@pytest.mark.parametrize(
    ("text", "sent", "received"),
    [
        (MVPP2, 11, 12),
        (DPAA2, 3, 2),
        # ethq, tests/bnxt_en and tests/sfc, with other numbers
        ("     rx_pause_frames: 5\n     rx_pfc_frames: 1\n     tx_pause_frames: 6\n", 6, 5),
        ("port_tx_pause: 8\nport_tx_control: 0\nport_rx_pause: 9\nport_rx_control: 0\n", 8, 9),
        # ethq, tests/bnx2, and tests/be2net, which has a name with and one without a stroke
        ("rx_xoff_frames: 4\ntx_xon_frames: 306\ntx_xoff_frames: 332\n", 332, 4),
        ("     rx_pause_frames: 1\n     tx_pauseframes: 2\n", 2, 1),
        # main_strings of mlx4_en; strings of cxgb4 are padded; https://github.com/bigtreetech/CB2/issues/21
        ("rx_pause_prio_0: 1\nrx_pause: 3\nrx_pause_duration: 9\ntx_pause: 7\n", 7, 3),
        ("     tx_pause_frames         : 2\n     rx_pause_frames         : 3\n", 2, 3),
        ("     mmc_tx_pause_frame: 4\n     mmc_rx_pause_frames: 5\n", 4, 5),
        # strings of hinic, nfp, ionic (ionic_port_stats_desc) and sky2
        ("mac_tx_pause_num: 2\nmac_tx_pfc_pkt_num: 1\nmac_rx_pause_num: 3\n", 2, 3),
        ("mac.tx_pause_mac_ctrl_frames: 4\nmac.rx_pause_mac_ctrl_frames: 5\n", 4, 5),
        ("frames_rx_pause: 6\nframes_rx_pripause: 1\nframes_tx_pause: 7\n", 7, 6),
        ("tx_mac_pause: 8\nrx_mac_pause: 9\n", 8, 9),
        # mtk_eth_soc counts no pause that it sends: https://github.com/openwrt/mt76/issues/732
        ("    rx_overflow: 2\n    rx_fcs_errors: 0\n    rx_flow_control_packets: 6\n", 0, 6),
    ],
)  # fmt: skip
def test_pause_frames_of_each_driver_are_known(text: str, sent: int, received: int) -> None:
    found = read(text).stages
    assert sum(row.value for row in found if row.name in PAUSES) == sent
    assert sum(row.value for row in found if row.name in PAUSES_RECEIVED) == received


def test_every_name_of_pause_frames_is_read_from_a_driver() -> None:
    known = DEVICE | COUNTERS
    assert {known[name] for name in PAUSES} == {("tx", "mac", "events")}
    assert {known[name] for name in PAUSES_RECEIVED} == {("rx", "mac", "events")}


def test_sums_of_a_card_are_named_as_its_newer_drivers_do() -> None:
    """bnxt_en, cxgb4, bnx2 and mvneta: ethq, tests/bnxt_en and bnx2, and the drivers' strings."""
    text = (
        "rx_total_ring_discards: 1\nrx_total_oom_discards: 2\nrx_bg0_frames_dropped  : 3\nrx_fw_discards: 4\n"
    )
    assert drops(read(text + "rx_discard: 5\nrx_overrun: 6\n")) == {
        "rx_total_ring_discards": 1,
        "rx_total_oom_discards": 2,
        "rx_bg0_frames_dropped": 3,
        "rx_fw_discards": 4,
        "rx_discard": 5,
        "rx_overrun": 6,
    }


def test_the_coalescing_line_to_which_ethtool_gave_no_colon_is_a_setting() -> None:
    """ethtool 6.2 to 6.14, "Add missing colon in coalesce_reply_cb()" of January 2025 (netdev)."""
    found = ethtool_settings.parse(
        "Coalesce parameters for eno1:\nAdaptive RX: n/a  TX: n/a\nrx-usecs:\t3\n\n"
        "tx-aggr-max-bytes:\tn/a\ntx-aggr-max-frames:\tn/a\ntx-aggr-time-usecs\tn/a\n"
    )
    assert found.skipped == ()
    assert found.value["tx-aggr-time-usecs"] == "n/a"


def test_what_is_done_to_the_input_of_rss_is_no_hash_function() -> None:
    """ethtool 6.7 and later (netdev, "Add support for the symmetric-xor RSS input transformation")."""
    found = ethtool_settings.parse(
        "RX flow hash indirection table for eno1 with 2 RX ring(s):\n    0:      0     1\n"
        "RSS hash key:\nOperation not supported\nRSS hash function:\n    toeplitz: on\n    xor: off\n"
        "RSS input transformation:\n    symmetric-xor: off\n    symmetric-or-xor: on\n"
    )
    assert found.skipped == ()
    assert found.value == {
        "indirection table": "0 1",
        "RSS key, digest": "not supported",
        "RSS hash function toeplitz": "on",
        "RSS hash function xor": "off",
        "RSS input transformation symmetric-xor": "off",
        "RSS input transformation symmetric-or-xor": "on",
    }


def test_the_flow_label_of_ipv6_is_a_field_of_the_hash() -> None:
    """unparse_rxfhashopts() of ethtool 6.18."""
    found = flow_hash.parse(
        "UDP over IPV6 flows use these fields for computing Hash flow key:\nIP SA\nIPv6 Flow Label\n\n"
    )
    assert found.skipped == ()
    assert found.value == {"udp6": "source address, IPv6 flow label"}
