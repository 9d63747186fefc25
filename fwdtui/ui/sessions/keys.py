"""Keys and help of the list of sessions and of the screen of one."""

from textual.binding import Binding, BindingType

from fwdtui.ui.sessions.session_changes import UNDO


def _sessions_key(keys: str, action: str, words: str, more: str, *, show: bool = True) -> Binding:
    shown = keys.partition(",")[0] if "," in keys else None
    return Binding(keys, action, words, show=show, key_display=shown, id=f"sessions.{action}", tooltip=more)


SESSIONS_HELP = """\
# Sessions
Each row is one session: a build or a setting of the DUT. Mark a **baseline** (`b`) and one or more
**candidates** (`space`), then press `c`: every case they have in common is compared. `Enter` opens the
session under the cursor with its iterations, their series and logs.

`/` shows only sessions whose label, case, kernel, lab or note contains what you type. `s` sorts by the next
column, `S` reverses the order; a click on a column's head does both. Recorded data are never changed: a new
label or a note is saved beside them, a deleted session moves to the folder `.trash`, and `u` undoes your
last change.
"""
SESSIONS: tuple[BindingType, ...] = (
    _sessions_key("b", "baseline", "baseline", "compare the others with this one"),
    _sessions_key("space", "candidate", "candidate", "add it to the comparison, or remove it"),
    _sessions_key("c", "compare", "compare", "the marked sessions"),
    Binding(
        "slash",
        "filter",
        "filter",
        key_display="/",
        id="sessions.filter",
        tooltip="label, case, kernel, lab or note",
    ),
    _sessions_key("escape", "show_all", "show all", "clear the filter", show=False),
    _sessions_key("s", "sort", "sort", "by the next column", show=False),
    _sessions_key("S", "turn", "reverse order", "sort the other way round", show=False),
    _sessions_key("p", "replay", "replay", "its recording on the live screen", show=False),
    _sessions_key("R", "rename", "rename", "the recorded label is kept", show=False),
    _sessions_key("a", "annotate", "note", "write a note on it", show=False),
    _sessions_key("x,delete", "delete", "delete", "to the trash", show=False),
    UNDO,
    _sessions_key("r", "reload", "reload", "read the folder again", show=False),
    _sessions_key("o", "folder", "open folder", "other sessions", show=False),
)


def _session_key(
    keys: str, action: str, words: str, more: str, *, show: bool = False, face: str = ""
) -> Binding:
    name = action.partition("(")[0]
    return Binding(
        keys, action, words, show=show, key_display=face or None, id=f"session.{name}", tooltip=more
    )


SESSION_HELP = """\
# One session
Each iteration is one value: the median of its measured window. The tabs show the iteration under the cursor:
its **series**, where every packet went, its raw logs and kernel messages; then the distribution of the case's
iterations, and the session's facts (`/` searches them). Point at the series, or go there with `tab` and press
`←` `→`, for the values of one moment; `T` shows all of them as a table.

`d` drops a spoiled iteration from the statistics, with a reason. It stays in its place, struck through, and
reports name it with the reason. A second `d` restores it.
"""
SESSION: tuple[BindingType, ...] = (
    _session_key("d", "drop", "drop / restore", "leave it out of the statistics, with a reason", show=True),
    _session_key("n", "tab", "next tab", "series, packets, logs, dmesg ...", show=True),
    _session_key("p", "replay", "replay", "the iteration, or the case, on the live screen"),
    Binding(
        "left_square_bracket",
        "other(-1)",
        "previous iteration",
        show=False,
        key_display="[",
        id="session.previous",
    ),
    Binding(
        "right_square_bracket",
        "other(1)",
        "next iteration",
        show=False,
        key_display="]",
        id="session.next",
    ),
    _session_key("slash", "search", "search facts", "name or value", show=True, face="/"),
    _session_key("b", "baseline", "baseline", "compare the others with this one"),
    _session_key("space", "candidate", "candidate", "add it to the comparison, or remove it"),
    _session_key("c", "compare", "compare", "the marked sessions"),
    _session_key("T", "table", "table", "the iteration's samples as a table, to copy or save"),
    _session_key("a", "annotate", "note", "write a note on the session"),
    UNDO,
    _session_key("r", "reload", "reload", "read it again"),
    _session_key("escape", "back", "back", "to the sessions", show=True),
)
