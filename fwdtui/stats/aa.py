"""What an A/A experiment (core.experiment.order.aa_plan) says of its lab: what the lab cannot tell apart."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from fwdtui.core.experiment import Plan
from fwdtui.core.units import in_digits
from fwdtui.stats.block_cautions import APART
from fwdtui.stats.caps import cap_of
from fwdtui.stats.figures import arm_of, decimals_for, ends, listing, number
from fwdtui.stats.results import BLOCK, BOOT, Attempt, Comparison, Placed, ResultSet
from fwdtui.stats.verdict import judge

_UNITS = {BLOCK: "blocks", BOOT: "boots"}


LEAVES_OUT_ZERO = (
    "The interval leaves out 0, as one in twenty does by chance. If that happens again, values depend on "
    "when they are measured, and verdicts of this lab are wrong more often than their confidence says."
)


class Measured(Protocol):
    """A trial with a sound value, in packets per second."""

    @property
    def block(self) -> int:
        """From 1."""

    @property
    def cell(self) -> int:
        """The number of its cell."""

    @property
    def value(self) -> float:
        """Packets per second."""

    @property
    def boot(self) -> str:
        """The DUT's boot, "" if it is not known."""

    @property
    def offered(self) -> float | None:
        """Packets per second; None if that is not known."""

    @property
    def began(self) -> float | None:
        """Seconds since 1970; None if that is not known."""


class Floor(msgspec.Struct, frozen=True):
    """What an A/A experiment says of its lab; in percent of the mean.

    `low` to `high` is the 95 % interval of a difference that is known to be zero. `provable`: the smallest
    true difference that as many values would prove, with a probability of 80 %. All of it comes from the
    analysis that a comparison of an experiment uses: `paired` by block where blocks were measured in turns.
    """

    values: int  # of A and of B each, or pairs of them, in `unit`
    difference: float
    low: float
    high: float
    provable: float
    unit: str = "trials"  # or "blocks", "boots"
    paired: bool = False

    @property
    def text(self) -> str:
        """A few sentences. None is a verdict: there is nothing to decide."""
        interval = self.low, self.high
        decimals = max(decimals_for(arm_of(self.difference, interval)), 2)
        low, high = ends(interval, decimals)
        return (
            f"A and B are the same, and differ by {number(self.difference, decimals, sign=True)} %"
            f" (95 %: {low} to {high} %): that is this lab's floor."
            f" {self.proves[0].upper()}{self.proves[1:]} here (with a probability of 80 %)."
            + (f" {LEAVES_OUT_ZERO}" if self.leaves_out_zero else "")
        )

    @property
    def leaves_out_zero(self) -> bool:
        """Whether the interval leaves out zero, which is known to be the true difference."""
        return self.low > 0.0 or self.high < 0.0

    @property
    def proves(self) -> str:
        """``with 6 blocks, compared in pairs, an effect of 2.1 % or more can be proved``"""
        how = ", compared in pairs" if self.paired else " each"
        least = in_digits(self.provable, 2)
        return f"with {self.values} {self.unit}{how}, an effect of {least} % or more can be proved"


def floor(
    plan: Plan,
    measured: Iterable[Measured],
    line_rate: float | None = None,
    attempts: tuple[Attempt, ...] = (),
) -> Floor | None:
    """The floor, from what was measured of A and B; None: see `why_none`. Loads scipy.

    `line_rate`: for their frame size, in packets per second; None if it is not known. `attempts`: all
    attempts of the session, as in `Placed`.
    """
    comparison = _compared(_sets(plan, measured, line_rate, attempts))
    if comparison is None or _not_in_turns(comparison):
        return None
    difference, provable = comparison.difference, comparison.detectable_percent
    if (
        comparison.cannot_say
        or difference.percent is None
        or difference.ci_percent is None
        or provable is None
    ):
        return None
    analysis = comparison.analysis
    values = min(len(analysis.base) or comparison.base.n, len(analysis.other) or comparison.other.n)
    unit = _UNITS.get(analysis.unit, "trials")
    low, high = difference.ci_percent
    return Floor(values, difference.percent, low, high, provable, unit, analysis.paired)


def why_none(
    plan: Plan,
    measured: Iterable[Measured],
    line_rate: float | None = None,
    attempts: tuple[Attempt, ...] = (),
) -> str:
    """Why there is no floor, as a clause: too few values, no spread, a cap, or blocks not in one sitting."""
    sets = _sets(plan, measured, line_rate, attempts)
    comparison = _compared(sets)
    if comparison is not None and _not_in_turns(comparison):
        return (
            "the lab's floor is not known: in too many blocks A and B were measured at different "
            "times, so that a drift of the lab would be part of it; measure it again"
        )
    if comparison is not None and comparison.verdict == "capped":
        return f"the lab's floor is not known: {_why_capped(sets)}"
    return "too little was measured to say anything about the lab's floor"


def _not_in_turns(comparison: Comparison) -> bool:
    """Whether so few blocks were measured in one sitting that nothing is paired."""
    apart = any(one.code == APART for one in comparison.warnings)
    return apart and not comparison.analysis.paired


def _why_capped(sets: Sequence[ResultSet]) -> str:
    """What A and B are at, and what to do about it: a load and line rate ask for different things."""
    caps = [(name, cap) for name, one in zip("AB", sets, strict=True) if (cap := cap_of(one)) is not None]
    at_line = all(cap.kind == "line-rate" for _, cap in caps)
    way_out = "use a faster link" if at_line else "offer more"
    if len(caps) == len(sets) and all(cap.whole for _, cap in caps):
        whose = "are at line rate, so their values are the link's"
        if not at_line:
            whose = "forwarded all that they were offered, so their values are the generator's"
        return f"A and B {whose}; {way_out}"
    some = listing([f"{cap.pinned} of {cap.total} values of {name}" for name, cap in caps])
    which = "at line rate" if at_line else "all that was offered"
    return f"{some} are {which}, so the DUT may be able to do more; {way_out}"


def _compared(sets: Sequence[ResultSet]) -> Comparison | None:
    if not sets:
        return None
    base, other = sets
    return judge([(other.label, base, other)])[0].comparison


def _sets(
    plan: Plan, measured: Iterable[Measured], line_rate: float | None, attempts: tuple[Attempt, ...]
) -> list[ResultSet]:
    """What was measured of A and of B; empty if one of them has no value."""
    held: dict[int, list[Measured]] = {cell.number: [] for cell in plan.cells}
    for one in measured:
        held[one.cell].append(one)
    if len(held) != 2 or not all(held.values()):
        return []
    return [_set(plan, cell.name, held[cell.number], line_rate, attempts) for cell in plan.cells]


def _set(
    plan: Plan,
    label: str,
    values: Sequence[Measured],
    line_rate: float | None,
    attempts: tuple[Attempt, ...],
) -> ResultSet:
    began = tuple(one.began for one in values if one.began is not None)
    known = bool(attempts) and len(began) == len(values)
    boots = tuple(one.boot or None for one in values)
    offered = tuple(one.offered for one in values)
    return ResultSet(
        label=label,
        values=tuple(one.value for one in values),
        offered=offered if any(load is not None for load in offered) else (),
        line_rate=line_rate,
        boots=boots if any(boots) else (),
        unit="pps",
        placed=Placed(
            plan.digest[:16],
            plan.experiment.order,
            tuple(one.block for one in values),
            began=began if known else (),
            attempts=attempts if known else (),
        ),
    )
