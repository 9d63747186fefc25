"""Counters per queue from FreeBSD driver sysctls: one meaning for the drivers' many names.

Sources under sys/: net/iflib.c (iflib_add_device_sysctl_post), dev/e1000/if_em.c, dev/ixgbe/if_ix.c,
dev/ixl/ixl_pf_main.c, dev/iavf, dev/igc/if_igc.c, dev/mlx5/mlx5_en, dev/cxgbe/t4_sge.c,
dev/virtio/network/if_vtnet.c, dev/vmware/vmxnet3/if_vmx.c, dev/ice/ice_lib.c, dev/ena/ena_sysctl.c,
dev/bnxt/bnxt_en/bnxt_sysctl.c, dev/hyperv/netvsc/if_hn.c, dev/gve/gve_sysctl.c.
Shapes, with N the unit and q the queue:

    dev.ix.N.queueq.rx_packets     also igb and ixv before iflib, with rx_bytes, tx_packets, rx_discarded
    dev.em.N.queue_rx_q.rx_irq     em, igb, igc: interrupts and ring registers only, no packets
    dev.ixl.N.pf.queq.rx_packets   ixl up to 11; since 12 pf.rxq0q.packets; iavf the same under vsi
    dev.mce.N.rxstatq.packets      mlx5en; transmission txstatqtcT, one per traffic class T
    dev.cxl.N.txq.q.txpkt_wrs      cxgbe (also cxgbe, cc): no packets for rxq, only rxcsum; its own soft ring
                                   has r_drops, since 12.2 and 13 mp_ring.dropped (dev/cxgbe/t4_mp_ring.c)
    dev.vtnet.N.rxqq.ipackets      dev.vmx.N.rxqq.hstats.ucast_packets (from the host, up to a second old)
    dev.ice.N.vsi.0.rxqs.q.rx_packets      dev.ena.N.queueq.rx_ring.count
    dev.bnxt.N.hwstats.rxqq.ucast_pkts     and discard_pkts, which no counter of the interface has
    dev.hn.N.rx.q.packets          dev.gve.N.rxqq.rx_packets
    dev.X.N.iflib.txqq.r_drops     every iflib driver: the soft ring before the hardware queue

iflib pads queue numbers by their count (txq0, txq00, txq000). All are totals since attach; `depth` is
txq_in_use, the descriptors in use (a gauge). All numeric values of a queue are in `extra` under their own
names; they mix totals with gauges (txq_pidx, cpu, credits, ...), so check a name before computing rates.

With iflib's simple_tx the soft ring is not used: r_enqueues, r_drops and similar counters stay 0. They are
then left out ("n/a"), and `Queues.soft_ring` says so; drops appear in `netstat -d` under Drop instead.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from fwdtui.core.counters import QueueCounters
from fwdtui.core.parse.fields import Parsed, Skipped, shown, whole

_DEVICE = re.compile(r"dev\.([a-z][a-z0-9_]*?)\.([0-9]{1,4})\.(.+)")
_PLACES = (
    re.compile(r"iflib\.(?P<way>[rt]x)q(?P<index>[0-9]{1,4})\.(?P<leaf>.+)"),
    re.compile(r"(?:pf\.|vsi\.)?que(?:ue)?(?P<index>[0-9]{1,4})\.(?P<leaf>.+)"),
    re.compile(r"queue_(?P<way>[rt]x)_(?P<index>[0-9]{1,4})\.(?P<leaf>.+)"),
    re.compile(r"vsi\.0\.(?P<way>[rt]x)qs\.(?P<index>[0-9]{1,4})\.(?P<leaf>.+)"),
    re.compile(
        r"(?:pf\.|vsi\.|hwstats\.)?(?P<way>[rt]x)q\.?(?P<index>[0-9]{1,4})\.(?:hstats\.)?(?P<leaf>.+)"
    ),
    re.compile(r"(?P<way>[rt]x)\.(?P<index>[0-9]{1,4})\.(?P<leaf>.+)"),
    re.compile(r"(?P<way>[rt]x)stat(?P<index>[0-9]{1,4})(?P<tc>tc[0-9]{1,2})?\.(?P<leaf>.+)"),
)
_RING = re.compile(
    r"pidx_head: (-?[0-9]{1,5}) pidx_tail: (-?[0-9]{1,5}) cidx: (-?[0-9]{1,5}) state: ([A-Z]+)"
)
_KNOWN, _LONGEST_KNOWN = 8192, 100  # names whose place is remembered, and their characters
_SOFT_RING = ("r_enqueues", "r_drops", "r_starts", "r_stalls", "r_restarts", "r_abdications")

# The first name that a queue has is its counter; a tuple of names is a sum of counters that do not overlap.
_PACKETS: dict[str, tuple[str | tuple[str, ...], ...]] = {
    "rx": (
        "rx_packets",
        "packets",
        "ipackets",
        ("ucast_packets", "mcast_packets", "bcast_packets"),
        ("ucast_pkts", "mcast_pkts", "bcast_pkts"),
        "rx_ring.count",
    ),
    "tx": (
        "tx_packets",
        "packets",
        "opackets",
        ("ucast_packets", "mcast_packets", "bcast_packets"),
        ("ucast_pkts", "mcast_pkts", "bcast_pkts"),
        "tx_ring.count",
        ("txpkt_wrs", "txpkts0_pkts", "txpkts1_pkts"),
        ("txpkt_wrs", "txpkts_pkts"),
    ),
}
_BYTES: dict[str, tuple[str | tuple[str, ...], ...]] = {
    "rx": ("rx_bytes", "bytes", "ibytes", "rx_ring.bytes"),
    "tx": ("tx_bytes", "bytes", "obytes", "tx_ring.bytes"),
}
_DROPS: dict[str, tuple[str | tuple[str, ...], ...]] = {
    "rx": ("rx_discarded", "iqdrops", "nobuffer", "discard_pkts", "rx_dropped_pkt"),
    "tx": ("r_drops", "mp_ring.dropped", "br_drops", "dropped", "tx_dropped_pkt_nospace_bufring"),
}
# Leaves of a node that serves both directions (queue3, que3): these belong to transmission, the rest to
# reception.
_OF_TX = re.compile(r"tx|tso|br_drops|no_desc|no_tx|dropped|mss_too|mbuf_defrag|m_pullups")


@dataclass(frozen=True, slots=True)
class Queues:
    """`soft_ring`: per iflib interface, whether its soft ring is in use; False: its counters are "n/a"."""

    rows: tuple[QueueCounters, ...] = ()
    soft_ring: Mapping[str, bool] = field(default_factory=dict)


def parse(values: Mapping[str, str]) -> Parsed[Queues]:
    """sysctl values by name (sysctl.py) -> one row per interface, direction and queue, sorted. Never raises.

    The interface is driver and unit (``dev.ix.0`` -> "ix0"); a renamed one keeps its driver name here
    (`ifconfig -D` shows both). A queue that appears in two places (ix: queue0 and iflib.txq0) is one row.
    Counters that the driver does not have are None.
    """
    queues: dict[tuple[str, str, int], dict[str, int]] = {}
    states: dict[tuple[str, str, int], str] = {}
    skipped = Skipped()
    for name, value in values.items():
        place = _known_place(name) if len(name) <= _LONGEST_KNOWN else _place(name)
        if place is None:
            continue
        interface, way, index, leaf, part_of = place
        key = interface, way, index
        counters = queues.setdefault(key, {})
        if leaf == "ring_state":
            if ring := _RING.fullmatch(value):
                states[key] = ring[4]
                for part, text in zip(("pidx_head", "pidx_tail", "cidx"), ring.groups(), strict=False):
                    # printed as a signed 16-bit number
                    counters[f"ring_{part}"] = int(text) % 65536
            continue
        number = whole(value)
        if number is not None:
            # traffic classes share a queue number and do not overlap; other places may repeat a counter
            counters[leaf] = counters.get(leaf, 0) + number if part_of else counters.get(leaf, number)
        elif re.match("[0-9]", value):
            skipped.note(f"{name}: not a whole number: {shown(value)}")
    soft_ring = _soft_ring(values, queues)
    rows = [
        _row(key, counters, states.get(key), soft_ring.get(key[0], True))
        for key, counters in sorted(queues.items())
        if counters or key in states
    ]
    return Parsed(Queues(tuple(rows), soft_ring), skipped.done())


def _place(name: str) -> tuple[str, str, int, str, bool] | None:
    """``"dev.ix.0.queue3.tx_packets"`` -> ("ix0", "tx", 3, "tx_packets", False); True: one traffic class."""
    device = _DEVICE.fullmatch(name)
    if not device:
        return None
    for pattern in _PLACES:
        if match := pattern.fullmatch(device[3]):
            groups = match.groupdict()
            leaf = groups["leaf"]
            way = groups.get("way") or ("tx" if _OF_TX.match(leaf) else "rx")
            return device[1] + device[2], way, int(groups["index"]), leaf, bool(groups.get("tc"))
    return None


_known_place = lru_cache(_KNOWN)(_place)
"""The names are the same at every tick: finding their places took two thirds of the time of a reading."""


def _soft_ring(
    values: Mapping[str, str], queues: Mapping[tuple[str, str, int], Mapping[str, int]]
) -> dict[str, bool]:
    """Whether each interface's soft ring is in use: not if it is switched off and never had an enqueue.

    dev.X.N.iflib.simple_tx=1 switches off one interface's ring, net.iflib.prefer_mpring=0 all of them; if
    packets were enqueued all the same (ALTQ brings the ring back), the counters are live.
    """
    enqueues: dict[str, int] = {}
    for (interface, way, _index), counters in queues.items():
        if way == "tx" and "r_enqueues" in counters:
            enqueues[interface] = enqueues.get(interface, 0) + counters["r_enqueues"]
    all_off = values.get("net.iflib.prefer_mpring") == "0"
    off = {
        device[1] + device[2]
        for name, value in values.items()
        if name.endswith(".iflib.simple_tx") and value not in ("", "0")
        if (device := _DEVICE.fullmatch(name)) and device[3] == "iflib.simple_tx"
    }
    return {
        interface: total > 0 or not (all_off or interface in off) for interface, total in enqueues.items()
    }


def _row(
    key: tuple[str, str, int], counters: dict[str, int], state: str | None, soft_ring: bool
) -> QueueCounters:
    interface, way, index = key
    if not soft_ring:
        counters = {
            name: number
            for name, number in counters.items()
            if name not in _SOFT_RING and not name.startswith("ring_")
        }
    return QueueCounters(
        interface,
        way,
        index,
        packets=_first(counters, _PACKETS[way]),
        bytes=_first(counters, _BYTES[way]),
        drops=_first(counters, _DROPS[way]),
        depth=counters.get("txq_in_use"),
        extra=counters,
        state=state if soft_ring else None,
    )


def _first(counters: Mapping[str, int], choices: tuple[str | tuple[str, ...], ...]) -> int | None:
    for choice in choices:
        names = (choice,) if isinstance(choice, str) else choice
        if all(name in counters for name in names):
            return sum(counters[name] for name in names)
    return None
