"""Live, Sessions and Compare: three stacks of screens, of which one is shown and none is lost."""

from collections.abc import Callable
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.screen import Screen

from fwdtui.ui.common.bars import MODES, ModeBar, StorageBanner
from fwdtui.ui.common.ports import Shell

_ROOMY, _HIGH = 16, 34  # lines from which a screen, and the live screen, have one left for the modes


class Modes(Shell):
    """An app with these modes. Whoever inherits adds what each begins with: `add_mode`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, f"mode('{mode}')", title, show=False, id=f"app.mode_{mode}")
        for mode, key, title in MODES
    ]

    ALLOW_IN_MAXIMIZED_VIEW = "Footer,StorageBanner"

    def __init__(self, first: str, no_color: bool) -> None:
        """`first`: the mode that is shown first; only its screen is made at the start."""
        self.DEFAULT_MODE = first  # type: ignore[misc]
        super().__init__(ansi_color=True if no_color else None)

    def elsewhere(self) -> str:
        """What is being measured in a mode that is not shown; "" when nothing is."""
        raise NotImplementedError

    def storage(self) -> str:
        """What is wrong with what is being recorded; "" when nothing is."""
        raise NotImplementedError

    def on_resize(self, event: events.Resize) -> None:
        """Whether there is a line for the modes; the live screen has better use for it longer."""
        self.set_class(event.size.height >= _ROOMY, "-roomy")
        self.set_class(event.size.height >= _HIGH, "-high")

    def renew(self, mode: str, make: Callable[[], Screen[Any]]) -> None:
        """This mode begins again with `make`; another one is shown when this returns."""
        if self.current_mode == mode:
            self.switch_mode("compare" if mode != "compare" else "sessions")
        self.remove_mode(mode)
        self.add_mode(mode, make)

    def with_bar(self, screen: Screen[Any]) -> Screen[Any]:
        """A screen that is not shown yet, with the line of the modes and that of the recording."""
        screen.compose_add_child(ModeBar(self.elsewhere))
        screen.compose_add_child(StorageBanner(self.storage))
        return screen

    def action_mode(self, mode: str) -> None:
        """Live, Sessions or Compare, as it was left."""
        self.switch_mode(mode)

    def on_mode_bar_chosen(self, event: ModeBar.Chosen) -> None:
        """A mode was clicked on."""
        self.action_mode(event.mode)

    def pop_screen(self) -> Any:
        """One screen back; from the first one of a mode, to the sessions."""
        return super().pop_screen() if len(self.screen_stack) > 1 else self.switch_mode("sessions")
