"""One interface and direction of the queues panel: a bar for each queue, or heat if there are many."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import ceil

from rich.style import Style

from fwdtui.core.host_rates import QueueRate
from fwdtui.core.units import pps, si
from fwdtui.ui.draw.heat import bar, heat, spaced, towers
from fwdtui.ui.draw.multiples import Grid, Small, grid, multiples, rows_for_all
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, length
from fwdtui.ui.draw.view import NONE, lost_figure
from fwdtui.ui.live.queue_groups import Group, marks_of

LABEL = 12  # the fewest cells of a row's name
_NARROWEST_BAR = 16  # "q12 ████ 251 k"
_NARROWEST_ALONE = 13
_SHORT = 14  # cells of the imbalance at a row's end
_LONG_BAR = 40
_HEAT_ROWS = 4  # rows of a direction whose queues do not fit into one row
_FEWEST_BLOCKS = 8  # the fewest cells of the heat in a direction's only row
_UNEVEN = 1.5  # an imbalance from here on is marked


def group_lines(
    group: Group, rows: int, width: int, colors: Palette, history: Mapping[Hashable, str]
) -> Iterable[Line]:
    """The lines of a group, at most `rows`: all queues above their histories with figures, if there is room.

    Else they are bars, else histories without figures, else heat. `history`: small graphs by queue.
    """
    if not tells(group):
        some = f"{len(group.queues)} queues" if len(group.queues) > 1 else "queue"
        text = f"{NONE} no packet counts of its {some}"
        yield [_lead(group.name, group, colors, "text"), (text, colors["dim"])]
        return
    if fits_in_a_row(group, width):
        yield _in_one_row(group, width, colors)
        if rows > 1 and (below := _history_row(group, history, width, colors)):
            yield below
        return
    left = width - _label(group) - 1
    fitting = left // _NARROWEST_BAR if rows > 1 else 0
    needed = ceil(len(group.queues) / fitting) if fitting > 0 else rows + 1
    place = history_grid(group, rows - 1, width) if _any(group, history) else None
    if place and (needed > rows or (place.figures and place.shown == len(group.queues))):
        yield _blocks(group, width, colors)
        smalls = [
            _small(queue, mark, history[key], colors)
            for queue, mark in zip(group.queues, group.marks, strict=True)
            if (key := _key(queue)) in history
        ]
        yield from multiples(smalls, place, len(group.queues), colors)
        return
    if needed > rows:
        yield from _as_heat(group, rows, width, colors)
        return
    # few long bars rather than many short ones, if there are rows for them
    per_row = max(ceil(len(group.queues) / rows), min(left // _LONG_BAR, len(group.queues)), 1)
    needed = ceil(len(group.queues) / per_row)
    top = _top(group)
    _, known = _short(group, colors)
    under: Line = [(" imbal ", colors["dim"]), (f"{known[0]:<{_label(group) - 6}}", known[1])]
    leads: list[Line] = [[_lead(group.name, group, colors, "text")], under]
    cell = left // per_row
    for number, start in enumerate(range(0, len(group.queues), per_row)):
        line: Line = list(leads[number]) if number < 2 else [_lead("", group, colors)]
        for queue in group.queues[start : start + per_row]:
            line += _bar(queue, top, cell, colors)
        yield line
    if needed == 1:
        yield [(" " * (LABEL - 1), colors["dim"]), *_tail(group, colors, width - LABEL + 1)]


def _label(group: Group) -> int:
    """The cells of the name before a group's rows, with a space after a long one such as enp65s0f0np0 rx."""
    return max(LABEL, len(group.name) + 1)


def _lead(text: str, group: Group, colors: Palette, style: str = "dim") -> tuple[str, Style]:
    return f" {text:<{_label(group)}}", colors[style]


def queue_cells(group: Group) -> Iterable[Sequence[str]]:
    """The queues as rows to copy: name, packets or interrupts per second, drops per second, state."""
    if not tells(group):
        yield group.name, NONE
        return
    for queue in group.queues:
        lost = "" if queue.drops is None else lost_figure(queue.drops, 3)
        yield f"{group.name} q{queue.index}", _figure(queue), lost, (queue.state or "").lower()
    yield f"{group.name} imbalance", _imbalance(group)


def _figure(queue: QueueRate) -> str:
    return NONE if queue.pps is None else si(queue.pps, 3)


def _imbalance(group: Group) -> str:
    return NONE if group.imbalance is None else f"{group.imbalance:.2f}"


def tells(group: Group) -> bool:
    """Whether there is anything to show but dashes, for any queue."""
    return any(group.marks) or any(queue.pps is not None for queue in group.queues)


def fits_in_a_row(group: Group, width: int) -> bool:
    return 0 < len(group.queues) * _NARROWEST_ALONE + len(group.name) + 2 + _SHORT <= width


def queue_width(group: Group, width: int) -> int:
    """The cells of each queue if all are in one row."""
    return (width - len(group.name) - 2 - _SHORT) // len(group.queues)


def history_grid(group: Group, rows: int, width: int) -> Grid | None:
    """Where the histories of queues without a bar of their own go; None: they have no histories.

    They need a row above with room for all queues. Without histories, the queues are heat of several rows.
    """
    if group.by_interrupts or not 0 < len(group.queues) <= _blocks_room(group, width):
        return None
    mark = max(map(len, group.marks))
    return grid(len(group.queues), rows, width, _name_width(group), len(group.name) + 2, mark)


def rows_wanted(group: Group, width: int) -> int:
    """The most rows that a group can make use of."""
    if not tells(group):
        return 1
    if fits_in_a_row(group, width):
        return 2
    if group.by_interrupts or len(group.queues) > _blocks_room(group, width):
        return _HEAT_ROWS
    return 1 + rows_for_all(len(group.queues), width, _name_width(group), len(group.name) + 2)


def _name_width(group: Group) -> int:
    return max(len(f"q{queue.index}") for queue in group.queues)


def _blocks_room(group: Group, width: int) -> int:
    return width - len(group.name) - 2 - _SHORT


def _key(queue: QueueRate) -> Hashable:
    return queue.interface, queue.direction, queue.index


def _any(group: Group, history: Mapping[Hashable, str]) -> bool:
    return any(history.get(_key(queue), "").strip() for queue in group.queues)


def _small(queue: QueueRate, mark: str, graph: str, colors: Palette) -> Small:
    return Small(f"q{queue.index}", graph, _figure(queue), mark, colors["drops" if mark else "load"])


def _blocks(group: Group, width: int, colors: Palette) -> Line:
    """All queues in one row, with gaps between them if there is room, else between groups of eight."""
    line: Line = [(f" {group.name} ", colors["text"])]
    room = _blocks_room(group, width)
    for block, mark in zip(spaced(_shares(group), room), group.marks, strict=True):
        line.append((block, colors["drops" if mark else "load"]))
    used = length(line)
    return [*_merged(line), (" " * (width - _SHORT - used), colors["dim"]), *_short(group, colors)]


def _history_row(group: Group, history: Mapping[Hashable, str], width: int, colors: Palette) -> Line:
    graphs = [history.get(_key(queue), "") for queue in group.queues]
    if not any(graph.strip() for graph in graphs):
        return []
    cell = queue_width(group, width)
    return [
        (" " * (len(group.name) + 2), colors["dim"]),
        *((graph.ljust(cell), colors["load"]) for graph in graphs),
    ]


def _in_one_row(group: Group, width: int, colors: Palette) -> Line:
    end = _short(group, colors)
    cell = queue_width(group, width)
    line: Line = [(f" {group.name} ", colors["text"])]
    for queue in group.queues:
        line += _bar(queue, _top(group), cell, colors)
    return [*line, *end]


def _short(group: Group, colors: Palette) -> Line:
    known = _imbalance(group)
    uneven = _uneven(group)
    style = colors.bold("warning") if uneven else colors["text"]
    return [(" imbal. ", colors["dim"]), (known + ("!" if uneven else ""), style)]


def _uneven(group: Group) -> bool:
    return group.imbalance is not None and len(group.queues) > 1 and group.imbalance >= _UNEVEN


def _as_heat(group: Group, rows: int, width: int, colors: Palette) -> Iterable[Line]:
    """All queues as heat, one row high or higher; below it the busiest queues with their figures."""
    if rows == 1:
        left = width - _label(group) - 1
        tail = _tail(group, colors, left - _FEWEST_BLOCKS)
        blocks, _ = _heat_row(group, max(left - length(tail), _FEWEST_BLOCKS), colors)
        yield [_lead(group.name, group, colors, "text"), *blocks, *tail]
        return
    high = towers(_shares(group), width - _label(group) - 2, rows - 2)
    worst = rows - 1 - (len(high) if len(high) > 1 else 0)
    if len(high) > 1:
        yield [(f" {group.name}", colors["text"]), *_tail(group, colors, width - len(group.name) - 1)]
        style = colors["drops" if (group.drops or 0.0) >= 1.0 else "load"]
        for number, text in enumerate(high):
            scale = si(_top(group), 3) if number == 0 else ""
            yield [_lead(scale, group, colors), (text, style)]
    else:
        room = max(width - len(group.name) - 2 - _SHORT, 8)
        cells, each = _heat_row(group, room, colors)
        line: Line = [(f" {group.name} ", colors["text"]), *cells]
        yield [*line, (" " * (width - _SHORT - length(line)), colors["dim"]), *_short(group, colors)]
        if each > 1 and worst > 2:
            yield [(f" {each} queues per cell, the busier one shown", colors["dim"])]
            worst -= 1
    yield from _busiest(group, worst, width, colors)


def _heat_row(group: Group, room: int, colors: Palette) -> tuple[Line, int]:
    """The blocks in at most `room` cells, and how many queues are in each."""
    blocks, each = heat(_shares(group), room)
    line: Line = []
    for place, block in enumerate(blocks):
        dropping = any(group.marks[place * each : place * each + each])
        line.append((block, colors["drops" if dropping else "load"]))
    return _merged(line), each


def _busiest(group: Group, rows: int, width: int, colors: Palette) -> Iterable[Line]:
    """The queues that drop, then the busiest, each with a bar and a figure; and how many are left out."""
    left = width - _label(group) - 1
    per_row = max(left // _NARROWEST_BAR, 1)
    chosen = sorted(group.queues, key=lambda queue: (not marks_of(queue), -(queue.pps or 0.0)))
    chosen = chosen[: per_row * rows]
    leads = ["busiest", f"{len(group.queues) - len(chosen)} more"]
    for number, start in enumerate(range(0, len(chosen), per_row)):
        line: Line = [_lead(leads[number] if number < 2 else "", group, colors)]
        for queue in chosen[start : start + per_row]:
            line += _bar(queue, _top(group), left // per_row, colors)
        yield line


def _shares(group: Group) -> list[float | None]:
    """Each queue's rate as a share of the busiest one's."""
    top = _top(group)
    return [None if q.pps is None else (q.pps / top if top > 0 else 0.0) for q in group.queues]


def _top(group: Group) -> float:
    return max((queue.pps or 0.0 for queue in group.queues), default=0.0)


def _bar(queue: QueueRate, top: float, cell: int, colors: Palette) -> Line:
    name = f"q{queue.index:<3}" if cell >= _NARROWEST_BAR else f"q{queue.index} "
    figure = _figure(queue)
    marks = marks_of(queue)
    mark = " ".join(marks)
    text_width = 7
    room = cell - len(name) - 9 - (len(mark) + 1 if mark else 0)
    if room < 2:
        mark, room = ("✕" if marks else ""), max(cell - len(name) - (10 if marks else 8), 1)
        text_width = 5
    share = None if queue.pps is None else (queue.pps / top if top > 0 else 0.0)
    style = colors["drops"] if marks else colors["load"]
    text = f" {figure:<{text_width}}" + (f" {mark}" if mark else "")
    if len(name) + room + len(text) > cell:  # q10 and more in the narrowest cells
        text = f" {figure}{mark}"
    return [
        (name, colors["dim"]),
        (bar(share, room), style),
        (text.ljust(max(cell - len(name) - room, 0)), colors["drops"] if marks else colors["text"]),
    ]


def _tail(group: Group, colors: Palette, room: int) -> Line:
    """What is said of all queues together, as many whole parts as fit; losses are left out last."""
    uneven = _uneven(group)
    style = colors.bold("warning") if uneven else colors["text"]
    unit = ", by interrupts per second" if group.by_interrupts else ""
    queues: Line = [(f"  {len(group.queues)} queues{unit}", colors["dim"])]
    short: Line = [(f"  {len(group.queues)} queues", colors["dim"])]
    imbalance: Line = [
        ("  imbalance ", colors["dim"]),
        (_imbalance(group) + ("!" if uneven else ""), style),
    ]
    lost: Line = []
    if group.drops is not None and group.drops >= 1.0:
        lost = [("  ✕ ", colors["drops"]), (pps(group.drops, 3), colors["drops"])]
    tries = [*queues, *imbalance, *lost], [*short, *imbalance, *lost], [*imbalance, *lost], lost
    return next((one for one in tries if length(one) <= room), [])


def _merged(line: Line) -> Line:
    merged: Line = []
    for text, style in line:
        if merged and merged[-1][1] == style:
            merged[-1] = merged[-1][0] + text, style
        else:
            merged.append((text, style))
    return merged
