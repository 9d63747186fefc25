"""FreeBSD `vmstat -i` and `-ia`: interrupts since boot, with the queue each one serves if its name says so.

Source: usr.bin/vmstat/vmstat.c, print_intrcnts(). The name may hold spaces, colons and two devices that share
the line; the last two fields are the total and the rate. The rate is since boot, so it is ignored: take the
difference of two totals. Without -a sources that never fired are not printed. Counts can exceed 2^31.

Names are given by the drivers: ``igb1:que 0`` (igb, ix before iflib), ``igb0:rxq0`` (iflib: the vector also
completes transmission, there is none named txq), ``ixl0:q0``, ``t5nex0:1a3`` (cxgbe: port 1, first virtual
interface, queue 3 in hex; sys/dev/cxgbe/t4_main.c), ``t5nex0:1b3`` (the second one, such as vcxl1: only the
first has the port's name), ``mlx5_core0`` (each vector of mce0), and
``link``, ``aq``, ``evt``, ``mbx`` for the rest.
Before the name is ``irq274:``, on arm64 and RISC-V the interrupt controller and its source, ``its0,4:``
(sys/kern/subr_intr.c).
"""

import re
from collections.abc import Mapping

from fwdtui.core.counters import ANY_CPU, InterruptRow
from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_IRQ = re.compile(r"(irq[0-9]+|[a-z_]{1,16}[0-9]+,[ips]?[0-9]+):\s*(.*)")
_DEVICE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,30}[0-9]")
_QUEUE = re.compile(r"(rx|tx|r|t)?(?:q(?:ue)?|(?<=[rt]x)) ?([0-9]{1,5})")
_CXGBE = re.compile(r"([0-9a-f])([a-z])([0-9a-f]{1,3})")
_MLX5 = re.compile(r"^mlx5_core(?=[0-9])")
_DIRECTION = {"rx": "rx", "r": "rx", "tx": "tx", "t": "tx", None: "rxtx"}


def parse(text: str, ports: Mapping[tuple[str, int], str] | None = None) -> Parsed[tuple[InterruptRow, ...]]:
    """One report: totals since boot, one per interrupt, of unknown CPU. Never raises.

    `irq` is the number or the controller's source, or the whole name if there is none (``cpu0:timer``).
    `interface` is None if the name holds two devices or none. A t5nex vector gets its interface from
    `ports`, which maps (adapter, port) to it, for example {("t5nex0", 0): "cxl0"}; dmesg.py reads that.
    Reports of `-w` after the first are differences, not totals: they are not read, and `skipped` says so.
    """
    rows: list[InterruptRow] = []
    seen: set[str] = set()
    skipped = Skipped()
    for number, line in enumerate(lines(text), 1):
        if not line.strip() or line.split() == ["interrupt", "total", "rate"]:
            continue
        name, total = _cut(line)
        if total is None:
            skipped.line(number, "no total and rate at the end", line)
        elif name == "Total":
            continue
        elif name in seen:
            skipped.line(number, "a second report, which holds differences", line)
            break
        else:
            seen.add(name)
            rows.append(_row(name, total, ports or {}))
    return Parsed(tuple(rows), skipped.done())


def _cut(line: str) -> tuple[str, int | None]:
    """Name and total; the total is None if a column is missing.

    At least two spaces precede the total, a name has single ones: if ``igb1:que 0   1291`` has no rate, the 0
    is not mistaken for the total.
    """
    fields = line.rsplit(maxsplit=2)
    if len(fields) < 3 or whole(fields[2]) is None:
        return "", None
    name, total, _rate = fields
    gap = line[line.index(name) + len(name) :]
    return name.lstrip(), whole(total) if gap.startswith("  ") else None


def devices(label: str) -> tuple[str, ...]:
    """The devices of an interrupt: ``"em0 bge1"`` -> ("em0", "bge1"); a trailing + or * means more."""
    if match := _IRQ.match(label):
        label = match[2]
    words = (word.partition(":")[0].rstrip("+*") for word in label.split())
    return tuple(word for word in words if _DEVICE.fullmatch(word))


def _row(name: str, total: int, ports: Mapping[tuple[str, int], str]) -> InterruptRow:
    match = _IRQ.match(name)
    irq, label = (match[1].removeprefix("irq"), match[2]) if match else (name, name)
    interface: str | None = None
    queue: int | None = None
    direction: str | None = None
    names = devices(label) if match else ()
    if len(names) == 1 and not label.endswith(("+", "*")):
        interface = _MLX5.sub("mce", names[0])
        part = label.partition(":")[2]
        if ring := _QUEUE.fullmatch(part):
            queue, direction = int(ring[2]), _DIRECTION[ring[1]]
        elif interface.startswith(("t4nex", "t5nex", "t6nex")):
            vector = _CXGBE.fullmatch(part)
            own = vector is not None and vector[2] == "a"
            interface = ports.get((interface, int(vector[1], 16))) if vector and own else None
            if vector:
                queue, direction = int(vector[3], 16), "rxtx"
    return InterruptRow(irq, label, {ANY_CPU: total}, interface, queue, direction)
