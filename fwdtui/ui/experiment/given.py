"""What the screen of an experiment is made for, and the immutable picture that it draws."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from fwdtui.collectors.lab_trust import UntrustedError
from fwdtui.core.experiment import Plan
from fwdtui.core.experiment.text import Resumed
from fwdtui.core.lab import Lab
from fwdtui.monitor.experiment.looks import Looker
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.monitor.experiment.view import CellView, ExperimentView
from fwdtui.transport.ssh_files import TextFile
from fwdtui.ui.experiment.log_lines import LogLine


@dataclass(frozen=True)
class Given:
    """An experiment as the command read it. `files`: all that is shown before anything runs.

    `untrusted`: saying yes also trusts these files; None: they need no trust, or have it.
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
    left: float | None = None  # seconds that one to be gone on with still takes
    resumed: Resumed | None = None  # what it is gone on with, whose steps are then shown alone
    notes: tuple[str, ...] = ()  # what the user should know before saying yes


class Shown(msgspec.Struct, frozen=True):
    """An experiment at one moment, as it is drawn. `stopping`: the user has asked to end it."""

    view: ExperimentView
    log: tuple[LogLine, ...]
    begun: bool = False  # the hosts are reached
    stopping: bool = False
    aside: str = ""  # why nothing runs, before the first trial


def planned(plan: Plan, doing: str) -> ExperimentView:
    """An experiment of which nothing is measured yet."""
    counts = [0] * len(plan.cells)
    for trial in plan.trials:
        counts[trial.cell] += 1
    cells = tuple(
        CellView(cell.number, cell.name, counts[cell.number], 0, 0, 0, False, ()) for cell in plan.cells
    )
    return ExperimentView(plan.experiment.name, cells, len(plan.trials), 0, 0, 0, 0, doing, None, (), ())
