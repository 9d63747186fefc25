"""The DUT's cores; irq, softirq, sys, user and steal differ in texture and letter as well as in colour."""

from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from math import ceil
from typing import ClassVar

from textual.geometry import Size
from textual.strip import Strip

from fwdtui.core.diagnosis_text import ranges
from fwdtui.core.host_evidence import SoftnetRate
from fwdtui.core.host_rates import CpuShare
from fwdtui.core.units import si
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.draw.heat import heat, stacked, towers
from fwdtui.ui.draw.multiples import Small, foremost, grid, multiples
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel, length
from fwdtui.ui.draw.small_graph import SmallGraphs, small_graphs
from fwdtui.ui.draw.view import NONE, View, lasting

KINDS = (("irq", "█", "i"), ("softirq", "▓", "s"), ("sys", "▒", "k"), ("user", "░", "u"), ("steal", "╱", "h"))
"""Name, texture in a bar, letter below heat ("k": the kernel outside interrupts, "h": the hypervisor)."""
_NARROWEST = 16
_FIXED = 12  # cells of a core's row besides bar and history
_ONE_COLUMN = 8  # so many cores are in one column if there are rows for them
_WITH_HISTORY = 32  # cells from which a core has room for a history and a bar with distinct textures
_SHORTEST = 4  # cells of a history
_WIDE_CELL = 32  # the width of a core's cell, to compute how many rows are wanted
_HEAT_AND_HISTORY = 8  # rows from which cores without bars have their histories below the heat
_LABEL = 8  # cells before a row of heat
_LETTERS, _MORE_LETTERS = 64, 70  # cells from which the legend has letters, without and with steal
_LEAST_STOLEN = 0.005  # the least share of a core's time that a figure rounds to a percent
_BUSY = 0.95  # busy share from which a core is full, as in the diagnosis


class Cores(Panel):
    """A bar for each core; if they do not fit, a cell each, with a letter below for what took most time."""

    TITLE: ClassVar[str] = "CPU"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._history = SmallGraphs()

    def show(self, snapshot: Snapshot, view: View) -> None:
        """As in every panel, but the border names the host."""
        self.name_border(f"CPU of {view.lab.dut.host}")
        super().show(snapshot, view)

    def age(self, snapshot: Snapshot) -> float | None:
        """The age of the DUT's counters in seconds; None if they are not old or not known."""
        return snapshot.dut.old if snapshot.dut and snapshot.dut.rates else None

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn: the load of all cores, and the choices of the view."""
        rates = snapshot.dut.rates if snapshot.dut else None
        if rates is None:
            return None
        return rates.cpus, rates.gap, rates.softnet, view.time_span, self.moment(snapshot, view)

    def wanted_rows(self, snapshot: Snapshot, view: View, width: int) -> int:
        """A row for each core of the longest column, and one for the legend."""
        rates = snapshot.dut.rates if snapshot.dut else None
        cpus = len(rates.cpus) if rates else 0
        columns = 1 if cpus <= _ONE_COLUMN else max(width // _WIDE_CELL, 1)
        return ceil(cpus / columns) + 1

    def cells(self, snapshot: Snapshot, view: View) -> Iterable[Sequence[str]]:
        """A row for each core, in percent of its time; then what the backlogs dropped."""
        rates = snapshot.dut.rates if snapshot.dut else None
        if rates is None or not rates.cpus:
            yield (_why(snapshot, view),)
            return
        if (age := self.age(snapshot)) is not None:
            yield (f"{lasting(age)} old",)
        kinds = kinds_of(rates.cpus)
        yield "core", "busy %", *(f"{name} %" for name, _, _ in kinds)
        for cpu in rates.cpus:
            parts = (cpu.busy, cpu.irq, cpu.softirq, cpu.system, cpu.user, cpu.steal)[: len(kinds) + 1]
            yield str(cpu.cpu), *(NONE if part is None else f"{part * 100:.0f}" for part in parts)
        yield from ([text.strip()] for text, _ in _softnet(rates.softnet))

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Bars if they fit, else heat."""
        rates = snapshot.dut.rates if snapshot.dut else None
        cpus = rates.cpus if rates else ()
        if not cpus:
            yield [(self.lead("CPU"), colors["dim"]), (f"{NONE} {_why(snapshot, view)}", colors["dim"])]
            return
        rows = max(size.height - 1, 1)
        columns = max(size.width // _NARROWEST, 1)
        compact = size.height <= 2
        if size.height > 1 and len(cpus) <= columns * rows:
            lines = list(_bars(cpus, rows, snapshot, view, size.width, colors, self._history))
            yield from lines
            yield from [[(" ", colors["dim"])]] * (rows - len(lines))
            yield _legend(colors, rates.softnet if rates else (), size.width, compact, cpus)
            return
        heat_rows = rows if not compact else size.height
        below = list(self._below(cpus, heat_rows, snapshot, view, size.width, colors))
        yield from _heat(cpus, heat_rows - len(below), size.width, colors)
        yield from below
        if not compact:
            yield _legend(colors, rates.softnet if rates else (), size.width, compact, cpus, heat=True)

    def _below(
        self, cpus: Sequence[CpuShare], rows: int, snapshot: Snapshot, view: View, width: int, colors: Palette
    ) -> Iterable[Line]:
        """The histories of cores that have no bar, in the rows that the heat leaves free."""
        name = max(len(str(cpu.cpu)) for cpu in cpus) + 2
        left = rows - 1 - 2 * ceil(len(cpus) / max(width - _LABEL - 1, 1))
        place = grid(len(cpus), left, width, name, 0) if rows >= _HEAT_AND_HISTORY else None
        if place is None:
            return
        known = {cpu.cpu: cpu for cpu in cpus}

        def draw(start: float, end: float) -> dict[Hashable, str]:
            shown = foremost(snapshot.cores, list(known), start, place.shown)
            tops = dict.fromkeys(shown, 1.0)
            return small_graphs(snapshot.cores, tops, start, end, place.graph, self._history.columns)

        what = tuple(known)
        graphs = self._history.of(what, snapshot.now, view.time_span, place.graph, draw, place.shown)
        smalls = [
            Small(
                f" {number:>{name - 2}} ",
                graphs[number],
                f"{cpu.busy * 100:.0f}",
                "!" * (cpu.busy >= _BUSY),
                colors.bold("warning") if cpu.busy >= _BUSY else colors["load"],
            )
            for number, cpu in known.items()
            if number in graphs
        ]
        yield from multiples(smalls, place, len(cpus), colors)


def shares(cpu: CpuShare) -> tuple[float, ...]:
    """The core's shares in the order of KINDS."""
    return cpu.irq, cpu.softirq or 0.0, cpu.system, cpu.user, _stolen(cpu)


def kinds_of(cpus: Iterable[CpuShare]) -> tuple[tuple[str, str, str], ...]:
    """Those of KINDS that the legend explains: steal only if a hypervisor takes something."""
    return KINDS if any(map(_stolen, cpus)) else KINDS[:-1]


def _stolen(cpu: CpuShare) -> float:
    """The share a hypervisor took. A machine beside others loses a little now and then: not drawn."""
    return cpu.steal if cpu.steal is not None and cpu.steal >= _LEAST_STOLEN else 0.0


def dominant(cpu: CpuShare) -> int:
    """The index in KINDS of what took most of this core's time."""
    parts = shares(cpu)
    return parts.index(max(parts))


def _why(snapshot: Snapshot, view: View) -> str:
    rates = snapshot.dut.rates if snapshot.dut else None
    return f"no sample ({rates.gap})" if rates and rates.gap else view.no_counters()


def _bars(
    cpus: Sequence[CpuShare],
    rows: int,
    snapshot: Snapshot,
    view: View,
    width: int,
    colors: Palette,
    history: SmallGraphs,
) -> Iterable[Line]:
    columns = max(ceil(len(cpus) / rows), 1)
    down = ceil(len(cpus) / columns)
    cell = width // columns
    graphs = {}
    if cell >= _WITH_HISTORY:
        tops: dict[Hashable, float] = {cpu.cpu: 1.0 for cpu in cpus}
        cells = max((cell - _FIXED) // 2, _SHORTEST)
        draw = partial(small_graphs, snapshot.cores, tops, cells=cells, columns=history.columns)
        graphs = history.of(tuple(tops), snapshot.now, view.time_span, cells, draw)
    for row in range(down):
        line: Line = []
        for cpu in cpus[row::down]:
            line += _bar(cpu, cell, graphs.get(cpu.cpu, ""), colors)
        yield line


def _bar(cpu: CpuShare, cell: int, graph: str, colors: Palette) -> Line:
    name, figure = f" {cpu.cpu:>3} ", f" {cpu.busy * 100:>3.0f}"
    full = cpu.busy >= _BUSY
    history: Line = [(f" {graph}", colors["load"])] if graph else []
    room = max(cell - len(name) - len(figure) - 2 - length(history), 1)
    runs = stacked([(share, KINDS[n][1]) for n, share in enumerate(shares(cpu))], room)
    used = sum(len(text) for text, _ in runs)
    return [
        (name, colors["dim"]),
        *((text, colors[KINDS[number][0]]) for text, number in runs),
        ("·" * (room - used), colors["faint"]),
        *history,
        (figure + ("! " if full else "  "), colors.bold("warning") if full else colors["text"]),
    ]


def _heat(cpus: Sequence[CpuShare], rows: int, width: int, colors: Palette) -> Iterable[Line]:
    label = _LABEL
    tail = _summary(cpus, colors)
    short = rows <= 2
    room = max(width - label - (sum(len(text) for text, _ in tail) if short else 1), 4)
    lines = 1 if short else max((rows - 1) // 2, 1)
    if not short and (high := towers([cpu.busy for cpu in cpus], room, rows - 2)):
        yield tail
        yield from _towers(cpus, high, label, colors)
        return
    blocks, each = heat([cpu.busy for cpu in cpus], room * lines)
    tops = [max(cpus[n * each : n * each + each], key=lambda cpu: cpu.busy) for n in range(len(blocks))]
    if not short:
        more = [(f"  {each} cores per cell, busiest shown", colors["dim"])] if each > 1 else []
        yield [*tail, *more]
    for start in range(0, len(blocks), room):
        part = tops[start : start + room]
        lead = f" {'cores' if short else f'{cpus[start * each].cpu}':<{label - 1}}"
        yield [
            (lead, colors["dim"]),
            *((block, colors[KINDS[dominant(cpu)][0]])
              for block, cpu in zip(blocks[start : start + room], part, strict=True)),
            *(tail if short else []),
        ]  # fmt: skip
        if rows > 1:
            letters = "".join(map(_letter, part))
            legend = _of_letters(letters, cpus, width - label - len(letters) - 1) if short else ""
            yield [
                (" mostly ", colors["dim"]),
                (letters, colors["text"]),
                (f" {legend}" if legend else "", colors["dim"]),
            ]


def _of_letters(letters: str, cpus: Sequence[CpuShare], room: int) -> str:
    """What the letters mean. If there is no room for all, as many of those that are shown as fit."""
    texts = [(letter, f" {letter} {name}") for name, _, letter in kinds_of(cpus)]
    if sum(len(text) for _, text in texts) > room:
        texts = [(letter, text) for letter, text in texts if letter in letters]
    while sum(len(text) for _, text in texts) > room:
        texts.pop()
    return "".join(text for _, text in texts)


def _towers(cpus: Sequence[CpuShare], high: list[str], label: int, colors: Palette) -> Iterable[Line]:
    wide = len(high[0]) // len(cpus)
    for number, text in enumerate(high):
        numbers = f"{cpus[0].cpu}-{cpus[-1].cpu}"  # some of a machine's cores may be offline
        lead = "100 %" if number == 0 else numbers if number == len(high) - 1 else ""
        line: Line = [(f" {lead:<{label - 1}}", colors["dim"])]
        for place, cpu in enumerate(cpus):
            line.append((text[place * wide : place * wide + wide], colors[KINDS[dominant(cpu)][0]]))
        yield line
    letters = "".join(_letter(cpu).ljust(wide) for cpu in cpus)
    yield [(" mostly ", colors["dim"]), (letters, colors["text"])]


def _letter(cpu: CpuShare) -> str:
    return KINDS[dominant(cpu)][2] if cpu.busy >= 0.05 else "·"


def _summary(cpus: Sequence[CpuShare], colors: Palette) -> Line:
    full = sum(cpu.busy >= _BUSY for cpu in cpus)
    line: Line = [(f"  {len(cpus)} cores", colors["dim"])]
    if full:
        line.append((f"  {full} full!", colors.bold("warning")))
    else:
        line.append((f"  busiest {max(cpu.busy for cpu in cpus) * 100:.0f} %", colors["text"]))
    return line


def _legend(
    colors: Palette,
    softnet: Sequence[SoftnetRate],
    width: int,
    compact: bool,
    cpus: Iterable[CpuShare] = (),
    *,
    heat: bool = False,
) -> Line:
    """The legend, as far as it fits: what does not is left out whole. `heat`: of letters, not of textures."""
    kinds = kinds_of(cpus)
    letters = width >= (_LETTERS if len(kinds) < len(KINDS) else _MORE_LETTERS)
    line: Line = [(" CPU  " if compact else " ", colors["dim"])]
    room = width - length(line)
    for wide, space in ((True, "  "), (False, " ")):  # the narrower one if the other does not fit
        entries: list[Line] = [
            [
                (letter if heat and not letters else texture * (1 + wide), colors[name]),
                (f" {name} ({letter})" if letters else f" {name}", colors["dim"]),
                (space, colors["dim"]),
            ]
            for name, texture, letter in kinds
        ]
        if sum(map(length, entries)) - len(space) <= room:
            break
    for entry in entries:
        if length(entry[:-1]) > room:
            break
        line += entry if length(entry) <= room else entry[:-1]
        room -= length(entry)
    for text, style in _softnet(softnet):
        if length(line) + len(text.rstrip()) <= width:
            line.append((text, colors[style]))
    return line


def _softnet(rows: Sequence[SoftnetRate]) -> Iterable[tuple[str, str]]:
    """What the backlogs dropped and on which cores, and how often budgets were used up on the whole machine.

    Each text comes with its meaning in the palette.
    """
    dropping = [row for row in rows if (row.dropped or 0.0) >= 1.0]
    if dropping:
        lost = sum(row.dropped or 0.0 for row in dropping)
        cores = f"core{'s' * (len(dropping) > 1)} {ranges([row.cpu for row in dropping])}"
        yield f"{cores} backlog ✕ {si(lost, 3)}  ", "drops"
    if (limited := sum(row.flow_limited or 0.0 for row in rows)) >= 1.0:
        yield f"flow limit ✕ {si(limited, 3)}  ", "drops"
    if (squeezed := sum(row.squeezed or 0.0 for row in rows)) >= 1.0:
        yield f"budget used up {si(squeezed, 3)}/s", "dim"
