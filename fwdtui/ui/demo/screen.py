"""The live screen on a built-in lab, with a guide above it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from fwdtui.core.errors import FwdtuiError
from fwdtui.ui.common.ports import BACKGROUND, shell
from fwdtui.ui.demo.demo_control import DemoControl
from fwdtui.ui.demo.demo_plan import Part
from fwdtui.ui.demo.guide import Guide
from fwdtui.ui.demo.walk import Walk
from fwdtui.ui.live.screen import PERIOD, LiveScreen


class DemoScreen(LiveScreen):
    """The live screen with a walk, which is optional."""

    HELP = (
        LiveScreen.HELP
        + """
# Demo
The line at the top says what kind of lab this is. `Enter` does what the step asks for, `n` goes to the
next session, `A` starts or stops running the whole walk automatically, `o` shows other scenarios, `w`
restarts the walk. Each blast ends after a few seconds. `c` compares the two sessions, or lists all sessions.
"""
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        # the guide names those that work at the moment
        Binding("enter", "go", "do it", show=False, id="demo.go"),
        Binding("n", "skip", "next session", show=False, id="demo.skip"),
        Binding("A", "run_all", "run it all", show=False, id="demo.run_all"),
        Binding("o", "others", "scenarios", show=False, id="demo.others"),
        Binding("w", "walk", "walk again", show=False, id="demo.walk"),
        Binding("c", "compare", "compare", id="demo.compare"),
    ]
    FOOTER = LiveScreen.FOOTER._replace(
        first=("live.generator", "demo.compare", "live.cut", "live.pause"),
    )

    def __init__(self, control: DemoControl) -> None:
        super().__init__(control)
        self.demo = control
        self.walk = Walk(control)
        self._free: Part | None = None
        self._walks: list[asyncio.Task[None]] = []  # those not ended yet; all but the last are cancelled

    def compose(self) -> ComposeResult:
        yield Guide(id="guide")
        yield from super().compose()

    def on_mount(self) -> None:
        """Bring the lab up once the screen is drawn."""
        # this walk, not a new one, as a key may have been pressed already
        self.set_timer(PERIOD, lambda: self._go_on(self.walk.run))
        self.set_interval(PERIOD, self._show_guide)
        self._show_guide()

    def _show_guide(self) -> None:
        self.query_one(Guide).show(self.walk, self._free_text() if self._free else "")
        if self.walk.finished and self._free is None:
            self.walk.finished = False
            self._end_in_turn()

    @work(exclusive=True, group=BACKGROUND)
    async def _end_in_turn(self) -> None:
        """Show the walk's comparison once this screen is on top: the user is not taken from another mode."""
        walk = self.walk
        if await shell(self).turn_of(self, "The walk is done: its comparison") and self.walk is walk:
            self._show_comparison()

    def _free_text(self) -> str:
        assert self._free is not None
        return self._free.look if self.demo.generator_running else self._free.first_words

    # what the keys do

    def action_go(self) -> None:
        """Do what the guide offers."""
        if self._free is None:
            self.walk.go()
        elif not self._tells_of_switching() and not self.demo.generator_running:
            self._switch(True)

    def action_skip(self) -> None:
        """Skip to the next session."""
        self.walk.skip()

    def action_run_all(self) -> None:
        """Run the whole walk automatically, or by hand again."""
        if self._free is not None or self.walk.over:
            self.action_walk()
        self.walk.automatic = not self.walk.automatic

    def action_walk(self) -> None:
        """Restart the walk; recorded sessions are kept and added to."""
        self._free = None
        self.walk = Walk(self.demo)
        self._go_on(self.walk.run)

    def _go_on(self, do: Callable[[], Awaitable[None]]) -> None:
        """Cancel what is under way, wait until it has ended, then call `do`."""
        before = [one for one in self._walks if not one.done()]

        async def next_one() -> None:
            if before:
                await asyncio.wait(before)
            await do()

        for one in before:
            one.cancel()
        self._walks = [*before, asyncio.create_task(next_one())]

    def action_others(self) -> None:
        """Choose a scenario to look at."""
        from fwdtui.ui.common.choosers import ChooseScenario

        parts = self.demo.stage.others()
        if not parts:
            self.notify("There are no other scenarios on this lab.", markup=False)
            return

        def chosen(number: int | None) -> None:
            if number is not None:
                self.play(parts[number])

        self.app.push_screen(ChooseScenario([part.title for part in parts]), chosen)

    def play(self, part: Part) -> None:
        """Leave the walk for this scenario, which gets a session of its own."""
        self._free = part

        async def switch() -> None:
            try:
                await self.demo.play(part)
            except (FwdtuiError, OSError) as error:
                self._trouble("scenario", error)

        self._go_on(switch)

    def action_compare(self) -> None:
        """Compare the two sessions of the walk; else list the sessions."""
        self.workers.cancel_group(self, BACKGROUND)  # what would be shown later is shown now
        self._show_comparison()

    def _show_comparison(self) -> None:
        app, measured = shell(self), self.demo.measured
        if len(measured) == len(self.demo.stage.plan.parts):
            app.compare(measured[0], measured[1:])
        else:
            app.action_sessions()
