"""The application: modes, themes, and the way out. What a screen shows is the screen's own affair."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from fwdtui.ui import themes
from fwdtui.ui.live_control import LiveControl
from fwdtui.ui.screens.live import LiveScreen
from fwdtui.ui.screens.sessions import SessionsScreen


class FwdtuiApp(App[None]):
    """fwdtui on a folder of sessions, and on a run where `live` is given."""

    TITLE = "fwdtui"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "quit", id="app.quit"),
        Binding("ctrl+q", "quit", "quit", show=False, priority=True, id="app.quit_always"),
        Binding("l", "live", "live", id="app.live"),
        Binding("question_mark", "toggle_help", "keys", key_display="?", id="app.help"),
    ]

    def __init__(
        self,
        sessions: Path,
        *,
        note: str = "",
        live: LiveControl | None = None,
        live_screen: type[LiveScreen] = LiveScreen,
        welcome: bool = False,
    ) -> None:
        """`welcome`: ask what to open; `sessions` and `note` are what the welcome offers then."""
        super().__init__()
        self._live = live
        self._live_screen = live_screen
        self._sessions = sessions
        self._note = note
        self._welcome = welcome

    def on_mount(self) -> None:
        """Themes first, so that the first frame has its colours."""
        for theme in themes.load_all():
            self.register_theme(theme)
        self.theme = themes.DEFAULT
        if self._welcome:
            from fwdtui.ui.screens.welcome import WelcomeScreen

            self.push_screen(WelcomeScreen(self._sessions, self._note))
        else:
            self.open(self._sessions, self._note, self._live, self._live_screen)

    def open(
        self,
        sessions: Path,
        note: str = "",
        live: LiveControl | None = None,
        live_screen: type[LiveScreen] = LiveScreen,
    ) -> None:
        """Show a folder of sessions, and over it a run where there is one."""
        self._live = live
        self.push_screen(SessionsScreen(sessions, note))
        if live is not None:
            # installed, so that it keeps its place and its picture while the user looks at sessions
            self.install_screen(live_screen(live), "live")
            self.push_screen("live")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The way back to the run is only there with a run, and away from it."""
        away = not any(isinstance(screen, LiveScreen) for screen in self.screen_stack)
        return self._live is not None and away if action == "live" else True

    def action_live(self) -> None:
        """Back to the run."""
        self.push_screen("live")

    async def action_quit(self) -> None:
        """Leave when everything that was recorded is on disk."""
        await self.close_live()
        self.exit()

    async def close_live(self) -> None:
        """Everything that was recorded is on disk when this returns; may be called again."""
        if self._live is not None:
            await self._live.close()

    def open_session(self, path: Path) -> None:
        """One session: its facts, cases and iterations."""
        from fwdtui.ui.screens.session import SessionScreen

        self.push_screen(SessionScreen(path))

    def compare(self, base: Path, others: Sequence[Path]) -> None:
        """The baseline beside its candidates."""
        from fwdtui.ui.screens.compare import CompareScreen

        self.push_screen(CompareScreen(base, list(others)))

    def replay(self, target: Path, beside: Path | None = None) -> None:
        """A recording on the live screen: of a session, a case or an iteration; and a second one beside it."""
        from fwdtui.ui.screens.replay import ReplayScreen

        self.push_screen(ReplayScreen.of(target, beside))

    def preview(self, paths: Sequence[Path], margin: float, confidence: float) -> None:
        """The report on a comparison as it will be; `margin` and `confidence` in percent."""
        from fwdtui.ui.screens.preview import PreviewScreen

        self.push_screen(PreviewScreen(list(paths), margin, confidence))

    def action_toggle_help(self) -> None:
        """The keys of this moment, or away with them."""
        if self.screen.query("HelpPanel"):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()
