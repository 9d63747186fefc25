"""A sweep in plain characters: a table and a chart, for terminals and mail."""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from fwdtui.core.sentences import after_colon
from fwdtui.report import sweep_words as words
from fwdtui.report.cells import columns_of, pad, shorten_apart, wrap
from fwdtui.report.sweep import Sweep, Sweeps
from fwdtui.report.sweep_chart import chart
from fwdtui.report.sweep_table import table
from fwdtui.report.textchart import WIDTH

_WIDEST_CHART = 120
_LEAST_ROOM = 8  # the fewest columns of a shortened name
_LINE = 100  # where prose is wrapped if the width is not known
_GAP = "  "


def render(sweeps: Sweeps, columns: int | None = None) -> str:
    """All charts with their tables and findings, then what was left out. `columns` None: nothing is cut."""
    line = columns or _LINE
    only = wrap(f"only {sweeps.wanted.view.only()}", line) if sweeps.wanted.view.filters else []
    parts = ["\n".join([*only, *_sweep(sweep, columns)]) for sweep in sweeps.charts]
    about = dict.fromkeys(text for sweep in sweeps.charts for text in words.references(sweep))
    tail = [wrap(text, line, rest="    ") for text in (*about, *words.notes(sweeps))]
    tail += [wrap(f"left out: {text}", line, rest="    ") for text in words.left_out(sweeps)]
    tail += [wrap(f"{code}: {after_colon(text)}", line, rest="    ") for code, text in words.warnings(sweeps)]
    if tail:
        parts.append("\n".join(text for lines in tail for text in lines))
    return "\n\n".join(parts) + "\n"


def _sweep(sweep: Sweep, columns: int | None) -> list[str]:
    lines = [words.title(sweep), "", *lines_of_table(sweep, columns), ""]
    for finding in words.findings(sweep):
        lines += wrap(finding, columns or _LINE, rest="    ")
    if words.findings(sweep):
        lines.append("")
    return [*lines, chart(sweep, min(columns or WIDTH, _WIDEST_CHART)).rstrip("\n")]


def lines_of_table(sweep: Sweep, columns: int | None) -> list[str]:
    """The table in columns, each line's label above its rows. Only names on the axis are shortened.

    If it is still too wide, it goes on in another table below, which begins with the levels again.
    """
    made = table(sweep)
    head = [list(made.head)]
    groups = [[list(row) for row in rows] for rows in made.lines]
    every = [*head, *(row for group in groups for row in group)]
    widths = [max(columns_of(row[place]) for row in every) for place in range(len(made.head))]
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - (columns or math.inf)
    if over > 0 and 0 in made.texts:
        widths[0] = max(widths[0] - int(over), _LEAST_ROOM)
        names = shorten_apart([row[0] for row in every], widths[0])
        for row, text in zip(every, names, strict=True):
            row[0] = text
    lines: list[str] = []
    for places in _pages(widths, columns or math.inf):
        remarks = set(places) - {0} <= made.texts  # a page of remarks has only the levels with one
        if lines:
            lines.append("")
        lines += _rows(head, widths, made.texts, places)
        for line, group in zip(sweep.lines, groups, strict=True):
            shown = [row for row in group if not remarks or any(row[place] for place in places[1:])]
            if line.label and shown:
                lines.append(f"{sweep.series} {line.label}")
            lines += _rows(shown, widths, made.texts, places)
    return lines


def _pages(widths: Sequence[int], room: float) -> list[list[int]]:
    """The places of the columns that fit beside each other, page by page; the levels are on each page."""
    pages, taken = [[0]], widths[0]
    for place, width in enumerate(widths[1:], 1):
        if taken + len(_GAP) + width > room and len(pages[-1]) > 1:
            pages.append([0])
            taken = widths[0]
        pages[-1].append(place)
        taken += len(_GAP) + width
    return pages


def _rows(
    rows: Sequence[Sequence[str]], widths: Sequence[int], texts: AbstractSet[int], places: Sequence[int]
) -> list[str]:
    return [
        _GAP.join(pad(row[place], widths[place], right=place not in texts) for place in places).rstrip()
        for row in rows
    ]
