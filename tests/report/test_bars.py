"""Grouped bars in plain characters."""

import pytest

from fwdtui.report.bars import Bar, Bars, text
from fwdtui.report.cells import columns_of
from fwdtui.stats.results import Description


@pytest.mark.parametrize("series", [("",), ("off", "on")], ids=["one series", "two"])
@pytest.mark.parametrize("unit", ["pps", "Mb/s"])
def test_bars_that_are_lower_bounds_fit_with_their_whole_figure(series: tuple[str, ...], unit: str):
    def bar(median: float, capped: bool) -> Bar:
        return Bar(Description("", 3, median, median, median, median, 0.0), capped)

    group = (bar(207_930.0, False), bar(594_944.0, True))[-len(series) :]
    drawn = text(Bars("", series, (("no-rules", group),), unit), 78)
    figure = "≥ 594.9 k" if unit == "pps" else "≥ 594 900 Mb/s"
    longest = drawn.splitlines()[-1]
    assert longest.endswith(figure) and columns_of(longest) == 78
