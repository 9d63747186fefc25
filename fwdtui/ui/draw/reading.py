"""A cursor's line of text: the moment, the values of all series, the loss, and why a value is missing."""

from typing import Protocol

from rich.style import Style

from fwdtui.core.evidence import LOSS
from fwdtui.core.units import pps, si
from fwdtui.monitor.live.moment import Moment
from fwdtui.ui.draw.line_styles import SIGNS
from fwdtui.ui.draw.panel import Line, length
from fwdtui.ui.draw.view import NONE


def rate_text(value: float | None, bits: bool) -> str:
    """A rate as text: ``1.456 Mpps``, ``87.36 Mbps``; a dash if it is not known."""
    if value is None:
        return NONE
    if not bits:
        return pps(value + 0.0).replace("-", "−")
    text = si(value + 0.0).replace("-", "−")
    return f"{text}bps" if " " in text else f"{text} bps"


def loss_text(moment: Moment, bits: bool = False, frame: int | None = None) -> str:
    """The loss as text: ``457.9 kpps  31.4 %``; a dash for what is not known.

    It is in packets unless `bits` is set and the length of the frames (`frame`, bytes with FCS) is known.
    """
    share = moment.lost_share
    if moment.lost is None:
        return NONE
    percent = f"{NONE} %" if share is None else f"{round(share * 100, 1) + 0.0:.1f} %".replace("-", "−")
    least = "≥ " if moment.attacked else ""
    return f"{least}{rate_text(moment.loss(bits, frame), bits and frame is not None)}  {percent}"


class Colors(Protocol):
    """Styles by meaning: a Palette, or the comparison's."""

    def __getitem__(self, name: str) -> Style: ...

    def bold(self, name: str) -> Style:
        """The style of a meaning, bold."""


def reading_line(
    moment: Moment,
    when: str,
    ago: str,
    width: int,
    colors: Colors,
    *,
    bits: bool = False,
    frame: int | None = None,
    signs: bool = True,
) -> Line:
    """The cursor's line, as much as fits into `width` cells.

    `ago` is left out first, then the flows' names, then forwarded if there is a receiver, then the attack.
    `frame`: as in Reading. `signs`: each flow has its line's sign; without signs it keeps its name.
    """
    flows = tuple(moment.flows)
    fewer = tuple(name for name in flows if name != "forwarded" or "received" not in flows)
    least = tuple(name for name in fewer if name != "attack")
    tries = (
        (flows, True, ago),
        (flows, True, ""),
        (flows, False, ""),
        (fewer, False, ""),
        (least, False, ""),
    )
    line: Line = []
    for shown, named, more in tries:
        line = [(f" {when}", colors["bold"])]
        if more:
            line.append((f"  {more}", colors["dim"]))
        said: set[str] = set()
        for name in shown:
            reading = moment.flows[name]
            cause = reading.cause(bits, frame)
            # a sign alone before a dash would look like two signs or two dashes
            words = [SIGNS[name]] * signs + [name] * (named or not signs or bool(cause))
            line.append((f"  {' '.join(words)} ", colors[name]))
            line.append((rate_text(reading.rate(bits, frame), bits), colors.bold(name)))
            if cause and cause not in said:
                said.add(cause)
                line.append((f" ({cause})", colors["text"]))
        if "offered" in flows and len(flows) > 1:
            line += [
                ("  lost ", colors["dim"]),
                (loss_text(moment, bits, frame), colors.bold("drops" if _much(moment) else "text")),
            ]
        if length(line) <= width:
            break
    return line


def _much(moment: Moment) -> bool:
    return moment.lost_share is not None and moment.lost_share >= LOSS
