"""From pairs of sets to verdicts that can be trusted."""

from collections.abc import Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution
from fwdtui.stats import cautions
from fwdtui.stats.caps import Cap, cap_of, whole_cap
from fwdtui.stats.describe import describe
from fwdtui.stats.evidence import Evidence, evidence
from fwdtui.stats.explain import Steps, explanation
from fwdtui.stats.ministat import pair as ministat
from fwdtui.stats.model import Comparison, Description, Difference, Judged, ResultSet
from fwdtui.stats.moments import finite
from fwdtui.stats.pairs import Pair, prepare
from fwdtui.stats.values import digest_all
from fwdtui.stats.wording import difference_cell, sentence


def judge(
    pairs: Sequence[tuple[str, ResultSet, ResultSet]],
    *,
    margin_percent: float = 1.0,
    confidence: float = 95.0,
) -> list[Judged]:
    """A verdict on each (case, base, other), higher values being better.

    All pairs together are "everything shown": Holm's correction runs over them, once for differences and once
    for equivalence. `margin_percent` (of the base's mean) is the smallest difference that matters,
    0 <= margin < 100; `confidence` is in percent, between 0 and 100. Raises FwdtuiError for others. No number
    of the result is NaN or infinite, whatever the values (but `Judged.base` and `.other` are as they came).
    """
    if not 0.0 <= margin_percent < 100.0:
        raise FwdtuiError(
            f"a margin of {margin_percent:g} % makes no sense: give 0 or more, and less than 100"
        )
    if not 0.0 < confidence < 100.0:
        raise FwdtuiError(
            f"a confidence of {confidence:g} % makes no sense: give more than 0 and less than 100"
        )
    digest_all(side.values for _, *sides in pairs for side in sides)
    prepared = [prepare(*pair) for pair in pairs]
    found = evidence([pair for pair in prepared if pair.impossible is None], margin_percent, confidence)
    shown, tested = len(found), iter(found)
    return [
        _judged(pair, next(tested) if pair.impossible is None else None, shown, margin_percent, confidence)
        for pair in prepared
    ]


def verdict_of(different: bool, equivalent: bool, sign: int, base_capped: bool, other_capped: bool) -> str:
    """The verdict from what is proven; `sign` is that of other - base.

    Equivalence wins over a difference that is proven too: that is real, but smaller than the margin. Capped
    values are lower bounds: below a capped base is slower all the same, a capped other above the base is
    faster all the same, and nothing else survives.
    """
    if different and not equivalent:
        verdict = "faster" if sign > 0 else "slower"
    else:
        verdict = "equivalent" if equivalent else "inconclusive"
    survives = {(False, False): verdict, (True, False): "slower", (False, True): "faster"}
    return verdict if survives.get((base_capped, other_capped)) == verdict else "capped"


def _judged(
    pair: Pair, tested: Evidence | None, shown: int, margin_percent: float, confidence: float
) -> Judged:
    base, other = describe(pair.base), describe(pair.other)
    base_cap, other_cap = whole_cap(cap_of(pair.base)), whole_cap(cap_of(pair.other))
    silent = pair.impossible or pair.doubtful
    if base_cap and other_cap and min(base.n, other.n) > 1:
        silent = None  # both sets are at a limit, often without any spread: the limit is the better reason
    result = tested or Evidence(_untested(base, other, confidence), Steps(shown))
    sign = 0 if result.difference.absolute is None else _sign(base, other)
    if silent is not None:
        verdict = "inconclusive"
    else:
        verdict = verdict_of(
            result.different, result.equivalent, sign, base_cap is not None, other_cap is not None
        )
    steps = result.steps._replace(base_cap=_why_capped(base_cap), other_cap=_why_capped(other_cap))
    comparison = Comparison(
        case=pair.case,
        base=base,
        other=other,
        difference=result.difference,
        ministat=ministat(pair.base.values, pair.other.values, confidence),
        verdict=verdict,
        margin_percent=float(margin_percent),
        # the spread of capped values is the generator's, so it says nothing about what could be found
        detectable_percent=None if verdict == "capped" else result.detectable_percent,
        iterations_needed=None if verdict == "capped" else result.iterations_needed,
        warnings=_warnings(pair, silent, base, other, result, verdict, margin_percent),
    )
    text = sentence(
        comparison,
        cannot_say=silent.text if silent else None,
        limit=_limit_clause(base.label, base_cap, other.label, other_cap),
        shown=shown,
    )
    return Judged(comparison, pair.base, pair.other, text, explanation(comparison, steps, text))


def _sign(base: Description, other: Description) -> int:
    if base.mean is None or other.mean is None:
        return 0
    return (other.mean > base.mean) - (other.mean < base.mean)


def _untested(base: Description, other: Description, confidence: float) -> Difference:
    """What can be said of the difference without any test: the plain numbers, where there are any."""
    absolute = percent = None
    if base.mean is not None and other.mean is not None:
        absolute = finite(other.mean - base.mean)
        if base.mean > 0.0:
            percent = finite(100.0 * (other.mean / base.mean - 1.0))
    return Difference(absolute, percent, None, None, float(confidence), None, None, "no test is possible")


def _why_capped(cap: Cap | None) -> str | None:
    return None if cap is None else cautions.cap_reason(cap)


def _limit_clause(base: str, base_cap: Cap | None, other: str, other_cap: Cap | None) -> str:
    """Which set is at which limit, for the sentence: ``new is at line rate``."""
    clauses = [f"{label} is at {cap.limit}" for label, cap in ((base, base_cap), (other, other_cap)) if cap]
    return " and ".join(clauses)


def _warnings(
    pair: Pair,
    silent: Caution | None,
    base: Description,
    other: Description,
    result: Evidence,
    verdict: str,
    margin_percent: float,
) -> tuple[Caution, ...]:
    found = [silent] if silent else []
    if verdict == "equivalent" and result.different:
        found.append(cautions.small_but_real(difference_cell(result.difference), margin_percent))
    if result.steps.no_percent:
        found.append(
            Caution("no-percent-interval", f"percent of the base's mean: {result.steps.no_percent}.")
        )
    found += cautions.set_cautions(pair.base, base, margin_percent)
    found += cautions.set_cautions(pair.other, other, margin_percent)
    found += cautions.unequal_spread(base, other)
    return tuple(dict.fromkeys(found))
