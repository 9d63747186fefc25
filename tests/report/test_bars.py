"""Grouped bars in plain characters."""

import pytest

from fwdtui.report import bars_files, bars_svg
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
    long = tuple(name and f"{name} of a long name that is shortened" for name in series)
    narrow = text(Bars("", long, (("no-rules with a long name as well", group),), unit), 42).splitlines()[-1]
    assert narrow.endswith(figure) and columns_of(narrow) == 42


@pytest.mark.parametrize(
    ("unit", "median", "figure"),
    [
        ("pps", 594_944.0, "594.9 k"),
        ("Mb/s", 9_412.0, "9 412"),
        ("ns", 1_540.0, "1 540"),
        ("us/packet", 0.0006, "0.0006"),
    ],
)
def test_text_picture_and_data_have_the_same_figure(unit: str, median: float, figure: str):
    """A multiple before a unit that has one of its own, as in 9.412 k of Mb/s, is no unit at all."""
    bar = Bar(Description("", 3, median, median, median, median, 0.0))
    bars = Bars("", ("",), (("r1", (bar,)),), unit)
    assert figure in text(bars, 78)
    assert f">{figure}</text>" in bars_svg.draw(bars).decode()
    assert f'"{figure}"' in bars_files.data(bars).decode()
    multiples = "%.1s%c" in bars_files.script(bars, "a.dat", "a.svg").decode()
    assert multiples == (unit == "pps")
