"""What makes the costs along a line of a sweep hard to compare: what a packet costs depends on the load."""

from collections.abc import Iterator, Sequence

from fwdtui.core.metrics import SAME_LOAD, is_cost
from fwdtui.core.model import Caution
from fwdtui.report.iterations import CaseSet
from fwdtui.report.loads import median_of
from fwdtui.stats.figures import rate


def cautions(x: str, unit: str, lines: Sequence[Sequence[CaseSet]]) -> Iterator[Caution]:
    """Warnings about costs in `unit` along the lines of one chart over `x`, with the codes of comparisons.

    There are none over the load itself (the factor ``rate``): such a chart is drawn to see how costs depend
    on it.
    """
    if not is_cost(unit) or x == "rate":
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


def _range(lines: Sequence[Sequence[Sequence[float]]]) -> str:
    """``1.000 Mpps to 2.000 Mpps``, for the line whose levels differ most; "" if all loads are the same."""
    widest = (1.0 + SAME_LOAD, "")
    for line in lines:
        medians = [median_of(rates) for rates in line if rates]
        if medians and max(medians) > widest[0] * min(medians):
            widest = max(medians) / min(medians), f"{rate(min(medians))} to {rate(max(medians))}"
    return widest[1]
