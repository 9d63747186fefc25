"""When an experiment has measured enough: after all blocks, at a precision, or at a planned look."""

from collections.abc import Sequence

import msgspec

from fwdtui.core.experiment import StopRule
from fwdtui.core.experiment.model import FIRST_PRECISE, LOOKS, PRECISION
from fwdtui.stats.figures import listing
from fwdtui.stats.interaction_verdict import Cross
from fwdtui.stats.looks import confidence_of, levels, schedule, share_of
from fwdtui.stats.results import Comparison, ResultSet
from fwdtui.stats.verdict import judge_all


class StopDecision(msgspec.Struct, frozen=True):
    """Whether the experiment ends here, and why.

    `look`: the number of the look that was taken for this decision, from 1; 0: none was due, and none is to
    be counted. `verdicts`: those at this look, in the order of the pairs; empty without one.
    """

    ends: bool
    reason: str  # a sentence
    look: int = 0
    planned: int = 0  # looks in all; 0: the rule has none
    confidence: float | None = None  # percent, of this look
    verdicts: tuple[str, ...] = ()


def stop_now(
    pairs: Sequence[tuple[str, ResultSet, ResultSet]],
    rule: StopRule,
    looks_done: int,
    *,
    done: int,
    blocks: int,
    margin_percent: float = 1.0,
    confidence: float = 95.0,
    crosses: Sequence[Cross] = (),
) -> StopDecision:
    """Whether to stop, to be asked after each block.

    `pairs`, `crosses`: all comparisons and interactions that the report will show.

    `looks_done`: looks that were taken before, as the journal has them. `done`: blocks that are complete,
    repeated trials included. `blocks`: the planned number, at which every rule ends. `confidence` is that of
    all looks together. Without pairs nothing can be decided early. Loads scipy.
    """
    if rule.rule == LOOKS and pairs:
        return _at_look(pairs, crosses, rule, looks_done, done, blocks, margin_percent, confidence)
    if rule.rule == PRECISION and pairs and rule.precision is not None and done >= FIRST_PRECISE:
        return _at_precision(pairs, crosses, rule.precision, done, blocks, margin_percent, confidence)
    if done >= blocks:
        return StopDecision(True, f"All {blocks} blocks are measured.")
    return StopDecision(False, f"{done} of {blocks} blocks are measured.")


def _judged(
    pairs: Sequence[tuple[str, ResultSet, ResultSet]],
    crosses: Sequence[Cross],
    margin_percent: float,
    confidence: float,
) -> list[Comparison]:
    """The verdicts at exactly this confidence. Interactions decide nothing, but share the error rate."""
    plain = [(case, _without_looks(base), _without_looks(other)) for case, base, other in pairs]
    judged = judge_all(plain, crosses, margin_percent=margin_percent, confidence=confidence).judged
    return [one.comparison for one in judged]


def _without_looks(side: ResultSet) -> ResultSet:
    if side.placed is None:
        return side
    return msgspec.structs.replace(side, placed=msgspec.structs.replace(side.placed, looks=()))


def _at_look(
    pairs: Sequence[tuple[str, ResultSet, ResultSet]],
    crosses: Sequence[Cross],
    rule: StopRule,
    looks_done: int,
    done: int,
    blocks: int,
    margin_percent: float,
    confidence: float,
) -> StopDecision:
    looks = schedule(rule.looks, blocks)
    if looks_done >= len(looks):
        return StopDecision(True, f"All {len(looks)} planned looks were taken.", 0, len(looks))
    if done < looks[looks_done]:
        return StopDecision(
            False, f"The next look is after block {looks[looks_done]}; {done} are measured.", 0, len(looks)
        )
    # looks that were missed are not made up for: what they would have spent stays unspent
    place = sum(look <= done for look in looks) - 1
    level = levels(looks, (100.0 - confidence) / 100.0)[place]
    used = confidence_of(level)
    comparisons = _judged(pairs, crosses, margin_percent, used)
    open_ones = [one.case for one in comparisons if one.verdict == "inconclusive"]
    what = f"look {place + 1} of {len(looks)}, at {share_of(used)}"
    if not open_ones and (capped := [one.case for one in comparisons if one.verdict == "capped"]):
        reason = (
            f"Nothing more can be decided at {what}: {_named(capped)} reached a limit that is not the DUT's."
        )
    elif not open_ones:
        reason = f"Everything is decided at {what}."
    elif done >= blocks:
        reason = f"All {blocks} blocks are measured; still open at {what}: {_named(open_ones)}."
    else:
        reason = f"Still open at {what}: {_named(open_ones)}."
    ends = not open_ones or done >= blocks
    return StopDecision(ends, reason, place + 1, len(looks), used, tuple(one.verdict for one in comparisons))


def _at_precision(
    pairs: Sequence[tuple[str, ResultSet, ResultSet]],
    crosses: Sequence[Cross],
    precision: float,
    done: int,
    blocks: int,
    margin_percent: float,
    confidence: float,
) -> StopDecision:
    comparisons = _judged(pairs, crosses, margin_percent, confidence)
    wide = [one.case for one in comparisons if not _precise(one, precision)]
    verdicts = tuple(one.verdict for one in comparisons)
    if not wide:
        reason = f"Every interval is within ±{precision:g} % after {done} blocks."
        return StopDecision(True, reason, confidence=confidence, verdicts=verdicts)
    if done >= blocks:
        reason = f"All {blocks} blocks are measured; wider than ±{precision:g} %: {_named(wide)}."
        return StopDecision(True, reason, confidence=confidence, verdicts=verdicts)
    reason = f"Wider than ±{precision:g} % after {done} of {blocks} blocks: {_named(wide)}."
    return StopDecision(False, reason, confidence=confidence, verdicts=verdicts)


def _precise(one: Comparison, precision: float) -> bool:
    percent, ends = one.difference.percent, one.difference.ci_percent
    if percent is None or ends is None:
        return False
    return max(ends[1] - percent, percent - ends[0]) <= precision


_MOST_NAMED = 5


def _named(cases: Sequence[str]) -> str:
    different = list(dict.fromkeys(cases))
    more = len(different) - _MOST_NAMED
    return listing([*different[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])])
