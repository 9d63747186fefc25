"""What makes the values along a line of a sweep hard to compare: loads that were not as asked for.

For costs, any other load matters: what a packet costs depends on it.
"""

from collections.abc import Iterator, Sequence

from fwdtui.core.metrics import SAME_LOAD, is_cost
from fwdtui.core.model import Caution
from fwdtui.report.frames import FRAME_SIZE
from fwdtui.report.iterations import CaseSet
from fwdtui.report.loads import PPS, RATE, median_of
from fwdtui.stats.figures import rate


def cautions(x: str, unit: str, lines: Sequence[Sequence[CaseSet]]) -> Iterator[Caution]:
    """Warnings about values in `unit` along the lines of one chart over `x`, with the codes of comparisons.

    Over the load itself (the factor ``rate``) the loads are to differ, but as its levels do.
    """
    if x == RATE:
        yield from _not_as_asked(lines)
    if not is_cost(unit) or x == RATE:
        return
    of_lines = [[one for one in line if one.used] for line in lines]
    offered = [[[load for load in one.result.offered if load] for one in line] for line in of_lines]
    if any(not loads for line in offered for loads in line):
        text = (
            "what a packet costs depends on the load, and what was offered is unknown on at least one level"
        )
        yield Caution("load-unknown", text)
    if told := _range(offered):
        text = f"the levels of a line were offered different loads, {told}: a packet's cost depends on that"
        yield Caution("loads-differ", text)
    forwarded = [
        [[rates.median for i in one.used if (rates := i.metrics.get("forwarded"))] for one in line]
        for line in of_lines
    ]
    if told := _range(forwarded):
        text = (
            f"the levels of a line forwarded different rates, {told}: a packet's cost depends on that and "
            "includes the work on dropped packets; offer less than all can forward"
        )
        yield Caution("forwarded-differs", text)


def _not_as_asked(lines: Sequence[Sequence[CaseSet]]) -> Iterator[Caution]:
    """The warning that what was offered is not in the ratio of the levels of `rate`, for each line.

    Ratios are compared, not the loads themselves: with several generators a level may be that of each.
    """
    for line in lines:
        asked = [
            (level.number, load, level.shown)
            for one in line
            if (level := one.factors.get(RATE)) and level.number and level.number > 0
            if (load := median_of([load for load in one.result.offered if load] or [0.0]))
        ]
        units = {level.unit for one in line if (level := one.factors.get(RATE)) and level.number}
        frames = {size.identity for one in line if (size := one.factors.get(FRAME_SIZE))}
        if not asked or len(units) > 1 or (units != {PPS} and len(frames) > 1):
            continue  # names, such as "full"; or bits of different frames
        # a generator that fails sends less than was asked for, not more
        most, full, of_full = max((load / number, load, shown) for number, load, shown in asked)
        _, less, of_less = min((load / number, load, shown) for number, load, shown in asked)
        if any(load < (1.0 - SAME_LOAD) * most * number for number, load, _ in asked):
            text = (
                f"{rate(full)} was offered at rate {of_full} and {rate(less)} at rate {of_less}, which is not"
                " the ratio of the two: a generator did not send the requested load"
            )
            yield Caution("loads-differ", text)


def _range(lines: Sequence[Sequence[Sequence[float]]]) -> str:
    """``1.000 Mpps to 2.000 Mpps``, for the line whose levels differ most; "" if all loads are the same."""
    widest = (1.0 + SAME_LOAD, "")
    for line in lines:
        medians = [median_of(rates) for rates in line if rates]
        if medians and max(medians) > widest[0] * min(medians):
            widest = max(medians) / min(medians), f"{rate(min(medians))} to {rate(max(medians))}"
    return widest[1]
