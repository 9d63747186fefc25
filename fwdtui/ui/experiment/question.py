"""What an experiment would do, shown before anything is reached: its plan, its files, every step."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from fwdtui.collectors.lab_trust import UntrustedError
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import INTERLEAVED, RANDOM
from fwdtui.core.experiment.order import boots
from fwdtui.core.experiment.steps import steps
from fwdtui.core.experiment.text import clock, dry_run, weaknesses
from fwdtui.core.text import visible
from fwdtui.core.units import counted
from fwdtui.ui.common.copying import IN_DIALOG, Copy, lines
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.moving import IN_LISTS
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.common.trust import listing
from fwdtui.ui.experiment.given import Given

_ORDERS = {
    INTERLEAVED: "interleaved (ABBA): odd blocks forwards, even blocks backwards",
    RANDOM: "in random order within each block, seed {seed}",
}


class ExperimentQuestion(StyledOnce, ModalScreen[bool]):
    """Shows everything that would happen. Enter says yes only at the end: a stray one does no harm."""

    HELP = """\
# Run this experiment?
Nothing has been reached or started. At the top is the plan. Below it are its weaknesses, marked `!`, then the
files whose commands run on the lab's hosts, in full, then every step with its estimated time. If you
resume an experiment, only the remaining steps are shown. `y` begins, and so does `Enter` at the end;
beginning also trusts these files as they are now. With `Esc`, nothing is started.
"""
    DEFAULT_CSS = """
    ExperimentQuestion { background: $surface; layout: vertical; }
    ExperimentQuestion #files { height: 1fr; padding: 0 1; }
    ExperimentQuestion #listing { width: 100%; height: auto; }
    ExperimentQuestion #ask { height: auto; max-height: 50%; padding: 0 1; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "begin", id="experiment_question.yes"),
        Binding("enter", "on", "read on, then begin", key_display="⏎", id="experiment_question.on"),
        Binding("n,escape", "answer(False)", "not now", key_display="esc", id="experiment_question.no"),
        IN_DIALOG,
        *IN_LISTS,
    ]
    AUTO_FOCUS = "#files"

    def __init__(self, given: Given) -> None:
        super().__init__()
        self.given = given
        self.files = UntrustedError(given.path, given.files, "it runs commands on the hosts")

    def compose(self) -> ComposeResult:
        yield Static(self._asked(), id="ask", markup=False)
        with VerticalScroll(id="files"):
            yield Static(self._listing(), id="listing", markup=False)
        yield Footer()

    def _asked(self) -> Text:
        given = self.given
        verb = "Resume" if given.resume else "Run"
        text = Text(f"{verb} this experiment?\n", style="bold")
        where = visible(str(given.path))
        changed = given.untrusted is not None and self.files.changed
        new = " It has changed since you trusted it: + marks what is new." if changed else ""
        text.append(f"{where}: no host has been contacted yet.{new}", style="not bold")
        for line in summary(given):
            text.append(f"\n{visible(line)}", style="not bold")
        return text

    def _listing(self) -> Text:
        """What to know before saying yes, then files and steps. It scrolls, as it may not fit on a screen."""
        warnings = (
            *self.given.notes,
            *(one.text for one in weaknesses(self.given.subject.plan, self.given.lab)),
        )
        text = Text("".join(f"! {visible(one)}\n" for one in warnings))
        text.append("\n" if warnings else "").append(listing(self.files))
        text.append("Every step\n", style="bold")
        return text.append(dry_run(self.given.subject.plan, self.given.lab, self.given.resumed))

    def to_copy(self) -> Copy:
        """The whole question."""
        return lines("the experiment", f"{self._asked().plain}\n\n{self._listing().plain}")

    def action_answer(self, answer: bool) -> None:
        """Answer by key."""
        self._answer(answer)

    def action_on(self) -> None:
        """Scroll a page; at the end, answer yes."""
        files = self.query_one("#files")
        if files.scroll_offset.y < files.max_scroll_y:
            files.scroll_page_down(animate=False)
        else:
            self._answer(True)

    def _answer(self, answer: bool) -> None:
        if answer and self.given.untrusted is not None:
            try:
                self.given.untrusted.allow()
            except FwdtuiError as error:  # without trust, the next start would be refused, too
                self.notify(str(error), title="not begun", severity="error", markup=False)
                return
        self.dismiss(answer)


def summary(given: Given) -> list[str]:
    """The plan in a few lines: what is left if it is resumed, size, total time and order."""
    plan, lab = given.subject.plan, given.lab
    experiment = plan.experiment
    order = _ORDERS.get(experiment.order, "one cell after another").format(seed=experiment.seed)
    reboots = boots(plan)
    size = f"{counted(len(plan.cells), 'cell')} x {counted(experiment.blocks, 'block')}"
    if experiment.iterations > 1:
        size += f" x {experiment.iterations}"
    end = steps(plan, lab.dut.host)
    total = end[-1].at + end[-1].seconds if end else 0.0
    booting = f", {counted(reboots, 'reboot')}" if reboots else ""
    return [
        *_going_on(given),
        f"{experiment.name} on lab {lab.name}: {size} = {counted(len(plan.trials), 'trial')}{booting},"
        f" about {clock(total)} (h:mm:ss) if nothing is repeated",
        f"Order: {order}",
    ]


def _going_on(given: Given) -> list[str]:
    resumed = given.resumed
    if resumed is None:
        return []
    done = f"{len(resumed.begun.done)} of {counted(len(given.subject.plan.trials), 'trial')} done"
    left = f", about {clock(given.left)} left at the pace of its trials so far" if given.left else ""
    return [f"Resumes {resumed.session}: {done}{left}"]
