"""When enough has been measured: what the stop rules are asked, and what they answer."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from fwdtui.core.experiment import Plan, Trial
from fwdtui.core.experiment.model import FIRST_PRECISE, LOOKS, PRECISION
from fwdtui.core.model import Iteration


class Measured(msgspec.Struct, frozen=True):
    """A trial with a sound value, in packets per second."""

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
    """What a look at the data says: whether nothing more is to be measured, and one sentence for people.

    `failed`: the data could not be read, which may pass: a folder that is just being renamed.
    """

    decided: bool
    text: str
    failed: bool = False


Looker = Callable[[Plan, Path, int, int], Look]
"""Given the plan, the session's folder, the blocks that are complete, and which look this is (from 1).

Called in a thread. It asks the report, which no module of this package may import: what ends an experiment is
what its report says.
"""


def is_due(plan: Plan, block: int) -> bool:
    """Whether the data are looked at once `block` blocks are complete, before the last one."""
    rule, blocks = plan.experiment.stop, max((trial.block for trial in plan.trials), default=0)
    if block >= blocks:
        return False
    if rule.rule == LOOKS:
        return block in rule.looks
    return rule.rule == PRECISION and block >= FIRST_PRECISE
