"""The comparison screen as its tests drive it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import DataTable, Static, TabbedContent
from waiting import done, seen

from fwdtui.ui.common.ports import FirstComparison
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.shell.app import FwdtuiApp

SHIPPED = Path(__file__).resolve().parents[1] / "recorded"


@asynccontextmanager
async def comparing(paths: Sequence[Path], size: tuple[int, int] = (120, 40)) -> AsyncIterator[Pilot[None]]:
    """The app that opens with these compared: the baseline first."""
    first = FirstComparison(paths, paths, lambda: CompareScreen(paths[0], list(paths[1:])))
    app = FwdtuiApp(paths[0].parent, comparison=first)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await seen(pilot, lambda: isinstance(app.screen, CompareScreen))
        await settled(pilot)
        yield pilot


async def settled(pilot: Pilot[None]) -> None:
    """Nothing is being read or compared any more."""
    await done(pilot.app)
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await done(pilot.app)


async def press(pilot: Pilot[None], *keys: str) -> None:
    """One key after the other, each until nothing is under way."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def rows(pilot: Pilot[None]) -> list[list[str]]:
    """The table as it is on the screen."""
    table = pilot.app.screen.query_one("#cases", DataTable)
    return [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]


def row(pilot: Pilot[None], number: int) -> dict[str, str]:
    """One row by its heads; the bar is under "bar"."""
    table = pilot.app.screen.query_one("#cases", DataTable)
    names = [str(column.label) for column in table.ordered_columns]
    names = ["bar" if "%" in name else name for name in names]
    return dict(zip(names, rows(pilot)[number], strict=True))


def shown(pilot: Pilot[None], name: str) -> str:
    """What stands in "heading", "selected" or in a tab, where its content is."""
    whole = "heading", "selected", "beside-title", "beside-text"
    identity = name if name in whole else f"shown-{name}"
    return str(pilot.app.screen.query_one(f"#{identity}", Static).render())


def active(pilot: Pilot[None]) -> str:
    """The open tab."""
    return pilot.app.screen.query_one(TabbedContent).active.removeprefix("tab-")
