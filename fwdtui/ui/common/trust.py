"""Shows files that may run commands, in full, before any of their commands run."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from fwdtui.collectors.lab_trust import UntrustedError
from fwdtui.core.text import visible
from fwdtui.transport import trusted
from fwdtui.ui.common.copying import IN_DIALOG
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.moving import IN_LISTS
from fwdtui.ui.common.styled_once import StyledOnce


class TrustScreen(StyledOnce, ModalScreen[bool]):
    """Shows every line of every file. Enter says yes only at the end, so that a stray one does no harm."""

    HELP = """\
# Files that may run commands
A lab's ssh_config can run programs on this computer, and its `start`, `stop` and `at_rate` run on the hosts.
Read the files; `y` trusts them as they are now, and so does `Enter` at their end. When one of them changes,
you are asked again and see what is new. `fwdtui trust --list` shows what you trust.
"""
    DEFAULT_CSS = """
    TrustScreen { background: $surface; layout: vertical; }
    TrustScreen #files { height: 1fr; padding: 0 1; }
    TrustScreen #listing { width: 100%; height: auto; }
    TrustScreen #ask { height: auto; padding: 0 1; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "trust these files", id="trust.yes"),
        Binding("enter", "on", "read on, then trust", key_display="⏎", id="trust.on"),
        Binding("n,escape", "answer(False)", "do not connect", key_display="esc", id="trust.no"),
        IN_DIALOG,
        *IN_LISTS,
    ]
    AUTO_FOCUS = "#files"

    def __init__(self, error: UntrustedError) -> None:
        super().__init__()
        self.error = error

    def compose(self) -> ComposeResult:
        new = "It has changed since you trusted it: + marks what is new. " if self.error.changed else ""
        text = Text("May these files run commands?\n", style="bold")
        where = visible(str(self.error.root))
        what = (
            "Its ssh_config can run programs on this computer; its start, stop and at_rate run on the hosts."
        )
        text.append(f"{where}: {new}{what} Nothing has run yet.", style="not bold")
        yield Static(text, id="ask", markup=False)
        with VerticalScroll(id="files"):
            yield Static(listing(self.error), id="listing", markup=False)
        yield Footer()

    def action_answer(self, answer: bool) -> None:
        """Answer by key."""
        self.dismiss(answer)

    def action_on(self) -> None:
        """Scroll a page; at the end, answer yes."""
        files = self.query_one("#files")
        if files.scroll_offset.y < files.max_scroll_y:
            files.scroll_page_down(animate=False)
        else:
            self.dismiss(True)


def listing(error: UntrustedError) -> Text:
    """The files one after the other, with line numbers. In changed files, new lines are marked."""
    text = Text()
    for file in error.files:
        text.append(f"{visible(str(file.path.absolute()))}\n", style="bold")
        lines = trusted.changes(error.root, file)
        number = 0
        for mark, line in [(" ", line) for line in file.lines] if lines is None else lines:
            number += mark != "-"
            where = f"{number:>4}" if mark != "-" else "    "
            text.append(f"{where} {mark} ", style="dim")
            text.append(f"{visible(line)}\n", style="bold" if mark == "+" else "dim" if mark == "-" else "")
        text.append("\n")
    for path in error.gone:
        text.append(f"{visible(str(path))}\n", style="bold")
        text.append("     - this file is gone\n\n", style="dim")
    return text
