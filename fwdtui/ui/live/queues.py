"""The DUT's queues: bars if there are few, heat if there are many; and the drops by stage."""

from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import ClassVar

from textual.geometry import Size
from textual.strip import Strip

from fwdtui.core.diagnosis_text import ranges
from fwdtui.core.drop_reasons_text import named, percent
from fwdtui.core.host_evidence import InterruptRate
from fwdtui.core.host_rates import HostRates, QueueRate
from fwdtui.core.units import si
from fwdtui.monitor.live.load_history import LoadRow
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.draw.multiples import foremost, tops_of
from fwdtui.ui.draw.palette import Palette, palette_of
from fwdtui.ui.draw.panel import Line, Panel, fitted, length
from fwdtui.ui.draw.small_graph import Columns, SmallGraphs, small_graphs
from fwdtui.ui.draw.view import NONE, View, lasting
from fwdtui.ui.live.drops import drops_cells, drops_rows, nic_line, reasons_line, unexplained
from fwdtui.ui.live.queue_groups import Group, grouped
from fwdtui.ui.live.queue_lines import (
    LABEL,
    fits_in_a_row,
    group_lines,
    history_grid,
    queue_cells,
    queue_width,
    rows_wanted,
)

_WIDE = 10_000  # columns: nothing is left out of what is copied
_APART = 3  # cells between two small graphs
_NAMES_KEYS = 60  # columns from which "+N more" also names the keys that show the hidden groups


class Queues(Panel):
    """The rx queues of the inputs and the tx queues of the outputs, or those that the user chose."""

    TITLE: ClassVar[str] = "queues"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._history = SmallGraphs()
        self._groups: list[Group] = []
        self._groups_of: tuple[HostRates | None, View] | None = None

    def age(self, snapshot: Snapshot) -> float | None:
        """The age of the DUT's counters in seconds; None if they are not old or not known."""
        return snapshot.dut.old if snapshot.dut and snapshot.dut.rates else None

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn: the latest rates, and the choices of the view."""
        rates = snapshot.dut.rates if snapshot.dut else None
        if rates is None:
            return None
        reasons = snapshot.reasons
        drawn = reasons, rates.queues, rates.drops, rates.unread, rates.nic, rates.interrupts
        why = rates.gap, rates.awaits_queues
        return *drawn, why, view.interfaces, view.time_span, self.moment(snapshot, view)

    def wanted_rows(self, snapshot: Snapshot, view: View, width: int) -> int:
        """The rows of each direction's bars and histories, interrupts, NICs' counters, and drops."""
        rates = snapshot.dut.rates if snapshot.dut else None
        if rates is None:
            return 1
        groups = self._grouped(rates, view)
        interrupts = {row.interface for row in rates.interrupts if row.per_second >= 1.0}
        needed = sum(rows_wanted(group, width) for group in groups)
        return max(needed, 1) + len(interrupts) + bool(rates.nic) + 1 + (snapshot.reasons is not None)

    def _grouped(self, rates: HostRates | None, view: View) -> list[Group]:
        """The groups of these rates. They are kept, as they are needed more than once for each drawing."""
        known = self._groups_of
        if known is None or known[0] is not rates or known[1] is not view:
            self._groups = grouped(rates.queues, view, rates.interrupts) if rates else []
            self._groups_of = rates, view
        return self._groups

    def cells(self, snapshot: Snapshot, view: View) -> Iterable[Sequence[str]]:
        """A row for each queue, its direction's imbalance, interrupts, and the drops by stage."""
        rates = snapshot.dut.rates if snapshot.dut else None
        if (age := self.age(snapshot)) is not None:
            yield (f"{lasting(age)} old",)
        groups = self._grouped(rates, view)
        if not groups:
            yield "queues", _why_none(rates, view)
        else:
            yield "queue", "per second", "drops/s", "state"
        for group in groups:
            yield from queue_cells(group)
        if rates is None:
            return
        colors = palette_of(self.app, self.background_colors[1])
        lines = irq_lines(rates.interrupts, groups, colors, _WIDE)
        for line in (*lines, nic_line(rates.nic, view, colors, _WIDE)):
            if line:
                yield ("".join(text for text, _ in line).strip(),)
        yield from drops_cells(rates.drops, colors, rates.unread, none=_why_no_drops(rates))
        if snapshot.reasons is not None:
            for row in snapshot.reasons.rows:
                yield f"why: {named(row)}", percent(snapshot.reasons.share(row))
            for stage in unexplained(snapshot.reasons, rates.drops):
                yield f"why: {stage}", "reason unknown"

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Draw the groups above, and at the bottom the NICs' own counters and the drops by stage."""
        rates = snapshot.dut.rates if snapshot.dut else None
        groups = self._grouped(rates, view)
        most = max(size.height - max(len(groups), 1), 1)
        drops = _drops(rates, colors, size.width, most)
        if snapshot.reasons is not None and drops:
            # the reasons say more than stages that lose nothing
            lost = rates.drops if rates else {}
            drops = [*drops[: max(most - 1, 1)], reasons_line(snapshot.reasons, lost, colors, size.width)]
        nic = nic_line(rates.nic if rates else (), view, colors, size.width)
        if size.height <= max(len(groups), 1) + len(drops):
            nic = []
        if not groups:
            text = _why_none(rates, view)
            yield [(self.lead("queues"), colors["dim"]), (f"{NONE} {text}", colors["dim"])]
        rows = max(size.height - len(drops) - bool(nic), 1)
        each = max(rows // len(groups), 1) if groups else 1
        history = _histories(groups, each, snapshot, view, size.width, self._history) if each > 1 else {}
        more = _more(groups[rows:], size.width, colors)
        lines: list[Line] = []
        for number, group in enumerate(groups[:rows], start=1):
            room = size.width - (length(more) if number == rows else 0)
            lines += group_lines(group, each, room, colors, history)
        if more:
            cut = fitted(lines[-1], size.width - length(more))
            lines[-1] = [*((text, style or colors["dim"]) for text, style, _ in cut), *more]
        yield from lines
        if rates:
            room = rows - max(len(lines), 1)
            yield from irq_lines(rates.interrupts, groups, colors, size.width)[: max(room, 0)]
        if nic:
            yield nic
        if size.height > 1:
            yield from drops


def _more(hidden: Sequence[Group], width: int, colors: Palette) -> Line:
    """How many groups have no row, whether one of them is in trouble, and the keys that show them all."""
    if not hidden:
        return []
    bad = any(any(group.marks) for group in hidden)
    how = ": tab, m" if width >= _NAMES_KEYS else ""
    return [(f"  +{len(hidden)} more{' ✕' if bad else ''}{how}", colors["drops" if bad else "dim"])]


def _why_none(rates: HostRates | None, view: View) -> str:
    """Why there are no queues."""
    if rates is None:
        return view.no_counters()
    if rates.gap:
        return f"no sample ({rates.gap})"
    if view.interfaces is not None and (rates.queues or rates.interrupts):
        return "no queues of the interfaces that are shown"
    if rates.awaits_queues:
        return "waiting for the queues to be read again"
    return "this driver does not report its queues"


def _drops(rates: HostRates | None, colors: Palette, width: int, most: int) -> list[Line]:
    if rates is None:
        return []  # the row above says what is waited for
    return drops_rows(rates.drops, colors, width, rates.unread, most, none=_why_no_drops(rates))


def _why_no_drops(rates: HostRates) -> str:
    return f"no sample ({rates.gap})" if rates.gap else "this host reports no drop counters"


def irq_lines(
    interrupts: Sequence[InterruptRate], groups: Sequence[Group], colors: Palette, width: int
) -> list[Line]:
    """Each queue's interrupt rate and its cores, a line per interface."""
    lines: list[Line] = []
    for name in dict.fromkeys(group.interface for group in groups if not group.by_interrupts):
        rows = [row for row in interrupts if row.interface == name and row.per_second >= 1.0]
        if not rows:
            continue
        # some drivers have an interrupt for each direction of a queue
        apart = {"rx", "tx"} <= {row.direction for row in rows}
        whose = [row.direction if apart and row.direction else "q" for row in rows]
        names = [
            f"{of}{row.queue} " if row.queue is not None else "" for of, row in zip(whose, rows, strict=True)
        ]
        each = [(queue, si(row.per_second, 3)) for queue, row in zip(names, rows, strict=True)]
        numbers = sorted({cpu for row in rows for cpu, _ in row.cores})
        on = f"on core{'s' * (len(numbers) > 1)} {ranges(numbers)}" if numbers else ""
        line: Line = [(f" {f'{name} irq/s':<{LABEL - 1}} ", colors["dim"])]
        if sum(len(queue) + len(often) + 2 for queue, often in each) + len(on) + length(line) > width:
            each = [("all ", si(sum(row.per_second for row in rows), 3))]
        for queue, often in each:
            line += [(queue, colors["dim"]), (f"{often}  ", colors["text"])]
        lines.append([*line, (on, colors["dim"])])
    return lines


def _histories(
    groups: Sequence[Group], rows: int, snapshot: Snapshot, view: View, width: int, history: SmallGraphs
) -> dict[Hashable, str]:
    """The small graph of each queue that has room for one, by queue; in a group all have one scale."""
    graphs: dict[Hashable, str] = {}
    for group in groups:
        if group.by_interrupts:
            continue
        most = len(group.queues)
        first: tuple[Hashable, ...] = ()
        if fits_in_a_row(group, width):
            cells = queue_width(group, width) - _APART
        elif place := history_grid(group, rows - 1, width):
            cells, most = place.graph, place.shown
            first = (
                tuple(_key(queue) for queue, mark in zip(group.queues, group.marks, strict=True) if mark)
                if most < len(group.queues)
                else ()
            )
        else:
            continue
        draw = partial(_history, group, snapshot.queues, cells, most, first, history.columns)
        which = most, first
        graphs |= history.of(group.name, snapshot.now, view.time_span, cells, draw, which)
    return graphs


def _key(queue: QueueRate) -> Hashable:
    return queue.interface, queue.direction, queue.index


def _history(
    group: Group,
    rows: Sequence[LoadRow],
    cells: int,
    most: int,
    first: Sequence[Hashable],
    columns: Columns,
    start: float,
    end: float,
) -> dict[Hashable, str]:
    names = [_key(queue) for queue in group.queues]
    tops = tops_of(rows, names, start)
    shown = foremost(rows, names, start, most, first)
    return small_graphs(rows, {name: tops[name] for name in shown}, start, end, cells, columns)
