"""The method section of the report: what a value is, what was dropped and why, and how it was decided."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fwdtui import __version__
from fwdtui.core.model import Iteration, Window
from fwdtui.core.text import clean
from fwdtui.report import dropped
from fwdtui.report.document import Document
from fwdtui.report.escape import inline
from fwdtui.report.grouping import by_case
from fwdtui.report.in_metric import meaning
from fwdtui.report.iterations import CaseSet
from fwdtui.report.merging import in_ranges, numbered, without_figures
from fwdtui.report.ministat_block import FLAVOUR, confidence_for
from fwdtui.report.recordings import number_of_boots
from fwdtui.report.sides import Side
from fwdtui.stats.figures import in_percent, listing, margin
from fwdtui.stats.wording import designs

_MEASURED = (
    "the median rate of its measured window, at the receiver if there is one, else at the DUT's output"
)
_OTHERWISE = {
    "equilibrium": "the highest load that a search found to be forwarded without loss, according to its log",
    "published": "what was published, where no log is left",
}
"""Method of a window (core.model.Window) -> what a value is then; with all other methods it is measured."""


def value_of(used: Iterable[Iteration]) -> str:
    """What the values of these iterations are, for readers of a report."""
    methods = dict.fromkeys(one.window.method if one.window is not None else "" for one in used)
    told = list(dict.fromkeys(_OTHERWISE.get(name, _MEASURED) for name in methods)) or [_MEASURED]
    text = f"One iteration is one value: {'; or '.join(told)}."
    return f"{text} The seconds of an iteration are not separate samples." if _MEASURED in told else text


def method(document: Document) -> Iterator[str]:
    """The section in paragraphs, each ending with a line end. What was left out is always listed."""
    left_out = [*_left_out(document)]
    if not document.has("method"):
        if left_out:
            yield "## Left out of the statistics\n"
            yield from left_out
        return
    yield "## Method\n"
    files = [side.label for side in document.compared.sides if not side.sessions]
    if len(files) < len(document.compared.sides):
        metric = document.compared.view.metric
        used = [
            i for side in document.compared.sides for one in _cases(document, side).values() for i in one.used
        ]
        yield f"{meaning(metric) if metric else value_of(used)}\n"
    yield from _designs(document)
    if not document.tells_experiments:
        yield from _boots(document)
    if files:
        yield f"Values taken from files as they are: {listing([inline(label) for label in files])}.\n"
    rows, notes = _windows(document) if document.has("windows") else ([], [])
    if rows:
        columns = "case | window | iterations | samples kept | before | after | within"
        head = f"| {document.side_word} | {columns} |\n"
        yield "".join([head, "| --- | --- | --- | --- | ---: | ---: | ---: | ---: |\n", *rows])
    if notes:
        yield "".join(f"- {note}\n" for note in notes)
    if left_out:
        yield "Left out of the statistics:\n"
        yield from left_out
    yield from _decisions(document)


def _cases(document: Document, side: Side) -> Mapping[str, CaseSet]:
    """The cases of a side that are compared: about the others there is a note, and nothing else."""
    compared = by_case(document.compared.judged)
    return {name: one for name, one in side.cases.items() if name in compared or side.chosen}


def _designs(document: Document) -> Iterator[str]:
    """What was compared with what, if not simply iterations, and what pairing means."""
    compared = [one.comparison for one in document.compared.judged]
    if told := designs(compared):
        yield "".join(f"- {inline(text)}\n" for text in told)
    if any(one.analysis.paired for one in compared):
        yield (
            "Paired by block: the logarithm of the ratio of candidate and baseline is taken in each block, "
            "measured close in time. Verdict, interval and equivalence rest on these, so that what a "
            "whole block has in common, such as a drift of the lab, cancels.\n"
        )


def _boots(document: Document) -> Iterator[str]:
    """On how many boots of the DUT the iterations ran, which no interval shows."""
    counted = [
        f"{inline(side.label)}: {'not known' if (boots := number_of_boots(cases)) is None else boots}"
        for side in document.compared.sides
        if side.sessions and (cases := _cases(document, side))
    ]
    if counted:
        yield f"Boots of the DUT that the values come from: {', '.join(counted)}.\n"


def _windows(document: Document) -> tuple[list[str], list[str]]:
    rows: list[str] = []
    notes: dict[str, list[str]] = {}
    for side in document.compared.sides:
        for case, case_set in _cases(document, side).items():
            measured = [(i, i.window) for i in case_set.used if i.window is not None]
            if not measured:
                continue
            rows.append(_window_row(side.label, case, measured))
            for _, window in measured:
                for note in window.notes:
                    notes.setdefault(without_figures(clean(note)), []).append(clean(note))
    return rows, [inline(f"{in_ranges(alike)} ({_iterations(len(alike))})") for alike in notes.values()]


def _iterations(count: int) -> str:
    return "1 iteration" if count == 1 else f"{count} iterations"


def _window_row(label: str, case: str, measured: Sequence[tuple[Iteration, Window]]) -> str:
    windows = [window for _, window in measured]
    cells = [
        inline(label, cell=True),
        inline(case, cell=True),
        inline(", ".join(sorted({clean(window.method) for window in windows})), cell=True),
        numbered([iteration.index for iteration, _ in measured]).partition(" ")[2],
        *(
            _range([getattr(window, part) for window in windows])
            for part in ("kept", "head", "tail", "inside")
        ),
    ]
    return f"| {' | '.join(cells)} |\n"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low}" if low == high else f"{low} to {high}"


def _left_out(document: Document) -> Iterator[str]:
    if excluded := dict.fromkeys(_excluded(document)):
        yield "".join(f"- {line}\n" for line in excluded)
    yield from dropped.table(document)


def _excluded(document: Document) -> Iterator[str]:
    for one in document.compared.judged:
        for side in (one.base, one.other):
            for text in side.excluded:
                yield f"{inline(side.label)}, {inline(one.comparison.case)}: {inline(text)}"


def _decisions(document: Document) -> Iterator[str]:
    if not document.compared.judged:
        return
    methods = dict.fromkeys(one.comparison.difference.method for one in document.compared.judged)
    first = document.compared.judged[0].comparison
    level, limit = first.difference.confidence, margin(first.margin_percent)
    yield (
        "Difference of the means (that of the medians may differ from it): "
        f"{'; '.join(inline(text) for text in methods)}. Intervals are two-sided at {in_percent(level)}, "
        "each for one comparison alone; *p, adjusted* and the verdict allow for all that this report shows.\n"
    )
    yield (
        "A verdict is *faster* or *slower* where a difference is proven, *equivalent* where it is proven to "
        f"be inside ±{limit} of the baseline's mean (two one-sided tests), *capped* where values are only as "
        "high as what was offered, and otherwise *inconclusive*: no difference proven is not the same as no "
        "difference.\n"
    )
    if document.has("ministat"):
        used = confidence_for(level)
        other = "" if used == level else f" (ministat has no {in_percent(level)})"
        yield (
            f"The tables are ministat's, flavour {FLAVOUR} (FreeBSD's since November 2016), a pooled "
            f"Student's t at {used:g} %{other}, each for one comparison alone.\n"
        )
    yield f"Written by fwdtui {inline(__version__)}.\n"
