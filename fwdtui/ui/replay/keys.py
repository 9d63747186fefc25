"""Keys and help of the replay."""

from textual.binding import Binding

from fwdtui.ui.common.footer import FooterKeys

HELP = """\
# Replay
A recording on the live screen. Numbers, sentences and iterations are computed from the recorded samples, as
they were during the run; clocks show the recorded time. `space` stops and resumes **time itself** (on the
live screen it pauses only the picture).

`←` `→` go 5 s, with `shift` or `page up`/`page down` a minute, `.` and `,` one sample, `n` and `p` from blast
to blast, `home` (or `0`) and `end` to the ends. `[` plays slower, `]` faster, from 1/8 to 64 times. `L` plays
it in a loop. The bar at the bottom is the whole recording: a thick line is a blast, a double one a measured
window; click to go there.

Point at the graph for the values of one moment; a click keeps the cursor there. While the graph is focused,
`←` `→`, `home` and `end` move the cursor, and `Esc` or `Enter` puts it away. `T` shows the samples of the
graph as a table; `fwdtui replay SESSION --table` prints those of the whole recording. `y` copies the panel in
focus, or the numbers of this moment.

`v` shows a second recording beside this one, aligned by blast: `┉` in the graph, with its numbers in a line
of their own. If a part of it does not fit beside this one, a notice says which part. `b` chooses a session to
compare the iterations so far with.
Nothing can be saved or started here: a recording is never changed.
"""
BINDINGS: tuple[Binding, ...] = (
    Binding("space", "play", "play", id="replay.play", tooltip="Resume time"),
    Binding("space", "stop", "stop", id="replay.stop", tooltip="Stop time"),
    Binding("left", "skip(-5)", "5 s", key_display="←/→", id="replay.back", tooltip="Back"),
    Binding("right", "skip(5)", "5 s forward", show=False, id="replay.forward"),
    Binding("shift+left,pageup", "skip(-60)", "a minute back", show=False, id="replay.back_far"),
    Binding("shift+right,pagedown", "skip(60)", "a minute forward", show=False, id="replay.forward_far"),
    Binding("n", "blast(1)", "blast", key_display="n/p", id="replay.next_blast", tooltip="To the next blast"),
    Binding("p", "blast(-1)", "previous blast", show=False, id="replay.previous_blast"),
    Binding(
        "full_stop", "step(1)", "step", key_display="./,", id="replay.step", tooltip="One sample forward"
    ),
    Binding("comma", "step(-1)", "step back", show=False, id="replay.step_back"),
    Binding(
        "right_square_bracket",
        "faster(1)",
        "speed",
        key_display="[/]",
        id="replay.faster",
        tooltip="Faster",
    ),
    Binding("left_square_bracket", "faster(-1)", "slower", show=False, id="replay.slower"),
    Binding("L", "loop", "loop", id="replay.loop", tooltip="Start again at the end"),
    Binding("home,0", "ends(False)", "beginning", show=False, id="replay.beginning"),
    Binding("end", "ends(True)", "end", show=False, id="replay.end"),
    Binding("v", "beside", "overlay", id="replay.beside", tooltip="A second recording, to compare"),
    Binding("escape", "leave", "back", key_display="esc", id="replay.leave"),
    # as on the live screen; the footer shows the keys that move time first, and these if there is room
    Binding("z", "zoom(-1)", "zoom in/out", key_display="z/Z", id="live.zoom_in", tooltip="Less time"),
    Binding("Z", "zoom(1)", "zoom out", show=False, id="live.zoom_out", tooltip="More time"),
    Binding("m", "maximise", "maximise", id="live.maximise"),
    Binding("B", "unit", "bits", id="live.unit"),
    Binding("f3", "app.sessions", "sessions", show=False, id="live.sessions"),
    Binding("b", "baseline", "baseline", id="live.baseline"),
)
FOOTER = FooterKeys(
    first=(
        "replay.play",
        "replay.stop",
        "replay.back",
        "cursor.back",  # has the same keys while the graph is in focus
        "replay.next_blast",
        "replay.leave",
        "replay.step",
        "replay.faster",
        "replay.beside",
        "replay.loop",
    ),
    short={"live.zoom_in": "zoom", "live.maximise": "max", "live.baseline": "base"},
)
