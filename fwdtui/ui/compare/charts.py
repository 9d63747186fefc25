"""The comparison's charts in the colours of their sets, as large as there is room for."""

from rich.text import Text

from fwdtui.report import textchart
from fwdtui.report.comparison import Compared
from fwdtui.stats.describe import describe, mean_interval
from fwdtui.stats.results import Judged, ResultSet
from fwdtui.ui.draw.styles import Styles

_SERIES = {"x": "base", "+": "other", "*": "bold"}
_FRAME = "│┤"


def histogram(judged: Judged, compared: Compared, width: int, rows: int, styles: Styles) -> Text:
    """Both sets on one scale, with each mean and its interval below the axis."""
    means = [
        mean
        for mark, one in zip(textchart.MARKS, (judged.base, judged.other), strict=True)
        if (mean := _mean(mark, one, compared.confidence)) is not None
    ]
    labels = judged.base.label, judged.other.label
    sets, unit = (judged.base.values, judged.other.values), judged.comparison.unit or ""
    chart = textchart.histogram(*sets, labels, width, rows, means, unit)
    text = coloured(chart, styles)
    if means:
        text.append(f"● mean, with its {compared.confidence:g} % interval\n", style=styles["dim"])
    return text


def strip(judged: Judged, width: int, rows: int, styles: Styles) -> Text:
    """The iterations of both sets in their order."""
    labels = judged.base.label, judged.other.label
    sets, unit = (judged.base.values, judged.other.values), judged.comparison.unit or ""
    return coloured(textchart.strip(*sets, labels, width, rows, unit), styles)


def _mean(mark: str, one: ResultSet, confidence: float) -> textchart.Mean | None:
    described = describe(one)
    if described.mean is None:
        return None
    return textchart.Mean(mark, described.mean, mean_interval(described, confidence))


def coloured(chart: str, styles: Styles) -> Text:
    """A chart of textchart with each set's marks in its colour; the marks stay, for those who see none."""
    text = Text(no_wrap=True)
    for number, line in enumerate(chart.splitlines()):
        first = min((place for sign in _FRAME if (place := line.find(sign)) >= 0), default=-1)
        inside = number > 0 and first >= 0 and line.rstrip().endswith("│")
        below = line[:1] in _SERIES and ("●" in line)
        for place, character in enumerate(line):
            meaning = _SERIES.get(character) if inside and place > first else None
            if below:
                meaning = _SERIES[line[0]]
            text.append(character, style=styles[meaning] if meaning else "")
        text.append("\n")
    return text
