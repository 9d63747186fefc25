"""/proc/interrupts: how often each interrupt occurred on each core, and which queue it belongs to.

Source: show_interrupts() in kernel/irq/proc.c, arch_show_interrupts(). Machine-wide. Each count is an
unsigned int, so it wraps at 2**32 (WIDTH). veth and other software devices have no row here.
"""

import re
from collections.abc import Mapping

from fwdtui.core.counters import ANY_CPU, InterruptRow
from fwdtui.core.parse.fields import Parsed, Skipped, identifier, lines, phrase, whole

WIDTH = 32  # bits of every counter in this file
_CPU = re.compile(r"CPU([0-9]{1,6})")
_TOTALS_ONLY = frozenset({"ERR", "MIS"})  # one value for the whole machine, whatever the number of cores
_DIRECTION = {"rx": "rx", "tx": "tx", "input": "rx", "output": "tx"}

# Drivers that put their own name before the interface's: i40e-enP1s15-TxRx-0, ice-lan1-TxRx-3, igb-eth0-rx-0.
_DRIVER = r"(?:(?:i40e|i40evf|iavf|ice|idpf|ixgbe|ixgbevf|igb|igc|fm10k|nfp|hns3)-)?"
_PCI = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]"
# eth0-TxRx-3, eth0-Tx-Rx-3 (ena), eth0-rxtx-3 (vmxnet3), eth0-rx-3, eth0-tx-3, eth0-fp-3 (bnx2x), and
# eth0-Rx3 (cxgb4); eth0:rx-3 (stmmac)
_NAMED = re.compile(
    _DRIVER + r"(?P<owner>[^\s:]+?)[-:](?P<kind>tx-?rx|rx-?tx|rx|tx|fp)-?(?P<queue>[0-9]{1,5})", re.IGNORECASE
)
# These name a virtio or PCI device, not an interface: `owners` maps it to its interface.
_OWNED = (
    re.compile(r"(?P<owner>virtio[0-9]+)-(?P<kind>input|output)\.(?P<queue>[0-9]{1,5})"),
    re.compile(rf"(?:mlx5_comp|mana_q)(?P<queue>[0-9]{{1,5}})(?P<kind>)@pci:(?P<owner>{_PCI})"),
    re.compile(rf"hns3-(?P<owner>{_PCI})-(?P<kind>TxRx|Tx|Rx)-(?P<queue>[0-9]{{1,5}})"),
)
# Vector 0 of mlx4 is for asynchronous events: queues begin at 1 (MLX4_EQ_TO_CQ_VECTOR of mlx4.h)
_MLX4 = re.compile(rf"mlx4-(?P<vector>[1-9][0-9]{{0,4}})@(?P<owner>{_PCI})")
# gve: the vectors for transmission come before those for reception, whose first number depends on how many
# there are
_GVE = re.compile(rf"gve-ntfy-blk[0-9]{{1,5}}@pci:(?P<owner>{_PCI})")
# eth1-4, ens3-1 and eth0-q3 (be2net): only for what is certainly an interface, since other devices are
# numbered that way too
_NUMBERED = re.compile(r"(?P<owner>[^\s:]+)-q?(?P<queue>[0-9]{1,5})")
_NETDEV = re.compile(r"(?:eth|lan|wan|sfp|em|p[0-9]+p)[0-9]+|en[opsxP][0-9a-zA-Z]+")


def parse_proc_interrupts(
    text: str, owners: Mapping[str, str] | None = None
) -> Parsed[tuple[InterruptRow, ...]]:
    """One InterruptRow per line, counts mapped by the header's CPU numbers (offline cores have no column).

    Without a header (part of the file) the cores are unknown: the row's total is under ANY_CPU. So are ERR
    and MIS, which have one value for the whole machine. `owners` maps a PCI address or a virtio device
    ("0000:01:00.0", "virtio2") to its interface, for drivers that name only the device; without it such rows
    have a queue but no interface. An interrupt for link changes, control or administration has no queue.
    """
    skipped = Skipped()
    cpus: list[int] | None = None
    rows: list[InterruptRow] = []
    for number, line in enumerate(lines(text), 1):
        if not line.strip():
            continue
        heads = [_CPU.fullmatch(token) for token in line.split()]
        if cpus is None and not rows and all(heads):
            cpus = [int(head[1]) for head in heads if head]
            continue
        before, colon, after = line.partition(":")
        irq = identifier(before)
        if not colon or irq is None:
            skipped.line(number, "not an interrupt number", line)
            continue
        tokens = after.split()
        counts: list[int] = []
        for token in tokens if cpus is None else tokens[: len(cpus)]:
            count = whole(token)
            if count is None:
                break
            counts.append(count)
        if not counts:
            skipped.line(number, "no counts", line)
            continue
        totals: dict[int, int]
        if cpus is None:
            if not rows:
                skipped.note("no header: counts are not mapped to cores")
            totals = {ANY_CPU: sum(counts)}
        elif irq.upper() in _TOTALS_ONLY or (len(counts) == 1 and len(tokens) == 1 and not irq.isdigit()):
            totals = {ANY_CPU: counts[0]}
        elif len(counts) == len(cpus):
            totals = dict(zip(cpus, counts, strict=True))
        else:
            skipped.line(number, f"{len(counts)} counts, {len(cpus)} expected", line)
            continue
        label = phrase(" ".join(tokens[len(counts) :])) or ""
        interface, queue, direction = queue_of(label, owners or {})
        rows.append(InterruptRow(irq, label, totals, interface, queue, direction))
    return Parsed(tuple(rows), skipped.done())


def queue_of(label: str, owners: Mapping[str, str]) -> tuple[str | None, int | None, str | None]:
    """Interface, queue and direction ("rx", "tx" or "rxtx") in an interrupt's action names."""
    for action in label.split(","):
        words = action.split()
        if not words:
            continue
        name = words[-1]
        for pattern in _OWNED:
            if match := pattern.fullmatch(name):
                return owners.get(match["owner"]), int(match["queue"]), _direction(match["kind"])
        if match := _MLX4.fullmatch(name):
            return owners.get(match["owner"]), int(match["vector"]) - 1, "rxtx"
        if match := _GVE.fullmatch(name):
            return owners.get(match["owner"]), None, None
        if match := _NAMED.fullmatch(name):
            # 8000000.ethernet-rx0, of a system on a chip
            return owners.get(match["owner"], match["owner"]), int(match["queue"]), _direction(match["kind"])
        match = _NUMBERED.fullmatch(name)
        if match and (match["owner"] in owners.values() or _NETDEV.fullmatch(match["owner"])):
            return match["owner"], int(match["queue"]), "rxtx"
        if name in owners.values() or _NETDEV.fullmatch(name):
            return name, None, None
        if name in owners:  # 15100000.ethernet
            return owners[name], None, None
    return None, None, None


def _direction(kind: str) -> str:
    return _DIRECTION.get(kind.lower(), "rxtx")
