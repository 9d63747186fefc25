"""The warnings of one session by itself: its iterations' own, and what any comparison of it would add."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from fwdtui.core.model import Case, Caution, Session
from fwdtui.core.text import clean
from fwdtui.report import hygiene
from fwdtui.report.bearing import MEANING
from fwdtui.report.comparison import MARGIN
from fwdtui.report.iterations import CaseSet, units_of
from fwdtui.stats.cautions import set_cautions
from fwdtui.stats.describe import describe
from fwdtui.stats.design import design_of, seen
from fwdtui.stats.pair_cautions import boots_partly_known, one_boot


@dataclass(frozen=True, slots=True)
class OwnWarning:
    """`code` and `text` of a warning, and the cases that it is about; none: it is about the session."""

    code: str
    cases: tuple[str, ...]
    text: str


def own_warnings(session: Session, results: Sequence[tuple[Case, CaseSet]]) -> list[OwnWarning]:
    """Damage, iterations left out, the iterations' own warnings, then those about a case's set of values.

    Of the last, only those that bear on a verdict: few values, spread and single outliers widen the interval
    themselves. Boots are those that iteration.json names; a comparison of an older session also looks for
    them in its samples. Holm's correction is that of a comparison of these cases with one other session.
    Values in several units have no spread, no trend and no cap in common: the only warning is that the units
    differ.
    """
    warnings = [OwnWarning("damage", (), clean(problem)) for problem in session.problems]
    warnings += [OwnWarning(one.code, (), one.text) for one in hygiene.changes(session)]
    for case, one in results:
        warnings += [OwnWarning("left out", (clean(case.name),), text) for text in one.result.excluded]
    cases_of: dict[tuple[str, str], list[str]] = {}
    for case, one in results:
        for caution in (*one.result.cautions, *of_the_set(one, len(results))):
            cases_of.setdefault((caution.code, caution.text), []).append(clean(case.name))
    warnings += [OwnWarning(code, tuple(cases), text) for (code, text), cases in cases_of.items()]
    return warnings


def of_the_set(one: CaseSet, shown: int) -> list[Caution]:
    """The warnings that any comparison would give about these values, and that bear on a verdict.

    Without those that the set carries itself. `shown`: how many sets share the rate of false warnings.
    """
    boots = one.result.boots or tuple(iteration.boot or None for iteration in one.used)
    # what the iterations carry is there already, and a label would only repeat which session it is
    alone = msgspec.structs.replace(one.result, label="", cautions=(), excluded=(), boots=boots)
    design = design_of(alone, alone)  # as in a comparison with a set that was measured in the same way
    warned = [*one_boot(alone), *boots_partly_known(alone)]
    if len(units_of(one.used)) == 1:
        warned[:0] = set_cautions(
            *(alone, describe(alone), MARGIN, shown),
            tested=seen(alone, design.base),
            unit=design.unit_of(design.base),
            paired=design.paired,
        )
    carried = {caution.code for caution in one.result.cautions}
    return [
        Caution(caution.code, caution.text.removeprefix(": "))
        for caution in warned
        if caution.code in MEANING and caution.code not in carried
    ]
