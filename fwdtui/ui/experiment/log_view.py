"""The log of an experiment. It stays at its end unless the user has scrolled up."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from fwdtui.ui.common.copying import Copy, lines
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.experiment.log_lines import REPEATED, SIGNS, SOUND, TROUBLE, LogLine, with_days

_BOLD = (REPEATED, TROUBLE)


class LogView(VerticalScroll):
    """The log. `show` draws the lines if they have changed."""

    BORDER_TITLE = "log"

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._lines: Sequence[LogLine] = ()
        self._style: object = None

    def compose(self) -> ComposeResult:
        yield Static(id="log-lines", markup=False)

    def on_mount(self) -> None:
        """Stay at the end until the user scrolls."""
        self.anchor()

    def show(self, log: Sequence[LogLine], styles: Styles, theme: str) -> None:
        """Draw the lines, the newest at the bottom, if they or the theme have changed."""
        if (log, theme) == (self._lines, self._style):
            return
        self._lines, self._style = log, theme
        text = Text() if log else Text("nothing yet", style=styles["dim"])
        for place, line in enumerate(with_days(log)):
            text.append("\n" if place else "")
            text.append(f"{line.when:8} ", style=styles["dim"])
            bold = line.kind in _BOLD
            text.append(f"{SIGNS[line.kind]} ", style=styles.bold("warning") if bold else "")
            text.append(
                line.text, style=styles["bold"] if bold else styles["dim"] if line.kind == SOUND else ""
            )
        self.query_one("#log-lines", Static).update(text)

    def to_copy(self) -> Copy:
        """All lines."""
        if not self._lines:
            return Copy("The log is empty.", "")
        told = "\n".join(
            f"{line.when} {SIGNS[line.kind]} {line.text}".strip() for line in with_days(self._lines)
        )
        return lines("the log", told)
