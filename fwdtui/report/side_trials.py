"""The iterations of the sides of a comparison, as cells are made of them."""

from collections.abc import Sequence

from fwdtui.report.cells_of import Trial, told_apart, trials
from fwdtui.report.sides import Side


def trials_of(sides: Sequence[Side]) -> list[Trial]:
    """The iterations of the sides' sessions; of a side with chosen cases, theirs alone."""
    sessions = iter(told_apart([session for side in sides for session in side.sessions]))
    return [
        trial
        for side in sides
        for trial in trials([next(sessions) for _ in side.sessions])
        if trial.case.name in side.cases
    ]
