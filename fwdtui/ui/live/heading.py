"""The top line: lab and case, the length of the blast, and which hosts answer."""

from collections.abc import Iterable
from typing import ClassVar

from textual.geometry import Size
from textual.strip import Strip

from fwdtui.monitor.live.snapshot import HostView, Snapshot
from fwdtui.report.cells import shorten
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel, beside, length
from fwdtui.ui.draw.view import OLD, View, lasting

_LEAST = 16  # columns of a name; a shorter one would tell nothing


class Heading(Panel, can_focus=False):
    """The top line, with the hosts at its right end.

    A lost or silent host says since when, and is never left out.
    """

    ALLOW_MAXIMIZE: ClassVar[bool] = False

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn: the blast's seconds, the hosts' states, and the choices of the view."""
        hosts = [(host.name, host.up, host.since) for host in snapshot.hosts]
        began = snapshot.blast.began if snapshot.blast else None
        passed = None if began is None else int(snapshot.now - began)
        lost = [int(snapshot.now - host.since) for host in snapshot.hosts if not host.up]
        lost += [int(host.old) for host in snapshot.hosts if host.old is not None]
        said = view.where, view.started, view.paused, view.recording, view.generator, view.plan
        return hosts, passed, lost, snapshot.automatic, snapshot.now if view.paused else None, said

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Draw the line. If it is too long, the hosts' names go first, then the lab's; then names are cut."""
        state = _state(snapshot, view, colors)
        names = hosts(snapshot, view, colors, names=True)
        if length(state) + length(names) > size.width:
            names = hosts(snapshot, view, colors, names=False)
        if view.paused and length(state) + length(names) >= size.width:
            state = _paused(snapshot, view, colors)
        room = size.width - length(state) - length(names) - 1
        left = [*_names(snapshot, view, room, colors), *state]
        # if not even that fits, the user must see the lost host, and that the picture is paused
        lost = any(not host.up or host.old is not None for host in snapshot.hosts)
        if lost and length(left) + length(names) >= size.width:
            yield [*state, *names] if view.paused else names
        else:
            yield beside(left, names, size.width)


def _names(snapshot: Snapshot, view: View, room: int, colors: Palette) -> Line:
    """The lab, and the session and case being recorded, in `room` columns; nothing if that is too few."""
    line: Line = [(f" {snapshot.lab}", colors["bold"])]
    if view.where:
        line += [(" ▸ ", colors["dim"]), (view.where, colors["bold"])]
    if length(line) <= room:
        return line
    return [(f" {shorten(view.where or snapshot.lab, room - 1)}", colors["bold"])] if room > _LEAST else []


def _state(snapshot: Snapshot, view: View, colors: Palette) -> Line:
    line: Line = []
    if view.paused:
        goes_on = "recording goes on" if view.recording else "nothing is recorded"
        return [*_paused(snapshot, view, colors), (f", {view.plan or goes_on}", colors["dim"])]
    if view.plan:
        sign = "  ■ " if snapshot.blast is None else "  ▶ "
        return [(sign, colors.bold("accent")), (view.plan, colors.bold("accent"))]
    if snapshot.blast is None:
        line.append(("  ■ quiet", colors["dim"]))
    else:
        line += [("  ▶ blast ", colors.bold("accent"))]
        line.append((lasting(snapshot.now - snapshot.blast.began), colors["text"]))
    by_hand = f"  by hand ({key('live.cut', 's')})"
    line.append(("  auto" if snapshot.automatic else by_hand, colors["dim"]))
    if view.generator:
        line.append((f"  {view.generator}", colors["text"]))
    return line


def _paused(snapshot: Snapshot, view: View, colors: Palette) -> Line:
    return [("  ", colors["dim"]), (f"⏸ paused at {view.clock(snapshot.now)}", colors.bold("warning"))]


def hosts(snapshot: Snapshot, view: View, colors: Palette, names: bool) -> Line:
    """The hosts' states, including hosts that never answered."""
    seen = {host.name: host for host in snapshot.hosts}
    line: Line = []
    for name in view.lab.hosts():
        host: HostView | None = seen.get(name)
        if host is None:
            line += [("  ○ ", colors["dim"]), (name, colors["dim"])]
        elif host.up and host.old is not None:
            line.append((f"  {OLD} {name} silent {lasting(host.old)}", colors.bold("warning")))
        elif host.up:
            line.append(("  ● ", colors["good"]))
            line.append((name if names else "", colors["text"]))
        elif host.last is None and host.rates is None:
            line.append((f"  ✕ {name} not reached", colors.bold("error")))
        else:
            line.append((f"  ✕ {name} lost at {view.clock(host.since)}", colors.bold("error")))
            line.append(
                (f", {lasting(snapshot.now - host.since)} ago", colors["error"])
                if names
                else ("", colors["dim"])
            )
    return [*line, (" ", colors["dim"])]
