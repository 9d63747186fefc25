"""Keys and help of the list of sessions and of the screen of one."""

from textual.binding import Binding, BindingType

from fwdtui.ui.common.footer import FooterKeys
from fwdtui.ui.sessions.session_changes import UNDO

TABS = {  # id: its title
    "series": "series",
    "account": "packets, warnings",
    "logs": "logs",
    "dmesg": "dmesg",
    "distribution": "distribution",
    "facts": "facts",
    "functions": "functions",
}


def _sessions_key(
    keys: str, action: str, words: str, more: str, *, show: bool = True, face: str = ""
) -> Binding:
    shown = face or (keys.partition(",")[0] if "," in keys else None)
    return Binding(keys, action, words, show=show, key_display=shown, id=f"sessions.{action}", tooltip=more)


SESSIONS_HELP = """\
# Sessions
Each row is one session: a build or a setting of the DUT. Mark a **baseline** (`b`) and one or more
**candidates** (`space`), then press `c`: every case they have in common is compared. `U` removes all marks.
`Enter` opens the session under the cursor with its iterations, their series and logs.

The column `!` counts the warnings that are listed beside or below the list: the iterations' own, and those
that any comparison of this session would add, such as that all ran on one boot.

With a baseline marked, the column **against baseline** shows the worst verdict of each session's cases, and
how many more cases there are (`+2`). `–` means that no case can be compared. All cases, or the reason, are
beside or below the list. This is the verdict that `c` gives for the two alone; a comparison of more sessions
may be more cautious.

`S` shows a **sweep**: medians over a factor with three levels or more, such as queues. It takes the marked
sessions; without any, all that the filter shows; without a filter, the one under the cursor, or its group.
If that one alone offers no sweep, it takes all that are listed, and says so.

`/` shows only sessions whose label, case, kernel, lab, tree or note contains what you type. `>` and `<` sort
by the next or the previous column, `I` inverts the order; a click on a column's head does both. `y` copies
the row with all its values. Sorted by
verdict, the greatest loss is first, and what has no verdict last.

`G` groups the list by the result tree that sessions were imported from, by lab, or not at all. A group's
heading counts its sessions and, against a baseline, their verdicts. `Enter` folds or unfolds the group; `←`
folds it, from a session goes to its heading, and `→` unfolds it; with `shift` all groups. A filter also finds
what is folded.

Recorded data are never changed: a new label (`R`) or a note (`t`) is saved beside them, a deleted session
(`d`) moves to the folder `.trash`, and `u` undoes your last change.
"""
SESSIONS: tuple[BindingType, ...] = (
    _sessions_key("b", "baseline", "baseline", "compare the others with this one"),
    _sessions_key("space", "candidate", "candidate", "add it to the comparison, or remove it"),
    _sessions_key("c", "compare", "compare", "the marked sessions"),
    _sessions_key("S", "sweep", "sweep",
                  "medians over a factor: marked or filtered sessions, this one, or all"),
    _sessions_key("slash", "filter", "filter", "label, case, kernel, lab, tree or note", face="/"),
    _sessions_key("escape", "show_all", "show all", "clear the filter", show=False),
    _sessions_key("r", "replay", "replay", "its recording on the live screen"),
    _sessions_key("t", "annotate", "note", "write a note on it"),
    _sessions_key("d,delete", "delete", "delete", "to the trash"),
    _sessions_key("R", "rename", "rename", "the recorded label is kept"),
    UNDO,
    Binding("greater_than_sign", "sort(1)", "sort", key_display="</>", id="sessions.sort",
            tooltip="by the next column"),
    Binding("less_than_sign", "sort(-1)", "sort by the previous column", show=False, id="sessions.sort_back"),
    _sessions_key("I", "turn", "invert", "sort the other way round"),
    _sessions_key("G", "group", "group", "by result tree, by lab, or not at all"),
    _sessions_key("U", "unmark", "unmark all", "remove all marks, also those of cases"),
    _sessions_key("o", "folder", "open folder", "other sessions"),
    _sessions_key("f5", "reload", "read again", "what is in the folder", face="F5"),
)  # fmt: skip
NEED_ONE = {"baseline", "candidate", "compare", "replay", "rename", "annotate", "delete"}
NEED_ONE |= {"sweep", "filter", "sort", "turn", "group"}
"""Actions of the list that need a session in it."""
SESSIONS_FOOTER = FooterKeys(
    first=(
        "sessions.open",
        "sessions.baseline",
        "sessions.candidate",
        "sessions.compare",
        "sessions.filter",
        "sessions.replay",
        "sessions.annotate",
    ),
    short={"sessions.baseline": "base"},
)


def _session_key(
    keys: str, action: str, words: str, more: str, *, show: bool = True, face: str = ""
) -> Binding:
    name = action.partition("(")[0]
    return Binding(
        keys, action, words, show=show, key_display=face or None, id=f"session.{name}", tooltip=more
    )


SESSION_HELP = """\
# One session
Each iteration is one value: the median of its measured window. The tabs, `1` to `7`, show the iteration
under the cursor: its **series**, where every packet went, its raw logs and kernel messages; then the
distribution of the case's iterations, the session's facts, and the **functions** in which CPU time was
spent, if a profile was taken (`/` searches there, else the facts; `Enter` and `←` `→` open and fold, `x`
turns the tree round). `n` and `p` go to the next and the previous iteration, `r` replays it. Point at the
series, or go there with `tab` and press `←` `→`, for the values of one moment; `T` shows all of them as a
table. `y` copies the row under the cursor, or what the open tab shows if that is in focus.

With several cases, `tab` leads to their list: there `b` and `space` mark the case under the cursor, so that
`c` compares inet4 with inet6, of one session or of two.

`d` drops a spoiled iteration from the statistics, with a reason. It stays in its place, struck through, and
reports name it with the reason. A second `d` restores it.
"""
SESSION: tuple[BindingType, ...] = (
    _session_key("r", "replay", "replay", "the iteration, or the case, on the live screen"),
    _session_key("d", "drop", "drop / restore", "leave it out of the statistics, with a reason"),
    Binding("n", "other(1)", "iteration", key_display="n/p", id="session.next", tooltip="The next iteration"),
    Binding("p", "other(-1)", "previous iteration", show=False, id="session.previous"),
    Binding("1", "tab('series')", "tab", key_display="1-7", id="session.tab_series", tooltip="Series"),
    *(Binding(str(number), f"tab('{name}')", f"tab: {title}", show=False, id=f"session.tab_{name}")
      for number, (name, title) in enumerate(TABS.items(), 1) if name != "series"),
    _session_key("slash", "search", "search", "facts, by name or value, or functions", face="/"),
    _session_key("escape", "back", "back", "to where it was opened"),
    _session_key("b", "baseline", "baseline", "compare the others with this one"),
    _session_key("space", "candidate", "candidate", "add it to the comparison, or remove it"),
    _session_key("c", "compare", "compare", "the marked sessions"),
    _session_key("S", "sweep", "sweep", "medians over a factor of this session"),
    _session_key("T", "table", "table", "the iteration's samples as a table, to copy or save"),
    _session_key("t", "annotate", "note", "write a note on the session"),
    UNDO,
    _session_key("f5", "reload", "read again", "the session", face="F5"),
)  # fmt: skip
SESSION_FOOTER = FooterKeys(
    first=(
        "session.replay",
        "session.drop",
        "session.next",
        "session.tab_series",
        "session.search",
        "session.back",
    ),
    short={"session.drop": "drop", "session.baseline": "base"},
)


SWEEP_HELP = """\
# Sweep
Medians over the levels of one factor, with the least and the greatest value (`¦`). For queues and cores the
dots are linear scaling from the first level, and the heading says where each line stops scaling. Iterations
that differ in another factor are never pooled: they make lines or charts of their own.

`F` puts another factor on the axis, `K` draws a line for each level of another one, `tab` shows the next
chart if there are several. `f` draws a linear axis instead of a logarithmic one, or the reverse. `x` shows
the table, with all that was left out and every warning. `y` copies all of it. `e`
writes the report, with SVG charts, CSV and gnuplot scripts; so does the command at the bottom. `C` draws what
a packet costs instead of the rate.

Line rate is drawn where the sessions say how fast the link is and how long the frames are. `W` asks for it:
type `10G 64`, or one of the two. A frame size that was recorded, or is a factor, is never replaced.
"""
SWEEP: tuple[BindingType, ...] = (
    Binding("F", "factor", "factor", id="sweep.factor", tooltip="Another factor on the axis"),
    Binding("K", "series", "lines", id="sweep.series", tooltip="A line for each level of another factor"),
    Binding(
        "x", "table", "table", id="sweep.table", tooltip="The chart, or the table with notes and warnings"
    ),
    Binding("e", "export", "report", id="sweep.export", tooltip="Write it: tables, charts and data files"),
    Binding("f", "scale", "linear/log", id="sweep.scale", tooltip="Linear or logarithmic axis"),
    Binding("W", "link", "link", id="sweep.link", tooltip="The link's speed and the frames' length"),
    Binding(
        "C",
        "metric",
        "metric",
        id="sweep.metric",
        show=False,
        tooltip="Draw the rate, or what a packet costs",
    ),
    Binding("tab", "chart(1)", "next chart", priority=True, id="sweep.next", tooltip="Of several charts"),
    Binding("shift+tab", "chart(-1)", "previous chart", show=False, priority=True, id="sweep.previous"),
    Binding("escape", "back", "back", id="sweep.back"),
    Binding("f5", "reload", "read again", key_display="F5", id="sweep.reload"),
)
SWEEP_FOOTER = FooterKeys(
    first=(
        *("sweep.factor", "sweep.series", "sweep.table", "sweep.export", "sweep.next", "sweep.link"),
        *("sweep.scale", "sweep.back", "app.copy"),
    )
)
