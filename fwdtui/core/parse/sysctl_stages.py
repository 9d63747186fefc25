"""Device-wide counters from FreeBSD driver sysctls: what arrived on the wire, and where it was lost.

Sources under sys/dev/: e1000/if_em.c, igc/if_igc.c, ixgbe/if_ix.c, ixl/ixl_pf_main.c, ice/ice_lib.c,
cxgbe/t4_main.c, mlx5/mlx5_en/en.h. All are totals since attach (cxgbe's and ixl's are refreshed once a second
or so).

em, igb and igc say ``recvd``, ix says ``rcvd``. On igb total_pkts_recvd includes good_pkts_recvd and
missed_packets, so it counts what arrived on the wire (including frames that the address filter rejects: on ix
total_pkts_rcvd exceeds good_pkts_rcvd on a quiet link). recv_no_buff counts packets that waited for a
buffer: an event, not a loss. Pause frames sent (xoff_txd, tx_pause): the DUT throttles its generator.
"""

import re
from collections.abc import Iterable, Mapping

from fwdtui.core.counters import StageCounter
from fwdtui.core.parse.fields import Parsed, shown, whole

_DEVICE = re.compile(r"dev\.([a-z][a-z0-9_]{0,31}?)\.([0-9]{1,4})\.(.+)")
_RX_MAC, _TX_MAC, _RX_RING = ("rx", "mac"), ("tx", "mac"), ("rx", "rx-ring")

COUNTERS: dict[str, tuple[str, str, str]] = {
    **{f"mac_stats.{name}": (*_RX_MAC, "packets") for name in (
        "total_pkts_recvd", "good_pkts_recvd", "total_pkts_rcvd", "good_pkts_rcvd")},
    **{f"mac_stats.{name}": (*_TX_MAC, "packets") for name in ("total_pkts_txd", "good_pkts_txd")},
    **{f"mac_stats.{name}": (*_RX_MAC, "errors") for name in (
        "crc_errs", "recv_errs", "recv_length_errors", "rec_len_errs", "checksum_errs", "alignment_errs",
        "recv_undersize", "recv_oversize", "recv_jabber",
        "recv_undersized", "recv_oversized", "recv_jabberd")},
    **{f"mac_stats.{name}": (*_RX_MAC, "events") for name in ("xon_recvd", "xoff_recvd")},
    **{f"mac_stats.{name}": (*_TX_MAC, "events") for name in ("xon_txd", "xoff_txd")},
    "mac_stats.missed_packets": (*_RX_RING, "drops"),
    "mac_stats.rx_missed_packets": (*_RX_RING, "drops"),
    "mac_stats.recv_no_buff": (*_RX_RING, "events"),
    "rx_overruns": (*_RX_RING, "events"),
    "watchdog_timeouts": ("tx", "tx-ring", "events"),
    **{f"mac.{way}_pkts_rcvd": (*_RX_MAC, "packets") for way in ("ucast", "mcast", "bcast")},
    **{f"mac.{way}_pkts_txd": (*_TX_MAC, "packets") for way in ("ucast", "mcast", "bcast")},
    **{f"{mac}.xoff_recvd": (*_RX_MAC, "events") for mac in ("mac", "hw.mac")},
    **{f"{mac}.xoff_txd": (*_TX_MAC, "events") for mac in ("mac", "hw.mac")},
    **{f"mac.{name}": (*_RX_MAC, "errors") for name in (
        "crc_errors", "rx_undersize", "rx_fragmented", "rx_oversized", "rx_jabber")},
    "mac.rx_discards": (*_RX_MAC, "drops"),
    **{f"hw.mac.{way}_pkts_rcvd": (*_RX_MAC, "packets") for way in ("ucast", "mcast", "bcast")},
    "hw.mac.crc_errors": (*_RX_MAC, "errors"),
    "hw.mac.rx_discards": (*_RX_MAC, "drops"),
    "vsi.0.hw.rx_discards": (*_RX_RING, "drops"),
    "pf.rx_discards": (*_RX_RING, "drops"),
    "vsi.rx_discards": (*_RX_RING, "drops"),
    "stats.rx_frames": (*_RX_MAC, "packets"),
    "stats.tx_frames": (*_TX_MAC, "packets"),
    **{f"stats.rx_ovflow{group}": (*_RX_RING, "drops") for group in range(4)},
    **{f"stats.rx_trunc{group}": (*_RX_RING, "errors") for group in range(4)},
    **{f"stats.{name}": (*_RX_MAC, "errors") for name in (
        "rx_fcs_err", "rx_len_err", "rx_runt", "rx_too_long", "rx_jabber")},
    "stats.rx_pause": (*_RX_MAC, "events"),
    "stats.tx_pause": (*_TX_MAC, "events"),
    "stats.tx_drop": ("tx", "tx-ring", "drops"),
    "hwstats.port_stats.rx_pause_frames": (*_RX_MAC, "events"),
    "hwstats.port_stats.tx_pause_frames": (*_TX_MAC, "events"),
    "pstats.frames_rx": (*_RX_MAC, "packets"),
    "pstats.frames_tx": (*_TX_MAC, "packets"),
    **{f"pstats.{name}": (*_RX_MAC, "errors") for name in (
        "check_seq_err", "alignment_err", "in_range_len_errors", "out_of_range_len", "too_long_errors")},
    "pstats.pause_ctrl_rx": (*_RX_MAC, "events"),
    "pstats.pause_ctrl_tx": (*_TX_MAC, "events"),
    "pstats.drop_events": (*_RX_MAC, "events"),  # how often, not how many: RFC 2819
    "pstats.in_discards": (*_RX_MAC, "drops"),  # with debug statistics only
    "vstats.rx_steer_missed_packets": (*_RX_MAC, "drops"),
    "vstats.rx_out_of_buffer": (*_RX_RING, "drops"),
    "vstats.tx_queue_dropped": ("tx", "tx-soft-queue", "drops"),
}  # fmt: skip
"""Name below the device -> (direction, stage, kind). mac_stats: em, igb, igc, ix. mac, pf: ixl. hw.mac and
vsi.0: ice. vsi: iavf. stats: cxgbe, by buffer group. pstats, vstats: mlx5en. hwstats: bnxt."""

FILTERED = frozenset({"vstats.rx_steer_missed_packets"})
"""Frames that match no flow of the card, such as those for another MAC address."""
BAD_FRAMES = frozenset(
    name for name, (_, _, kind) in COUNTERS.items() if kind == "errors" and "trunc" not in name
) - {"mac_stats.checksum_errs"}
"""Frames that came damaged, too short or too long. Not those that were cut because the buffer had too little
room, nor those with a wrong checksum of IP or of a protocol above it: they are delivered all the same."""

WIDTHS: dict[str, int] = dict.fromkeys(
    ("mac.rx_discards", "mac.crc_errors", "mac.rx_undersize", "mac.rx_fragmented", "mac.rx_oversized",
     "mac.rx_jabber", "mac.xoff_recvd", "mac.xoff_txd", "pf.rx_discards"), 32,
)  # fmt: skip
"""Counters that wrap early: ixl shows its 32-bit registers minus their values at the start, modulo 2**32
(ixl_stat_update32()). ice and mlx5en add such registers up in 64 bits; for iavf it depends on the driver of
the physical function."""

# What was offered: the first that is present; several names are parts that do not overlap.
_OFFERED: tuple[tuple[str, ...], ...] = (
    ("mac_stats.total_pkts_recvd",),
    ("mac_stats.total_pkts_rcvd",),
    ("stats.rx_frames",),
    ("pstats.frames_rx",),
    ("mac.ucast_pkts_rcvd", "mac.mcast_pkts_rcvd", "mac.bcast_pkts_rcvd"),
    ("hw.mac.ucast_pkts_rcvd", "hw.mac.mcast_pkts_rcvd", "hw.mac.bcast_pkts_rcvd"),
    ("mac_stats.good_pkts_recvd", "mac_stats.missed_packets"),
)


def parse(values: Mapping[str, str]) -> Parsed[tuple[StageCounter, ...]]:
    """sysctl values by name (sysctl.py) -> those that are in COUNTERS, in the order of `values`."""
    rows = []
    skipped = []
    for name, value in values.items():
        device = _DEVICE.fullmatch(name)
        known = COUNTERS.get(device[3]) if device else None
        if device is None or known is None:
            continue
        number = whole(value)
        if number is None:
            skipped.append(f"{name}: not a whole number: {shown(value)}")
        else:
            direction, stage, kind = known
            rows.append(StageCounter(device[1] + device[2], direction, stage, kind, device[3], number))
    return Parsed(tuple(rows), tuple(skipped[:40]))


def offered(rows: Iterable[StageCounter], interface: str) -> int | None:
    """Packets that reached the MAC of `interface` since attach, received or not; None: no such counter."""
    counters = {row.name: row.value for row in rows if row.interface == interface}
    for names in _OFFERED:
        if all(name in counters for name in names):
            return sum(counters[name] for name in names)
    return None


def ring_drops(rows: Iterable[StageCounter], interface: str) -> int | None:
    """Packets lost since attach because receive buffers ran out; None: the driver has no such counter.

    cxgbe's buffer groups do not overlap and are summed; other drivers have one counter.
    """
    drops = [
        row.value
        for row in rows
        if row.interface == interface and row.stage == "rx-ring" and row.kind == "drops"
    ]
    return sum(drops) if drops else None
