"""The iterations of the sides of a comparison, as the trials that cells are made of."""

from collections.abc import Sequence

from fwdtui.report.cells_of import Trial, told_apart, trials
from fwdtui.report.sides import Side


def trials_of(sides: Sequence[Side]) -> list[Trial]:
    """The iterations of the sides' sessions; if a side has only some cases, only theirs."""
    sessions = iter(told_apart([session for side in sides for session in side.sessions]))
    return [
        trial
        for side in sides
        for trial in trials([next(sessions) for _ in side.sessions])
        if trial.case.name in side.cases
    ]
