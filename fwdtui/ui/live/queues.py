"""The DUT's queues: a bar each if they are few, a heat row if they are many; drops by stage."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import ClassVar

from textual.geometry import Size
from textual.strip import Strip

from fwdtui.core.diagnosis import ranges
from fwdtui.core.host_evidence import InterruptRate
from fwdtui.core.host_rates import QueueRate
from fwdtui.core.units import pps, si
from fwdtui.monitor.live.load_history import LoadRow
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.draw.heat import bar, heat, towers
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel, length
from fwdtui.ui.draw.small_graph import SmallGraphs, small_graphs
from fwdtui.ui.draw.view import NONE, View
from fwdtui.ui.live.drops import drops_rows, nic_line
from fwdtui.ui.live.queue_groups import Group, grouped

_NARROWEST_BAR = 16  # "q12 ████ 251 k"
_NARROWEST_ALONE = 13
_SHORT = 14  # cells of the imbalance at a row's end
_HEAT_ROWS = 4  # of a direction whose queues have no room for bars
_LONG_BAR = 40
_APART = 3  # cells between two small graphs
_UNEVEN = 1.5  # an imbalance from here on is marked
_LABEL = 12


class Queues(Panel):
    """rx queues of the inputs and tx queues of the outputs, or what the user chose."""

    TITLE: ClassVar[str] = "queues"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._history = SmallGraphs()

    def age(self, snapshot: Snapshot) -> float | None:
        """The age of the DUT's counters."""
        return snapshot.dut.old if snapshot.dut and snapshot.dut.rates else None

    def part(self, snapshot: Snapshot, view: View) -> object:
        """The latest rates."""
        rates = snapshot.dut.rates if snapshot.dut else None
        if rates is None:
            return None
        drawn = rates.queues, rates.drops, rates.unread, rates.nic, rates.interrupts
        return (*drawn, rates.gap, view.interfaces, view.time_span)

    def wanted_rows(self, snapshot: Snapshot, view: View, width: int) -> int:
        """Two rows for each direction (bars and their history), interrupts, cards' counters, and drops."""
        rates = snapshot.dut.rates if snapshot.dut else None
        if rates is None:
            return 1
        groups = grouped(rates.queues, view, rates.interrupts)
        interrupts = {row.interface for row in rates.interrupts if row.per_second >= 1.0}
        each = 2 if all(_fits_in_a_row(group, width) for group in groups) else _HEAT_ROWS
        return max(each * len(groups), 1) + len(interrupts) + bool(rates.nic) + 1

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Groups above; at the bottom the NICs' own counters, and the drops by stage."""
        rates = snapshot.dut.rates if snapshot.dut else None
        groups = grouped(rates.queues if rates else (), view, rates.interrupts if rates else ())
        most = max(size.height - max(len(groups), 1), 1)
        lost, unread = (rates.drops, rates.unread) if rates else ({}, {})
        drops = drops_rows(lost, colors, size.width, unread, most)
        nic = nic_line(rates.nic if rates else (), view, colors, size.width)
        if size.height <= max(len(groups), 1) + len(drops):
            nic = []
        if not groups:
            text = (
                "waiting for the DUT's counters"
                if rates is None
                else "this driver does not report its queues"
            )
            yield [(" queues  ", colors["dim"]), (f"{NONE} {text}", colors["dim"])]
        rows = max(size.height - len(drops) - bool(nic), 1)
        each = max(rows // len(groups), 1) if groups else 1
        history = _histories(groups, snapshot, view, size.width, self._history) if each > 1 else {}
        lines = [line for group in groups[:rows] for line in _group(group, each, size.width, colors, history)]
        yield from lines
        if rates:
            room = rows - max(len(lines), 1)
            yield from irq_lines(rates.interrupts, groups, colors, size.width)[: max(room, 0)]
        if nic:
            yield nic
        if size.height > 1:
            yield from drops


def irq_lines(
    interrupts: Sequence[InterruptRate], groups: Sequence[Group], colors: Palette, width: int
) -> list[Line]:
    """Each queue's interrupt rate and its cores, a line per interface."""
    lines: list[Line] = []
    for name in dict.fromkeys(group.interface for group in groups if not group.by_interrupts):
        rows = [row for row in interrupts if row.interface == name and row.per_second >= 1.0]
        if not rows:
            continue
        each = [(f"q{row.queue} " if row.queue is not None else "", si(row.per_second, 3)) for row in rows]
        numbers = sorted({cpu for row in rows for cpu, _ in row.cores})
        on = f"on core{'s' * (len(numbers) > 1)} {ranges(numbers)}" if numbers else ""
        line: Line = [(f" {f'{name} irq/s':<{_LABEL}}", colors["dim"])]
        if sum(len(queue) + len(often) + 2 for queue, often in each) + len(on) + _LABEL + 1 > width:
            each = [("all ", si(sum(row.per_second for row in rows), 3))]
        for queue, often in each:
            line += [(queue, colors["dim"]), (f"{often}  ", colors["text"])]
        lines.append([*line, (on, colors["dim"])])
    return lines


def _group(
    group: Group, rows: int, width: int, colors: Palette, history: Mapping[Hashable, str]
) -> Iterable[Line]:
    """Bars if each queue has room for one, and their history below if there is a row for it; else heat."""
    tail = _tail(group, colors)
    if _fits_in_a_row(group, width):
        yield _in_one_row(group, width, colors)
        if rows > 1 and (below := _history_row(group, history, width, colors)):
            yield below
        return
    left = width - _LABEL - 1
    fitting = left // _NARROWEST_BAR if rows > 1 else 0
    needed = ceil(len(group.queues) / fitting) if fitting > 0 else rows + 1
    if needed > rows:
        yield from _as_heat(group, rows, width, tail, colors)
        return
    # few long bars rather than many short ones, if there are rows for them
    per_row = max(ceil(len(group.queues) / rows), min(left // _LONG_BAR, len(group.queues)), 1)
    needed = ceil(len(group.queues) / per_row)
    top = _top(group)
    label, known = _short(group, colors)
    under: Line = [label, (f"{known[0]:<{_LABEL - 7}}", known[1])]
    leads: list[Line] = [[(f" {group.name:<{_LABEL}}", colors["text"])], under]
    cell = left // per_row
    for number, start in enumerate(range(0, len(group.queues), per_row)):
        line: Line = list(leads[number]) if number < 2 else [(" " * (_LABEL + 1), colors["dim"])]
        for queue in group.queues[start : start + per_row]:
            line += _bar(queue, top, cell, colors)
        yield line
    if needed == 1:
        yield [(" " * (_LABEL - 1), colors["dim"]), *tail]


def _fits_in_a_row(group: Group, width: int) -> bool:
    return 0 < len(group.queues) * _NARROWEST_ALONE + len(group.name) + 2 + _SHORT <= width


def _cell(group: Group, width: int) -> int:
    """The width of each queue if all are in one row."""
    return (width - len(group.name) - 2 - _SHORT) // len(group.queues)


def _histories(
    groups: Sequence[Group], snapshot: Snapshot, view: View, width: int, history: SmallGraphs
) -> dict[Hashable, str]:
    """The small graph of each queue that has room for one, all queues of a group on one scale."""
    graphs: dict[Hashable, str] = {}
    for group in groups:
        if not group.by_interrupts and _fits_in_a_row(group, width):
            cells = _cell(group, width) - _APART
            draw = partial(_history, group, snapshot.queues, cells)
            graphs |= history.of(group.name, snapshot.now, view.time_span, cells, draw)
    return graphs


def _history(
    group: Group, rows: Sequence[LoadRow], cells: int, start: float, end: float
) -> dict[Hashable, str]:
    names = {(queue.interface, queue.direction, queue.index) for queue in group.queues}
    rates = (
        rate
        for row in rows
        if row.at > start
        for name, rate in zip(row.names, row.values, strict=True)
        if rate is not None and name in names
    )
    top = max(rates, default=0.0)
    return small_graphs(rows, dict.fromkeys(names, top), start, end, cells)


def _history_row(group: Group, history: Mapping[Hashable, str], width: int, colors: Palette) -> Line:
    graphs = [history.get((queue.interface, queue.direction, queue.index), "") for queue in group.queues]
    if not any(graph.strip() for graph in graphs):
        return []
    cell = _cell(group, width)
    return [
        (" " * (len(group.name) + 2), colors["dim"]),
        *((graph.ljust(cell), colors["load"]) for graph in graphs),
    ]


def _in_one_row(group: Group, width: int, colors: Palette) -> Line:
    end = _short(group, colors)
    cell = _cell(group, width)
    line: Line = [(f" {group.name} ", colors["text"])]
    for queue in group.queues:
        line += _bar(queue, _top(group), cell, colors)
    return [*line, *end]


def _short(group: Group, colors: Palette) -> Line:
    imbalance = group.imbalance
    known = NONE if imbalance is None else f"{imbalance:.2f}"
    uneven = _uneven(group)
    style = colors.bold("warning") if uneven else colors["text"]
    return [(" imbal. ", colors["dim"]), (known + ("!" if uneven else ""), style)]


def _uneven(group: Group) -> bool:
    return group.imbalance is not None and len(group.queues) > 1 and group.imbalance >= _UNEVEN


def _as_heat(group: Group, rows: int, width: int, tail: Line, colors: Palette) -> Iterable[Line]:
    queues, top = group.queues, _top(group)
    room = max(width - _LABEL - 1 - (length(tail) if rows == 1 else 1), 8)
    lines = max(rows - 1, 1)
    shares = [None if q.pps is None else (q.pps / top if top > 0 else 0.0) for q in queues]
    style = colors["drops" if (group.drops or 0.0) >= 1.0 else "load"]
    if rows > 1 and (high := towers(shares, room, lines)):
        yield [(f" {group.name}", colors["text"]), *tail]
        for number, text in enumerate(high):
            lead = f"q0-{len(queues) - 1}" if number == lines - 1 else si(top, 3) if number == 0 else ""
            yield [(f" {lead:<{_LABEL}}", colors["dim"]), (text, style)]
        return
    blocks, each = heat(shares, room * lines)
    if rows > 1:
        yield [(f" {group.name}", colors["text"]), *tail, *_several(each, colors)]
    for start in range(0, len(blocks), room):
        lead = group.name if rows == 1 else f"q{start * each}"
        line: Line = [(f" {lead:<{_LABEL}}", colors["text" if rows == 1 else "dim"])]
        for place in range(start, min(start + room, len(blocks))):
            dropping = any((q.drops or 0.0) >= 1.0 for q in queues[place * each : place * each + each])
            line.append((blocks[place], colors["drops"] if dropping else colors["load"]))
        yield [*_merged(line), *(tail if rows == 1 else [])]


def _top(group: Group) -> float:
    return max((queue.pps or 0.0 for queue in group.queues), default=0.0)


def _several(each: int, colors: Palette) -> Line:
    return [(f"  {each} queues per cell, busiest shown", colors["dim"])] if each > 1 else []


def _bar(queue: QueueRate, top: float, cell: int, colors: Palette) -> Line:
    name = f"q{queue.index:<3}" if cell >= _NARROWEST_BAR else f"q{queue.index} "
    figure = NONE if queue.pps is None else si(queue.pps, 3)
    marks = []
    if (queue.drops or 0.0) >= 1.0:
        marks.append(f"✕{si(queue.drops or 0.0, 3)}")
    if queue.state in ("STALLED", "ABDICATED"):
        marks.append(queue.state.lower())
    mark = " ".join(marks)
    text_width = 7
    room = cell - len(name) - 9 - (len(mark) + 1 if mark else 0)
    if room < 2:
        mark, room = ("✕" if marks else ""), max(cell - len(name) - (10 if marks else 8), 1)
        text_width = 5
    share = None if queue.pps is None else (queue.pps / top if top > 0 else 0.0)
    style = colors["drops"] if marks else colors["load"]
    text = f" {figure:<{text_width}}" + (f" {mark}" if mark else "")
    return [
        (name, colors["dim"]),
        (bar(share, room), style),
        (text.ljust(max(cell - len(name) - room, 0)), colors["drops"] if marks else colors["text"]),
    ]


def _tail(group: Group, colors: Palette) -> Line:
    imbalance = group.imbalance
    known = NONE if imbalance is None else f"{imbalance:.2f}"
    uneven = _uneven(group)
    line: Line = [(f"  {len(group.queues)} queues", colors["dim"])]
    if group.by_interrupts:
        line.append((", by interrupts per second", colors["dim"]))
    line.append(("  imbalance ", colors["dim"]))
    line.append((known + ("!" if uneven else ""), colors.bold("warning") if uneven else colors["text"]))
    drops = group.drops
    if drops is not None and drops >= 1.0:
        line += [("  ✕ ", colors["drops"]), (pps(drops, 3), colors["drops"])]
    return line


def _merged(line: Line) -> Line:
    merged: Line = []
    for text, style in line:
        if merged and merged[-1][1] == style:
            merged[-1] = merged[-1][0] + text, style
        else:
            merged.append((text, style))
    return merged
