"""Zoom and search in a real browser; skipped where chromium and chromedriver are not installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import MISSING, Browser, browser
from profiled import idle

from fwdtui.core.profile import Folded
from fwdtui.report.flame import Taken, differential, flame_graph

pytestmark = pytest.mark.skipif(MISSING, reason="chromium and chromedriver are not installed")
ESCAPE = "\ue00c"
FOLDED = Folded(
    {
        ("main", "rx", "lookup_of_a_route"): 30,
        ("main", "rx", "rx_copy", "rx_copy"): 20,
        ("main", "tx"): 49,
        ("main", "tx", "tx_of_a_very_long_name"): 1,
        ("<b>&amp;", "]]>"): 100,
    }
)
WIDTH = "return +document.querySelector(arguments[0] + ' rect').getAttribute('width')"
SHOWN = "return getComputedStyle(document.querySelector(arguments[0])).display !== 'none'"
TEXT = "return document.querySelector(arguments[0]).textContent"


def frame(name: str) -> str:
    return f'g.f[data-name="{name}"]'


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Browser:
    (tmp_path / "flame.svg").write_bytes(flame_graph(Taken("r1", FOLDED), idle, "inet4"))
    chromium.open((tmp_path / "flame.svg").as_uri())
    return chromium


def test_a_click_zooms_and_escape_shows_all_again(page: Browser):
    full = page.run("return +document.documentElement.dataset.full")
    before = page.run(WIDTH, frame("rx"))
    page.click(frame("rx"))
    assert page.run(WIDTH, frame("rx")) == pytest.approx(full)
    assert page.run(WIDTH, frame("lookup_of_a_route")) == pytest.approx(full * 0.6)
    assert page.run(WIDTH, frame("main")) == pytest.approx(full)
    assert not page.run(SHOWN, frame("tx"))
    assert page.run(SHOWN, "#back")
    page.press(ESCAPE)
    assert page.run(WIDTH, frame("rx")) == pytest.approx(before)
    assert page.run(SHOWN, frame("tx")) and not page.run(SHOWN, "#back")


def test_a_frame_too_narrow_for_its_name_has_it_when_zoomed(page: Browser):
    name = frame("tx_of_a_very_long_name")
    assert page.run("return document.querySelector(arguments[0] + ' text')", name) is None
    page.click(name)
    assert page.run(TEXT, f"{name} text") == "tx_of_a_very_long_name"
    page.click("#back")
    assert page.run(TEXT, f"{name} text") == ""


def test_search_marks_what_matches_and_counts_it_once(page: Browser):
    page.press("/")
    page.type("input", "RX")
    marked = page.run("return Array.from(document.querySelectorAll('.hit'), hit => hit.dataset.name)")
    assert sorted(marked) == ["rx", "rx_copy", "rx_copy"]
    assert page.run(TEXT, "#found") == "25.0 % of the whole width match"
    page.type("input", "nothing like it")
    assert page.run(TEXT, "#found") == "nothing that is drawn matches"
    page.press(ESCAPE)
    assert page.run(TEXT, "#found") == ""
    assert not page.run("return document.documentElement.classList.contains('searched')")


def test_a_hostile_name_is_shown_as_it_is(page: Browser):
    name = frame("<b>&amp;").replace("&", "\\&")
    page.click(name)
    assert page.run(TEXT, f"{name} text") == "<b>&amp;"


def test_the_differential_keeps_its_figures_when_zoomed(chromium: Browser, tmp_path: Path):
    other = Folded({("main", "rx"): 20, ("main", "tx"): 80})
    (tmp_path / "two.svg").write_bytes(differential(Taken("r1", FOLDED), Taken("r2", other), idle))
    chromium.open((tmp_path / "two.svg").as_uri())
    chromium.click(frame("tx"))
    assert chromium.run(TEXT, f"{frame('tx')} text") == "tx +55.00"
    chromium.run(
        "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('mouseenter'))", frame("tx")
    )
    assert "B: 80.00 %, 80 samples" in chromium.run(TEXT, "#detail")
