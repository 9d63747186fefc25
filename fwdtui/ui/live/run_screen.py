"""The live screen on unattended iterations: where the plan is stands in the heading."""

from fwdtui.ui.live.run_control import RunControl
from fwdtui.ui.live.screen import LiveScreen


class RunScreen(LiveScreen):
    """Everything that the live screen does; nothing has to be pressed."""

    HELP = (
        LiveScreen.HELP
        + """
# Unattended iterations
The generator is started and stopped by itself, as often as was asked for; the heading tells where that is.
`g` ends it: the blast that is on becomes the last iteration. `q` asks before it leaves; what was recorded is
kept and the generator is stopped.
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
            self.notify(f"{self.plan.doing}; q leaves", title="run", timeout=15, markup=False)

    def _generator_text(self) -> str:
        return ""  # the plan says it

    def _plan_text(self) -> str:
        return self.plan.doing
