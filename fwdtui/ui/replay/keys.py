"""Keys and help of the replay."""

from textual.binding import Binding

HELP = """\
# Replay
A recording on the live screen. Numbers, sentences and iterations are worked out from the recorded samples as
they were when it was recorded; clocks show the time of then. `space` stops **time itself** and lets it go on
(on the live screen it stops only the picture).

`←` `→` go 5 s, with `shift` or `page up`/`page down` a minute, `.` and `,` one sample, `n` and `p` from blast
to blast, `home` (or `0`) and `end` to the ends. `[` plays slower, `]` faster, from 1/8 to 64 times. `o` plays
it again and again. The bar at the bottom is the whole recording: thick is a blast, double what was measured;
click it to go there.

`v` lays a second recording beside this one, each of its blasts beginning with one of these: `┉` in the graph,
and its numbers in a line of their own. `b` chooses a session that the iterations so far are compared with.
Nothing can be kept or started here: a recording is never changed.
"""
BINDINGS: tuple[Binding, ...] = (
    Binding("space", "play", "play", id="replay.play", tooltip="Time goes on"),
    Binding("space", "stop", "stop", id="replay.stop", tooltip="Time stops"),
    Binding("left", "skip(-5)", "5 s", key_display="←/→", id="replay.back", tooltip="5 s back, or on"),
    Binding("right", "skip(5)", "5 s on", show=False, id="replay.forward"),
    Binding("shift+left,pageup", "skip(-60)", "a minute back", show=False, id="replay.back_far"),
    Binding("shift+right,pagedown", "skip(60)", "a minute on", show=False, id="replay.forward_far"),
    Binding("n", "blast(1)", "blast", key_display="n/p", id="replay.next_blast", tooltip="To the next one"),
    Binding("p", "blast(-1)", "previous blast", show=False, id="replay.previous_blast"),
    Binding("full_stop", "step(1)", "step", key_display="./,", id="replay.step", tooltip="One sample on"),
    Binding("comma", "step(-1)", "step back", show=False, id="replay.step_back"),
    Binding(
        "right_square_bracket",
        "faster(1)",
        "speed",
        key_display="[/]",
        id="replay.faster",
        tooltip="Faster, or slower",
    ),
    Binding("left_square_bracket", "faster(-1)", "slower", show=False, id="replay.slower"),
    Binding("o", "loop", "loop", show=False, id="replay.loop", tooltip="At the end, begin again"),
    Binding("home,0", "ends(False)", "beginning", show=False, id="replay.beginning"),
    Binding("end", "ends(True)", "end", show=False, id="replay.end"),
    Binding("v", "beside", "beside", id="replay.beside", tooltip="A second recording, to compare"),
    Binding("escape", "leave", "back", key_display="esc", id="replay.leave"),
    # as on the live screen, but the footer is for the keys that move time
    Binding("z,minus", "zoom(1)", "zoom", show=False, id="live.zoom_out"),
    Binding("m", "maximise", "max", show=False, id="live.maximise"),
    Binding("u", "unit", "bps", show=False, id="live.unit"),
    Binding("c", "app.sessions", "sessions", show=False, id="live.sessions"),
    Binding("b", "baseline", "baseline", show=False, id="live.baseline"),
)
