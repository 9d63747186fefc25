"""A look at the data of an experiment that is being measured: what its report would say of them now.

A look may end an experiment for good. So it tests the very sets, pairs and interactions that the report will
test (`matched`), which share one error rate.
"""

from collections.abc import Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Plan
from fwdtui.core.model import Session
from fwdtui.report.experiment_view import by_design, margin_of
from fwdtui.report.factor_view import AS_GIVEN
from fwdtui.report.iterations import counts
from fwdtui.report.matched import Matched, matched
from fwdtui.report.pairing import Pair
from fwdtui.report.sides import of_session
from fwdtui.stats.figures import listing
from fwdtui.stats.interaction_verdict import Cross
from fwdtui.stats.stopping import StopDecision, stop_now


def look_now(session: Session, plan: Plan, block: int, number: int) -> StopDecision:
    """Whether the experiment ends here: `session` as it is once `block` blocks are complete.

    `number`: which look this is, from 1. If something cannot be compared yet, the experiment does not end.
    Loads scipy.
    """
    pairs: Sequence[Pair] = ()
    crosses: Sequence[Cross] = ()
    why_not = ""
    if empty := _without_values(session, plan):
        why_not = f"Nothing is decided without a value of {listing(empty)}."
    elif len(plan.cells) > 1:
        try:
            found = matched([of_session(session)], by_design(plan, AS_GIVEN))
            pairs, crosses = _named(found), found.crosses
        except FwdtuiError as error:
            why_not = f"Nothing can be compared: {error}."
    experiment = plan.experiment
    decision = stop_now(
        pairs,
        experiment.stop,
        number - 1,
        crosses=crosses,
        done=block,
        blocks=experiment.blocks,
        margin_percent=margin_of(plan),
    )
    return StopDecision(decision.ends, why_not) if why_not else decision


def _without_values(session: Session, plan: Plan) -> list[str]:
    """The cells without an iteration that counts: a report leaves them out, but they are to be measured."""
    there = {case.name for case in session.cases if any(map(counts, case.iterations))}
    return [cell.name for cell in plan.cells if cell.name not in there]


def _named(found: Matched) -> list[Pair]:
    """The pairs under the names of the candidates' cells, which tell them apart if there are several."""
    side_of = {side.label: side for side in found.sides}
    return [(side_of[other.label].case(case).name, base, other) for case, base, other in found.pairs]
