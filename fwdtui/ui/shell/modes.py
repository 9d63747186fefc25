"""Live, Sessions and Compare: three stacks of screens; one is shown, the others are kept."""

from collections.abc import Callable
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen, SystemModalScreen
from textual.widget import AwaitMount

from fwdtui.ui.common.bars import MODES, ModeBar, StorageBanner
from fwdtui.ui.common.ports import Shell
from fwdtui.ui.shell import notices

_ROOMY, _HIGH = 16, 34  # lines from which a screen, and the live screen, can spare one for the mode bar


class Modes(Shell):
    """An app with these modes. A subclass adds the first screen of each with `add_mode`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, f"mode('{mode}')", title, show=False, key_display=key.upper(), id=f"app.mode_{mode}")
        for mode, key, title in MODES
    ]

    ALLOW_IN_MAXIMIZED_VIEW = "Footer,StorageBanner"

    def __init__(self, first: str, no_color: bool) -> None:
        """`first`: the mode shown first; only its screen is made at the start."""
        self.DEFAULT_MODE = first  # type: ignore[misc]
        self._origins: dict[str, str] = {}  # by mode: the one from which the user came
        self._renewed = ""  # the mode that is being restarted while it is shown
        super().__init__(ansi_color=True if no_color else None)

    def elsewhere(self) -> str:
        """``running: NAME`` or ``open in Live: NAME`` for a run that is not shown; "" if there is none."""
        raise NotImplementedError

    def storage(self) -> str:
        """What is wrong with the recording; "" if nothing is."""
        raise NotImplementedError

    def on_resize(self, event: events.Resize) -> None:
        """Decide whether there is a line for the modes; the live screen needs more lines first."""
        self.update_classes(_classes(event.size.height))

    def renew(self, mode: str, make: Callable[[], Screen[Any]]) -> None:
        """Restart `mode` with the screen that `make` returns. If it was shown, another mode is shown now."""
        if self.current_mode == mode:
            super().switch_mode("compare" if mode != "compare" else "sessions")
            self._renewed = mode
        self.remove_mode(mode)
        self.add_mode(mode, make)

    def with_bar(self, screen: Screen[Any]) -> Screen[Any]:
        """Add the line of the modes and the storage banner to a screen that is not shown yet."""
        self._fit(screen)
        screen.compose_add_child(ModeBar(self.elsewhere))
        self._with_banner(screen)
        return screen

    def push_screen(self, screen: Any, *given: Any, **named: Any) -> Any:
        """As Textual's, but adds the storage banner: every screen says what could not be saved.

        A dialog takes the notices away.
        """
        if isinstance(screen, ModalScreen):
            notices.put_away(self)
        if isinstance(screen, Screen) and not isinstance(screen, SystemModalScreen):
            self._with_banner(screen)
        return super().push_screen(screen, *given, **named)

    def _with_banner(self, screen: Screen[Any]) -> None:
        """Add the storage banner to a screen that is not shown yet, unless it has it."""
        has_it = any(isinstance(one, StorageBanner) for one in screen._pending_children)
        if screen.is_attached or has_it:
            return
        banner = StorageBanner(self.storage)
        if isinstance(screen, ModalScreen):  # the banner below shines through: it would be read twice
            below = (one.region.y for one in self.screen.query(StorageBanner) if one.display)
            banner.styles.margin = (next(below, 0), 0, 0, 0)
        screen.compose_add_child(banner)

    def _fit(self, screen: Screen[Any]) -> None:
        """Set the classes that depend on the size before anything is styled and laid out.

        Textual sets them when the screen learns its size, and then styles and lays out everything on it
        again: two of the four times for a first frame.
        """
        width, height = self.size
        if not self.screen_stack:
            for name, on in _classes(height).items():
                self.set_class(on, name, update=False)
        for length, points in ((width, screen.HORIZONTAL_BREAKPOINTS), (height, screen.VERTICAL_BREAKPOINTS)):
            for name in screen._get_breakpoint_classes(length, points or []):
                screen.add_class(name, update=False)

    def switch_mode(self, mode: str) -> AwaitMount:
        """Show this mode, and remember from which one the user came."""
        shown, self._renewed = self._renewed or self.current_mode, ""
        if shown != mode:
            self._origins[mode] = shown
        return super().switch_mode(mode)

    def action_mode(self, mode: str) -> None:
        """Live, Sessions or Compare, as it was left; if it is shown already, its first screen."""
        if mode != self.current_mode:
            self.switch_mode(mode)
            return
        while len(self.screen_stack) > 1 and not getattr(self.screen, "HOLDS_TYPED", False):
            super().pop_screen()

    def on_mode_bar_chosen(self, event: ModeBar.Chosen) -> None:
        """Go to the mode that was clicked."""
        self.action_mode(event.mode)

    def pop_screen(self) -> Any:
        """Go one screen back; from the first one of a mode, to the mode from which the user came."""
        if len(self.screen_stack) > 1:
            return super().pop_screen()
        return self.switch_mode(self._origins.get(self.current_mode, "sessions"))


def _classes(height: int) -> dict[str, bool]:
    return {"-roomy": height >= _ROOMY, "-high": height >= _HIGH}
