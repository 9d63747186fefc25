"""Themes are files that can be read by people who see badly, and that say where they are wrong."""

import itertools
import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import Theme
from waiting import until

from fwdtui.core.errors import FwdtuiError
from fwdtui.stats.results import VERDICTS
from fwdtui.ui.common import config
from fwdtui.ui.lab.new_lab import NewLabScreen
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.settings import Settings
from fwdtui.ui.shell.welcome import WelcomeScreen
from fwdtui.ui.theme import themes

COLOURED = [theme for theme in themes.load_all() if not theme.ansi]
GROUNDS = "background", "surface"
Matrix = Sequence[Sequence[float]]
# Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency.
# IEEE Transactions on Visualization and Computer Graphics 15(6), 2009; severity 1.0, on linear RGB.
SEEN_BY: dict[str, Matrix] = {
    "everyone": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}


def linear(color: Color) -> list[float]:
    """Linear RGB, 0 to 1 (IEC 61966-2-1)."""
    parts = [part / 255 for part in color.rgb]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's contrast ratio of two colours."""
    low, high = sorted(
        sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(color), strict=True))
        for color in (Color.parse(one), Color.parse(other))
    )
    return (high + 0.05) / (low + 0.05)


def lab(color: Color, matrix: Matrix) -> list[float]:
    """CIE L*a*b* (D65) of a colour as seen through a matrix on linear RGB."""
    rgb = linear(color)
    seen = [min(max(sum(a * b for a, b in zip(row, rgb, strict=True)), 0.0), 1.0) for row in matrix]
    xyz = (
        (0.4124564, 0.3575761, 0.1804375, 0.95047),
        (0.2126729, 0.7151522, 0.0721750, 1.0),
        (0.0193339, 0.1191920, 0.9503041, 1.08883),
    )
    x, y, z = (
        value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116
        for value in (sum(a * b for a, b in zip(row[:3], seen, strict=True)) / row[3] for row in xyz)
    )
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


def test_contrast_is_the_published_one():
    assert contrast("#000", "#fff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", COLOURED, ids=lambda theme: theme.name)
def test_text_can_be_read_on_every_ground(theme: Theme):
    meanings = {key: value for key, value in theme.variables.items() if key.startswith("verdict-")}
    meanings |= {name: getattr(theme, name) for name in ("foreground", "success", "warning", "error")}
    for (name, text), ground in itertools.product(meanings.items(), GROUNDS):
        assert contrast(text, getattr(theme, ground)) >= 4.5, f"{name} on {ground}"
    for name in ("foreground", "accent", "success", "warning", "error"):  # of heading and footer
        assert contrast(getattr(theme, name), theme.panel) >= 4.5, f"{name} on panel"
    for name, ground in itertools.product(("graph-base", "graph-other"), (*GROUNDS, "panel")):  # labels too
        assert contrast(theme.variables[name], getattr(theme, ground)) >= 4.5, f"{name} on {ground}"


@pytest.mark.parametrize("name", ["fwdtui-dark", "fwdtui-light"])
async def test_tabs_hints_and_keys_can_be_read_as_they_are_drawn(folder, pair, name):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        app.choose_theme(name)
        app.compare(pair[0], [pair[1]])
        await until(lambda: bool(drawn(app, "2 hist")))
        assert drawn(app, "2 hist")[0] >= 4.5
        await until(lambda: bool(drawn(app, "q")))
        assert min(drawn(app, "e", "q")) >= 4.5, "the footer's keys"
        app.push_screen(NewLabScreen(folder / "lab.toml"))
        await until(lambda: bool(drawn(app, "the router under test")))
        assert drawn(app, "the router under test")[0] >= 4.5
        app.push_screen(WelcomeScreen(folder, ""))
        told = "A simulated lab, labelled as such: no root, no other host, two minutes."
        await until(lambda: bool(drawn(app, told)))  # under the cursor
        assert drawn(app, told)[0] >= 4.5
        await pilot.pause()


def drawn(app: FwdtuiApp, *texts: str) -> list[float]:
    """The contrast of each piece on the screen that is one of these."""
    found = []
    for strip in app.screen._compositor.render_strips(app.size):
        for segment in strip:
            style = segment.style
            if segment.text.strip() in texts and style and style.color and style.bgcolor:
                found.append(contrast(style.color.get_truecolor().hex, style.bgcolor.get_truecolor().hex))
    return found


@pytest.mark.parametrize("theme", COLOURED, ids=lambda theme: theme.name)
def test_graphs_stand_out_from_every_ground(theme: Theme):
    for name, ground in itertools.product(themes.GRAPH, (*GROUNDS, "panel")):
        assert contrast(theme.variables[f"graph-{name}"], getattr(theme, ground)) >= 3.0, (
            f"{name} on {ground}"
        )


def test_high_contrast_is_high():
    theme = themes.load_shipped("fwdtui-high-contrast")
    for text in (theme.foreground, *theme.variables.values()):
        assert contrast(text, theme.background) >= 7.0


@pytest.mark.parametrize("eyes", SEEN_BY)
@pytest.mark.parametrize(
    "names",
    [
        [f"graph-{name}" for name in ("offered", "forwarded", "received", "drops")],
        ["graph-base", "graph-other"],
        [f"verdict-{name}" for name in themes.VERDICT],
    ],
    ids=["flows", "sides", "verdicts"],
)
def test_colours_that_stand_side_by_side_differ_for_everyone(eyes, names):
    """A distance of 25 in L*a*b* is ten times what is just noticed (2.3: Mahy et al. 1994)."""
    theme = themes.load_shipped("fwdtui-colour-blind")
    for one, other in itertools.combinations(names, 2):
        first, second = (lab(Color.parse(theme.variables[name]), SEEN_BY[eyes]) for name in (one, other))
        distance = sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5
        assert distance >= 25, f"{one} and {other}"


def test_the_simulation_can_tell_good_from_bad():
    """Traffic-light red and green are the same brown for some: the bound above is one that fails."""
    first, second = (lab(Color.parse(name), SEEN_BY["deuteranopia"]) for name in ("#b07000", "#7f8a00"))
    assert sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5 < 25


@pytest.mark.parametrize("theme", themes.load_all(), ids=lambda theme: theme.name)
def test_a_shipped_theme_names_every_meaning_and_lies_where_its_name_says(theme: Theme):
    wanted = {f"verdict-{verdict}" for verdict in VERDICTS} | {f"graph-{name}" for name in themes.GRAPH}
    assert wanted <= set(theme.variables)
    assert themes.load_shipped(theme.name) == theme


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('dark = "yes"', "dark: expected a boolean, got a string"),
        ("dark = true\ncolours = 1", "colours: unknown key; expected one of name, dark, colors, "),
        ('dark = true\n[colors]\nprimary = "blu"', "colors.primary: 'blu' is not a colour"),
        ('dark = true\n[colors]\nsecondary = "red"', "colors.primary is missing"),
        ('dark = true\n[colors]\nprimary = "red"\n[graph]\nofered = "red"', "graph.ofered: no such key"),
        ('dark = true\n[colors]\nprimary = "red"\n[interface]\nborder = "}"', "interface.border: '}'"),
        ('dark = true\n[colors]\nprimary = "red"\n[interface]\nlink-style = "loud"', "link-style: 'loud'"),
        ('dark = true\n[colors]\nprimary = "red"\n[interface]\nlink-style = "r"', "'r' is not a style"),
        (
            'dark = true\n[colors]\nprimary = "red"\n[interface]\nprimary-lighten-1 = "red 50%"',
            "interface.primary-lighten-1: 'red 50%' is not a colour alone",
        ),
        *(
            (
                f'dark = true\n[colors]\nprimary = "red"\n[interface]\n{key} = "auto"',
                f"interface.{key}: 'auto': only a colour of text can be auto",
            )
            for key in ("background-darken-1", "footer-background", "border", "foreground")
        ),
        ("dark = tru", "Invalid value"),
    ],
)
def test_a_wrong_theme_names_file_and_key(tmp_path: Path, text, message):
    path = tmp_path / "mine.toml"
    path.write_text(f'name = "mine"\n{text}\n' + ("" if "[colors]" in text else "[colors]\n"))
    with pytest.raises(FwdtuiError, match=f"mine.toml: .*{message}"):
        themes.load(path)


def own(text: str, name: str = "mine.toml") -> Path:
    path = config.themes_folder() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    # within one tick of the file system's clock a change is not seen: say that it is one
    later = time.time_ns() + next(_ticks) * 1_000_000_000
    os.utime(path, ns=(later, later))
    return path


_ticks = itertools.count(1)
MINE = 'name = "mine"\ndark = true\n[colors]\nprimary = "{}"\n'


def notices(app: FwdtuiApp) -> str:
    return " ".join(notice.message for notice in app._notifications)


@pytest.mark.parametrize("wanted", ["mine", "gone", "nord"])
def test_the_first_theme_is_any_of_the_list_and_hides_no_theme_of_ones_own(wanted):
    for name in ("a", "mine", "z"):
        own(MINE.replace("mine", name).format("#112233"), f"{name}.toml")
    Settings().remember(theme=wanted)
    settings = Settings()
    first = settings.first_theme(no_color=False)
    assert first.name == (themes.DEFAULT if wanted == "gone" else wanted)
    assert [theme.name for theme in settings.user_themes()] == ["a", "mine", "z"]
    assert [*settings.user_themes()] == [] and settings.problems == []


async def test_a_theme_of_ones_own_is_there_and_follows_its_file(folder):
    of_text = [key for key in themes._variables() if themes._OF_TEXT.search(key) and "style" not in key]
    auto = "[interface]\n" + "".join(f'{key} = "auto 80%"\n' for key in of_text)
    own(MINE.format("#112233") + auto)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)):
        await until(lambda: "mine" in app.available_themes)
        app.choose_theme("mine")
        await until(lambda: app.theme_variables["primary"].lower() == "#112233")
        # what it does not name is as in the shipped dark theme
        assert app.theme_variables["graph-drops"] == themes.meanings(True)["graph-drops"]
        own(MINE.format("#445566"))
        await until(lambda: app.theme_variables["primary"].lower() == "#445566")


async def test_a_file_that_became_wrong_is_told_and_the_old_theme_stays(folder):
    own(MINE.format("#112233"))
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)):
        await until(lambda: "mine" in app.available_themes)
        app.choose_theme("mine")
        path = own(MINE.format("no colour"))
        await until(lambda: "colors.primary" in notices(app))
        assert str(path) in notices(app)
        assert app.theme == "mine" and app.theme_variables["primary"].lower() == "#112233"


async def test_no_color_means_no_colour_at_all(folder, pair, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.theme == themes.MONOCHROME
        assert colours(app) == {"default"}


async def test_the_terminals_own_theme_sends_no_colour_of_its_own(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)):
        await app.workers.wait_for_complete()
        await until(lambda: "fwdtui-terminal" in app.available_themes)
        app.choose_theme("fwdtui-terminal")
        await until(lambda: not [name for name in colours(app) if name.startswith("#")])


def colours(app: FwdtuiApp) -> set[str]:
    """Names of all colours that are sent to the terminal for the screen as it is."""
    found = set()
    for strip in app.screen._compositor.render_strips(app.size):
        for segment in (
            strip.apply_filter(app._filters[-1], app.screen.background_colors[1]) if app.no_color else strip
        ):
            if segment.style is not None:
                for color in (segment.style.color, segment.style.bgcolor):
                    found.add("default" if color is None else color.name)
    return found
