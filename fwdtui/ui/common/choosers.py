"""Lists to choose from: a baseline, the interfaces to show, a scenario of the demo."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message_pump import MessagePump
from textual.screen import ModalScreen, Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option
from textual.widgets.selection_list import Selection

from fwdtui.ui.common.copying import IN_LIST
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.marked_list import MarkedList
from fwdtui.ui.common.moving import IN_LISTS
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.styled_once import StyledOnce

OWN = ("",)
"""The answer "the interfaces that the lab names"."""


class OneOfList(MessagePump):
    """A dialog with a list, from which Enter chooses: its footer shows only keys of the dialog itself."""

    def action_choose(self) -> None:
        """Choose what is under the cursor."""
        assert isinstance(self, Screen)
        self.query_one(OptionList).action_select()


class ChooseBaseline(OneOfList, StyledOnce, ModalScreen[str | None]):
    """Choose the session to compare with. Returns its folder, "" for no baseline, None for no change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "choose", priority=True, id="baseline.choose"),
        Binding("escape", "dismiss(None)", "back", id="baseline.back"),
        IN_LIST,
        *IN_LISTS,
    ]

    def __init__(self, choices: Sequence[tuple[str, str]]) -> None:
        """`choices`: (folder, label)."""
        super().__init__(classes="dialog")
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static("Compare the iterations so far with", id="question", markup=False)
            options = [Option(Text(label), id=str(n)) for n, (_, label) in enumerate(self._choices)]
            yield OptionList(*options, Option(Text("no baseline"), id="none"))
        yield Footer()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answer with the chosen one."""
        name = event.option.id or "none"
        self.dismiss("" if name == "none" else self._choices[int(name)][0])


class ChooseInterfaces(StyledOnce, ModalScreen[tuple[str, ...] | None]):
    """Choose which interfaces the panels show. Returns a tuple of names, OWN, or None for no change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "done", "show these", priority=True, id="interfaces.done"),
        Binding("a", "all", "the lab's own", id="interfaces.all"),
        Binding("escape", "dismiss(None)", "back", id="interfaces.back"),
        IN_LIST,
        *IN_LISTS,
    ]

    def __init__(self, names: Sequence[str], chosen: Sequence[str]) -> None:
        super().__init__(classes="dialog")
        self._names, self._chosen = names, chosen

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            done, own = key("interfaces.done", "Enter"), key("interfaces.all", "a")
            text = (
                f"Interfaces to show: space marks, {done} shows the marked ones, {own} shows the lab's own."
            )
            yield Static(text, id="question", markup=False)
            yield MarkedList(*(Selection(Text(n), n, n in self._chosen) for n in self._names))
        yield Footer()

    def action_done(self) -> None:
        """Show the marked interfaces, in the order of the list; it may be empty."""
        selected = self.query_one(MarkedList).selected
        chosen = tuple(name for name in self._names if name in selected)
        same = set(chosen) == set(self._chosen)
        self.dismiss(None if same else chosen)

    def action_all(self) -> None:
        """Show the lab's own interfaces."""
        self.dismiss(OWN)


class ChooseScenario(OneOfList, StyledOnce, ModalScreen[int | None]):
    """Choose a scenario by its title. Returns its index, or None for no change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "choose", priority=True, id="scenario.choose"),
        Binding("escape", "dismiss(None)", "back", id="scenario.back"),
        IN_LIST,
        *IN_LISTS,
    ]

    def __init__(self, titles: Sequence[str]) -> None:
        super().__init__(classes="dialog")
        self._titles = titles

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static("Look at another scenario", id="question", markup=False)
            options = [Option(Text(title), id=str(n)) for n, title in enumerate(self._titles)]
            yield OptionList(*options)
        yield Footer()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answer with the chosen one."""
        self.dismiss(event.option_index)
