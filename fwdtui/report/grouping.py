"""Results by case, and the warnings of all results, each once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.model import Caution
from fwdtui.stats.results import Judged, ResultSet


class Warned(NamedTuple):
    """One warning and the cases that it is about (none: it is about the sessions)."""

    code: str
    cases: tuple[str, ...]
    text: str


def warnings(judged: Iterable[Judged], notes: Iterable[Caution] = ()) -> list[Warned]:
    """Every warning once, in the order of the first result that has it; the notes of the sessions last."""
    cases_of: dict[tuple[str, str], list[str]] = {}
    for one in judged:
        for warning in one.comparison.warnings:
            cases = cases_of.setdefault((warning.code, warning.text), [])
            if one.comparison.case not in cases:
                cases.append(one.comparison.case)
    for note in notes:
        cases_of.setdefault((note.code, note.text), [])
    return [Warned(code, tuple(cases), text) for (code, text), cases in cases_of.items()]


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
