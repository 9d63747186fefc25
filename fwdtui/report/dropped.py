"""Iterations that the user dropped: a report counts none of them, and always lists them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fwdtui.core.model import Iteration
from fwdtui.report.document import Document
from fwdtui.report.escape import inline
from fwdtui.report.grouping import by_case
from fwdtui.report.table import number


@dataclass(frozen=True, slots=True)
class Struck:
    """The dropped iterations of one case of one side; `recorded` is how many the case has in all."""

    label: str
    case: str
    iterations: Sequence[Iteration]
    recorded: int


def struck(document: Document) -> list[Struck]:
    """The compared cases that have a dropped iteration; a session named twice counts once."""
    compared = by_case(document.compared.judged)
    dropped_by_case: dict[tuple[str, str, tuple[int, ...]], Struck] = {}
    for side in document.compared.sides:
        for case, one in side.cases.items():
            if one.dropped and one.session and (case in compared or side.chosen):
                whole = Struck(side.label, case, one.dropped, one.recorded)
                # two cells may be of one case: they have different iterations
                place = one.session.path, one.name, tuple(iteration.index for iteration in one.dropped)
                dropped_by_case.setdefault(place, whole)
    return list(dropped_by_case.values())


def sentence(document: Document) -> Iterator[str]:
    """A paragraph for the head of a report: how many were dropped, of how many, and where."""
    dropped = struck(document)
    if count := sum(len(one.iterations) for one in dropped):
        count_text = "1 iteration was dropped by hand and does not count"
        if count > 1:
            count_text = f"{count} iterations were dropped by hand and do not count"
        where = [
            f"{inline(one.label)}, {inline(one.case)} ({len(one.iterations)} of {one.recorded})"
            for one in dropped
        ]
        yield f"{count_text}: {'; '.join(where)}.\n"


def table(document: Document) -> Iterator[str]:
    """A table of the dropped iterations, with their values struck through, and the reasons."""
    rows = [
        f"| {inline(one.label, cell=True)} | {inline(one.case, cell=True)} | {iteration.index} "
        f"| {_value(iteration)} | {inline(iteration.dropped, cell=True)} |\n"
        for one in struck(document)
        for iteration in one.iterations
    ]
    if rows:
        head = f"| {document.side_word} | case | iteration | dropped value | why |\n"
        yield "".join([head, "| --- | --- | ---: | ---: | --- |\n", *rows])


def _value(iteration: Iteration) -> str:
    if iteration.value is None:
        return number(None)
    return f"~~{inline(number(iteration.value, iteration.unit), cell=True)}~~"
