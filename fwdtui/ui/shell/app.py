"""The application: modes, themes, and the way out. What a screen shows is the screen's own affair."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.notifications import SeverityLevel

from fwdtui.core.text import clean
from fwdtui.ui.common import errors as trouble
from fwdtui.ui.common.ports import MakeLiveScreen
from fwdtui.ui.common.selection import Selection
from fwdtui.ui.shell import pasting, theming
from fwdtui.ui.shell.first_screens import first_screens
from fwdtui.ui.shell.in_turn import InTurn
from fwdtui.ui.shell.leaving import Leaving
from fwdtui.ui.shell.modes import Modes
from fwdtui.ui.shell.plain import PlainText
from fwdtui.ui.shell.settings import Settings
from fwdtui.ui.theme import themes
from fwdtui.ui.theme.stylesheet import ParsedOnce

if TYPE_CHECKING:  # screens are imported when they are shown: the first frame waits for its own one only
    from textual.command import Provider

    from fwdtui.report.comparison import Compared
    from fwdtui.ui.common.ports import LiveControl

_LATER = 0.2  # seconds until the first frame is surely there


def _commands() -> "type[Provider]":
    from fwdtui.ui.shell.commands import Commands

    return Commands


class FwdtuiApp(Modes):
    """fwdtui on a folder of sessions, and on a run where `live` is given.

    Three modes, Live, Sessions and Compare, each with screens of its own that stay as they are while another
    mode is shown. Without a run the mode Live is the welcome.
    """

    TITLE = "fwdtui"
    CSS_PATH = "app.tcss"
    COMMANDS = {_commands}  # noqa: RUF012 - Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "quit", id="app.quit"),
        Binding("ctrl+q", "leave", "quit at once", show=False, priority=True, id="app.quit_always"),
        Binding("l", "live", "live", id="app.live"),
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
    ) -> None:
        """`welcome`: ask what to open; `sessions` and `note` are what the welcome offers then."""
        no_color = "NO_COLOR" in os.environ
        super().__init__("live" if live is not None or welcome else "sessions", no_color)
        self._plain = PlainText()
        self.forgiving = False
        self._trouble = trouble.Trouble(self)
        self._in_turn = InTurn(self)
        self._leaving = Leaving(self)
        self._ending: list[asyncio.Task[None]] = []
        self._later: asyncio.Task[None] | None = None
        self.settings = Settings()
        self.memory, self.selection = self.settings.memory, Selection()
        theming.begin(self, self.settings.first_theme(no_color))
        self.stylesheet = ParsedOnce(variables=self.get_css_variables())
        self.set_keymap(dict(self.settings.config.keys))
        self.sessions, self.note = sessions, note
        self.live = live
        self._runs = [] if live is None else [live]
        self.comparison = [Path(path) for path in self.settings.memory.state.comparison]
        for mode, make in first_screens(self, live_screen).items():
            self.add_mode(mode, make)

    def on_mount(self) -> None:
        """What the first frame does not need comes after it."""
        self.set_timer(_LATER, self._go_on)

    def _go_on(self) -> None:
        theming.go_on(self)
        if self.live is not None or self.current_mode == "sessions":
            self._remember_places()

    def open(
        self,
        sessions: Path,
        note: str = "",
        live: "LiveControl | None" = None,
        live_screen: MakeLiveScreen | None = None,
    ) -> None:
        """Show a run where there is one, else a folder of sessions. Another run that was there is closed."""
        if live is not None and self.live is not None:
            self._ending.append(asyncio.create_task(self.live.close()))
        if live is not None:
            self._runs.append(live)
        self.live, self.sessions, self.note = live or self.live, sessions, note
        screens = first_screens(self, live_screen)
        self.renew("sessions", screens["sessions"])
        if live is not None:
            self.renew("live", screens["live"])
        self.switch_mode("sessions" if live is None else "live")
        self._remember_places()

    def _remember_places(self) -> None:
        self.settings.remember(sessions=str(self.sessions.resolve()))
        if self.live is not None and (lab := self.live.lab_file):
            self.settings.remember(lab=str(lab))

    # keys

    async def on_event(self, event: events.Event) -> None:
        """A key or a paste waits for its turn."""
        if isinstance(event, (events.Key, events.Paste)) and not event.is_forwarded:
            if self._in_turn.waits and self._leaves(event):
                self._in_turn.forget()
            elif self._in_turn.holds(event):
                return
            if isinstance(event, events.Paste) and not pasting.fit(self.focused, event):
                self.notify("There is no line to paste into here; nothing was done.", severity="warning")
                return
        await super().on_event(event)

    def _leaves(self, event: events.Event) -> bool:
        """Whether this is the key that leaves at once: it waits for nothing."""
        active = self.active_bindings.get(event.key) if isinstance(event, events.Key) else None
        return active is not None and active.binding.action == "leave"

    def call_at_rest(self, do: Callable[[], object]) -> None:
        """Call this when what is under way now is done and shown."""

        async def later() -> None:
            await self._in_turn.rest()
            do()

        self._later = asyncio.create_task(later())

    async def push_screen_wait(self, screen: Any, *, mode: str | None = None) -> Any:
        """As Textual's; keys do not wait for whoever waits for the answer."""
        self._in_turn.asks(screen)
        return await super().push_screen_wait(screen, mode=mode)

    # from screen to screen

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The way back to the run is only there away from a run, and the way out of the help with help."""
        if action == "live":
            return self.live is not None and self.current_mode != "live"
        return action != "hide_help" or bool(self.screen.query("HelpPanel"))

    def elsewhere(self) -> str:
        """What is being measured in a mode that is not shown."""
        if self.live is None or self.current_mode == "live" or not self.live.measuring:
            return ""
        return self.live.where

    @property
    def hurried(self) -> bool:
        """Whether the user would not wait for the hosts to be closed."""
        return self._leaving.hurried

    @property
    def unsaved(self) -> str:
        """What the runs of this app could not save, in one line; "" where everything is saved."""
        found = [run.unsaved for run in self._runs]
        return "; ".join(text for text in found if text)

    def storage(self) -> str:
        """What is wrong with the recording, for the line that every screen has."""
        return "" if self.live is None else self.live.storage

    def action_sessions(self) -> None:
        """The folder of sessions; a run goes on behind it."""
        self.switch_mode("sessions")

    def action_live(self) -> None:
        """Back to the run."""
        self.switch_mode("live")

    def open_session(self, path: Path) -> None:
        """One session: its facts, cases and iterations."""
        from fwdtui.ui.sessions.session_screen import SessionScreen

        self.push_screen(self.with_bar(SessionScreen(path)))

    def compare(self, base: Path, others: Sequence[Path]) -> None:
        """The baseline beside its candidates, in the mode Compare."""
        from fwdtui.ui.compare.screen import CompareScreen

        self.comparison = [base, *others]
        self.settings.remember(comparison=tuple(str(path.resolve()) for path in self.comparison))
        self.renew("compare", lambda: self.with_bar(CompareScreen(base, list(others))))
        self.switch_mode("compare")

    def replay(self, target: Path, beside: Path | None = None) -> None:
        """A recording on the live screen: of a session, a case or an iteration; a second one beside it."""
        from fwdtui.ui.replay.screen import ReplayScreen

        self.push_screen(self.with_bar(ReplayScreen.of(target, beside)))

    def preview(self, compared: "Compared") -> None:
        """The report on a comparison as it will be."""
        from fwdtui.ui.report.preview import PreviewScreen

        self.push_screen(self.with_bar(PreviewScreen(compared)))

    # help, themes, errors, and the way out

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Nothing that a widget shows acts on the terminal."""
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
        """A notice, always as it is written: names in it are never markup, whatever the caller asks for."""
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=False)

    def action_help_quit(self) -> None:
        """What ctrl+c does where nothing can be copied: say how to leave."""
        bindings = [one.binding for one in self.screen.active_bindings.values()]
        keys = [self.get_key_display(one) for one in bindings if one.action == "quit"]
        self.notify(f"{keys[0] if keys else 'ctrl+q'} leaves fwdtui.")

    def action_toggle_help(self) -> None:
        """Open or close the help: what this screen is about, and its keys."""
        from fwdtui.ui.shell import help_panel  # it brings a Markdown parser

        help_panel.toggle(self.screen)

    def action_hide_help(self) -> None:
        """Close the help."""
        from fwdtui.ui.shell import help_panel

        help_panel.hide(self.screen)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Colours of meaning, where a theme has none."""
        return themes.meanings(self.current_theme.dark)

    def _validate_theme(self, name: str) -> str:
        if name not in self.available_themes:
            theming.register_shipped(self)
        return super()._validate_theme(name)

    def search_themes(self) -> None:
        """Choose a theme by looking."""
        from fwdtui.ui.shell.commands import ThemePalette

        self.push_screen(ThemePalette(self.theme))

    def choose_theme(self, name: str) -> None:
        """From now on, and the next time."""
        self.theme = name
        theming.remember(self, name)

    def _handle_exception(self, error: Exception) -> None:
        if not (self.forgiving and self._trouble.tell(error)):
            super()._handle_exception(error)

    async def action_quit(self) -> None:
        """Leave when everything that was recorded is on disk; asks in the middle of a blast."""
        live = self.live
        running = live is not None and live.generator_running
        unsaved = "" if live is None else live.unsaved
        unfinished = live is not None and (running or unsaved or live.unfinished)
        asks = self.settings.config.confirm_quit and not self._leaving.begun
        if live is None or not unfinished or not asks:
            await self.action_leave()
            return
        from fwdtui.ui.common.dialogs import Confirm

        def answered(leave: bool | None) -> None:
            if leave:
                self.call_next(self.action_leave)

        title = "Leave while the generator runs?" if running else "Leave while a blast is measured?"
        end = "It is stopped, and what" if running else "What"
        lines = [f"{end} was recorded so far is kept{':' if live.sessions else '.'}"]
        if live.sessions is not None:
            lines.append(clean(str(live.sessions.absolute())))
        if unsaved:
            title = "Leave although not everything is saved?"
            lines = [clean(unsaved), "It is tried once more; what cannot be saved then is lost."]
        self.push_screen(Confirm(title, lines, "y  leave", "n  stay"), answered)

    async def action_leave(self) -> None:
        """Leave without a question; everything that was recorded is on disk."""
        self._leaving.begin()

    async def close_live(self) -> None:
        """Everything that was recorded is on disk when this returns; may be called again."""
        if self.live is not None:
            await self.live.close()
        await asyncio.gather(*self._ending, return_exceptions=True)
