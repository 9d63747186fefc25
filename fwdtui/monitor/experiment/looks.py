"""When enough has been measured: the looks at the data that the stop rules plan, and their outcome."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from fwdtui.core.experiment import Plan, Trial
from fwdtui.core.experiment.model import FIRST_PRECISE, LOOKS, PRECISION
from fwdtui.core.model import Iteration


class Measured(msgspec.Struct, frozen=True):
    """A trial with a sound value in packets per second, and its block and cell by number."""

    trial: int
    block: int
    cell: int
    value: float


def measured(trial: Trial, iteration: Iteration) -> Measured | None:
    """The sound value of a trial; None if it has none that counts."""
    if iteration.value is None or iteration.dropped:
        return None
    return Measured(trial.number, trial.block, trial.cell, iteration.value)


class Look(msgspec.Struct, frozen=True):
    """What a look at the data says: whether nothing more has to be measured, and one sentence for people.

    `failed`: the data could not be read, which may be temporary: a folder may just be being renamed.
    """

    decided: bool
    text: str
    failed: bool = False


Looker = Callable[[Plan, Path, int, int], Look]
"""Called with the plan, the session's folder, the number of complete blocks, and which look this is (from 1).

It is called in a thread. It asks the report, so that what ends an experiment is what its report says. No
module of this package may import the report itself.
"""


def is_due(plan: Plan, block: int) -> bool:
    """Whether a look is due once `block` blocks are complete; never after the last block."""
    rule, blocks = plan.experiment.stop, max((trial.block for trial in plan.trials), default=0)
    if block >= blocks:
        return False
    if rule.rule == LOOKS:
        return block in rule.looks
    return rule.rule == PRECISION and block >= FIRST_PRECISE
