"""What is compared: the rate, or what a packet costs."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fwdtui.core.cost import CPU, KERNEL, PER_CORE
from fwdtui.ui.common.choosers import OneOfList
from fwdtui.ui.common.copying import IN_LIST
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.moving import IN_LISTS
from fwdtui.ui.common.styled_once import StyledOnce

_WORDS = {
    "": "the rate",
    CPU: "busy time of all cores",
    KERNEL: "time in system, irq and softirq",
    PER_CORE: "packets a second of a busy core",
}
"""Explanations of the names that are not clear by themselves; other metrics are counted events."""
_NAME = 20
NO_COSTS = "Only the rate can be compared: these iterations have no samples of the DUT's cores or counters."


class ChooseMetric(OneOfList, StyledOnce, ModalScreen[str | None]):
    """Choose a metric. Returns its name, "" for the rate, None for no change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "choose", priority=True, id="metric.choose"),
        Binding("escape", "dismiss(None)", "back", id="metric.back"),
        IN_LIST,
        *IN_LISTS,
    ]

    def __init__(self, metrics: Sequence[str], now: str) -> None:
        super().__init__(classes="dialog")
        self._metrics = ("", *metrics)
        self._now = now

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static("What is compared?", id="question", markup=False)
            yield OptionList(*(Option(_told(name)) for name in self._metrics))
        yield Footer()

    def on_mount(self) -> None:
        """Begin at what is compared now."""
        if self._now in self._metrics:
            self.query_one(OptionList).highlighted = self._metrics.index(self._now)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answer with the chosen one."""
        self.dismiss(self._metrics[event.option_index])


def _told(name: str) -> Text:
    words = _WORDS.get(name, "")
    return Text(f"{name:<{_NAME}} {words}" if name and words else name or words)
