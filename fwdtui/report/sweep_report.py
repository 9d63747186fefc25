"""The report of a sweep: findings and tables in a document; beside it charts, and files to redraw them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fwdtui import __version__
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.report import bars, bars_files, bars_svg, facts, sweep_files, sweep_svg
from fwdtui.report import sweep_words as words
from fwdtui.report.bundle import Plan, free_name
from fwdtui.report.document import Choices
from fwdtui.report.escape import code, inline
from fwdtui.report.markdown import fact, signed
from fwdtui.report.markup import link, table
from fwdtui.report.method import value_of
from fwdtui.report.sweep import Sweep, Sweeps
from fwdtui.report.sweep_input import Loaded
from fwdtui.report.sweep_table import table as table_of

SECTIONS = ("charts", "warnings", "method", "facts", "data")
"""The sections of document.SECTIONS that this report has."""


@dataclass(frozen=True, slots=True)
class _Files:
    """The names of a chart's files in the report's folder; None: not written."""

    chart: str | None
    csv: str | None
    script: str | None
    data: str | None


def plan(out: Path, loaded: Loaded, sweeps: Sweeps, choices: Choices) -> Plan:
    """The report as `bundle.carry_out` writes it.

    Raises FwdtuiError if `choices` leaves out a section that this report does not have.
    """
    if other := sorted(choices.without - set(SECTIONS)):
        raise FwdtuiError(f"--without {other[0]}: a sweep has only {', '.join(SECTIONS)}")
    taken: set[str] = set()
    values: dict[str, bytes] = {}
    drawn: dict[str, Callable[[], bytes]] = {}
    files: list[_Files] = []
    for sweep in sweeps.charts:
        stem = free_name(".".join([sweep.x, *sweep.fixed.values()]), "", taken)
        names = _Files(
            f"{stem}.svg" if choices.has("charts") else None,
            *((f"{stem}.csv", f"{stem}.plt", f"{stem}.dat") if choices.has("data") else (None, None, None)),
        )
        files.append(names)
        if names.csv and names.script and names.data:
            values[names.csv] = sweep_files.table(sweep)
            drawn_again = f"{stem}.gnuplot.svg"
            if bars.suits(sweep):
                grouped = bars.of_sweep(sweep)
                values[names.script] = bars_files.script(grouped, names.data, drawn_again)
                values[names.data] = bars_files.data(grouped)
            else:
                values[names.script] = sweep_files.script(sweep, names.data, drawn_again)
                values[names.data] = sweep_files.data(sweep)
        if names.chart:
            drawn[names.chart] = partial(_draw, sweep)
    text = "\n".join([*_document(out, loaded, sweeps, choices, files), ""])
    return Plan(out, signed(text), values, drawn)


def _draw(sweep: Sweep) -> bytes:
    return bars_svg.draw(bars.of_sweep(sweep)) if bars.suits(sweep) else sweep_svg.draw(sweep)


def _document(
    out: Path, loaded: Loaded, sweeps: Sweeps, choices: Choices, files: Sequence[_Files]
) -> Iterator[str]:
    yield f"# {inline(choices.title or default_title(loaded, sweeps))}\n"
    if sweeps.wanted.view.filters:
        yield f"Only iterations with {inline(sweeps.wanted.view.only())} are shown.\n"
    yield from (f"**{inline(note.text)}**\n" for note in loaded.notes if note.code == "simulated")
    for sweep, names in zip(sweeps.charts, files, strict=True):
        yield from _sweep(f"{out.stem}.d", sweep, names, choices, several=len(sweeps.charts) > 1)
    yield from _left_out(loaded, sweeps)
    yield from _warnings(sweeps, choices)
    yield from _method(sweeps, choices)
    yield from _lab(loaded, choices)


def default_title(loaded: Loaded, sweeps: Sweeps) -> str:
    """``Forwarding over queues, by image``, with the session's name if there is only one."""
    wanted = sweeps.wanted
    over = f"{wanted.view.metric or 'Forwarding'} over {wanted.x}" + (
        f", by {wanted.series}" if wanted.series else ""
    )
    labels = list(dict.fromkeys(clean(trial.session.label) for trial in loaded.trials))
    return f"{over}: {labels[0]}" if len(labels) == 1 else over


def _sweep(folder: str, sweep: Sweep, names: _Files, choices: Choices, *, several: bool) -> Iterator[str]:
    if several:
        yield f"## {inline(words.fixed(sweep))}\n"
    if findings := words.findings(sweep):
        yield "".join(f"- {inline(text)}.\n" for text in findings)
    if names.chart:
        yield f"![{inline(words.title(sweep))}]({link(f'{folder}/{names.chart}')})\n"
    yield _table(sweep)
    if names.csv and names.script and names.data:
        yield (
            f"Data: [CSV]({link(f'{folder}/{names.csv}')}), "
            f"[gnuplot script]({link(f'{folder}/{names.script}')}) "
            f"and [its data]({link(f'{folder}/{names.data}')}).\n"
        )


def _table(sweep: Sweep) -> str:
    made = table_of(sweep)
    series = [inline(sweep.series, cell=True)] if sweep.series else []
    rows = [
        [*([inline(line.label, cell=True)] if series else []), *(_cell(text) for text in row)]
        for line, of_line in zip(sweep.lines, made.lines, strict=True)
        for row in of_line
    ]
    figures = [place + len(series) for place in range(len(made.head)) if place not in made.texts]
    return table([*series, *(inline(text, cell=True) for text in made.head)], rows, right=figures)


def _cell(text: str) -> str:
    return inline(text, cell=True) if text else ""


def _left_out(loaded: Loaded, sweeps: Sweeps) -> Iterator[str]:
    told = [*words.left_out(sweeps), *(note.text for note in loaded.notes if note.code != "simulated")]
    if told:
        yield "## Left out\n"
        yield "".join(f"- {inline(text)}\n" for text in dict.fromkeys(told))


def _warnings(sweeps: Sweeps, choices: Choices) -> Iterator[str]:
    told = words.warnings(sweeps)
    if not told:
        return
    if not choices.has("warnings"):
        yield f"{len(told)} warning{'' if len(told) == 1 else 's'} left out of this report.\n"
        return
    yield "## Warnings\n"
    yield "".join(f"- {code(name)}: {inline(text)}\n" for name, text in told)


def _method(sweeps: Sweeps, choices: Choices) -> Iterator[str]:
    about = dict.fromkeys(text for sweep in sweeps.charts for text in words.references(sweep))
    about |= dict.fromkeys(words.notes(sweeps))
    if choices.has("method"):
        yield "## Method\n"
        point = "A point is the median of the iterations of a level, with the least and the greatest value."
        metric = sweeps.wanted.view.metric  # if it is another one, `about` says what a value is
        points = (one for sweep in sweeps.charts for one in sweep.points)
        value = "" if metric else f"{value_of(i for one in points for i in one.values.used)} "
        yield f"{value}{point}\n"
    # what qualifies the figures is always there
    yield from (f"{inline(text)}\n" for text in about)
    if choices.has("method"):
        yield f"Written by fwdtui {inline(__version__)}.\n"


def _lab(loaded: Loaded, choices: Choices) -> Iterator[str]:
    common = facts.compare(loaded.sides)
    if not choices.has("facts") or not (common.shared or common.differing):
        return
    yield "## Lab\n"
    if common.shared:
        yield "".join(f"- {inline(key)}: {fact(key, value)}\n" for key, value in common.shared)
    if common.differing:
        names = ", ".join(inline(key) for key, _ in common.differing)
        yield f"Different between the {len(common.labels)} sessions: {names}.\n"
