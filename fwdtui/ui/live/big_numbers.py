"""Offered, forwarded, received, loss, the attack and line rate, readable from across the room."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec
from textual.geometry import Size
from textual.renderables.digits import DIGITS, DIGITS3X3_BOLD
from textual.strip import Strip

from fwdtui.core.evidence import LOSS
from fwdtui.core.framing import layer1
from fwdtui.core.units import si
from fwdtui.monitor.live.last_result import LastResult
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.report.cells import fitting
from fwdtui.ui.draw.line_styles import SIGNS
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel, fitted, length
from fwdtui.ui.draw.view import NONE, OLD, View, lasting

_BIG_CELL = 19  # the narrowest cell that holds big digits
_SMALL_CELL = 11
_LARGE = 4  # offered, forwarded, received and loss: if these fit, the digits are large
_ATTACK = "attack"
_SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


class Number(msgspec.Struct, frozen=True):
    """One of the numbers: its name, figures, unit, meaning in the palette, and a note beside its name.

    `sign` is a character that tells its meaning without colour. `more` is shown beside large digits, if there
    is room.
    """

    name: str
    figures: str
    unit: str
    meaning: str
    note: str = ""
    sign: str = ""
    more: str = ""
    last: bool = False  # it is of the last blast, while nothing is offered
    of_blast: bool = False  # of the whole blast, unlike the others, which are medians of its measured window

    @property
    def label(self) -> str:
        """The name as shown."""
        return self._labels[0]

    @property
    def _labels(self) -> list[str]:
        name = f"last {self.name}" if self.last else self.name
        if not self.of_blast:
            return [name]
        return [f"{name}, whole blast", f"last blast {self.name}", f"blast's {self.name}"]

    def label_in(self, cell: int) -> str:
        """The name as shown in a cell of so many columns, one of them before and one behind it."""
        return fitting(self._labels, cell - 2)


class BigNumbers(Panel, can_focus=False):
    """Draws the numbers in digits three rows high if they fit, else as a line of names and one of numbers."""

    ALLOW_MAXIMIZE: ClassVar[bool] = False

    def part(self, snapshot: Snapshot, view: View) -> object:
        """The numbers as text, so that changes in digits that are not shown cause no redraw."""
        shown = numbers(snapshot, view)
        return [(n.label, n.figures, n.unit, n.note, n.more, n.meaning) for n in shown], view.unit

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Draw as large as the size allows; on a narrow screen, loss and received are kept longest."""
        shown = numbers(snapshot, view)
        if size.height >= 4 and size.width >= _BIG_CELL * _LARGE:
            # large digits may push out the attack and the line rate, which are in the graph too
            yield from _big(_largest(shown, size.width // _BIG_CELL), size, colors)
        elif size.height >= 2:
            yield from _small(_fitting(shown, size.width), size, colors)
        else:
            yield _one_line(shown, size, colors)


def numbers(snapshot: Snapshot, view: View) -> list[Number]:
    """The numbers from left to right. Loss and line rate are in bits only if the frames' length is known.

    While nothing is offered they are those of the last blast, if there was one, with a dash for what is not
    known in this unit.
    """
    last = snapshot.last
    if last is not None and last.value is not None:
        return _last_numbers(last, snapshot.last_line_rate, view)
    figures_shown = []
    flows = [snapshot.offered, snapshot.forwarded, snapshot.received]
    flows += [] if snapshot.attack is None else [snapshot.attack]
    rates = [view.shown(flow) for flow in flows]
    largest = max((rate for rate in rates if rate is not None), default=0.0)
    for flow, rate in zip(flows, rates, strict=True):
        name = flow.name
        figures, scale = _parts(rate, largest)
        shown = f"{scale}{view.unit}" if rate is not None else ""
        if flow.old is None:
            basis = view.short_basis if name == "offered" else ""
            figures_shown.append(Number(name, figures, shown, name, basis, SIGNS[name]))
        else:  # show the last known value, and its age
            age = f"{lasting(snapshot.now - flow.old.at)} old"
            figures_shown.append(Number(name, figures, shown, "dim", age, OLD))
    share = snapshot.loss_share
    lost = share is not None and share >= LOSS
    least = "≥" if snapshot.attacked else ""
    figures = NONE if share is None else f"{least}{_percent(share)}"
    note = "" if snapshot.loss is None or share is None else _amount(snapshot.loss, view)
    percent = "" if share is None else "%"
    meaning = "drops" if lost else "text" if share is None else "good"
    figures_shown.insert(3, Number("loss", figures, percent, meaning, note, "!" if lost else ""))
    line_rate, load = snapshot.line_rate, view.load
    if line_rate:
        figures = NONE if load is None else f"{load * 100:.0f}"
        note = _line_rate_note(line_rate, view)
        more = _on_link(snapshot.offered.now, view)
        figures_shown.append(
            Number("of line rate", figures, "" if load is None else "%", "text", note, more=more)
        )
    return figures_shown


def _percent(share: float) -> str:
    return f"{round(share * 100, 1) + 0.0:.1f}".replace("-", "−")  # what rounds to zero has no sign


def _amount(pps: float, view: View) -> str:
    """``462.2 kpps``, or the same in bits if the frames' length is known."""
    return " ".join(_parts(pps * view.scale)) + ("pps" if view.counted else view.unit)


def _line_rate_note(line_rate: float, view: View) -> str:
    # without a unit, bits would be read as packets, or packets in the unit of the neighbour
    return _amount(line_rate, view) if view.bits else " ".join(_parts(line_rate))


def _on_link(offered: float | None, view: View) -> str:
    """``L1 9.80 Gbps``: what the offered frames occupy on the link; "" if it is not known."""
    if offered is None or view.frame is None:
        return ""
    figures, _, scale = si(layer1(offered, view.frame) + 0.0, 3).partition(" ")
    return f"L1 {figures} {scale}bps"


def _last_numbers(last: LastResult, line_rate: float | None, view: View) -> list[Number]:
    packets = {"offered": last.offered, "forwarded": last.forwarded, "received": last.received}
    if last.attacked:
        packets[_ATTACK] = last.attack
    if last.received is None and last.forwarded is None:
        packets["received"] = last.value
    rates = {name: view.rate(rate, last.bits.get(name)) for name, rate in packets.items()}
    largest = max((rate for rate in rates.values() if rate is not None), default=0.0)
    shown = []
    for name, rate in rates.items():
        figures, scale = _parts(rate, largest)
        unit = f"{scale}{view.unit}" if rate is not None else ""
        basis = view.short_basis if name == "offered" else ""
        shown.append(Number(name, figures, unit, "dim", basis, last=True))
    share = last.loss_share
    least = "≥" if last.attacked else ""
    figures = NONE if share is None else f"{least}{last.loss_percent}"
    of_blast = last.of_blast and share is not None
    percent = "" if share is None else "%"
    shown.insert(3, Number("loss", figures, percent, "dim", last=True, of_blast=of_blast))
    if line_rate:
        figures = NONE if last.offered is None else f"{last.offered / line_rate * 100:.0f}"
        note, more = _line_rate_note(line_rate, view), _on_link(last.offered, view)
        percent = "%" if last.offered is not None else ""
        shown.append(Number("of line rate", figures, percent, "dim", note, more=more))
    return shown


def _parts(value: float | None, largest: float = 0.0) -> tuple[str, str]:
    """``("1.456", "M")``; with a `largest` in millions ``("0.998", "M")``, for comparison."""
    if value is None:
        return NONE, ""
    if abs(value) < largest <= 100 * abs(value):
        figures, _, scale = si(largest).partition(" ")
        decimals = len(figures.partition(".")[2])
        return f"{value / _SCALES[scale]:.{decimals}f}", scale
    figures, _, scale = si(value + 0.0).partition(" ")
    return figures.replace("-", "−"), scale


def _fitting(shown: list[Number], width: int) -> list[Number]:
    """The numbers that fit, in order. The line rate is left out first, then attack, forwarded, offered."""
    fitting = list(shown)
    cell = _SMALL_CELL
    attacked = any(number.name == _ATTACK for number in shown)  # of six numbers the names would be cut off
    needed = [len(number.label_in(cell)) + 1 for number in shown if attacked or number.of_blast]
    cell = max([cell, *needed])
    for name in ("of line rate", _ATTACK, "forwarded", "offered", "received"):
        if width >= cell * len(fitting):
            break
        fitting = [number for number in fitting if number.name != name]
    return fitting


def _largest(shown: list[Number], most: int) -> list[Number]:
    """The first `most` numbers; an attack that is not among them becomes a note beside the offered load."""
    attack = next((number for number in shown[most:] if number.name == _ATTACK), None)
    if attack is None:
        return shown[:most]
    note = f"{attack.label} {attack.figures} {attack.unit}".rstrip()
    return [msgspec.structs.replace(shown[0], note=shown[0].note or note), *shown[1:most]]


def _big(shown: list[Number], size: Size, colors: Palette) -> Iterable[Line]:
    cell = size.width // len(shown)
    names: Line = []
    rows: list[Line] = [[], [], []]
    for number in shown:
        name: Line = [(f" {number.sign} " if number.sign else " ", colors.bold(number.meaning))]
        name.append((number.label_in(cell), colors["dim"]))
        if number.sign == OLD:
            name.append((f" {number.note}", colors.bold("warning")))
        elif number.note and length(name) + 2 + len(number.note) < cell:
            name.append((f"  {number.note}", colors["text"]))
        names += _cell(name, cell)
        for place, text in enumerate(digits(number.figures)):
            line: Line = [(" ", colors["text"]), (text, colors.bold(number.meaning))]
            if place == 2:
                line.append((f" {number.unit}", colors["dim"]))
            elif place == 1 and number.more and length(line) + 1 + len(number.more) <= cell:
                line.append((f" {number.more}", colors["text"]))
            rows[place] += _cell(line, cell)
    yield names
    yield from rows


def digits(figures: str) -> list[str]:
    """Three rows of text for ``1.456``; the dash for an unknown number is as wide as a digit."""
    rows = ["", "", ""]
    for character in figures.replace("−", "-").replace(NONE, "-"):
        if character not in DIGITS:
            rows = [rows[0] + " ", rows[1] + " ", rows[2] + character]
            continue
        place = DIGITS.index(character) * 3
        rows = [row + DIGITS3X3_BOLD[place + number].ljust(3) for number, row in enumerate(rows)]
    return rows


def _small(shown: list[Number], size: Size, colors: Palette) -> Iterable[Line]:
    cell = max(size.width // max(len(shown), 1), 1)
    in_bits = any(number.unit.endswith("bps") for number in shown)
    names: Line = []
    values: Line = []
    for number in shown:
        sign = f"{number.sign} " if number.sign else ""
        name: Line = [(f" {sign}", colors.bold(number.meaning)), (number.label_in(cell), colors["dim"])]
        value: Line = [
            (f" {number.figures}", colors.bold(number.meaning)),
            (f" {number.unit}", colors["dim"]),
        ]
        if number.name == "loss" and number.note:
            # packets need no unit unless bits are shown; a figure is shown whole or not at all
            note = f" {number.note if in_bits else number.note[:-3]}"
            if length(value) + len(note) + in_bits <= cell:
                value.append((note, colors["text"]))
        if number.sign == OLD:  # its age is more useful than its line style
            age = number.note if len(number.name) + len(number.note) + 2 < cell else number.note[:-4]
            name = [(f" {number.name} ", colors["dim"]), (age, colors.bold("warning"))]
            value = [(OLD, colors.bold("warning")), (f"{number.figures} {number.unit}", colors["dim"])]
        names += _cell(name, cell)
        values += _cell(value, cell)
    yield names
    yield values


def _one_line(shown: list[Number], size: Size, colors: Palette) -> Line:
    line: Line = []
    for number in shown:
        if number.name in ("received", "loss"):
            line += [
                (f" {number.label} ", colors["dim"]),
                (f"{number.figures} {number.unit}", colors.bold(number.meaning)),
            ]
            if number.sign == OLD:
                line.append((f" {number.note}", colors.bold("warning")))
    return line


def _cell(line: Line, width: int) -> Line:
    """`line`, padded or cut to exactly `width` cells."""
    if length(line) <= width:
        return [*line, (" " * (width - length(line)), line[0][1])]
    return [(text, style or line[0][1]) for text, style, _ in fitted(line, width)]
