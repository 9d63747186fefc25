"""The live screen on unattended iterations, with the plan's progress in the heading."""

from fwdtui.ui.common.own_keys import key
from fwdtui.ui.live.run_control import RunControl
from fwdtui.ui.live.screen import LiveScreen


class RunScreen(LiveScreen):
    """The live screen for a run that needs no key."""

    HELP = (
        LiveScreen.HELP
        + """
# Unattended iterations
The generator is started and stopped automatically for each iteration; the heading shows the progress. `g`
ends the plan: the current blast becomes the last iteration. `q` asks before it quits; the recording is saved
and the generator is stopped.
"""
    )

    def __init__(self, control: RunControl) -> None:
        super().__init__(control)
        self.plan = control
        self._told = False

    def _look(self) -> None:
        super()._look()
        if self.plan.finished and not self._told:
            self._told = True
            self.notify(
                f"{self.plan.doing}; {key('app.quit', 'q')} quits", title="run", timeout=15, markup=False
            )

    def _besides(self) -> tuple[object, ...]:
        return *super()._besides(), self.plan.finished

    def _generator_text(self) -> str:
        return ""  # the plan's text says it

    def _plan_text(self) -> str:
        return self.plan.doing
