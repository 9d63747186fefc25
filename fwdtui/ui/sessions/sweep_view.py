"""A sweep as rich text: its heading, its chart in the colours of its lines, and its table."""

from collections.abc import Sequence
from dataclasses import replace

from rich.text import Text

from fwdtui.core.sentences import after_colon
from fwdtui.report import sweep_words as words
from fwdtui.report.cells import shorten, shorten_apart, wrap
from fwdtui.report.sweep import Sweep, Sweeps
from fwdtui.report.sweep_chart import MARKS, chart
from fwdtui.report.sweep_text import lines_of_table
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.draw.styles import Styles

_COLOURS = ("other", "user", "softirq", "irq", "base", "bold")  # neighbouring lines differ
_LEFT, _RIGHT = "│┤", "│├"
"""The sides of a chart's frame, with and without ticks."""
_AROUND = 4  # rows of a chart besides its cells: legend, frame, axis
_LEAST_ROWS = 6
_MOST_FINDINGS = 4  # lines
_LEAST_NAME = 24  # columns of a chart's name; if fewer are left, it gets a line of its own


def heading(sweeps: Sweeps, place: int, width: int, styles: Styles, damage: Sequence[str] = ()) -> Text:
    """What is on the axis, what the lines are, which of the charts it is, and where each line bends.

    `place`: the chart's index. `width`: in columns. `damage`: what is to be known of the sessions themselves.
    """
    sweep = sweeps.charts[place]
    text = Text().append("sweep over ", style=styles["dim"]).append(sweep.x, style=styles["bold"])
    if sweep.series:
        text.append("   lines ", style=styles["dim"]).append(sweep.series, style=styles["bold"])
    if sweep.metric:
        text.append("   metric ", style=styles["dim"]).append(sweep.metric, style=styles["bold"])
    if sweeps.wanted.view.filters:
        text.append("   only ", style=styles["dim"]).append(sweeps.wanted.view.only(), style=styles["bold"])
    if given := sweeps.wanted.link.given:
        text.append("   link, frames ", style=styles["dim"]).append(given, style=styles["bold"])
    if len(sweeps.charts) > 1:
        text.append(f"   chart {place + 1} of {len(sweeps.charts)} ", style=styles["dim"])
        room = width - text.cell_len
        if room < _LEAST_NAME:
            text.append("\n")
            room = width
        names = shorten_apart([words.fixed(one) for one in sweeps.charts], room)
        text.append(names[place], style=styles["bold"])
    lines = _findings(sweep, width)
    for line in lines[:_MOST_FINDINGS]:
        text.append(f"\n{line}")
    if len(lines) > _MOST_FINDINGS:
        text.append(f"\n… {key('sweep.table', 'x')} shows the rest", style=styles["dim"])
    own = replace(sweeps, charts=(sweep,))  # what is about another chart would be taken for this one's
    told = [*damage, *words.left_out(own), *words.notes(own)]
    told += [why for why in [sweep.axis.names_why] if why]
    told += [f"warning {code}" for code, _ in words.warnings(own)]
    if told:
        more = f" (and {len(told) - 1} more, see x)" if len(told) > 1 else " (see x)"
        text.append(f"\n! {shorten(told[0], width - 2 - len(more))}{more}", style=styles["warning"])
    return text


def _findings(sweep: Sweep, width: int) -> list[str]:
    """The heading's lines on what was found; in brief if the chart has several lines."""
    findings = words.findings(sweep, brief=len(sweep.lines) > 1)
    return [line for finding in findings for line in wrap(finding, width, rest="  ")]


def drawn(sweep: Sweep, width: int, rows: int, styles: Styles) -> Text:
    """The chart with its legend and axis in `rows` rows, if they are enough; each line has its colour."""
    lines = chart(sweep, width, max(rows - _AROUND, _LEAST_ROWS)).splitlines()
    if len(lines) > rows > _AROUND + _LEAST_ROWS:  # a legend of several lines
        lines = chart(sweep, width, max(rows - _AROUND - (len(lines) - rows), _LEAST_ROWS)).splitlines()
    text = Text(no_wrap=True)
    framed = False
    for line in lines:
        first = min((at for sign in _LEFT if (at := line.find(sign)) >= 0), default=len(line))
        last = max(map(line.rfind, _RIGHT))
        framed = framed or "┌" in line
        for at, character in enumerate(line):
            if framed:
                is_mark = first < at < last
            else:  # the legend: a mark is on its own, before its label
                is_mark = line[at + 1 : at + 2] == " " and not line[max(at - 2, 0) : at].strip()
            number = MARKS.find(character) if is_mark else -1
            text.append(character, style=styles[_COLOURS[number]] if 0 <= number < len(_COLOURS) else "")
        text.append("\n")
    text.rstrip()
    return text


def told(sweeps: Sweeps, place: int, width: int, styles: Styles, damage: Sequence[str] = ()) -> Text:
    """The table, the findings that the heading does not give in full, and everything that qualifies it."""
    sweep = sweeps.charts[place]
    text = Text("\n".join(lines_of_table(sweep, width)), no_wrap=True)
    in_full = len(sweep.lines) == 1 and len(_findings(sweep, width)) <= _MOST_FINDINGS
    paragraphs = [*([] if in_full else words.findings(sweep)), *words.references(sweep), *words.notes(sweeps)]
    paragraphs += damage
    paragraphs += [f"left out: {one}" for one in words.left_out(sweeps)]
    paragraphs += [f"{code}: {after_colon(one)}" for code, one in words.warnings(sweeps)]
    for paragraph in paragraphs:
        text.append("\n\n" + "\n".join(wrap(paragraph, width, rest="    ")))
    return text
