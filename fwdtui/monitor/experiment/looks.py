"""When enough has been measured: what the stop rules are asked, and what they answer."""

from collections.abc import Callable, Sequence

import msgspec

from fwdtui.core.experiment import Plan, Trial
from fwdtui.core.experiment.model import FIRST_PRECISE, LOOKS, PRECISION
from fwdtui.core.model import Iteration


class Measured(msgspec.Struct, frozen=True):
    """A trial with a sound value, in packets per second. `boot`: the DUT's, "" if it is not known.

    `offered`: what was offered, None if that is not known: a value that is as large says nothing of the DUT.
    """

    trial: int
    block: int
    cell: int
    value: float
    boot: str = ""
    offered: float | None = None


def measured(trial: Trial, iteration: Iteration) -> Measured | None:
    """The sound value of a trial; None if it has none that counts."""
    if iteration.value is None or iteration.dropped:
        return None
    return Measured(trial.number, trial.block, trial.cell, iteration.value, iteration.boot, iteration.offered)


class Look(msgspec.Struct, frozen=True):
    """What a look at the data says: whether nothing more is to be measured, and one sentence for people."""

    decided: bool
    text: str


Looker = Callable[[Plan, Sequence[Measured], int, int], Look]
"""Given the plan, what was measured, the blocks that are complete, and which look this is (from 1)."""


def is_due(plan: Plan, block: int) -> bool:
    """Whether the data are looked at once `block` blocks are complete, before the last one."""
    rule, blocks = plan.experiment.stop, max((trial.block for trial in plan.trials), default=0)
    if block >= blocks:
        return False
    if rule.rule == LOOKS:
        return block in rule.looks
    return rule.rule == PRECISION and block >= FIRST_PRECISE
