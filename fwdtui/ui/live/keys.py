"""Keys and help of the live screen."""

from textual.binding import Binding

from fwdtui.ui.common.footer import FooterKeys

HELP = """\
# Live
**Offered**, **forwarded** and **received** share one time axis: dotted, dashed and solid. The dotted area
between them is loss. The sentence above the graph says what limits this run. On the axis a thick line is a
blast, a double one the measured window of an iteration. A gap, or a dash for a number, means *not known*.

`s` saves the current window as an iteration, `u` takes that back; with `a` each blast becomes one
automatically. `b` chooses a session to compare the iterations so far with. `space` pauses the picture, not
the recording; `z` and `Z` show less or more time. `tab` goes from panel to panel, `m` or a double click
enlarges one.

The **cursor** of the graph shows the values of one moment: point at it with the mouse (a click keeps it
there) or focus the graph and press `←` `→`, with `shift` ten samples, `home` or `end`; `Esc` or `Enter` puts
it away. `T` shows the same samples as a table, to copy or save.

`y` copies as text: the panel in focus, on the graph the sample under its cursor, else the numbers.

`B` shows bits. If the length of the frames is known (`frame` in lab.toml, or pkt-gen's `-l`), flows, loss and
line rate are computed from packets, on layer 2 with the FCS. Else the flows are what each interface or tool
counts. Systems and drivers differ in which bytes of a frame those are, so loss and line rate stay in packets.
`L1` is what the offered frames occupy on the link, with preamble and gap.
"""
BINDINGS: tuple[Binding, ...] = (
    # the help shows the first lines of the actions' docstrings
    Binding("s", "save", "save", id="live.cut"),
    Binding("space", "pause", "pause", id="live.pause"),
    Binding("g", "generator", "generator", id="live.generator"),
    Binding("m", "maximise", "maximise", id="live.maximise"),
    Binding("a", "automatic", "automatic", id="live.automatic"),
    Binding("z", "zoom(-1)", "zoom in/out", key_display="z/Z", id="live.zoom_in", tooltip="Less time"),
    Binding("Z", "zoom(1)", "zoom out", show=False, id="live.zoom_out", tooltip="More time"),
    Binding("f3", "app.sessions", "sessions", key_display="F3", id="live.sessions"),
    Binding("b", "baseline", "baseline", id="live.baseline"),
    Binding("B", "unit", "bits", id="live.unit"),
    Binding("T", "table", "table", id="live.table"),
    Binding("i", "interfaces", "interfaces", id="live.interfaces"),
    Binding("u,ctrl+z", "take_back", "take back", key_display="u", id="live.take_back"),
)
FOOTER = FooterKeys(
    first=("live.cut", "live.pause", "live.generator", "live.sessions"),
    short={
        "live.generator": "gen",
        "live.maximise": "max",
        "live.automatic": "auto",
        "live.zoom_in": "zoom",
        "live.baseline": "base",
    },
)
