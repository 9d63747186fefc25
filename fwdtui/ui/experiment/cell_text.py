"""What a cell of the design says: how far it is, its mean so far, and its difference."""

from collections.abc import Mapping
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text

from fwdtui.core.units import pps, si
from fwdtui.monitor.experiment.view import CellView, ExperimentView
from fwdtui.report.cells import columns_of, fitting
from fwdtui.stats.figures import NONE, number
from fwdtui.ui.draw.styles import MARKS, Styles
from fwdtui.ui.experiment.design import Design

RUNNING, DONE, GIVEN_UP, BEGUN, PLANNED = "running", "done", "given up", "begun", "planned"
BASELINE = "baseline"
SIGNS = {RUNNING: "▶", DONE: "✓", GIVEN_UP: "✕", BEGUN: "◐", PLANNED: "·"}
_COLORS = {RUNNING: "accent", DONE: "verdict-faster", GIVEN_UP: "drops"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a cell: its word, the difference, and the difference with its interval.

    `doubt` is the mark that follows if a warning bears on the verdict.
    """

    word: str
    figure: str
    whole: str
    doubt: str = ""


Verdicts = Mapping[int, Verdict]
"""The verdicts by the number of the cell; empty until the experiment is over."""


def state(cell: CellView) -> str:
    """The state of a cell: a key of SIGNS."""
    if cell.running:
        return RUNNING
    if cell.failed:
        return GIVEN_UP
    if cell.done >= cell.planned:
        return DONE
    return BEGUN if cell.done or cell.repeated else PLANNED


def mean(cell: CellView) -> str:
    """The mean of a cell's values so far, or a dash."""
    return NONE if cell.mean is None else pps(cell.mean)


def difference(cell: CellView, view: ExperimentView, layout: Design, verdicts: Verdicts) -> str:
    """A cell's difference from its baseline's mean, ``−12.3 %``; a dash if it is not known.

    ``baseline`` for a baseline itself.
    """
    if cell.number in verdicts:
        return verdicts[cell.number].figure
    base = layout.base.get(cell.number)
    if base is None:
        return BASELINE if layout.base else ""
    other = view.cells[base].mean
    if cell.mean is None or not other:
        return NONE
    return f"{number((cell.mean / other - 1.0) * 100.0, 1, sign=True)} %"


def bad(cell: CellView) -> str:
    """``↻1 ✕2``: repeated attempts and trials given up; "" if there are none."""
    parts = [f"↻{cell.repeated}"] * bool(cell.repeated) + [f"✕{cell.failed}"] * bool(cell.failed)
    return " ".join(parts)


def in_table(
    cell: CellView, view: ExperimentView, layout: Design, verdicts: Verdicts, styles: Styles, room: int
) -> Text:
    """Two lines of `room` columns: how far the cell is, and its figures. What does not fit is left out."""
    kind, trouble = state(cell), bad(cell)
    text = Text(no_wrap=True, overflow="ellipsis")
    done, more = f"{SIGNS[kind]} {cell.done}/{cell.planned}", f" {trouble}" if trouble else ""
    running = [" running"] if kind == RUNNING else []
    text.append(fitting([f"{done}{word}" for word in (*running, "")], room - len(more)), _style(kind, styles))
    text.append(more, style=styles.bold("warning"))
    verdict = verdicts.get(cell.number)
    told = difference(cell, view, layout, verdicts)
    figure = f"{MARKS.get(verdict.word, '')} {told}{verdict.doubt}".strip() if verdict else told
    means = [f"{mean(cell)} ", *([] if cell.mean is None else [f"{si(cell.mean)} "]), ""]
    text.append(f"\n{fitting(means, room - columns_of(figure))}")
    text.append(figure, style="" if told == BASELINE else styles["bold"])
    return text


def in_list(
    cell: CellView, view: ExperimentView, layout: Design, verdicts: Verdicts, styles: Styles, room: int
) -> tuple[Text, ...]:
    """State, done of planned, mean, difference or verdict, and what went wrong, as a text each.

    A verdict has `room` columns: if it does not fit, its interval is left out, then its word; no figure is
    cut.
    """
    kind = state(cell)
    verdict = verdicts.get(cell.number)
    told = difference(cell, view, layout, verdicts)
    if verdict is not None:
        mark, figure = MARKS.get(verdict.word, ""), f"{verdict.figure}{verdict.doubt}"
        whole = f"{verdict.word} {verdict.whole}{verdict.doubt}"
        told = fitting(
            [f"{mark} {part}" for part in (whole, f"{verdict.word} {figure}", figure)], room
        ).strip()
    return (
        Text(f"{SIGNS[kind]} {kind}", style=_style(kind, styles)),
        Text(f"{cell.done}/{cell.planned}", justify="right"),
        Text(mean(cell), justify="right"),
        Text(told, style="" if told == BASELINE else styles["bold"]),
        Text(bad(cell), style=styles.bold("warning")),
    )


def _style(kind: str, styles: Styles) -> Style:
    name = _COLORS.get(kind)
    return Style() if name is None else styles.bold(name)
