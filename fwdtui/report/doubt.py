"""Which warnings bear on a verdict: the reader of "faster" has to know of them in the same moment.

A warning bears on a verdict when the test and its interval do not allow for what it tells: when the two sides
are not alike but for the DUT, or when the values are not what they pass for. Spread, few values and single
outliers widen the interval themselves and are not among them.
"""

from collections.abc import Iterable, Mapping

from fwdtui.core.model import Caution
from fwdtui.report.iterations import DROPPED
from fwdtui.stats.model import Comparison, Judged

MARK = "!"

BEARS: Mapping[str, str] = {
    "loads-differ": "the two were offered different loads, so not only the DUT differs",
    "partly-capped": "some values are lower bounds, so their mean is too low",
    "units-differ": "the two sides are in different units",
    "units-mixed": "one side's values are in different units",
    "trim-differs": "the two sides' values were taken by different methods",
    "trim-mixed": "one side's values were taken by different methods",
    "no-unit": "a plain file's values were taken for the other side's unit",
    "negative-value": "a value that no rate can have is counted",
    "two-clusters": "the DUT has two modes, and the verdict may be on which of them came up",
    "drift": "the values follow a trend, so it matters when they were measured",
    "zero-spread": "values without any spread give an interval that is too narrow",
    DROPPED: "somebody chose by hand which values count",
    "unsteady": "a run never settled, so its value is no steady rate",
    "outage": "the traffic stopped within a measured window",
    "no-traffic": "a run in which nothing arrived is counted",
    "crashed": "a tool crashed during a run that is counted",
    "ended-early": "a run that was cut short is counted",
}
"""Code -> why the verdict is not to be taken without it."""

_CLAIMS = ("faster", "slower", "equivalent")  # the other verdicts say themselves that they do not know


def doubts(comparison: Comparison) -> tuple[str, ...]:
    """The codes of the warnings that bear on the verdict, each once, in their order; most have none."""
    if comparison.verdict not in _CLAIMS:
        return ()
    return _bearing(comparison.warnings)


def _bearing(warnings: Iterable[Caution]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.code for one in warnings if one.code in BEARS))


def mark(comparison: Comparison) -> str:
    """What is put behind a verdict wherever one is shown: `` !`` or nothing."""
    return f" {MARK}" if doubts(comparison) else ""


def by_code(judged: Iterable[Judged]) -> dict[str, list[str]]:
    """Each code that bears on a verdict, and the cases whose verdict it is."""
    found: dict[str, list[str]] = {}
    for one in judged:
        for code in doubts(one.comparison):
            cases = found.setdefault(code, [])
            if one.comparison.case not in cases:
                cases.append(one.comparison.case)
    return found
