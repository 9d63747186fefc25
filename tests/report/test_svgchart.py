"""The report's SVG charts: the same bytes for the same values, text as text, drawn to scale."""

import io
import math
import xml.etree.ElementTree as ET

import pytest
from hand_made import BASE, FASTER, judged
from msgspec.structs import replace

from fwdtui.core.model import Caution
from fwdtui.report import svgchart

RESULTS = [judged("inet4"), judged("inet6", percent=-5.2, arm=3.5, verdict="slower")]
SVG = "{http://www.w3.org/2000/svg}"


def texts(data: bytes) -> list[str]:
    return ["".join(element.itertext()) for element in ET.fromstring(data).iter(f"{SVG}text")]


def draws() -> list[pytest.param]:
    return [
        pytest.param(lambda: svgchart.overview(RESULTS), id="overview"),
        pytest.param(lambda: svgchart.iterations(RESULTS[:1]), id="iterations"),
    ]


@pytest.mark.parametrize("draw", draws())
class TestBoth:
    def test_the_same_values_give_the_same_bytes(self, draw) -> None:
        assert draw() == draw()

    def test_it_has_a_title_and_says_who_wrote_it_and_not_when(self, draw) -> None:
        root = ET.fromstring(draw())
        assert next(element.text for element in root.iter(f"{SVG}title"))
        assert "".join(next(root.iter(f"{SVG}metadata")).itertext()) == "fwdtui"

    def test_it_stands_on_white_so_that_a_dark_page_does_not_swallow_it(self, draw) -> None:
        first = next(ET.fromstring(draw()).iter(f"{SVG}rect"))
        assert (first.attrib["fill"], first.attrib["width"], first.attrib["height"]) == (
            "#ffffff",
            "100%",
            "100%",
        )

    def test_nothing_reaches_beyond_the_picture(self, draw) -> None:
        root = ET.fromstring(draw())
        wide, high = (float(root.attrib[name].removesuffix("pt")) for name in ("width", "height"))
        for element in root.iter(f"{SVG}text"):
            assert 0 < float(element.attrib["x"]) < wide
            assert 0 < float(element.attrib["y"]) < high


def test_cases_labels_medians_and_verdicts_are_text() -> None:
    found = texts(svgchart.overview(RESULTS))
    for word in (
        "inet4",
        "inet6",
        "r368287",
        "r368287 with D27401",
        "9.909 M",
        "10.05 M",
        "faster",
        "slower",
        "Mpps",
    ):
        assert word in found


def test_a_median_at_the_offered_load_is_shown_as_a_lower_bound() -> None:
    one = judged(base=(1e6,) * 3, other=(2e6,) * 3)
    capped = replace(one, other=replace(one.other, offered=(2e6,) * 3))
    shown = texts(svgchart.overview([capped]))
    assert {"1.000 M", "≥ 2.000 M", "Mpps; ≥: a lower bound"} <= set(shown)
    assert "Mpps" in texts(svgchart.overview([one]))


def test_a_verdict_on_which_a_warning_bears_has_its_mark_here_too() -> None:
    drift = (Caution("drift", "The values fall."),)
    shown = texts(svgchart.overview([judged("a", warnings=drift), judged("b")]))
    assert [text for text in shown if text.startswith("faster")] == ["faster !", "faster"]


@pytest.mark.parametrize(
    ("verdict", "warnings", "cannot_say", "said"),
    [
        ("faster", (), None, "faster, no percentage"),
        ("faster", (Caution("drift", "The values fall."),), None, "faster !, no percentage"),
        ("inconclusive", (), "cannot say, because ...", "inconclusive: cannot say, no percentage"),
    ],
)
def test_without_a_percentage_the_verdict_is_told_like_any_other(verdict, warnings, cannot_say, said) -> None:
    one = judged(percent=None, arm=None, warnings=warnings, verdict=verdict)
    one = replace(one, comparison=replace(one.comparison, cannot_say=cannot_say))
    assert said in texts(svgchart.overview([one]))


def test_bars_begin_at_zero_and_are_as_long_as_the_medians() -> None:
    root = ET.fromstring(svgchart.overview([judged(base=(1e6,) * 3, other=(2e6,) * 3)]))
    bars = [
        (float(bar.attrib["x"]), float(bar.attrib["x"]) + float(bar.attrib["width"]))
        for bar in root.iter(f"{SVG}rect")
        if bar.attrib.get("class") == "bar"
    ]
    (left1, right1), (left2, right2) = bars
    assert left1 == left2
    assert math.isclose((right2 - left2) / (right1 - left1), 2.0, rel_tol=1e-4)
    assert "0" in texts(svgchart.overview(RESULTS))


def test_an_axis_that_does_not_begin_at_zero_says_so() -> None:
    said = "The vertical axis does not begin at zero."
    assert said in texts(svgchart.iterations([judged(base=BASE, other=FASTER)]))
    assert said not in texts(svgchart.iterations([judged(base=(0.0, 1.0), other=(-1.0, 5.0))]))


@pytest.mark.parametrize(
    "label",
    ["$x^2$", "<script>alert(1)</script>", "日本語", "a & b", "_private", "x" * 200, "{}", "%s", "\\frac"],
)
def test_any_label_is_shown_as_text(label: str) -> None:
    for data in (
        svgchart.overview([judged(label, labels=(label, "other"))]),
        svgchart.iterations([judged(label, labels=(label, "other"))]),
    ):
        shown = texts(data)
        assert label in shown or any("…" in text for text in shown)
        assert not list(ET.fromstring(data).iter(f"{SVG}script"))


@pytest.mark.parametrize("character", ["\ufffe", "\uffff", "\ud800"])
def test_what_xml_has_no_form_for_is_drawn_as_a_replacement(character: str) -> None:
    label = f"a{character}b"
    for draw in (svgchart.overview, svgchart.iterations):
        assert not character.isprintable() and character not in "".join(
            texts(draw([judged(label, labels=(label, "other"))]))
        )


@pytest.mark.parametrize(
    ("base", "other"),
    [
        ((), ()),
        ((1.0,), ()),
        ((0.0, 0.0), (0.0,)),
        ((math.nan, 1.0), (math.inf,)),
        ((-5.0, -6.0), (1.0,)),
        ((1e300,), (1e-300,)),
    ],
)
def test_odd_values_are_drawn_or_left_out_but_never_fail(
    base: tuple[float, ...], other: tuple[float, ...]
) -> None:
    one = judged(base=(1.0, 2.0), other=(1.0, 2.0), percent=None)
    import msgspec

    odd = msgspec.structs.replace(
        one,
        base=msgspec.structs.replace(one.base, values=base),
        other=msgspec.structs.replace(one.other, values=other),
    )
    for data in (svgchart.overview([odd]), svgchart.iterations([odd])):
        assert "nan" not in " ".join(texts(data)).lower()
        ET.parse(io.BytesIO(data))


def test_more_sessions_than_colours_are_drawn() -> None:
    many = [judged(labels=("base", f"D{number}")) for number in range(12)]
    assert "D11" in texts(svgchart.overview(many))
    circles = list(ET.fromstring(svgchart.iterations(many)).iter(f"{SVG}circle"))
    assert len(circles) == len(many[0].base.values) + 1, "the eighth has another shape"
