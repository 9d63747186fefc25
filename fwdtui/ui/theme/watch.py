"""User themes as they are now: looked at once a second, so that a saved file is seen at once."""

from collections.abc import Iterator
from pathlib import Path

from textual.theme import Theme

from fwdtui.core.errors import FwdtuiError
from fwdtui.ui.theme import themes

PERIOD = 1.0
"""Seconds between two looks; one costs a listing of a small folder."""


class ThemeWatch:
    """One folder of themes; it need not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[Path, tuple[int, int]] = {}

    def changed(self) -> Iterator[Theme | FwdtuiError]:
        """Each file that is new or different since the last look: its theme, or what is wrong with it."""
        for path, stamp in sorted(self._stamps().items()):
            if self._seen.get(path) != stamp:
                self._seen[path] = stamp
                try:
                    yield themes.load(path)
                except FwdtuiError as error:
                    yield error

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        found = {}
        try:
            for path in self._folder.glob("*.toml"):
                stat = path.stat()
                found[path] = stat.st_mtime_ns, stat.st_size
        except OSError:
            pass  # a folder that is not there, or a file that goes away meanwhile: the next look sees it
        return found
