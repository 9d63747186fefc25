"""The comparison's charts, which show both sets of a case."""

from rich.text import Text

from fwdtui.report.comparison import Compared
from fwdtui.stats.results import Judged
from fwdtui.ui.draw import charts
from fwdtui.ui.draw.styles import Styles


def histogram(judged: Judged, compared: Compared, width: int, rows: int, styles: Styles) -> Text:
    """Both sets on one scale, with each mean and its interval below the axis."""
    unit = judged.comparison.unit or ""
    return charts.histogram((judged.base, judged.other), unit, compared.confidence, width, rows, styles)


def strip(judged: Judged, compared: Compared, width: int, rows: int, styles: Styles) -> Text:
    """The iterations of both sets in their order, with each mean and its interval at the right."""
    unit = judged.comparison.unit or ""
    return charts.strip((judged.base, judged.other), unit, compared.confidence, width, rows, styles)
