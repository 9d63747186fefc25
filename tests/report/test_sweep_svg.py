"""A sweep and grouped bars as SVGs: same bytes, text as text, drawn to scale."""

import io
import xml.etree.ElementTree as ET
from collections.abc import Sequence

import pytest
from hand_made import judged
from swept import BENT, around, case, one, queues, session

from fwdtui.core.framing import line_rate
from fwdtui.core.model import Iteration
from fwdtui.report import bars_svg, svgfile, sweep_svg
from fwdtui.report.bars import Bar, Bars, of_judged, of_sweep, suits, text
from fwdtui.report.link import Link
from fwdtui.report.svgfile import COLOURS, GREY
from fwdtui.report.sweep import Sweep
from fwdtui.stats.results import Description

SVG = "{http://www.w3.org/2000/svg}"
BLUE = COLOURS[0]


def texts(data: bytes) -> list[str]:
    return ["".join(element.itertext()) for element in ET.fromstring(data).iter(f"{SVG}text")]


def lines(data: bytes, **style: str) -> list[list[tuple[float, float]]]:
    """The corners of the lines with these attributes."""
    return [
        [tuple(map(float, point.split(","))) for point in element.attrib["points"].split()]
        for element in ET.fromstring(data).iter(f"{SVG}polyline")
        if style.items() <= element.attrib.items()
    ]


def named(names: Sequence[str], x: str = "image", value: float = 1e6) -> Sweep:
    return one(
        session("s", *(case(f"c{n}", around(value), **{x: name}) for n, name in enumerate(names))), x=x
    )


def test_the_same_sweep_gives_the_same_bytes() -> None:
    found = one(queues("s", BENT), x="queues", link=Link(10e9))
    assert sweep_svg.draw(found) == sweep_svg.draw(found)


def test_levels_units_references_and_the_second_axis_are_named() -> None:
    shown = texts(sweep_svg.draw(one(queues("s", BENT), x="queues", link=Link(10e9))))
    for word in (
        *("1", "2", "4", "8", "16", "queues, logarithmic", "Mpps", "median", "least to greatest value"),
        "linear scaling from the first point",
        "line rate is beyond the top (14.88 Mpps)",
        "theoretical equity on simple IMIX, Gb/s",
    ):
        assert word in shown


def test_points_are_to_scale_on_an_axis_that_begins_at_zero() -> None:
    data = sweep_svg.draw(one(queues("s", {1: 1e6, 2: 2e6, 4: 3e6}), x="queues"))
    ((one_queue, two, four),) = [line for line in lines(data, stroke=BLUE) if len(line) == 3]
    assert (four[0] - one_queue[0]) / (two[0] - one_queue[0]) == pytest.approx(3, rel=1e-4)
    assert (one_queue[1] - four[1]) / (one_queue[1] - two[1]) == pytest.approx(2, rel=1e-4)
    assert "0.0" in texts(data) or "0" in texts(data)


def test_a_lower_bound_is_hollow_and_the_legend_says_so() -> None:
    capped = sweep_svg.draw(one(queues("s", {1: 7e6, 2: 14.85e6}), x="queues", link=Link(10e9)))
    assert "a lower bound: at line rate or the offered load" in texts(capped)
    free = sweep_svg.draw(one(queues("s", {1: 7e6, 2: 14.0e6}), x="queues", link=Link(10e9)))
    assert "a lower bound: at line rate or the offered load" not in texts(free)


def test_dozens_of_revisions_are_all_named_and_of_more_it_says_that_some_are_not() -> None:
    names = [f"r{293069 + n}" for n in range(53)]
    shown = texts(sweep_svg.draw(named(names)))
    assert set(names) <= set(shown)
    many = texts(sweep_svg.draw(named([f"r{n}" for n in range(70)])))
    assert "image (not every level is named)" in many
    assert sum(text.startswith("r") for text in many) == 35


def test_lines_of_different_frames_each_have_their_line_rate() -> None:
    cases = [
        case(f"{frame}.{q}", around(top * q / 2), queues=q, frame_size=frame)
        for frame, top in ((64, 14e6), (512, 2e6))
        for q in (1, 2)
    ]
    data = sweep_svg.draw(one(session("s", *cases), x="queues", series="frame_size", link=Link(10e9)))
    ((_, (_, zero), _),) = lines(data, **{"stroke": "#000000", "stroke-width": "0.8"})[-1:]
    dashed = lines(data, **{"stroke": GREY, "stroke-width": "1.2", "stroke-dasharray": "4.4 2"})
    higher, lower = sorted((zero - line[0][1] for line in dashed), reverse=True)
    assert higher / lower == pytest.approx(line_rate(10e9, 64) / line_rate(10e9, 512), rel=1e-3)


def test_charts_of_other_factors_say_which_they_are() -> None:
    from swept import swept

    cases = [case(f"{q}.{af}", around(q * 1e6), queues=q, af=af) for q in (1, 2) for af in ("inet4", "inet6")]
    found = swept(session("s", *cases), x="queues").charts
    assert ["af=inet4" in texts(sweep_svg.draw(chart)) for chart in found] == [True, False]


@pytest.mark.parametrize(
    "label", ["$x^2$", "<script>alert(1)</script>", "日本語", "a & b", "_x", "x" * 200, "\\frac"]
)
def test_any_level_is_shown_as_text(label: str) -> None:
    names = [label, *(f"other{n}" for n in range(9))]
    for sweep in (named(names), named(names[:3])):
        data = bars_svg.draw(of_sweep(sweep)) if suits(sweep) else sweep_svg.draw(sweep)
        shown = texts(data)
        assert label in shown or any("…" in text for text in shown)
        assert not list(ET.fromstring(data).iter(f"{SVG}script"))


@pytest.mark.parametrize("value", [0.0, -5.0, 1e300, 1e-300])
def test_odd_values_are_drawn_or_left_out_but_never_fail(value: float) -> None:
    cases = [case(str(q), [value, None] if q < 3 else [None], queues=q) for q in (1, 2, 3)]
    data = sweep_svg.draw(one(session("s", *cases), x="queues"))
    assert "nan" not in " ".join(texts(data)).lower()
    ET.parse(io.BytesIO(data))


def test_other_units_are_named_as_they_are() -> None:
    cases = [case(str(q), [Iteration(1, q * 5.0, unit="us")], queues=q) for q in (1, 2)]
    assert "us" in texts(sweep_svg.draw(one(session("s", *cases), x="queues")))


def test_49_lines_differ_in_colour_or_shape() -> None:
    assert len({svgfile.style_of(place) for place in range(49)}) == 49


class TestBars:
    def bars(self) -> Bars:
        def bar(median: float, **capped: bool) -> Bar:
            return Bar(Description("", 5, median * 0.9, median * 1.1, median, median, 1.0), **capped)

        groups = (("off", (bar(2e6), bar(1e6, capped=True))), ("on", (bar(1.5e6), None)))
        return Bars("config, by image", ("old", "new"), groups, "pps")

    def test_bars_begin_at_zero_and_are_as_high_as_the_medians(self) -> None:
        data = bars_svg.draw(self.bars())
        drawn = [
            (float(bar.attrib["y"]), float(bar.attrib["height"]))
            for bar in ET.fromstring(data).iter(f"{SVG}rect")
            if bar.attrib.get("class") == "bar" and bar.attrib["fill"] == BLUE
        ]
        assert len({round(top + high, 2) for top, high in drawn}) == 1, "they stand on one line"
        assert drawn[0][1] / drawn[1][1] == pytest.approx(2 / 1.5, rel=1e-4)

    def test_medians_labels_and_what_is_missing_or_a_lower_bound_are_text(self) -> None:
        shown = texts(bars_svg.draw(self.bars()))
        for word in ("off", "on", "old", "new", "2.000 M", "≥ 1.000 M", "–", "Mpps"):
            assert word in shown

    def test_in_plain_characters_they_are_as_long_as_the_medians(self) -> None:
        lines = text(self.bars(), 70).splitlines()
        assert [line.strip().split()[0] for line in lines[1:]] == ["off", "old", "new", "on", "old", "new"]
        middles = [line.index("|") - 5 for line in lines if "|" in line][1:]
        assert middles[0] / middles[1] == pytest.approx(2, abs=0.1)
        assert lines[3].endswith("≥ 1.000 M")
        assert lines[6].endswith("– no values")

    def test_a_comparison_has_a_group_for_each_case_and_a_bar_for_each_label(self) -> None:
        both = [judged("inet4"), judged("inet4", labels=("r368287", "third")), judged("inet6", other=())]
        found = of_judged(both)
        assert found.series == ("r368287", "r368287 with D27401", "third")
        assert [case for case, _ in found.groups] == ["inet4", "inet6"]
        (_, inet4), (_, inet6) = found.groups
        assert [bar and bar.described.median for bar in inet4] == [9909120.0, 10047306.0, 10047306.0]
        assert inet6[2] is None and inet6[1] is not None and inet6[1].described.n == 0
        assert found.fits and not of_judged([judged(f"case{n}") for n in range(9)]).fits

    def test_few_names_suit_them_numbers_and_many_names_do_not(self) -> None:
        assert suits(named([f"n{n}" for n in range(8)]))
        assert not suits(named([f"n{n}" for n in range(9)]))
        assert not suits(one(queues("s", BENT), x="queues"))
