"""The preview opened as the comparison opens it, and what it shows."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Static
from waiting import seen

from fwdtui.report import comparison
from fwdtui.ui.report.page import Page
from fwdtui.ui.shell.app import FwdtuiApp


async def settled(pilot: Pilot) -> None:
    """Wait until nothing is being read or drawn any more."""

    def still() -> bool:
        return all(worker.is_finished for worker in pilot.app.workers)

    await seen(pilot, still)
    await pilot.pause()
    while not still():  # what had been read is drawn, and drawn anew for a page of another width
        await seen(pilot, still)
        await pilot.pause()


def page(pilot: Pilot) -> list[str]:
    """The lines that are drawn."""
    return [line for shown in pilot.app.screen.query(Page) for line in shown.plain]


def told(pilot: Pilot, name: str) -> str:
    """What a line of the screen says; the command without its line breaks."""
    said = "".join(str(found.render()) for found in pilot.app.screen.query(f"#{name}").results(Static))
    return said.replace("\n", "") if name == "command" else said


@asynccontextmanager
async def previewed(
    folder: Path,
    paths: Sequence[Path],
    size: tuple[int, int] = (120, 40),
    margin: float = 1.0,
    confidence: float = 95.0,
) -> AsyncIterator[Pilot]:
    """The app with the report on `paths` drawn."""
    app = FwdtuiApp(folder)
    async with app.run_test(size=size) as pilot:
        app.preview(comparison.judge(comparison.load(paths), margin, confidence))
        await seen(pilot, lambda: told(pilot, "command"))
        await settled(pilot)
        yield pilot
