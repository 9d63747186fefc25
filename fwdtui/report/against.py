"""One session against a baseline, by itself: what the comparison of just these two says."""

from dataclasses import dataclass

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.metrics import LESS
from fwdtui.core.model import Session
from fwdtui.report.comparison import judge_sides
from fwdtui.report.sides import labelled, of_session
from fwdtui.stats.results import Comparison, Judged

_WORST_FIRST = ("slower", "inconclusive", "capped", "equivalent", "faster")


@dataclass(frozen=True, slots=True)
class Against:
    """`judged`: the cases that both have, in the baseline's order; if none, `reason` says why.

    `alone`: the cases that only one of the two has.
    """

    base: str
    """The baseline's label."""
    judged: tuple[Judged, ...] = ()
    alone: tuple[str, ...] = ()
    reason: str = ""

    @property
    def worst(self) -> Comparison | None:
        """The case with the worst verdict; of several the one with the greatest loss or the least gain."""
        return min((one.comparison for one in self.judged), key=_rank, default=None)

    @property
    def rank(self) -> tuple[int, float] | None:
        """To sort by: the worst verdict first, and within it the greatest loss; None: there is no verdict."""
        return None if (worst := self.worst) is None else _rank(worst)


def _rank(comparison: Comparison) -> tuple[int, float]:
    percent = comparison.difference.percent
    gain = float("inf") if percent is None else -percent if comparison.better == LESS else percent
    return _WORST_FIRST.index(comparison.verdict), gain


def against(base: Session, other: Session) -> Against:
    """The verdicts on `other` at the default margin and confidence. Never raises FwdtuiError.

    A comparison with further candidates may be more cautious: its verdicts allow for their number.
    """
    try:
        first, second = labelled([of_session(base), of_session(other)])
        shared = [case for case in first.cases if case in second.cases]
        alone = tuple(case for case in {**first.cases, **second.cases} if case not in shared)
        if not shared:
            reason = f"no case in common: {first.label} has {', '.join(first.cases)}"
            return Against(first.label, alone=alone, reason=reason)
        return Against(first.label, judge_sides([first, second], settings=False).judged, alone)
    except FwdtuiError as error:
        return Against(base.label, reason=str(error))
