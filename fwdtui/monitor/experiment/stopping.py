"""The stop rules, asked by the statistics of the report that will be made of the experiment."""

from collections.abc import Sequence

from fwdtui.core.experiment import Plan
from fwdtui.monitor.experiment.looks import Look, Measured
from fwdtui.stats.so_far import pairs_of


def look(plan: Plan, values: Sequence[Measured], block: int, number: int) -> Look:
    """See `looks.Looker`. Loads scipy."""
    from fwdtui.stats.stopping import stop_now

    experiment = plan.experiment
    decision = stop_now(
        pairs_of(plan, values),
        experiment.stop,
        number - 1,
        done=block,
        blocks=experiment.blocks,
        margin_percent=experiment.margin,
    )
    return Look(decision.ends, decision.reason)
