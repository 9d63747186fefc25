"""The live screen driven by a recording."""

from pathlib import Path

from textual.screen import Screen


class ReplayScreen(Screen[None]):
    """Made by `of`."""

    @classmethod
    def of(cls, target: Path, beside: Path | None = None) -> "ReplayScreen":
        """`target`: a session, case or iteration folder; `beside`: a second recording. Raises FwdtuiError."""
        raise NotImplementedError(target, beside)
