"""Which FreeBSD sysctls to ask for, so that a sample reads named leaves and never a whole device.

`sysctl dev.em.0` also runs handlers that take the Giant lock, read every register or dump kilobytes. So a
collector lists names once with `sysctl -N NODE` (names only: no value is read, sysctl(8)), picks with
`counters` what it samples and with `settings` what it records once, and then asks `sysctl -ie NAME...`:
-e prints ``name=value``, -i ignores names that have disappeared since.
"""

import re
from collections.abc import Iterable

from fwdtui.core.parse.fields import lines
from fwdtui.core.parse.sysctl_stages import COUNTERS

_INTERFACE = re.compile(r"([a-z][a-z0-9_]*?)([0-9]{1,4})")
_OID = re.compile(r"[A-Za-z_][\w%/+-]*(?:\.[\w%/+-]+)+", re.ASCII)

_QUEUE = re.compile(
    r"dev\.[a-z][a-z0-9_]*?\.[0-9]+\.(?:"
    r"iflib\.txq[0-9]+\.(?:r_enqueues|r_drops|r_stalls|r_restarts|r_abdications|txq_in_use|txq_processed"
    r"|txq_cleaned|no_desc_avail|tx_map_failed|no_tx_dma_setup)"
    r"|iflib\.rxq[0-9]+\.rxq_fl[0-9]\.credits"
    r"|(?:pf\.|vsi\.)?que(?:ue)?[0-9]+\.(?:[rt]x_packets|[rt]x_bytes|rx_discarded|no_desc_avail|br_drops"
    r"|dropped|irqs)"
    r"|(?:pf\.|vsi\.)[rt]xq[0-9]+\.(?:packets|bytes|irqs|no_desc|desc_err)"
    r"|queue_[rt]x_[0-9]+\.[rt]x_irq"
    r"|rxstat[0-9]+\.(?:packets|bytes|wqe_err)"
    r"|txstat[0-9]+tc[0-9]+\.(?:packets|bytes|dropped|nop|defragged)"
    r"|[rt]xq\.[0-9]+\.(?:rxcsum|txcsum|txpkt_wrs|txpkts_pkts|txpkts[01]_pkts|r_drops|r_enqueues|r_stalls"
    r"|mp_ring\.dropped|no_desc)"
    r"|[rt]xq[0-9]+\.(?:[io]packets|[io]bytes|iqdrops|ierrors|rescheduled)"
    r"|vsi\.0\.[rt]xqs\.[0-9]+\.[rt]x_(?:packets|bytes)"
    r"|queue[0-9]+\.[rt]x_ring\.(?:count|bytes)"
    r"|[rt]x\.[0-9]+\.packets"
    r"|[rt]xq[0-9]+\.(?:[rt]x_packets|[rt]x_bytes|rx_dropped_pkt|tx_dropped_pkt_nospace_bufring)"
    r"|hwstats\.(?:[rt]xq[0-9]+\.[umb]cast_pkts|rxq[0-9]+\.discard_pkts)"
    r"|[rt]xq[0-9]+\.hstats\.(?:[umb]cast_packets|nobuffer|error|discard)"
    r")"
)
_SOFT_STATE = re.compile(r"dev\.[a-z][a-z0-9_]*?\.[0-9]+\.iflib\.txq[0-9]+\.ring_state")
_SETTING = re.compile(
    r"dev\.[a-z][a-z0-9_]*?\.[0-9]+\.(?:"
    r"%desc|%driver|%parent|fc|fw_version|enable_aim|iflib\.(?:driver_version|simple_tx|tx_abdicate|rx_budget"
    r"|core_offset|separate_txrx|use_logical_cores|override_\w+|[rt]xq[0-9]+\.cpu))"
)

HOST = (
    "hw.model",
    "hw.ncpu",
    "hw.physmem",
    "kern.clockrate",
    "kern.boottime",
    "kern.timecounter.hardware",
    "net.iflib.prefer_mpring",
    "net.isr.dispatch",
    "net.isr.maxthreads",
    "net.isr.numthreads",
    "net.isr.bindthreads",
    "net.inet.ip.forwarding",
    "net.inet6.ip6.forwarding",
    "net.inet.rss.enabled",
    "net.inet.rss.bits",
    "net.inet.rss.buckets",
    "net.route.algo.inet.algo",
    "net.route.algo.inet6.algo",
)
"""Asked once per iteration; with -i a name unknown to a release is not printed and stays "n/a"."""

SAMPLE = ("kern.boottime", "kern.cp_times")
"""Asked with every sample, besides the queues: the clock's origin and the cores."""


def node(interface: str) -> str | None:
    """``"ix0"`` -> "dev.ix.0", the node to list; None if the name is not driver and unit ("vm-public")."""
    match = _INTERFACE.fullmatch(interface)
    return f"dev.{match[1]}.{int(match[2])}" if match else None


def names(listing: str) -> tuple[str, ...]:
    """The names in the output of `sysctl -N`; errors and anything else that is not a name are left out."""
    return tuple(name for line in lines(listing) if _OID.fullmatch(name := line.strip()))


def counters(listed: Iterable[str], soft_state: bool = False) -> tuple[str, ...]:
    """What to ask with every sample: per-queue counters and the device-wide ones of sysctl_stages.

    `soft_state` adds ring_state, which takes the Giant lock on every read: once per iteration is enough.
    """
    return tuple(
        name
        for name in listed
        if _QUEUE.fullmatch(name)
        or (name.startswith("dev.") and name.split(".", 3)[3:] and name.split(".", 3)[3] in COUNTERS)
        or (soft_state and _SOFT_STATE.fullmatch(name))
    )


def settings(listed: Iterable[str]) -> tuple[str, ...]:
    """What to ask once: driver version, flow control, queue placement, and whether simple_tx is on."""
    return tuple(name for name in listed if _SETTING.fullmatch(name))
