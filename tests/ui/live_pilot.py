"""The live screen in a test: the sizes, the panels, and what they say."""

import time

from live_rig import Control, Rig
from waiting import done, seen

from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.shell.app import FwdtuiApp

WIDE = 200, 60
SMALL = 80, 24
PANELS = "heading-line", "numbers", "diagnosis", "graph", "queues", "cores", "iterations", "events"


def blasting(seconds: float = 70.0, **options) -> Control:
    """Twenty seconds into the second blast; the first became an iteration."""
    rig = Rig(**options)
    rig.run(seconds)
    return Control(rig)


async def asked(pilot, kind: type) -> None:
    """A dialog of this kind stands there, and takes keys; it is loaded when it is first wanted."""
    app = pilot.app

    def takes_keys() -> bool:
        return app._unbidden._since.get(app.screen, 0.0) <= time.monotonic()

    await seen(pilot, lambda: isinstance(app.screen, kind) and app.screen.is_mounted and takes_keys())


async def settled(pilot) -> None:
    """The live screen's clock has ticked: it has looked at the run and drawn it, unless paused or away."""
    await done(pilot.app)
    stacks = pilot.app._screen_stacks.values()
    (live,) = {screen for stack in stacks for screen in stack if isinstance(screen, LiveScreen)}
    ticked = live._ticks
    # the first may have been under way already, and the next may have waited for more samples
    await seen(pilot, lambda: live._ticks > ticked + 2)


def text(app: FwdtuiApp, name: str) -> str:
    """What stands on this panel."""
    return app.screen.query_one(f"#{name}", Panel).plain()
