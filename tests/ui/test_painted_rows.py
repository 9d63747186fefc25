"""Of a panel that is drawn again, only the rows that look different are painted again."""

from collections.abc import Iterable
from typing import Any, cast

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from textual.strip import Strip

from fwdtui.core.lab import parse
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel
from fwdtui.ui.draw.view import View

LAB = """
name = "a"
[generator]
host = "gen"
interface = "ix0"
[dut]
host = "dut"
in = "ix0"
out = "ix1"
"""


class Said(Panel):
    """Its snapshots are the lines to draw."""

    DEFAULT_CSS = "Said { border: solid white; height: 5; }"

    def __init__(self) -> None:
        super().__init__()
        self.painted: list[tuple[Region, ...]] = []

    def part(self, snapshot: Snapshot, view: View) -> object:
        return snapshot

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        return [[(line, colors["text"])] for line in cast(tuple[str, ...], snapshot)]

    def refresh(self, *regions: Region, **how: Any) -> "Said":
        self.painted.append(regions)
        return super().refresh(*regions, **how)


class Box(App[None]):
    def compose(self) -> ComposeResult:
        yield Said()


@pytest.mark.usefixtures("painted_at_once")
async def test_only_rows_that_look_different_are_painted_again() -> None:
    view = View(parse(LAB))
    app = Box()
    async with app.run_test(size=(12, 5)) as pilot:
        said = app.query_one(Said)

        async def painted(*lines: str) -> list[tuple[Region, ...]]:
            """What is asked for when these lines are to be shown; in the end they are on the screen."""
            said.painted.clear()
            said.show(cast(Snapshot, lines), view)
            asked = list(said.painted)
            await pilot.pause()
            shown = [strip.text.strip("│ ") for strip in app.screen._compositor.render_strips()][1:-1]
            assert shown == [*lines, *[""] * (3 - len(lines))]
            return asked

        def row(y: int, width: int = 12) -> Region:
            return Region(-1, y, width, 1)  # with the border at both sides

        assert await painted("one", "two", "three") == [(row(0), row(1), row(2))]
        assert await painted("one", "two", "three") == []
        assert await painted("one", "2", "three") == [(row(1),)]
        assert await painted("1", "2", "3") == [(row(0), row(2))]
        assert await painted("1") == [(row(1), row(2))]
        assert await painted("1", "", "3") == [(row(1), row(2))]  # row 1: a line instead of none

        await pilot.resize_terminal(20, 5)
        assert await painted("1", "2", "3") == [(row(1, 20),)]  # the rest was drawn for the new size
