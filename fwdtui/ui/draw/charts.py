"""Histogram and iterations of one or two sets, in their colours, as large as there is room for."""

from rich.text import Text

from fwdtui.report import textchart
from fwdtui.stats.describe import describe, mean_interval
from fwdtui.stats.figures import in_percent
from fwdtui.stats.results import ResultSet
from fwdtui.ui.draw.styles import Styles

_SERIES = {"x": "base", "+": "other", "*": "bold"}
_ALONE = _SERIES | {"x": "other"}
_FRAME = "│┤"
Sets = tuple[ResultSet, ResultSet]
NO_SET = ResultSet("", ())
"""Stands for the second set if there is only one."""


def histogram(sets: Sets, unit: str, confidence: float, width: int, rows: int | None, styles: Styles) -> Text:
    """The sets on one scale, with each mean and its interval below the axis.

    `confidence` is in percent; `width` in columns; `rows` None: the usual number.
    """
    means = _means(sets, confidence)
    values, labels = _parts(sets)
    text = coloured(textchart.histogram(*values, labels, width, rows, means, unit), styles, _series(sets))
    return _explained(text, means, confidence, styles)


def strip(sets: Sets, unit: str, confidence: float, width: int, rows: int | None, styles: Styles) -> Text:
    """The iterations of the sets in their order, with each mean and its interval at the right."""
    means = _means(sets, confidence)
    values, labels = _parts(sets)
    text = coloured(textchart.strip(*values, labels, width, rows, unit, means), styles, _series(sets))
    return _explained(text, means, confidence, styles)


def _explained(text: Text, means: list[textchart.Mean], confidence: float, styles: Styles) -> Text:
    if "●" in text.plain.partition("\n")[2]:
        text.append(f"● mean, with its {in_percent(confidence)} interval", style=styles["dim"])
    text.rstrip()  # a line end would be one more row, and a scroll bar
    return text


def _parts(sets: Sets) -> tuple[tuple[list[float], list[float]], tuple[str, str]]:
    return (list(sets[0].values), list(sets[1].values)), (sets[0].label, sets[1].label)


def _series(sets: Sets) -> dict[str, str]:
    return _ALONE if sets[1] is NO_SET else _SERIES


def _means(sets: Sets, confidence: float) -> list[textchart.Mean]:
    means = []
    for mark, one in zip(textchart.MARKS, sets, strict=True):
        described = describe(one)
        if described.mean is not None:
            means.append(textchart.Mean(mark, described.mean, mean_interval(described, confidence)))
    return means


def coloured(chart: str, styles: Styles, series: dict[str, str] = _SERIES) -> Text:
    """A chart of textchart with each set's marks in its colour. They stay readable without colour."""
    text = Text(no_wrap=True)
    beside = [series[mark] for mark in textchart.MARKS]
    right = -1  # the right side of the frame
    for number, line in enumerate(chart.splitlines()):
        if number and "┐" in line:
            right = line.index("┐")
        first = min((place for sign in _FRAME if (place := line.find(sign)) >= 0), default=-1)
        inside = number > 0 and first >= 0 and line[right : right + 1] == "│" and right > first
        below = number > 0 and line[:1] in series and "●" in line
        for place, character in enumerate(line):
            meaning = None
            if below:
                meaning = series[line[0]]
            elif inside and place > right + 1:
                meaning = beside[min(place - right - 2, 1)]
            elif inside and place > first:
                meaning = series.get(character)
            text.append(character, style=styles[meaning] if meaning else "")
        text.append("\n")
    return text
