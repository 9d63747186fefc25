"""The live screen of the run that an experiment measures with, one key away from its design."""

from typing import Any, ClassVar

from textual import work
from textual.app import App
from textual.binding import Binding, BindingType

from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.experiment import keys
from fwdtui.ui.experiment.control import ExperimentControl, question_on_stopping
from fwdtui.ui.live.screen import LiveScreen

_BY_ITSELF = ("save", "take_back", "automatic", "baseline")
"""Actions that are not offered: those the experiment does itself, and one that shows differences, as an
experiment has planned looks for that."""


class BlastScreen(LiveScreen):
    """Draws the run of an experiment, without the keys that would interfere with it."""

    HELP = LiveScreen.HELP + keys.LIVE_HELP
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,escape", "app.pop_screen", "design", key_display="l", id="experiment_live.back"),
    ]
    FOOTER = LiveScreen.FOOTER._replace(first=("experiment_live.back", "live.pause", "live.maximise"))

    def __init__(self, control: ExperimentControl) -> None:
        super().__init__(control)
        self.experiment = control

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer nothing that the experiment does itself."""
        if action == "generator":
            return self.experiment.going
        return False if action in _BY_ITSELF else super().check_action(action, parameters)

    @work(exclusive=True, group="generator")
    async def action_generator(self) -> None:
        """Stop the experiment, after asking."""
        await ask_to_stop(self.app, self.experiment)

    def _case(self) -> str:
        return self.experiment.case

    def _generator_text(self) -> str:
        return ""  # the plan's text says it

    def _plan_text(self) -> str:
        return self.experiment.doing


async def ask_to_stop(app: App[Any], control: ExperimentControl) -> None:
    """Ask whether to stop the experiment, and do so if the user agrees. Must be called in a worker."""
    if control.shown().stopping:
        lines = [
            "Changes on the hosts are being undone. If you do not wait, some of them may stay in force;",
            "fwdtui experiment FILE --resume undoes them later.",
        ]
        if await app.push_screen_wait(
            Confirm("Stop waiting for the undo?", lines, "y  stop waiting", "n  wait")
        ):
            control.hurry()
        return
    title, lines = question_on_stopping(control, "Stop the experiment?")
    if await app.push_screen_wait(Confirm(title, lines, "y  stop it", "n  go on")):
        control.stop()
