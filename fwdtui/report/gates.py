"""`--fail-if` and `--fail-unless`: one answer over all cases, for scripts and `git bisect run`.

0: every comparison satisfies every condition. 1: at least one does not. 2: none fails, but at least one has
no answer, which never counts as a yes. A warning that bears on a verdict changes no answer by itself, but is
printed in its line; `--fail-if marked` fails on any. Unsound data (bearing.UNSOUND) prove nothing, and if it
is not known what was dropped, by hand or by an experiment, no condition has an answer.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fwdtui.report import bearing
from fwdtui.report.iterations import UNKNOWN
from fwdtui.report.sides import Side
from fwdtui.stats.results import Comparison, Judged


class Answer(NamedTuple):
    """The exit status, and a line for each comparison that it rests on, the failing ones first."""

    status: int
    lines: tuple[str, ...]


def answer(
    judged: Sequence[Judged],
    sides: Sequence[Side],
    fail_if: Sequence[str],
    fail_unless: Sequence[str],
    missing: Sequence[str] = (),
) -> Answer:
    """Whether all comparisons satisfy all conditions.

    `fail_if`: verdicts that fail, and "marked"; `fail_unless`: "not-slower", "equivalent", all of which must
    be proven. `missing`: lines on what else has no answer (unmeasured.py). A case that the baseline has and a
    candidate lacks has no answer. A case that only a candidate has is only reported: there is nothing that it
    could be worse than.
    """
    if not (fail_if or fail_unless):
        return Answer(0, ())
    failing: list[str] = []
    unanswered: list[str] = []
    remarks: list[str] = []
    for one in judged:
        comparison = one.comparison
        if comparison.cannot_say is not None:
            # if inconclusive is to fail, so is a verdict that is impossible
            place = failing if "inconclusive" in fail_if else unanswered
            place.append(_line(comparison, "no verdict", comparison.cannot_say))
            continue
        codes = bearing.codes(comparison, "not-slower" in fail_unless)
        marked = f"a warning bears on it ({', '.join(codes)})" if codes else ""
        reasons = list(_failing(comparison, codes, fail_if, fail_unless))
        failing += [_line(comparison, what, _joined(why, marked)) for what, why in reasons]
        unsound = bearing.unsound(comparison)
        if not reasons and unsound and (fail_unless or not set(UNKNOWN).isdisjoint(unsound)):
            why = "; ".join(f"{bearing.MEANING[code]} ({code})" for code in unsound)
            unanswered.append(_line(comparison, "not proven", why))
        elif marked and not reasons:
            remarks.append(_line(comparison, comparison.verdict, marked))
    unanswered += [*lacking(sides), *missing]
    remarks += _new(sides)
    status = 1 if failing else 2 if unanswered else 0
    return Answer(status, tuple(f"fwdtui: {line}" for line in (*failing, *unanswered, *remarks)))


def _failing(
    comparison: Comparison, codes: Sequence[str], fail_if: Sequence[str], fail_unless: Sequence[str]
) -> Iterator[tuple[str, str]]:
    if comparison.verdict in fail_if or ("marked" in fail_if and codes):
        yield comparison.verdict, ""
    if "not-slower" in fail_unless and not comparison.not_slower.proven:
        yield "not-slower is not proven", comparison.not_slower.why_not or comparison.verdict
    if "equivalent" in fail_unless and comparison.verdict != "equivalent":
        yield "not shown to be equivalent", comparison.verdict


def _joined(*clauses: str) -> str:
    return "; ".join(clause.removesuffix(".") for clause in clauses if clause)


def _line(comparison: Comparison, what: str, why: str) -> str:
    line = f"{what}: {comparison.case} ({comparison.other.label} against {comparison.base.label})"
    return f"{line}: {why.removesuffix('.')}" if why else line


def lacking(sides: Sequence[Side]) -> list[str]:
    """The baseline's cases that a candidate lacks, one line each.

    If a side is one case that the user chose, the other cases are not reported; but the chosen one is, if the
    other side lacks it.
    """
    base, *others = sides
    return [
        line
        for other in others
        for line in (*_only_in(base, other, "no verdict"), *_chosen_only(base, other, "no verdict"))
    ]


def _new(sides: Sequence[Side]) -> list[str]:
    """The candidates' cases that the baseline lacks, one line each; none if a side was chosen."""
    base, *others = sides
    return [line for other in others for line in _only_in(other, base, "not judged")]


def _only_in(one: Side, other: Side, what: str) -> list[str]:
    if one.chosen or other.chosen:
        return []
    missing = [case for case in one.cases if case not in other.cases]
    return [f"{what}: {case}: {one.label} has it and {other.label} does not" for case in missing]


def _chosen_only(base: Side, other: Side, what: str) -> list[str]:
    """The case that the user chose on one side only, if the other side does not have it.

    Two chosen cases, and a value file with a case, are compared whatever they are called.
    """
    if base.chosen == other.chosen or not (base.sessions and other.sessions):
        return []
    one, beside = (base, other) if base.chosen else (other, base)
    missing = [case for case in one.cases if case not in beside.cases]
    return [f"{what}: {case}: {one.label} has it and {beside.label} does not" for case in missing]
