"""Results by case, and the warnings of all results, each once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.model import Caution
from fwdtui.report import bearing
from fwdtui.stats.results import Interaction, Judged, ResultSet


class Warned(NamedTuple):
    """One warning and the cases that it is about (none: it is about the sessions).

    `marks`: it bears on the verdict of one of these cases, or on that of an interaction between them.
    """

    code: str
    cases: tuple[str, ...]
    text: str
    marks: bool = False

    @property
    def sign(self) -> str:
        """What begins a line on it: the mark, if a verdict has the mark because of it, else a dash."""
        return f"{bearing.MARK} " if self.marks else "- "


def warnings(
    judged: Iterable[Judged], notes: Iterable[Caution] = (), interactions: Iterable[Interaction] = ()
) -> list[Warned]:
    """Every warning once, in the order of the first result that has it; the notes of the sessions last.

    `interactions`: those that are shown beside the results.
    """
    crossed: dict[tuple[str, str], set[str]] = {}
    for of in interactions:
        for case in of.cases:
            crossed.setdefault((of.other, case), set()).update(of.marked_by)
    cases_of: dict[tuple[str, str], list[str]] = {}
    marking: set[tuple[str, str]] = set()
    for one in judged:
        case = one.comparison.case
        codes = {*bearing.codes(one.comparison), *crossed.get((one.other.label, case), ())}
        for warning in one.comparison.warnings:
            key = warning.code, warning.text
            cases = cases_of.setdefault(key, [])
            if case not in cases:
                cases.append(case)
            if warning.code in codes:
                marking.add(key)
    for note in notes:
        cases_of.setdefault((note.code, note.text), [])
    return [Warned(key[0], tuple(cases), key[1], key in marking) for key, cases in cases_of.items()]


def marked_first(found: Iterable[Warned]) -> list[Warned]:
    """The warnings that bear on a verdict, then the others."""
    return sorted(found, key=lambda one: not one.marks)


def by_case(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The results of each case, in the order of first appearance."""
    cases: dict[str, list[Judged]] = {}
    for one in judged:
        cases.setdefault(one.comparison.case, []).append(one)
    return cases


def sets_of(results: Sequence[Judged]) -> list[ResultSet]:
    """The sets of one case: the baseline's, then the candidates'."""
    return [results[0].base, *(one.other for one in results)]


def counts(judged: Iterable[Judged]) -> Mapping[str, int]:
    """How many results have each verdict, claims first."""
    verdicts = [one.comparison.verdict for one in judged]
    order = ("faster", "slower", "equivalent", "inconclusive", "capped")
    return {verdict: verdicts.count(verdict) for verdict in order if verdict in verdicts}
