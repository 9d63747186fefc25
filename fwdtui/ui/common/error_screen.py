"""Instead of a screen that could not be drawn: what happened, and the ways on."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Footer, Static


class TroubleScreen(Screen[None]):
    """`what` went wrong, and what it means."""

    HELP = "# Something went wrong\nThe screen below could not be drawn. Every other one is still there."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter", "app.pop_screen", "try it again", id="trouble.again"),
    ]

    def __init__(self, what: str, comfort: str) -> None:
        super().__init__()
        self._what, self._comfort = what, comfort

    def compose(self) -> ComposeResult:
        text = Text("! This screen could not be drawn\n\n", style="bold")
        text.append(f"{self._what}\n\n{self._comfort}\n\n", style="not bold")
        text.append(
            "Esc tries it again, F2 F3 F4 go to Live, Sessions and Compare, q leaves.", style="not bold"
        )
        yield Static(text, id="how", markup=False)
        yield Footer(show_command_palette=False, compact=True)
