"""The application: keys, help, themes, and leaving. Each screen draws itself."""

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.notifications import Notify, SeverityLevel
from textual.screen import Screen
from textual.theme import Theme

from fwdtui.ui.common import errors, moving, timers
from fwdtui.ui.common.copying import COPIED
from fwdtui.ui.common.ports import FirstComparison, MakeLiveScreen
from fwdtui.ui.shell import key_names, notices, pasting, theming
from fwdtui.ui.shell.actions import Actions, Notices
from fwdtui.ui.shell.in_turn import InTurn
from fwdtui.ui.shell.leaving import Leaving, question
from fwdtui.ui.shell.plain import PlainText
from fwdtui.ui.shell.unbidden import Unbidden
from fwdtui.ui.theme import themes

if TYPE_CHECKING:  # screens are imported when first shown: the first frame waits for its own screen only
    from textual.command import Provider

    from fwdtui.ui.common.ports import LiveControl

_NOTICES = 200  # the most notices of a run that are kept
_LATER = 0.2  # seconds until the first frame is certainly drawn


def _commands() -> "type[Provider]":
    from fwdtui.ui.shell.commands import Commands

    return Commands


class FwdtuiApp(Actions):
    """The application on a folder of sessions and, if `live` is given, on a run.

    Three modes, Live, Sessions and Compare, each with screens of its own that stay as they are while another
    mode is shown. Without a run, the mode Live shows the welcome screen.
    """

    TITLE = "fwdtui"
    CSS_PATH = "app.tcss"
    COMMANDS = {_commands}  # noqa: RUF012 - Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "quit", id="app.quit"),
        Binding("ctrl+q", "leave", "quit at once", show=False, priority=True, id="app.quit_always"),
        Binding("l", "live", "live", id="app.live"),
        Binding("y", "copy", "copy", id="app.copy"),
        *moving.IN_APP,
        Binding("M", "messages", "messages", show=False, id="app.messages"),
        Binding("question_mark", "toggle_help", "keys", key_display="?", id="app.help"),
        Binding("escape", "hide_help", "close help", show=False, priority=True, id="app.hide_help"),
        Binding("ctrl+p", "command_palette", "commands", show=False, priority=True, id="app.commands"),
    ]

    def __init__(
        self,
        sessions: Path,
        *,
        note: str = "",
        live: "LiveControl | None" = None,
        live_screen: MakeLiveScreen | None = None,
        welcome: bool = False,
        comparison: FirstComparison | None = None,
    ) -> None:
        """`welcome`: ask what to open first. The welcome screen then offers `sessions`, described by `note`.

        `live_screen` makes the run's screen (default: LiveScreen). `comparison`: the one to show first.
        """
        timers.ring()
        no_color = "NO_COLOR" in os.environ
        first = "live" if live is not None or welcome else "compare" if comparison else "sessions"
        super().__init__(first, no_color, sessions, note, live, live_screen, comparison)
        self._plain = PlainText()
        self.notices: Notices = deque(maxlen=_NOTICES)
        self.forgiving = False
        self._trouble = errors.Trouble(self)
        self._in_turn = InTurn(self)
        self._unbidden = Unbidden(self, self._in_turn)
        self._leaving = Leaving(self)
        self._later: asyncio.Task[None] | None = None
        theming.begin(self, self.settings.first_theme(no_color))
        self.stylesheet = theming.ParsedOnce(variables=self.get_css_variables())
        self.moved_keys = key_names.usable(self.settings.config.keys)
        self.set_keymap(self.moved_keys)

    @property
    def escape_to_minimize(self) -> bool:
        """Whether Esc shows all panels again: not if it first removes the cursor of an enlarged chart."""
        from fwdtui.ui.draw.cursor import CursorChart

        chart = self.focused
        return super().escape_to_minimize and not (
            isinstance(chart, CursorChart) and chart.cursor is not None
        )

    def on_mount(self) -> None:
        """Start what the first frame does not need."""
        self.set_timer(_LATER, self._go_on)

    def _go_on(self) -> None:
        theming.go_on(self)
        if self.live is not None or self.current_mode in ("sessions", "compare"):
            self.remember_places()
        if self.current_mode == "compare":
            self.remember_comparison()

    # keys

    async def on_event(self, event: events.Event) -> None:
        """Make keys and pastes wait for their turn."""
        if isinstance(event, (events.Key, events.Paste)) and not event.is_forwarded:
            if self._in_turn.waits and self._leaves(event):
                self._in_turn.forget()
            elif self._in_turn.holds(event):
                return
            if isinstance(event, events.Paste) and not pasting.fit(self.focused, event):
                self.notify("Nothing here takes text; the paste was ignored.", severity="warning")
                return
        if self._unbidden.too_early(event) and not self._leaves(event):
            return
        await super().on_event(event)

    async def action_arrow(self, key: str) -> None:
        """Move as this arrow does, in the turn of the key that was pressed: others may wait already."""
        await super().on_event(events.Key(key, None))

    def _leaves(self, event: events.Event) -> bool:
        """Whether this is the key that quits at once, which waits for nothing."""
        active = self.active_bindings.get(event.key) if isinstance(event, events.Key) else None
        # the app's own binding: a dialog that Esc leaves has an action of this name, too
        return active is not None and active.node is self and active.binding.action == "leave"

    def call_at_rest(self, do: Callable[[], object]) -> None:
        """Call `do` when everything under way is done and shown."""

        async def later() -> None:
            await self._in_turn.rest()
            do()

        self._later = asyncio.create_task(later())

    async def turn_of(self, screen: Screen[Any], needs: str = "") -> bool:
        """Wait until `screen` is on top and the user is not typing. Returns False if the screen is gone.

        `needs` is the title of a notice that meanwhile says where the user finds the screen.
        """
        return await self._unbidden.turn_of(screen, needs)

    async def ask_unbidden(self, screen: Screen[Any], question: Screen[bool], needs: str) -> bool:
        """Ask `question` over `screen`, once that is on top and the user is not typing.

        Returns the answer, or False if the screen is gone. `needs`: see `turn_of`.
        """
        return await self._unbidden.ask(screen, question, needs)

    async def push_screen_wait(self, screen: Any, *, mode: str | None = None) -> Any:
        """As Textual's, but keys do not wait for the worker that waits for the answer."""
        self._in_turn.asks(screen)
        return await super().push_screen_wait(screen, mode=mode)

    # help, themes, errors, and leaving

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer "live" only away from the run, and "close help" only while help is open."""
        if action == "live":
            return self.live is not None and self.current_mode != "live"
        return action != "hide_help" or bool(self.screen.query("HelpPanel"))

    @property
    def hurried(self) -> bool:
        """Whether the user left without waiting for the hosts to be closed."""
        return self._leaving.hurried

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Filter the text of every widget, so that none acts on the terminal."""
        return [*super().get_line_filters(), self._plain]

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a notice as plain text: names in it are never markup, whatever the caller asks for."""
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=False)
        if not message.startswith(COPIED):
            self.notices.append((time.time(), severity, title, message))

    def on_notify(self, event: Notify) -> None:
        """Make room for a notice before Textual shows it."""
        notices.make_room(self, event.notification)

    def get_theme(self, theme_name: str) -> Theme | None:
        """As Textual's, which copies the table of all themes twice, and is called for each line drawn."""
        return self._registered_themes.get(theme_name) or super().get_theme(theme_name)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Colours for graphs and verdicts, for themes that do not set them."""
        return themes.meanings(self.current_theme.dark)

    def _validate_theme(self, name: str) -> str:
        if name not in self.available_themes:
            theming.register_shipped(self)
        return super()._validate_theme(name)

    def _handle_exception(self, error: Exception) -> None:
        if not (self.forgiving and self._trouble.tell(error)):
            super()._handle_exception(error)

    async def action_quit(self) -> None:
        """Quit once the recording is on disk; asks first in the middle of a blast."""
        live = self.live
        # confirm_quit is about what is running; about what would be lost, the user is asked in any case
        asks = live is not None and (self.settings.config.confirm_quit or bool(live.unsaved))
        ask = question(live) if live is not None and asks and not self._leaving.begun else None
        if ask is None:
            await self.action_leave()
            return

        def answered(leave: bool | None) -> None:
            if leave:
                self.call_next(self.action_leave)

        self.push_screen(ask, answered)

    async def action_leave(self) -> None:
        """Quit without asking; the recording is still saved."""
        self._leaving.begin()
