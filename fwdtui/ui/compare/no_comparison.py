"""The mode Compare before anything is compared: it explains how to do so."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from fwdtui.core.shell_words import quote
from fwdtui.core.text import clean
from fwdtui.report.shell_words import argument
from fwdtui.ui.common.compared_how import AS_USUAL, ComparedHow
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import shell
from fwdtui.ui.common.styled_once import StyledOnce


class NoComparison(StyledOnce, Screen[None]):
    """Explains how to compare, and offers the last comparison again.

    `last`: its sessions, the baseline first; may be empty. `how`: its settings.
    """

    HELP = """\
# Compare
Nothing is compared yet. Among the sessions (`F3`), mark a **baseline** and one or more **candidates**, then
compare them: every case that they have in common. The screen names the keys.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter", "last", "last comparison", id="compare_mode.last", tooltip="Open the last comparison."
        ),
        Binding("escape", "app.pop_screen", "back", id="compare_mode.sessions"),
    ]

    def __init__(self, last: Sequence[Path], how: ComparedHow = AS_USUAL) -> None:
        super().__init__()
        self._last, self._how = list(last), how

    def compose(self) -> ComposeResult:
        yield Static(id="how", markup=False)
        yield Footer()

    def on_screen_resume(self) -> None:
        """Show the current marks."""
        self.query_one("#how", Static).update(self._told())

    def _told(self) -> Text:
        marks = shell(self).selection.marks
        sessions, compares = key("app.mode_sessions", "F3"), key("sessions.compare", "c")
        text = Text("Nothing is compared yet.\n\n", style="bold")
        marked = [clean(Path(path).name) for path in marks.candidates]
        if marks.base is not None and marked:
            text.append(f"Marked: {clean(Path(marks.base).name)} with {', '.join(marked)}. ", style="bold")
            text.append(f"Press {sessions}, then {compares}, to compare.\n\n", style="not bold")
        elif marks.base is not None or marked:
            also = f"To compare what is marked in {sessions}, also mark {marks.missing()}.\n\n"
            text.append(also, style="not bold")
        base, other = key("sessions.baseline", "b"), key("sessions.candidate", "space")
        how = f"There, {base} marks the baseline, {other} the candidates, and {compares} compares them."
        text.append(f"{sessions} shows the sessions. {how}", style="not bold")
        if self._last:
            names = [path.name for path in self._last]
            text.append(f"\n\n{key('compare_mode.last', 'Enter')} ", style="bold")
            text.append(f"repeats the last comparison: {names[0]} with {', '.join(names[1:])}")
            if options := self._how.options():
                text.append(f" {clean(' '.join(map(quote, options)))}")
        return text

    def to_copy(self) -> Copy:
        """The command that makes the last comparison in a terminal."""
        if not self._last:
            return Copy("There is nothing to copy here: nothing was compared yet.", "")
        words = ["fwdtui", "compare", *map(argument, self._last), *self._how.options()]
        return Copy("the command of the last comparison", " ".join(map(quote, words)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the last comparison only if there was one."""
        return action != "last" or bool(self._last)

    def action_last(self) -> None:
        """Compare the sessions of the last comparison again."""
        shell(self).compare(self._last[0], self._last[1:], self._how)
