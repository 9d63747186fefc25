"""What each mode begins with. A screen is imported and made when its mode is shown first."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from fwdtui.ui.common.ports import MakeLiveScreen

if TYPE_CHECKING:
    from fwdtui.ui.shell.app import FwdtuiApp

Make = Callable[[], Screen[Any]]


def first_screens(app: "FwdtuiApp", live_screen: MakeLiveScreen | None) -> dict[str, Make]:
    """By mode. Without a run the mode Live is the welcome, and Compare says how to get a comparison."""

    def live() -> Screen[Any]:
        if app.live is None:
            from fwdtui.ui.shell.welcome import WelcomeScreen

            lab = app.settings.memory.state.lab
            return app.with_bar(WelcomeScreen(app.sessions, app.note, last=Path(lab) if lab else None))
        from fwdtui.ui.live.screen import LiveScreen

        return app.with_bar((live_screen or LiveScreen)(app.live))

    def sessions() -> Screen[Any]:
        from fwdtui.ui.sessions.sessions_screen import SessionsScreen

        return app.with_bar(SessionsScreen(app.sessions, app.note))

    def compare() -> Screen[Any]:
        from fwdtui.ui.compare.no_comparison import NoComparison

        return app.with_bar(NoComparison([path for path in app.comparison if path.is_dir()]))

    return {"live": live, "sessions": sessions, "compare": compare}
