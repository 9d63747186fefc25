"""Charts of sessions and comparisons: each set in its colour, and nothing else coloured."""

from fwdtui.report.textchart import Mean, histogram
from fwdtui.stats.results import ResultSet
from fwdtui.ui.draw import charts
from fwdtui.ui.draw.charts import coloured
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


ONE, TWO = ResultSet("a", (1.0, 2.0, 3.0)), ResultSet("b", (7.0, 8.0, 9.0))


def test_a_session_has_the_charts_of_a_comparison_with_mean_and_interval() -> None:
    for draw in (charts.histogram, charts.strip):
        drawn = draw((ONE, charts.NO_SET), "", 95.0, 80, 20, STYLES)
        assert drawn.plain.count("●") == 2 and drawn.plain.endswith("\n● mean, with its 95 % interval")
        of_mark = {
            span.style.color.name
            for span in drawn.spans
            if getattr(span.style, "color", None) and drawn.plain[span.start : span.end].strip("│ ")
        }
        assert of_mark == {"#00ff00"}


def test_means_stand_at_the_right_of_the_iterations_each_in_its_column_and_colour() -> None:
    drawn = charts.strip((ONE, TWO), "", 95.0, 80, 20, STYLES)
    rows = drawn.plain.splitlines()
    right = rows[1].index("┐")
    beside = [row[right + 1 :].ljust(3) for row in rows if row[right : right + 1] == "│"]
    assert [text[2] for text in beside].index("●") < [text[1] for text in beside].index("●"), "b is higher"
    assert beside[0][2] in "▴┬" and beside[-1][1] in "▾┴"
    assert not any(text[0].strip() for text in beside)
    place = drawn.plain.index("●")  # that of b, from above
    (colour,) = {span.style.color.name for span in drawn.spans if span.start <= place < span.end}
    assert colour == "#00ff00"


def test_an_interval_beyond_the_chart_ends_in_an_arrow_and_one_value_has_none() -> None:
    wide = charts.strip((ResultSet("a", (1.0, 9.0)), charts.NO_SET), "", 95.0, 80, 20, STYLES).plain
    assert "▴" in wide and "▾" in wide
    single = charts.strip((ResultSet("a", (1.0,)), TWO), "", 95.0, 80, 20, STYLES).plain
    assert single.count("●") == 3 and "▾" not in single
