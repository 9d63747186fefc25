"""The trials of one cell in one block are a visit. With `boots` in the file each has a boot of its own."""

from fwdtui.core.experiment.model import Plan, Trial
from fwdtui.core.experiment.order import is_aa


def boots_before(plan: Plan, trial: Trial, last: Trial | None) -> bool:
    """Whether the DUT reboots before a trial.

    `last`: the trial that was measured last, if that was in the current boot, and that boot was asked for. As
    long as the plan is followed, it is the trial before. When a trial is repeated later, the boot of its
    visit is over, or other trials have been measured in it since.
    """
    if trial.boot or trial.repeat == 1:
        return trial.boot
    first = plan.trials[trial.number - trial.repeat]
    own = first.boot and (plan.experiment.reboot or is_aa(plan))
    return own and (last is None or (last.block, last.cell) != (trial.block, trial.cell))
