"""The heading of a replay: whether it plays, how fast, and where in which recording."""

from collections.abc import Iterable

from textual.geometry import Size
from textual.strip import Strip

from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.report.cells import shorten
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, beside, length
from fwdtui.ui.draw.view import View, lasting
from fwdtui.ui.live.heading import Heading, hosts
from fwdtui.ui.replay.view import ReplayView, place, speed

_LEAST = 12  # columns of the recording's name; if fewer are left, the hosts are not shown


class PlaybackBar(Heading):
    """The heading. If space is short, hosts' names and clock go first, then the recording's name is cut.

    The word "replay" always stays.
    """

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn: the state of the playback, to the second."""
        assert isinstance(view, ReplayView)
        said = int(view.position - view.start), view.playing, view.looping, view.speed, view.reading
        return super().part(snapshot, view), said, view.clock(view.position)

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Draw the line."""
        assert isinstance(view, ReplayView)
        if view.reading:
            yield [(" ▷ replay ", colors.bold("accent")), (view.reading, colors["text"])]
            return
        state = _state(view, colors)
        passed: Line = []
        if snapshot.blast is not None:
            passed = [
                ("  blast ", colors["dim"]),
                (lasting(snapshot.now - snapshot.blast.began), colors["text"]),
            ]
        clock: Line = [(f"  {view.clock(view.position)}", colors["dim"])]
        name: Line = [(f"  {view.where}", colors["bold"])]
        for left, right in (
            ([*state, *name, *clock, *passed], hosts(snapshot, view, colors, names=True)),
            ([*state, *name, *clock], hosts(snapshot, view, colors, names=True)),
            ([*state, *name, *clock], hosts(snapshot, view, colors, names=False)),
            ([*state, *name], hosts(snapshot, view, colors, names=False)),
        ):
            if length(left) + length(right) < size.width:
                yield beside(left, right, size.width)
                return
        marks = hosts(snapshot, view, colors, names=False)
        room = size.width - length(state) - length(marks) - 3
        if room >= _LEAST:
            name = [(f"  {shorten(view.where, room)}", colors["bold"])]
            yield beside([*state, *name], marks, size.width)
        else:
            yield [*state, *name]


def _state(view: ReplayView, colors: Palette) -> Line:
    sign, meaning = ("▶", "accent") if view.playing else ("‖", "warning")
    line: Line = [(f" {sign} replay ", colors.bold(meaning)), (speed(view.speed), colors["text"])]
    if view.looping:
        line.append((" ↻", colors.bold("accent")))
    line.append((f" {place(view.position - view.start)}", colors["bold"]))
    line.append((f"/{place(view.end - view.start)}", colors["dim"]))
    return line
