"""The DUT's queues by interface and direction: those on the packet's path, or those that were chosen."""

from collections.abc import Iterable, Sequence
from operator import attrgetter

import msgspec

from fwdtui.core.host_evidence import InterruptRate
from fwdtui.core.host_rates import QueueRate
from fwdtui.ui.draw.view import View, lost_figure

_INDEX = attrgetter("index")


class Group(msgspec.Struct, frozen=True):
    """The queues of one interface and direction, by number.

    `by_interrupts`: the driver does not count its queues' packets, so the rates are interrupts per queue.
    """

    name: str
    queues: tuple[QueueRate, ...]
    by_interrupts: bool = False
    marks: tuple[str, ...] = ()  # what is wrong with each queue; "" for most

    @property
    def interface(self) -> str:
        """The interface of these queues."""
        return self.queues[0].interface if self.queues else ""

    @property
    def imbalance(self) -> float | None:
        """The busiest queue's rate divided by the mean rate; 1 is even. None if no rate is known."""
        known = [queue.pps for queue in self.queues if queue.pps is not None]
        total = sum(known)
        return max(known) * len(known) / total if total > 0 else None

    @property
    def drops(self) -> float | None:
        """Packets that these queues themselves dropped, per second."""
        known = [queue.drops for queue in self.queues if queue.drops is not None]
        return sum(known) if known else None


def grouped(queues: Sequence[QueueRate], view: View, interrupts: Sequence[InterruptRate] = ()) -> list[Group]:
    """The queues by interface and direction, rx first.

    They are those on the packet's path (rx of the inputs, tx of the outputs), all if there are none, or those
    of the chosen interfaces. `interrupts` stand in for queues whose packets the driver does not count.
    """
    lab, host = view.lab, view.lab.dut.host
    read: dict[tuple[str, str], list[QueueRate]] = {}
    for queue in queues:
        read.setdefault((queue.interface, queue.direction), []).append(queue)
    instead = {
        pair: _with_losses(rows, read.get(pair, ()))
        for pair, rows in _by_interrupts(interrupts).items()
        if rows and all(queue.pps is None for queue in read.get(pair, ()))
    }
    names = dict.fromkeys([*read, *instead])
    if view.interfaces is not None:
        chosen = [pair for pair in names if f"{host} {pair[0]}" in view.interfaces]
    else:
        passed = {(name, "rx") for name in lab.dut.inputs} | {(name, "tx") for name in lab.dut.outputs}
        chosen = [pair for pair in names if pair in passed] or list(names)
    chosen.sort(key=lambda pair: (pair[1] != "rx", pair[0]))
    groups = []
    for name, way in chosen:
        members = sorted(instead.get((name, way)) or read[name, way], key=_INDEX)
        groups.append(
            Group(
                f"{name} {'irq' if (name, way) in instead else way}",
                tuple(members),
                (name, way) in instead,
                tuple([" ".join(marks_of(queue)) for queue in members]),
            )
        )
    return groups


def marks_of(queue: QueueRate) -> Sequence[str]:
    """What is wrong with a queue: its drops per second, stalled, abdicated; empty for most."""
    if not queue.drops and queue.state is None:
        return ()
    marks = []
    if (figure := lost_figure(queue.drops or 0.0, 3)) != "0":
        marks.append(f"✕{figure}")
    if queue.state in ("STALLED", "ABDICATED"):
        marks.append(queue.state.lower())
    return marks


def _with_losses(interrupts: Iterable[QueueRate], counted: Iterable[QueueRate]) -> list[QueueRate]:
    """Interrupt rates, with what the driver does count for these queues: losses and states.

    A queue that has such counts but no interrupt of its own stays without a rate.
    """
    rows = {queue.index: queue for queue in counted if queue.drops is not None or queue.state is not None}
    for often in interrupts:
        known = rows.get(often.index)
        rows[often.index] = often if known is None else msgspec.structs.replace(known, pps=often.pps)
    return list(rows.values())


def _by_interrupts(interrupts: Sequence[InterruptRate]) -> dict[tuple[str, str], list[QueueRate]]:
    """Interrupt rates per queue, for queues whose packets are not counted."""
    rates: dict[tuple[str, str], dict[int, float]] = {}
    for row in interrupts:
        if row.queue is not None:
            both = row.direction is None or row.direction == "rxtx"
            for way in ("rx", "tx") if both else (row.direction or "",):
                queues = rates.setdefault((row.interface, way), {})
                queues[row.queue] = queues.get(row.queue, 0.0) + row.per_second
    return {
        (name, way): [QueueRate(name, way, index, pps=often) for index, often in queues.items()]
        for (name, way), queues in rates.items()
    }
