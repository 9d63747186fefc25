"""What the screen of an experiment is given: the experiment as read, and a snapshot to draw."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from fwdtui.collectors.lab_trust import UntrustedError
from fwdtui.core.experiment import Plan
from fwdtui.core.experiment.text import Resumed
from fwdtui.core.lab import Lab
from fwdtui.core.shell_words import quote
from fwdtui.monitor.experiment.looks import Looker
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.monitor.experiment.view import CellView, ExperimentView
from fwdtui.report.shell_words import argument
from fwdtui.transport.ssh_files import TextFile
from fwdtui.ui.experiment.log_lines import LogLine


@dataclass(frozen=True)
class Given:
    """An experiment as the command read it. `files`: all files to show before anything runs.

    `untrusted`: files that the user also trusts by saying yes; None: all are trusted, or need no trust.
    """

    subject: Subject
    lab: Lab
    path: Path  # experiment.toml
    files: tuple[TextFile, ...]
    into: Path
    session: str
    resume: bool = False
    looker: Looker | None = None
    untrusted: UntrustedError | None = None
    left: float | None = None  # if it is resumed: the seconds it still takes
    resumed: Resumed | None = None  # if it is resumed: what is left, as only those steps are shown
    notes: tuple[str, ...] = ()  # what the user should know before saying yes
    options: tuple[str, ...] = ()  # further ones of the command, which --resume needs, too

    def again(self, folder: Path) -> str:
        """The command, for a shell, that goes on in the session's `folder`."""
        into, path = argument(folder.parent), argument(self.path)
        words = ["fwdtui", "experiment", path, "--resume", "--into", into, "--session", folder.name]
        return " ".join(map(quote, [*words, *self.options]))


class Shown(msgspec.Struct, frozen=True):
    """A snapshot of an experiment, which the screen draws. `stopping`: the user has asked to end it."""

    view: ExperimentView
    log: tuple[LogLine, ...]
    begun: bool = False  # the hosts are reached
    stopping: bool = False
    aside: str = ""  # why nothing runs, before the first trial


def planned(plan: Plan, doing: str) -> ExperimentView:
    """The view of an experiment in which nothing is measured yet. `doing`: what is done now, in words."""
    counts = [0] * len(plan.cells)
    for trial in plan.trials:
        counts[trial.cell] += 1
    cells = tuple(
        CellView(cell.number, cell.name, counts[cell.number], 0, 0, 0, False, ()) for cell in plan.cells
    )
    return ExperimentView(plan.experiment.name, cells, len(plan.trials), 0, 0, 0, 0, doing, None, (), ())
