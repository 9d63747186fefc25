"""Warnings about the loads of two sides: what was offered to them and, for costs, what they forwarded."""

import math
from collections.abc import Iterator, Sequence

from fwdtui.core.factors import Level
from fwdtui.core.metrics import SAME_LOAD, bounded_by_load, is_cost
from fwdtui.core.model import Caution
from fwdtui.report.frames import FRAME_SIZE
from fwdtui.report.iterations import CaseSet
from fwdtui.stats.figures import rate

RATE, PPS = "rate", "pps"
"""The factor that is the offered load, and the unit of its bare numbers."""


def of_loads(base: CaseSet, other: CaseSet, unit: str, by: Sequence[str]) -> Iterator[Caution]:
    """What makes two sides with values in `unit` hard to compare. `by`: the factors that are compared."""
    loads = [[load for load in side.result.offered if load] for side in (base, other)]
    asked = _rates_asked(base, other, by)
    if all(loads):
        yield from _offered(loads, asked, unit, by)
    if is_cost(unit):
        yield from _load_of_costs(base, other, loads, bool(asked))


def _offered(
    loads: Sequence[Sequence[float]], asked: Sequence[Level], unit: str, by: Sequence[str]
) -> Iterator[Caution]:
    """The warning that the two were not offered the same, or not what was asked for.

    The tests compare the means of the values, so the loads' means have to agree, too: if a generator sent
    half in two of five iterations, the median load does not show it.
    """
    for middle, how in ((median_of, ""), (_mean, " on average")):
        first, second = map(middle, loads)
        if _as_asked(asked, first, second, by) if asked else abs(second - first) <= SAME_LOAD * first:
            continue
        shown = unit if bounded_by_load(unit) else ""
        loads_told = f"{rate(first, shown)} and the candidate {rate(second, shown)}{how}"
        text = f"the baseline was offered {loads_told}"
        if asked:
            told = " and ".join(one.shown for one in asked)
            text += f", which is not the ratio of {told}: a generator did not send the requested load"
        else:
            text += ": repeat one of them under the other's load"
            if is_cost(unit):
                text += ", because what a packet costs depends on the load (batching, idle polling)"
        yield Caution("loads-differ", text)
        return


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def median_of(values: Sequence[float]) -> float:
    """The same as statistics.median, whose import takes longer than a small comparison of sessions."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2.0


def _rates_asked(base: CaseSet, other: CaseSet, by: Sequence[str]) -> tuple[Level, ...]:
    """The two levels of the factor `rate`, if it is compared and they differ; else none."""
    if RATE not in by or not all(RATE in one.factors for one in (base, other)):
        return ()
    levels = base.factors[RATE], other.factors[RATE]
    return levels if levels[0].identity != levels[1].identity else ()


def _as_asked(levels: Sequence[Level], first: float, second: float, by: Sequence[str]) -> bool:
    """Whether two loads are in the ratio of the two levels of `rate`; true if these give no ratio.

    Ratios are compared, not the loads themselves: with several generators a level may be that of each.
    """
    one, two = levels
    if one.number is None or two.number is None or one.unit != two.unit or min(one.number, two.number) <= 0:
        return True  # names, such as "full"
    if one.unit != PPS and FRAME_SIZE in by:
        return True
    ratio = two.number / one.number
    return abs(second / first - ratio) <= SAME_LOAD * ratio


def _load_of_costs(
    base: CaseSet, other: CaseSet, loads: Sequence[Sequence[float]], asked: bool
) -> Iterator[Caution]:
    """What makes costs per packet hard to compare besides different offered loads.

    `asked`: different loads are what is compared. Then what is forwarded differs, too, which needs a warning
    only if packets were lost: the work on them is in the costs.
    """
    if not all(loads):
        text = "what a packet costs depends on the load, and what was offered is unknown on at least one side"
        yield Caution("load-unknown", text)
    rates = [
        [forwarded.median for one in side.used if (forwarded := one.metrics.get("forwarded"))]
        for side in (base, other)
    ]
    if all(rates):
        first, second = median_of(rates[0]), median_of(rates[1])
        offered = [median_of(of_side) for of_side in loads if of_side]
        whole = len(offered) == 2 and all(
            forwarded >= (1.0 - SAME_LOAD) * load
            for forwarded, load in zip((first, second), offered, strict=True)
        )
        if abs(second - first) > SAME_LOAD * first and not (asked and whole):
            text = (
                f"the baseline forwarded {rate(first)} and the candidate {rate(second)}: the cost of a "
                "packet depends on that and includes the work on dropped packets; offer less than "
                "both can forward"
            )
            yield Caution("forwarded-differs", text)
