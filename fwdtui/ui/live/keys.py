"""Keys and help of the live screen."""

from textual.binding import Binding

HELP = """\
# Live
**Offered**, **forwarded** and **received** share one time axis: dotted, dashed and solid. The dotted area
between them is loss. The sentence above the graph says what limits this run. On the axis a thick line is a
blast, a double one the measured window of an iteration. A gap, or a dash for a number, means *not known*.

`s` saves the current window as an iteration; with `a` each blast becomes one automatically. `b` chooses a
session to compare the iterations so far with. `p` or `space` pauses the picture, not the recording. `tab`
goes from panel to panel, `m` or a double click enlarges one.

The **cursor** of the graph shows the values of one moment: point at it with the mouse (a click keeps it
there) or focus the graph and press `←` `→`, with `shift` ten samples, `home` or `end`; `Esc` or `Enter` puts
it away. `T` shows the same samples as a table, to copy or save.

`u` shows the flows in bits, as each interface counts its bytes or the tool prints them. Systems and drivers
differ in which bytes of a frame they count, so loss and line rate stay in packets.
"""
BINDINGS: tuple[Binding, ...] = (
    # the footer must fit into 80 columns: one short word each; the actions' docstrings say more
    Binding("s", "save", "save", id="live.cut"),
    Binding("S", "take_back", "take back", show=False, id="live.take_back"),
    Binding("a", "automatic", "auto", id="live.automatic"),
    Binding("p,space", "pause", "pause", key_display="p", id="live.pause"),
    Binding("z,minus", "zoom(1)", "zoom", id="live.zoom_out"),
    Binding("Z,plus,equals_sign", "zoom(-1)", "zoom in", show=False, id="live.zoom_in"),
    Binding("m", "maximise", "max", id="live.maximise"),
    Binding("u", "unit", "bps", id="live.unit"),
    Binding("b", "baseline", "base", id="live.baseline"),
    Binding("T", "table", "table", show=False, id="live.table"),
    Binding("i", "interfaces", "interfaces", show=False, id="live.interfaces"),
    Binding("g", "generator", "gen", id="live.generator"),
    Binding("c", "app.sessions", "sessions", id="live.sessions"),
)
