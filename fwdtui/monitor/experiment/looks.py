"""When enough has been measured: what the stop rules are asked, and what they answer."""

from collections.abc import Callable, Sequence

import msgspec

from fwdtui.core.experiment import Plan

FIXED, PRECISION, LOOKS = "fixed", "precision", "looks"


class Measured(msgspec.Struct, frozen=True):
    """A trial with a sound value, in packets per second. `boot`: the DUT's, "" if it is not known."""

    trial: int
    block: int
    cell: int
    value: float
    boot: str = ""


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
    return rule.rule == PRECISION and block >= 2
