"""What an A/A experiment (core.experiment.order.aa_plan) says of its lab: what it cannot tell apart."""

import math
from collections.abc import Sequence

import msgspec

from fwdtui.monitor.experiment.looks import Measured
from fwdtui.stats.design import mean
from fwdtui.stats.gate import FEWEST_VALUES
from fwdtui.stats.moments import moments
from fwdtui.stats.power import detectable
from fwdtui.stats.ratio import percent, percent_interval

ALPHA = 0.05


class Floor(msgspec.Struct, frozen=True):
    """What an A/A experiment says of its lab; all in percent of the mean.

    `low` to `high` is the 95 % interval of a difference that is known to be none. `provable`: the smallest
    true difference that as many trials would prove, with a probability of 80 %.
    """

    values: int  # of each name: trials, or the means of blocks with several
    difference: float
    low: float
    high: float
    provable: float
    unit: str = "trials"  # or "blocks"

    @property
    def text(self) -> str:
        """Two sentences. Neither is a verdict: there is nothing to decide."""
        return (
            f"A and B are the same, and differ by {_signed(self.difference)} %"
            f" (95 %: {_signed(self.low)} to {_signed(self.high)} %): that is this lab's floor."
            f" With {self.values} {self.unit} each, an effect of {self.provable:.2g} % or more can be proved"
            " here (with a probability of 80 %)."
        )


def floor(measured: Sequence[Measured]) -> Floor | None:
    """What was measured of A and B; None if that is too little, or does not vary at all.

    Trials of one block share its boot, so the mean of a block is one value; one block alone has only trials.
    """
    several = len({one.block for one in measured}) > 1
    held: dict[tuple[int, int], list[float]] = {}
    for one in measured:
        held.setdefault((one.cell, one.block if several else one.trial), []).append(one.value)
    sides = [[mean(values) for (cell, _), values in sorted(held.items()) if cell == side] for side in (0, 1)]
    unit = "blocks" if len(held) < len(measured) else "trials"
    if min(map(len, sides)) < FEWEST_VALUES:
        return None
    base, other = map(moments, sides)
    if not base.variance or not other.variance or not base.mean:
        return None
    low, high = percent_interval(base, other, ALPHA)
    found = float(percent(base, other)), float(low), float(high)
    provable = detectable(base, other, ALPHA) / float(base.mean) * 100.0
    if not all(math.isfinite(one) for one in (*found, provable)):
        return None
    return Floor(min(map(len, sides)), *found, provable, unit)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
