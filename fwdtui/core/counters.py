"""Counters as a host reports them: monotonic totals since boot or attach, and a few gauges.

None means the host has no such counter ("n/a"); it is never the same as 0. Nothing here is a rate.
Overlapping counters are never summed; the docstrings say which ones overlap where it matters.

A recording holds hundreds of thousands of these. Nothing in them can be part of a cycle, so the garbage
collector skips them (gc=False): otherwise it would stop the live screen for a tenth of a second.
"""

import msgspec


class InterfaceCounters(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One interface. Linux: /proc/net/dev or sysfs statistics; FreeBSD: the <Link#> row of netstat -ibn.

    Linux `rx_packets` excludes `rx_dropped`; /proc/net/dev's drop column is rx_dropped + rx_missed, so
    `rx_missed` is only set where the source keeps the two apart (sysfs, `ip -s -s link`).
    """

    name: str
    rx_packets: int | None = None
    rx_bytes: int | None = None
    rx_errors: int | None = None
    rx_dropped: int | None = None
    tx_packets: int | None = None
    tx_bytes: int | None = None
    tx_errors: int | None = None
    tx_dropped: int | None = None
    link: int | None = None  # interface index (FreeBSD Link#N): differs if another device takes this name
    rx_missed: int | None = None  # Linux: frames dropped by the device when out of buffers; not in rx_dropped
    up: bool | None = None  # FreeBSD: administratively up; None: not reported


class QueueCounters(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One hardware or driver queue. `drops` is what this queue itself discarded.

    `extra`: what the driver counts of it, by its own names. Nothing reads it, and Linux samples no longer
    have it.
    """

    interface: str
    direction: str  # "rx" | "tx"
    index: int
    packets: int | None = None
    bytes: int | None = None
    drops: int | None = None
    depth: int | None = None  # a gauge, only where the driver has one
    extra: dict[str, int] = {}
    state: str | None = None  # FreeBSD iflib soft ring: IDLE, BUSY, STALLED or ABDICATED


class StageCounter(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One device-wide counter of a driver, with the point on the packet's path where it counts.

    `kind` is "packets", "drops", "errors" or "events" (pause frames, exhausted buffers: not losses).
    Counters of different stages see the same packets, and some of one stage overlap: never sum them blindly.
    """

    interface: str
    direction: str  # "rx" | "tx"
    stage: str  # "mac" | "rx-ring" | "rx-queue" | "software-input" | "tx-soft-queue" | "tx-ring"
    kind: str
    name: str  # as the driver calls it
    value: int


class CpuTicks(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Time of one core in clock ticks since boot (kern.cp_times, /proc/stat); None: no such state here."""

    cpu: int
    user: int
    nice: int
    system: int
    idle: int
    irq: int
    softirq: int | None = None  # Linux only; FreeBSD's interrupt time is all in irq
    iowait: int | None = None
    steal: int | None = None


class SoftnetRow(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One line of /proc/net/softnet_stat (machine-wide). `cpu` is the line's position unless `cpu_known`.

    `time_squeeze` counts exhausted budgets: it is not a drop. Source: net/core/net-procfs.c.
    """

    cpu: int
    cpu_known: bool
    processed: int
    dropped: int
    time_squeeze: int
    received_rps: int | None = None
    flow_limit: int | None = None
    backlog: int | None = None  # gauge
    input_qlen: int | None = None  # gauge
    process_qlen: int | None = None  # gauge


ANY_CPU = -1


class InterruptRow(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One interrupt: a total per CPU (Linux), or one under ANY_CPU if the host does not break it down."""

    irq: str
    label: str  # chip, hwirq and action names, as printed
    totals: dict[int, int]
    interface: str | None = None  # where the label names one
    queue: int | None = None
    direction: str | None = None  # "rx" | "tx" | "rxtx"


class QdiscRow(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One qdisc of `tc -s qdisc`. Root and leaf repeat the same drops: use roots only, or leaves only."""

    interface: str
    kind: str
    handle: str
    parent: str  # "root" or the parent's handle
    sent_packets: int | None = None
    sent_bytes: int | None = None
    dropped: int | None = None
    requeues: int | None = None
    backlog_packets: int | None = None  # gauge
    backlog_bytes: int | None = None  # gauge


class NetisrRow(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One workstream and protocol of FreeBSD `netstat -Q`. None: that column was not printed."""

    workstream: int
    cpu: int
    protocol: str
    length: int | None = None  # gauge
    watermark: int | None = None  # gauge: the highest length so far
    dispatched: int | None = None
    hybrid_dispatched: int | None = None
    queue_drops: int | None = None
    queued: int | None = None
    handled: int | None = None
