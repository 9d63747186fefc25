"""One session: what it was, its cases, and every iteration."""

from pathlib import Path

from textual.screen import Screen


class SessionScreen(Screen[None]):
    """The session in `path`."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
