"""The ways between screens: the app knows them, a screen only asks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from textual.app import App
from textual.screen import Screen

from fwdtui.ui.desk import desk_of


class Navigation(Protocol):
    """What FwdtuiApp offers its screens."""

    def open_session(self, path: Path) -> None:
        """One session."""

    def compare(self, base: Path, others: Sequence[Path]) -> None:
        """The baseline beside its candidates."""

    def replay(self, target: Path, beside: Path | None = None) -> None:
        """A recording on the live screen."""


def compare_marked(screen: Screen[None]) -> None:
    """Open the comparison of what is marked, or say what has to be marked first."""
    marks = desk_of(screen.app).marks
    if marks.base is None or marks.missing():
        screen.notify(f"Mark {marks.missing()} first.", severity="warning", markup=False)
        return
    of(screen.app).compare(Path(marks.base), [Path(path) for path in marks.candidates])


def of(app: App[object]) -> Navigation:
    """The app, as far as a screen of sessions needs it."""
    return cast(Navigation, app)
