"""How drivers name their queue counters and device counters in `ethtool -S`: data, no code.

Taken from captures of each driver and from drivers/net in the kernel. A name's family is recognised by its
pattern, not by the driver: the patterns do not overlap, and drivers outside the kernel reuse them.
"""

import re
from dataclasses import dataclass

# Each alternative lists the fields that add up to the value; they are disjoint by definition (unicast,
# multicast and broadcast; discarded by the device and discarded by the driver). The first alternative
# whose fields are all present is used.
Alternatives = tuple[tuple[str, ...], ...]

_CASTS = ("ucast_packets", "mcast_packets", "bcast_packets")
_MVPP2 = ("queue_full_drops", "packets_early_drops", "packets_bm_drops")


@dataclass(frozen=True, slots=True)
class QueueNames:
    """One way to name a queue's counters; `pattern` has the groups dir, queue and field.

    dir is rx or tx in any case, In or Out, rcv or xmit.
    """

    drivers: str
    pattern: re.Pattern[str]
    packets: Alternatives = ()
    bytes: Alternatives = ()
    drops: Alternatives = ()
    proof: frozenset[str] = frozenset()  # if the pattern alone is weak: one of these fields must be present


VETH = QueueNames(
    "veth (its skb and XDP path alike, in NAPI mode only)",
    re.compile(r"(?P<dir>rx|tx)_queue_(?P<queue>[0-9]{1,5})_(?P<field>.+)"),
    packets=(("xdp_packets",),),
    bytes=(("xdp_bytes",),),
    drops=(("drops",),),
)

QUEUES: tuple[QueueNames, ...] = (
    QueueNames(
        "ixgbe igb igc ice hv_netvsc, older virtio_net; drops: igb and virtio_net only",
        re.compile(r"(?P<dir>rx|tx)_queue_(?P<queue>[0-9]{1,5})_(?P<field>.+)"),
        packets=(("packets",),),
        bytes=(("bytes",),),
        drops=(("drops",),),
    ),
    QueueNames(
        "mlx5 mlx4 (drops: `dropped`), newer virtio_net (6.18: no packet counters)",
        re.compile(r"(?P<dir>rx|tx)(?P<queue>[0-9]{1,5})_(?P<field>.+)"),
        packets=(("packets",),),
        bytes=(("bytes",),),
        drops=(("dropped",), ("drops",)),
        proof=frozenset({"packets", "kicks", "drops", "dropped"}),
    ),
    QueueNames(
        "mana, ionic (pkts)",
        re.compile(r"(?P<dir>rx|tx)_(?P<queue>[0-9]{1,4})_(?P<field>.+)"),
        packets=(("packets",), ("pkts",)),
        bytes=(("bytes",),),
        drops=(("dropped",),),
        proof=frozenset({"packets", "pkts"}),  # rx_64_byte_packets is the size of frames
    ),
    QueueNames(
        "i40e (tx-0.tx_packets, later tx-0.packets) iavf sfc",
        re.compile(r"(?P<dir>rx|tx)-(?P<queue>[0-9]{1,5})\.(?:rx_|tx_)?(?P<field>.+)"),
        packets=(("packets",),),
        bytes=(("bytes",),),
    ),
    QueueNames(
        "ena",
        re.compile(r"queue_(?P<queue>[0-9]{1,5})_(?P<dir>rx|tx)_(?P<field>.+)"),
        packets=(("cnt",),),
        bytes=(("bytes",),),
    ),
    QueueNames(
        "be2net; octeontx2 and thunderx (frames)",
        re.compile(r"(?P<dir>rx|tx)q(?P<queue>[0-9]{1,5}): (?:rx_|tx_)?(?P<field>.+)"),
        packets=(("pkts",), ("frames",)),
        bytes=(("bytes",),),
        drops=(("drops_no_skbs", "drops_no_frags"), ("drv_drops",)),
    ),
    QueueNames(
        "bnxt_en bnx2x",
        re.compile(r"\[(?P<queue>[0-9]{1,5})\]: (?P<dir>rx|tx)_(?P<field>.+)"),
        packets=(_CASTS,),
        bytes=(("bytes",), ("ucast_bytes", "mcast_bytes", "bcast_bytes")),
        drops=(("discards",),),
    ),
    QueueNames(
        "bcmgenet hns3 bna, bcmsysport (tx only), hinic (pkts)",
        re.compile(r"(?P<dir>rx|tx)q(?P<queue>[0-9]{1,5})_(?P<field>.+)"),
        packets=(("packets",), ("pkts",)),
        bytes=(("bytes",),),
        drops=(("dropped",),),
        proof=frozenset({"packets", "pkts"}),
    ),
    QueueNames(
        "mvpp2 (no counter of the interface has these drops), amd-xgbe (packets)",
        re.compile(r"(?P<dir>rx|tx)q_(?P<queue>[0-9]{1,5})_(?P<field>.+)"),
        packets=(("packets_dequeued",), ("desc_enqueue",), ("packets",)),
        bytes=(("bytes",),),
        drops=((*_MVPP2, "packets_rep_bm_drops"), _MVPP2),
    ),
    QueueNames(
        "macb, stmmac (q0_rx_pkt_n), nfp (rvec_0_rx_pkts)",
        re.compile(r"(?:q|rvec_)(?P<queue>[0-9]{1,5})_(?P<dir>rx|tx)_(?P<field>.+)"),
        packets=(("packets",), ("pkt_n",), ("pkts",)),
        bytes=(("bytes",),),
        drops=(("dropped",),),
        proof=frozenset({"packets", "pkt_n", "pkts"}),
    ),
    QueueNames(
        "idpf",
        re.compile(r"(?P<dir>rx|tx)_q-(?P<queue>[0-9]{1,5})_(?P<field>.+)"),
        packets=(("pkts",),),
        bytes=(("bytes",),),
    ),
    QueueNames(
        "qede (0: rcv_pkts, and of each traffic class 0_1: xmit_pkts)",
        re.compile(r"(?P<queue>[0-9]{1,5})(?:_[0-9])?: (?P<dir>rcv|xmit)_(?P<field>pkts)"),
        packets=(("pkts",),),
    ),
    QueueNames(
        "enetc (Rx ring  0 frames; drops of 16 rings, also where it has fewer), lan743x (RX Queue 0 Frames)",
        re.compile(
            r"(?P<dir>[RT]x|[RT]X) (?:ring|Queue) +(?P<queue>[0-9]{1,5}) "
            r"(?P<field>(?:discarded )?frames|Frames)"
        ),
        packets=(("frames",), ("Frames",)),
        drops=(("discarded frames",),),
        proof=frozenset({"frames", "Frames"}),
    ),
    QueueNames(
        "atlantic (with a traffic class before it if there are several)",
        re.compile(r"(?:TC[0-9] )?Queue\[(?P<queue>[0-9]{1,5})\] (?P<dir>In|Out)(?P<field>.+)"),
        packets=(("Packets",),),
    ),
    QueueNames(
        "vmxnet3 (nested by indent; the path is joined with slashes)",
        re.compile(r"(?P<dir>[RrTt]x) Queue#: (?P<queue>[0-9]{1,5})/(?P<field>.+)"),
        packets=(
            ("ucast pkts rx", "mcast pkts rx", "bcast pkts rx"),
            ("ucast pkts tx", "mcast pkts tx", "bcast pkts tx"),
        ),
        bytes=(
            ("ucast bytes rx", "mcast bytes rx", "bcast bytes rx"),
            ("ucast bytes tx", "mcast bytes tx", "bcast bytes tx"),
        ),
        drops=(("pkts rx OOB", "drv dropped rx total"), ("pkts tx discard", "drv dropped tx total")),
    ),
)

# Device-wide counters -> direction, stage and kind of counters.StageCounter. Left out on purpose: sums by
# priority, which repeat rx_discards_phy, and sums of all queues' traffic, which repeat the queues' counters.
_MAC_RX, _MAC_TX = ("rx", "mac"), ("tx", "mac")
_RX_RING, _RX_QUEUE, _TX_RING = ("rx", "rx-ring"), ("rx", "rx-queue"), ("tx", "tx-ring")
_NAMES: dict[tuple[str, str, str], str] = {
    (*_MAC_RX, "packets"): """
        rx_pkts_nic rx_packets_phy port_rx_packets rx_unicast.nic rx_multicast.nic rx_broadcast.nic
        port.rx_unicast port.rx_multicast port.rx_broadcast rx_total_frames
    """,
    # dropped in the port's own packet buffer, or because no filter and no flow matched (FILTERED)
    (*_MAC_RX, "drops"): """
        rx_missed_errors rx_missed rx_discards_phy rx_steer_missed_packets outbound_pci_buffer_overflow
        rx_dropped.nic port.rx_dropped port.rx_discards rx_brb_discard rx_input_fifo_overflow_drop
        rxpp_fifo_overflow_drop pmem_fifo_overflow_drop port_rx_overflow port_rx_pm_discard_bb_overflow
        port_rx_pm_discard_vfifo_full port_rx_pm_discard_qbb port_rx_pm_discard_mapping
        port_rx_dp_di_dropped_packets rx_overrun rx_fifo_overrun rx_fifo_or_parser_overrun_drops
        rx_classifier_drops rx_overflow rx_overruns rx_fifo_overflow_errors mmc_rx_fifo_overflow
    """,
    (
        *_MAC_RX,
        "errors",
    ): "rx_crc_errors rx_crc_errors_phy rx_crc_errors.nic port.rx_crc_errors rx_fcs_errors",
    # the generator is throttled when the device sends pauses
    (*_MAC_TX, "events"): """
        tx_flow_control_xoff link_xoff_tx.nic port.link_xoff_tx tx_pause_ctrl_phy xoff_sent tx_xoff_sent
        tx_pauseframes tx_pause_frames port_tx_pause tx_xoff_frames tx_pause fc_sent mmc_tx_pause_frame
        mac_tx_mac_pause_num mac_tx_pause_num mac.tx_pause_mac_ctrl_frames frames_tx_pause tx_mac_pause
        bw_out_allowance_exceeded
    """,
    # a cloud provider's limits: the packets were queued or dropped, it does not say which; the last three
    # count both directions. Before them: the link partner asks the device to hold back what it has to send
    (*_MAC_RX, "events"): """
        rx_flow_control_xoff link_xoff_rx.nic port.link_xoff_rx rx_pause_ctrl_phy xoff_received
        rx_xoff_pause_rcvd rx_pauseframes rx_pause_frames port_rx_pause rx_xoff_frames rx_pause
        fc_received good_fc_received mmc_rx_pause_frames mac_rx_mac_pause_num rx_flow_control_packets
        mac_rx_pause_num mac.rx_pause_mac_ctrl_frames frames_rx_pause rx_mac_pause
        bw_in_allowance_exceeded pps_allowance_exceeded conntrack_allowance_exceeded
        linklocal_allowance_exceeded
    """,
    # the host had no free descriptor or buffer
    (*_RX_RING, "drops"): """
        rx_no_dma_resources rx_out_of_buffer dev_out_of_buffer rx_dropped rx_discards port_rx_nodesc_drops
        rx_total_discard_pkts rx_total_ring_discards rx_fw_discards rx_discard InDroppedDma
        rx_drops_no_pbuf rx_drops_no_erx_descr rx_drops_no_tpre_descr
        rx_bg0_frames_dropped rx_bg1_frames_dropped rx_bg2_frames_dropped rx_bg3_frames_dropped
        hc_rx_discards_no_wqe rx_resource_errors
    """,
    # rx_no_buffer_count (e1000e, igb): the frame may still have found room in the FIFO
    (*_RX_RING, "events"): "rxbds_empty rx_no_buffer_count",
    # dropped by the driver after the device delivered it
    (*_RX_QUEUE, "drops"): "rx_drops rx_noskb_drops rx_skb_alloc_discard rx_total_oom_discards",
    (*_RX_QUEUE, "events"): "rx_alloc_fail rx_pg_alloc_fail rx_buff_alloc_err alloc_rx_buff_failed",
    (*_TX_RING, "drops"): """
        tx_dropped tx_queue_dropped tx_discards tx_total_discard_pkts tx_total_ring_discards
    """,
    # the queue was full: the packet waited in the qdisc
    (*_TX_RING, "events"): "tx_busy tx_restart_queue tx_restart tx_queue_stopped",
    (*_MAC_TX, "packets"): "tx_pkts_nic tx_packets_phy port_tx_packets",
    (*_MAC_TX, "drops"): "tx_discards_phy tx_dropped_link_down.nic port.tx_dropped_link_down",
}
DEVICE: dict[str, tuple[str, str, str]] = {
    name: place for place, names in _NAMES.items() for name in names.split()
} | {  # dpaa2 has blanks in its names
    "[mac] rx frame discards": (*_MAC_RX, "drops"),
    "[mac] rx pause": (*_MAC_RX, "events"),
    "[mac] tx b-pause": (*_MAC_TX, "events"),
    "[hw] rx discarded frames": (*_RX_RING, "drops"),
    "[hw] rx nobuffer discards": (*_RX_RING, "drops"),
}

COPIES = frozenset({"rx_dropped", "tx_dropped"})
"""Interface counters that ethtool repeats (ixgbe and others)."""
I40E = frozenset({"port.rx_dropped", "port.rx_discards"})
"""What only i40e has: packets for which the port's buffer had no room (GLPRT_RDPC), in no counter of the
interface. It is called rx_discards since the driver has rx_missed_errors, for those without a descriptor
(GLV_RDPC); before, they were in rx_dropped (i40e_update_vsi_stats())."""
OWN_RX_DROPPED = frozenset({"rx_dropped.nic"}) | I40E
"""What only ice and i40e have: their rx_dropped is not a copy, but counts what the card lost after the port's
buffer, for lack of a descriptor (GLV_RDPC) or, with newer i40e, because it was too long (GL_RXERR1); if there
is rx_missed_errors, only the latter. It is in the interface's rx_dropped too, with what the kernel dropped
(ice_update_vsi_stats(), i40e_update_vsi_stats())."""

# The card's losses, by which interface counters may include them; of a group's names only one is used, since
# they may cover the same packets. By ixgbe_update_stats(), igb_update_stats(), ice_update_vsi_stats(),
# i40e_update_vsi_stats() and mana_get_stats64(): in the interface's rx_missed_errors or in none of its
# counters. (Not rx_out_of_buffer of mlx5: mlx5e_get_stats() had it in rx_dropped until Linux 6.10.)
NEVER_IN_DROPPED: dict[str, str] = {
    "rx_missed_errors": "buffer",
    "rx_dropped.nic": "buffer",
    "port.rx_dropped": "buffer",
    "port.rx_discards": "buffer",
    "rx_no_dma_resources": "descriptor",
    "hc_rx_discards_no_wqe": "descriptor",
}
# ... and never in rx_missed_errors, but in rx_dropped since some version (if_in_discards of mlx5).
NEVER_IN_MISSED: dict[str, str] = {
    "rx_discards_phy": "port",
}
# Frames that match no flow of the card, such as those for another MAC address -> whether the interface's
# rx_dropped may have them. mlx5: nic_receive_steering_discard (counters.rst of the kernel); whether
# if_in_discards, which is rx_dropped since some version, includes them is not known. mvpp2: what the
# classifier drops, such as unicast that no entry of the parser lets in; in no counter of the interface.
FILTERED: dict[str, bool] = {
    "rx_steer_missed_packets": True,
    "rx_classifier_drops": False,
}

# Counters that wrap early because of the device's registers: r8169's tally counter has 16 bits
# (struct rtl8169_counters), be2net's have 32 (struct be_drv_stats), and stmmac adds its own up in 32 (struct
# stmmac_counters). i40e shows its registers of 32 bits less what they were at the start, modulo 2**32
# (i40e_stat_update32()), and mlx5 two numbers of 32 bits of its firmware (mlx5_ifc_query_q_counter_out_bits,
# mlx5_ifc_vnic_diagnostic_statistics_bits). Others have 64, or are added up in 64.
WIDTHS: dict[str, int] = {
    "rx_missed": 16,
    **dict.fromkeys(
        ("rx_drops_no_pbuf", "rx_drops_no_erx_descr", "rx_drops_no_tpre_descr", "rx_input_fifo_overflow_drop",
         "rxpp_fifo_overflow_drop", "pmem_fifo_overflow_drop",
         "mmc_rx_fifo_overflow", "mmc_rx_pause_frames", "mmc_tx_pause_frame",
         "port.rx_dropped", "port.rx_discards", "port.rx_crc_errors", "port.tx_dropped_link_down",
         "port.link_xoff_rx", "port.link_xoff_tx", "rx_out_of_buffer", "dev_out_of_buffer"), 32,
    ),
}  # fmt: skip
I40E_WIDTHS: dict[str, int] = dict.fromkeys(("rx_missed_errors", "rx_dropped", "rx_crc_errors"), 32)
"""Counters of i40e whose names other drivers have too, with 64 bits. If there is rx_missed_errors, its
rx_dropped has 64 as well: frames that were too long (GL_RXERR1)."""

# Packets that arrived on the wire, including dropped ones: the first whose parts are all present. The parts
# do not overlap: rx_pkts_nic of ixgbe excludes what missed the port's buffer.
OFFERED: Alternatives = (
    ("rx_packets_phy",),
    ("rx_unicast.nic", "rx_multicast.nic", "rx_broadcast.nic"),
    ("port.rx_unicast", "port.rx_multicast", "port.rx_broadcast"),
    ("rx_pkts_nic", "rx_missed_errors"),
    ("port_rx_packets",),
)
