"""The way from marked sessions to their comparison."""

from pathlib import Path

from textual.screen import Screen

from fwdtui.ui.common.ports import shell


def compare_marked(screen: Screen[None]) -> None:
    """Open the comparison of what is marked, or say what has to be marked first."""
    marks = shell(screen).selection.marks
    if marks.base is None or marks.missing():
        screen.notify(f"Mark {marks.missing()} first.", severity="warning", markup=False)
        return
    shell(screen).compare(Path(marks.base), [Path(path) for path in marks.candidates])
