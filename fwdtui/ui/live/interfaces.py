"""The chosen interfaces of all hosts: packets in, packets out, losses."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from fwdtui.core.host_rates import InterfaceRate
from fwdtui.core.lab import Lab
from fwdtui.core.units import si
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.report.cells import end_of, pad
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel
from fwdtui.ui.draw.view import NONE, OLD, View, lasting, lost_figure

_FIGURE = 11  # cells of a rate, with the space before it
_ROOMY = 62  # columns; below this the figures are closer together


class Interfaces(Panel):
    """A row per interface, in the packet's order."""

    TITLE: ClassVar[str] = "interfaces"

    def show(self, snapshot: Snapshot, view: View) -> None:
        """As in every panel, but the border says which bits these are."""
        self.name_border(_title(view))
        super().show(snapshot, view)

    def part(self, snapshot: Snapshot, view: View) -> object:
        """The latest rates of all hosts."""
        rates = [host.rates.interfaces if host.rates else None for host in snapshot.hosts]
        states = [(host.up, None if host.old is None else int(host.old)) for host in snapshot.hosts]
        return rates, states, view.interfaces, view.unit

    def wanted_rows(self, snapshot: Snapshot, view: View, width: int) -> int:
        """A row for each interface, and one for the heads."""
        return 1 + len(view.interfaces if view.interfaces is not None else own(view.lab))

    def cells(self, snapshot: Snapshot, view: View) -> Iterable[Sequence[str]]:
        """A row for each interface."""
        yield "interface", *_heads(view)
        for name, rate, age in _rates(snapshot, view):
            old = [f"{lasting(age)} old"] if age is not None else []
            yield name, *_figures(rate, view, name), *old, *(["as counted"] if _starred(view, name) else [])

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Draw rates in the chosen unit and losses in packets.

        ``*`` marks an interface whose bits are as counted while the others' are of layer 2.
        """
        each = _FIGURE if size.width >= _ROOMY else _FIGURE - 2
        wide = max(min(size.width - 4 * each - 2, 24), 8)
        yield [(f" {'':<{wide}}" + "".join(f"{name:>{each}}" for name in _heads(view)), colors["dim"])]
        for name, rate, age in _rates(snapshot, view):
            yield _row(name, rate, view, wide, each, colors, age)


def _title(view: View) -> str:
    if not view.bits:
        return Interfaces.TITLE
    if view.counted:
        return "interfaces, bits as each host counts them"
    shown = view.interfaces if view.interfaces is not None else own(view.lab)
    star = "; * as counted" if any(_starred(view, name) for name in shown) else ""
    return f"interfaces, bits ({view.short_basis}{star})"


def _counted(view: View, name: str) -> bool:
    """Whether an interface's bits are those its host counts, because its frame length is not known.

    Only the length of the test's frames is known. Another interface, such as that of ssh, carries others.
    """
    return view.bits and (view.counted or name not in own(view.lab))


def _heads(view: View) -> tuple[str, ...]:
    return f"rx {view.unit}", f"tx {view.unit}", "drops/s", "errors/s"


def _rates(snapshot: Snapshot, view: View) -> Iterable[tuple[str, InterfaceRate, float | None]]:
    """Each interface that is shown: "host interface", its rates, and their age in seconds if they are old."""
    by_host = {host.name: host for host in snapshot.hosts}
    for name in view.interfaces if view.interfaces is not None else own(view.lab):
        host, _, interface = name.rpartition(" ")
        counted = by_host.get(host)
        rate = counted.rates.interfaces.get(interface) if counted and counted.up and counted.rates else None
        yield name, rate or InterfaceRate(interface), counted.old if counted and rate else None


def own(lab: Lab) -> tuple[str, ...]:
    """The lab's own ports, "host interface", in the packet's order."""
    names = [f"{generator.host} {generator.interface}" for generator in lab.generators]
    names += [f"{lab.dut.host} {name}" for name in (*lab.dut.inputs, *lab.dut.outputs)]
    names += [f"{lab.receiver.host} {lab.receiver.interface}"] if lab.receiver else []
    return tuple(dict.fromkeys(names))


def seen(snapshot: Snapshot, lab: Lab) -> tuple[str, ...]:
    """All interfaces to choose from, "host interface": the lab's own first, then the hosts' others."""
    names = list(own(lab))
    for host in snapshot.hosts:
        names += [f"{host.name} {name}" for name in (host.rates.interfaces if host.rates else ())]
    return tuple(dict.fromkeys(names))


def _starred(view: View, name: str) -> bool:
    """Whether an interface's bits are as counted while the others' are of layer 2."""
    return not view.counted and _counted(view, name)


def _figures(rate: InterfaceRate, view: View, name: str) -> list[str]:
    """The texts for in, out, dropped and errors."""
    if _counted(view, name):
        into, out = rate.rx_bps, rate.tx_bps
    else:
        into, out = view.rate(rate.rx_pps, rate.rx_bps), view.rate(rate.tx_pps, rate.tx_bps)
    return [_figure(into), _figure(out), _lost_figure(_dropped(rate)), _lost_figure(rate.rx_errors)]


def _dropped(rate: InterfaceRate) -> float | None:
    known = [n for n in (rate.rx_dropped, rate.rx_missed, rate.tx_dropped) if n is not None]
    return sum(known) if known else None


def _row(
    name: str,
    rate: InterfaceRate,
    view: View,
    wide: int,
    each: int,
    colors: Palette,
    age: float | None = None,
) -> Line:
    into, out, *_ = _figures(rate, view, name)
    mark = "*" if _starred(view, name) else " "
    shown = pad(end_of(name, wide), wide)
    if age is not None:
        old = (f"  {OLD} {lasting(age)} old", colors.bold("warning"))  # instead of the losses
        return [(f"{mark}{shown}{into:>{each}}{out:>{each}}", colors["dim"]), old]
    return [
        (f"{mark}{shown}", colors["text"]),
        (f"{into:>{each}}{out:>{each}}", colors["text"]),
        _lost(_dropped(rate), each, colors),
        _lost(rate.rx_errors, each, colors),
        ("  down" if rate.up is False else "", colors["warning"]),
    ]


def _lost(value: float | None, each: int, colors: Palette) -> tuple[str, Style]:
    """Drops and errors are separate: drivers differ in whether one includes the other."""
    figure = _lost_figure(value)
    if figure in (NONE, "0"):
        return f"{figure:>{each}}", colors["dim"]
    return f"{'✕ ' + figure:>{each}}", colors["drops"]


def _lost_figure(value: float | None) -> str:
    return NONE if value is None else lost_figure(value)


def _figure(value: float | None) -> str:
    return NONE if value is None else "0" if abs(value) < 0.5 else si(value)
