"""The key that copies: finds what is under the cursor, puts it into the clipboard, and says what it was.

No terminal says whether it took the text (OSC 52), and many take none. The last copy is therefore in a file
as well, and the first notice of a run says where.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from fwdtui.core.text import clean_lines
from fwdtui.store import atomic
from fwdtui.ui.common import state
from fwdtui.ui.common.copying import COPIED, Copies, Copy, lines
from fwdtui.ui.common.usual_copies import usual

if TYPE_CHECKING:
    from fwdtui.ui.shell.actions import Actions

_NOTHING = Copy("There is nothing to copy here.", "")
_MOST = 700_000  # bytes: as an escape sequence it is just short of the 1 MiB that tmux takes
_FILE = "copied.txt"


def under_cursor(screen: Screen[object]) -> Copy:
    """What was selected with the mouse; else what the focused widget, or what contains it, says.

    Our own widgets and the screen know best; Textual's widgets have the last word.
    """
    if selected := screen.get_selected_text():
        return lines("the selected text", selected)
    focused = screen.focused
    nodes = [screen] if focused is None else focused.ancestors_with_self
    own = (node.to_copy() for node in nodes if isinstance(node, Copies))
    copies = (one for one in (*own, *map(usual, nodes)) if one is not None)
    return next(copies, _NOTHING)


def copy(app: "Actions", copied: Copy) -> None:
    """Copy `copied` and say what it was, or say why nothing was copied."""
    for notice in [one for one in app._notifications if one.message.startswith(COPIED)]:
        app._unnotify(notice)
    # a line end would run a command that is pasted into a shell
    text = "\n".join(line.rstrip(" ") for line in clean_lines(copied.text).strip("\n").split("\n"))
    if not text.strip():
        app.notify(copied.what)
        return
    told = f"{COPIED}{copied.what}"
    file = _kept(text)
    if len(text.encode("utf-8", "replace")) > _MOST:
        where = f"it is in {file}" if file else "select a part of it"
        app.notify(f"Too long for a terminal's clipboard: {copied.what}; {where}.", severity="warning")
        return
    app.put_into_clipboard(text)
    if file and not app.told_of_copies:
        app.told_of_copies = True
        told += f"\nAlso saved in {file}, since not every terminal supports copying (OSC 52)"
    app.notify(told)


def _kept(text: str) -> str:
    """The file that the text was also written to; "" if that is not possible."""
    path = state.folder() / _FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.replace(path, f"{text}\n".encode("utf-8", "replace"))
        home = Path.home()
    except (OSError, RuntimeError):  # the latter: there is no home
        return ""
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
