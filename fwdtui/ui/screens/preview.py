"""The report as it will be, before it is written."""

from pathlib import Path

from textual.screen import Screen


class PreviewScreen(Screen[None]):
    """The report on a comparison of `paths`, the baseline first; `margin` and `confidence` in percent."""

    def __init__(self, paths: list[Path], margin: float, confidence: float) -> None:
        super().__init__()
        self._paths, self._margin, self._confidence = paths, margin, confidence
