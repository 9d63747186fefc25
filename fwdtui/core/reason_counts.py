"""What a kernel says about the packets that it dropped: counts by reason and by function.

FreeBSD: core/mib_drops.py. In Linux, the tracepoint skb:kfree_skb has the reason since Linux 5.17
(include/net/dropreason-core.h). It counts packet buffers (skbs): with GRO one buffer may hold several
packets, and what a card or XDP drops never was one.
"""

from collections.abc import Mapping

import msgspec

TRACEFS, BPFTRACE, DTRACE = "tracefs", "bpftrace", "dtrace"
"""How they were counted: a histogram trigger of the Linux kernel, bpftrace, or dtrace on FreeBSD."""
HOST, NAMESPACE, MACHINE = "host", "namespace", "machine"
"""What was counted: all of a host with one network namespace; all of the machine, with each row's namespace;
all of the machine, where rows of other network namespaces cannot be told from the DUT's."""
OTHER, NOWHERE, NO_PORT = "other", "none", "no-port"
"""Places of rows: a network namespace that is not the DUT's; buffers without an interface; an interface that
is not a port of the lab."""


class ReasonRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Packet buffers (skbs) that a kernel dropped for one reason in one of its functions.

    `device` is the buffer's interface ("": it had none, or the way of counting does not show it). `place`:
    OTHER, NOWHERE or NO_PORT; "": in the DUT's network namespace, or not known. `stage`: which part of a
    packet account it explains (core/drop_reasons.py); "": none.
    """

    reason: str  # as the kernel names it: "CPU_BACKLOG", "ips_noroute"; "reason 70001" if it does not
    location: str  # the kernel's function; "": not known
    count: int
    device: str = ""
    place: str = ""
    stage: str = ""


class ReasonCounts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Totals by reason, counted since `since`, in seconds on the recording's axis.

    `means`: TRACEFS, BPFTRACE or DTRACE. `scope`: HOST, NAMESPACE or MACHINE.
    `missed`: dropped buffers without a row of their own, since the kernel's table was full.
    """

    means: str
    scope: str
    since: float
    rows: tuple[ReasonRow, ...] = ()
    missed: int = 0


class DropReasons(msgspec.Struct, frozen=True, omit_defaults=True):
    """The drops of one blast by reason; `rows` have the largest count first.

    `seconds`: for how much of the blast they were counted. `whole`: they were counted from the quiet before
    it to the quiet after it, so that they can be compared with the counters. `explained`: how many of the
    account's lost packets have a reason, by stage and for UNACCOUNTED.
    """

    means: str
    scope: str
    seconds: float
    whole: bool
    rows: tuple[ReasonRow, ...] = ()
    missed: int = 0
    explained: Mapping[str, int] = {}
