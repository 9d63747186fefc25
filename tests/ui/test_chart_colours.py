"""Charts of the comparison: each set in its colour, and nothing else coloured."""

from fwdtui.report.textchart import Mean, histogram
from fwdtui.ui.compare.charts import coloured
from fwdtui.ui.draw.styles import Styles

STYLES = Styles({"graph-base": "#ff0000", "graph-other": "#00ff00"})


def colours(text: str) -> dict[str, set[str]]:
    """Which characters are in which colour."""
    found: dict[str, set[str]] = {}
    drawn = coloured(text, STYLES)
    for span in drawn.spans:
        colour = span.style.color.name if getattr(span.style, "color", None) else ""
        found.setdefault(colour, set()).update(drawn.plain[span.start : span.end])
    return found


def test_marks_in_the_frame_are_coloured_and_those_in_labels_are_not() -> None:
    chart = histogram([1.0, 2.0], [8.0, 9.0], ("ix + x", "xx"), 80, 12)
    drawn = coloured(chart, STYLES)
    assert drawn.plain == chart
    heading = chart.index("\n")
    assert all(span.start > heading for span in drawn.spans if span.style)
    assert colours(chart) == {"#ff0000": {"x"}, "#00ff00": {"+"}}


def test_a_mean_is_in_the_colour_of_its_set() -> None:
    chart = histogram([1.0, 2.0], [8.0, 9.0], ("a", "b"), 80, 12, [Mean("+", 8.5, (8.0, 9.0))])
    drawn = coloured(chart, STYLES)
    place = drawn.plain.index("●")
    (style,) = {span.style.color.name for span in drawn.spans if span.start <= place < span.end}
    assert style == "#00ff00"
