"""The live screen in a test: the sizes, the panels, and what they say."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from live_rig import Control, Rig

from fwdtui.ui.app import FwdtuiApp
from fwdtui.ui.widgets.panel import Panel

WIDE = 200, 60
SMALL = 80, 24
PANELS = "heading-line", "numbers", "diagnosis", "graph", "queues", "cores", "iterations", "events"


def blasting(seconds: float = 70.0, **options) -> Control:
    """Twenty seconds into the second blast; the first became an iteration."""
    rig = Rig(**options)
    rig.run(seconds)
    return Control(rig)


async def settled(pilot) -> None:
    """The screen has looked at the run and drawn it."""
    await pilot.pause(0.15)
    await pilot.pause()


def text(app: FwdtuiApp, name: str) -> str:
    """What stands on this panel."""
    return app.screen.query_one(f"#{name}", Panel).plain()
