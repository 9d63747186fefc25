"""Joins the kernel's drop reasons with a packet account: which reasons explain which of its lost packets.

Reasons explain the account and add nothing to it. A stage is explained by the rows of that stage and never by
more than its counter says; what was lost and has no reason stays without one. Reasons of the IP layer explain
what is in no counter of an interface: `UNACCOUNTED`. Where the interface is known and is no port of the lab,
they explain nothing: whether the traffic was the test's is not known.

Which stage a row belongs to follows from names, not from numbers, according to the kernel's sources: what
enqueue_to_backlog() drops is in the interface's rx_dropped, as is what __netif_receive_skb_core() finds no
protocol for (net/core/dev.c), and a qdisc's reasons are in the qdisc's own counter. If the ring of a veth's
NAPI is full, veth_xmit() of the other end drops what it has already handed over (veth_forward_skb(),
drivers/net/veth.c): the packet's interface is the one that had no room. What a filter of tc drops on input is
in none of them, though sch_handle_ingress() is a part of __netif_receive_skb_core().
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from fwdtui.core.drop_stages import INPUT_QUEUE, OUTPUT, REFUSED, TX_SOFT_QUEUE
from fwdtui.core.mib_drops import MIB_DROPS, refused_by_output
from fwdtui.core.model import EventSample, Packets
from fwdtui.core.reason_counts import (
    BPFTRACE,
    NAMESPACE,
    NO_PORT,
    NOWHERE,
    OTHER,
    DropReasons,
    ReasonCounts,
    ReasonRow,
)

if TYPE_CHECKING:  # so that the app's first frame does not wait for a parser
    from fwdtui.core.parse.hist_trigger import DropTable

UNACCOUNTED = "in no counter"
"""The stage of reasons for what no interface counts: rules, routes, TTL."""
NOT_DROPS = frozenset(("CONSUMED", "NOT_DROPPED_YET"))
"""Values of the kernel's list (since Linux 6.3 and 5.18) that are not drops: the buffer was used up."""
ROWS = 60
"""The most rows that are kept of a blast; the smallest ones are summed up in one row `REST` per stage."""
REST = "others"
COUNTED = 200
"""The most rows of one reading of the counts; the smallest ones count as missed."""

_INPUT = frozenset(("enqueue_to_backlog", "__netif_receive_skb_core"))
_FILTER = "TC_"
_QDISC = re.compile(r"(?:QDISC|CAKE|FQ|DUALPI2)_[A-Z0-9_]+")
_INTO_VETH = frozenset(("veth_xmit", "veth_forward_skb", "veth_xdp_rx"))  # one may be inlined in the other
_TRANSMIT = frozenset(("veth_xmit", "tun_net_xmit", "start_xmit", "dev_hard_start_xmit"))
# a socket's buffers: traffic of the host itself, which no router forwards
_OWN = re.compile(r"(?:TCP_(?!CSUM)|UNIX_|SOCKET_|QUEUE_PURGE|PACKET_SOCK)[A-Z0-9_]*")
_OWN_PLACES = re.compile(
    r"_*(?:unix_|netlink_|nfnetlink_|genl_|rtnetlink_|sk_stream_|tcp_|skb_queue_purge|packet_)"
)


def stage_of(row: ReasonRow, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """The stage that a row explains: one of drop_stages.STAGES, UNACCOUNTED, or "" for other traffic.

    `inputs`, `outputs`: the DUT's ports. What is dropped on another interface may be of any traffic.
    """
    if row.place == OTHER or row.place == NOWHERE or row.device == "lo" or row.reason in NOT_DROPS:
        return ""
    if row.reason in MIB_DROPS:
        return OUTPUT if refused_by_output(row) else UNACCOUNTED
    if not _on_a_port(row.device, (*inputs, *outputs)):
        return ""
    refused = row.location in _INPUT and not row.reason.startswith(_FILTER)
    if row.reason == "CPU_BACKLOG" or refused:
        return _counted_by(INPUT_QUEUE, row.device, inputs, outputs)
    if row.location in _INTO_VETH and row.device in inputs:
        return INPUT_QUEUE
    if _QDISC.fullmatch(row.reason):
        return _counted_by(TX_SOFT_QUEUE, row.device, outputs, inputs)
    if row.location in _TRANSMIT and row.device:
        return _counted_by(OUTPUT, row.device, outputs, inputs)
    if _OWN.fullmatch(row.reason) or _OWN_PLACES.match(row.location):
        return ""
    return UNACCOUNTED


def _on_a_port(device: str, ports: Sequence[str]) -> bool:
    """Whether an interface is a port or a VLAN on one (``dut0.7``), or may be: "" is an unknown interface."""
    return device in ("", *ports) or any(device.startswith(f"{port}.") for port in ports)


def _counted_by(stage: str, device: str, ports: Sequence[str], others: Sequence[str]) -> str:
    """The stage of a drop on `device`: `stage`, if `device` is one of `ports`, whose counters it reads.

    A drop on one of the `others` is in no account (""), as it is of other traffic. A VLAN's own counters are
    not read, so its drops are UNACCOUNTED.
    """
    if device in ("", *ports):
        return stage
    return "" if device in others else UNACCOUNTED


def _staged(row: ReasonRow, inputs: Sequence[str], outputs: Sequence[str]) -> ReasonRow:
    """The row with its stage; or with the place NO_PORT, if its interface is the only reason to have none."""
    stage, place = stage_of(row, inputs, outputs), row.place
    if not (stage or place or _on_a_port(row.device, (*inputs, *outputs, "lo"))):
        place = NO_PORT if stage_of(msgspec.structs.replace(row, device=""), inputs, outputs) else ""
    return msgspec.structs.replace(row, stage=stage, place=place)


def rows_of(table: "DropTable", names: Mapping[int, str], own: int | None) -> tuple[ReasonRow, ...]:
    """The kernel's rows with names, one for each reason, function and interface; largest count first.

    `names`: the kernel's reasons by number. `own`: the DUT's network namespace, to tell rows of others apart.
    """
    counts: dict[tuple[str, str, str, str], int] = {}
    for row in table.rows:
        place = "" if row.namespace in (None, own) else NOWHERE if row.namespace == 0 else OTHER
        key = (names.get(row.reason, f"reason {row.reason}"), row.location, row.device, place)
        counts[key] = counts.get(key, 0) + row.drops
    return _sorted(ReasonRow(r, at, count, device, place) for (r, at, device, place), count in counts.items())


def growth(old: ReasonCounts | None, new: ReasonCounts) -> tuple[ReasonRow, ...]:
    """What was counted between `old` and `new`, readings of the same counting; `old` None: since it began."""
    before = {_key(row): row.count for row in old.rows} if old else {}
    grown = ((row, row.count - before.get(_key(row), 0)) for row in new.rows)
    return _sorted(msgspec.structs.replace(row, count=count) for row, count in grown if count > 0)


def counted(
    samples: Sequence[EventSample],
    began: float,
    ended: float,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> DropReasons | None:
    """The drops of a blast by reason from the counts that were taken; None if there are none.

    If there were several countings, the newest is used. Times are seconds on the recording's axis. `inputs`,
    `outputs`: the DUT's ports.
    """
    taken = [(one.at, one.reasons) for one in samples if one.reasons is not None and one.at > began]
    if not taken:
        return None
    since = taken[-1][1].since
    mine = [(one.at, one.reasons) for one in samples if one.reasons and one.reasons.since == since]
    before = [(at, counts) for at, counts in mine if at <= began]
    at, new = mine[-1]
    start, old = before[-1] if before else (since, None)
    rows = [_staged(row, inputs, outputs) for row in growth(old, new)]
    return DropReasons(
        new.means,
        new.scope,
        seconds=max(min(at, ended) - max(start, began), 0.0),
        whole=start <= began and at >= ended,
        rows=_bounded(rows),
        missed=max(new.missed - (old.missed if old else 0), 0),
    )


def _bounded(rows: Sequence[ReasonRow]) -> tuple[ReasonRow, ...]:
    """At most ROWS rows: the smallest are replaced by their sums, which explain the same packets."""
    if len(rows) <= ROWS:
        return tuple(rows)
    kinds = [(row.stage, row.place if row.place == NO_PORT else "") for row in rows]
    room = next(n for n in range(1, ROWS) if len(set(kinds[ROWS - n :])) <= n)
    rest: dict[tuple[str, str], int] = {}
    for kind, row in zip(kinds[ROWS - room :], rows[ROWS - room :], strict=True):
        rest[kind] = rest.get(kind, 0) + row.count
    sums = [
        ReasonRow(REST, "", count, place=place or ("" if stage else NOWHERE), stage=stage)
        for (stage, place), count in rest.items()
    ]
    return (*rows[: ROWS - room], *sums)


def joined(packets: Packets, reasons: DropReasons | None) -> Packets:
    """The account with its reasons; they are compared with its counters only if they are `whole`."""
    if reasons is None:
        return packets
    explained: dict[str, int] = {}
    if reasons.whole:
        by_stage: dict[str, int] = {}
        for row in reasons.rows:
            if row.stage:
                by_stage[row.stage] = by_stage.get(row.stage, 0) + row.count
        lost = lost_by_stage(packets)
        explained = {stage: min(count, lost[stage]) for stage, count in by_stage.items() if lost.get(stage)}
    return msgspec.structs.replace(packets, reasons=msgspec.structs.replace(reasons, explained=explained))


def lost_by_stage(packets: Packets) -> dict[str, int]:
    """The lost packets of each stage with a loss, and of UNACCOUNTED.

    A card also refuses what others send, such as frames that a switch floods. So of what it refused, only as
    much counts as lost as is needed to explain the packets that did not come out.
    """
    lost = {stage: count for stage, count in packets.drops.items() if count > 0}
    if packets.unaccounted is None:
        return lost
    if packets.unaccounted > 0:
        lost[UNACCOUNTED] = packets.unaccounted
    foreign = max(-packets.unaccounted, 0)
    for stage in reversed(REFUSED):
        refused = lost.get(stage, 0)
        lost[stage], foreign = max(refused - foreign, 0), max(foreign - refused, 0)
    return {stage: count for stage, count in lost.items() if count}


def unexplained(packets: Packets) -> dict[str, int]:
    """The lost packets of each stage that no reason explains; empty without whole reasons."""
    reasons = packets.reasons
    if reasons is None or not reasons.whole:
        return {}
    left = {stage: lost - reasons.explained.get(stage, 0) for stage, lost in lost_by_stage(packets).items()}
    return {stage: count for stage, count in left.items() if count}


def tells_namespaces(reasons: DropReasons | ReasonCounts) -> bool:
    """Whether each row's interface and network namespace is known."""
    return reasons.means == BPFTRACE or reasons.scope == NAMESPACE


def _key(row: ReasonRow) -> tuple[str, str, str, str]:
    return row.reason, row.location, row.device, row.place


def _sorted(rows: Iterable[ReasonRow]) -> tuple[ReasonRow, ...]:
    return tuple(sorted(rows, key=lambda row: (-row.count, *_key(row))))
