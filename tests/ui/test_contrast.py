"""What the app really draws can be read, in every theme: each piece of text against the ground behind it.

WCAG 2.2 asks for 4.5:1 for text (1.4.3) and 3:1 for graphics that carry information (1.4.11): lines of
Braille, bars, marks. Frames, scroll bars, the crosses of a grid and the dots of an idle core carry none, and
what a dialog dims behind it is not to be read. The colours of a terminal itself have no known contrast: there
it is held to which of them are used, and that cursor, marks and selection do without.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, NamedTuple

from gallery import SESSIONS, many, matrix
from live_rig import Control, Rig
from preview_rig import settled as drawn
from rich.segment import Segment
from sessions_rig import EXAMPLES
from test_themes import contrast
from textual.pilot import Pilot
from textual.widgets import Input, OptionList
from waiting import done, press, until

from fwdtui.ui.common.marked_list import MarkedList
from fwdtui.ui.lab.new_lab import NewLabScreen
from fwdtui.ui.replay.screen import ReplayScreen
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.welcome import WelcomeScreen
from fwdtui.ui.theme import themes

COLOURED = [theme.name for theme in themes.load_all() if not theme.ansi]
TEXT, GRAPHIC = 4.5, 3.0
NO_NEWS = set("+· ")  # a grid's crosses, the dots of an idle core
OWN_COLOURS = {"color(1)", "color(2)", "color(3)", "color(5)", "color(6)"}
"""Red, green, yellow, magenta, cyan: not those that vanish on usual grounds (black, blue and white)."""


class Piece(NamedTuple):
    """A piece of a line as it is sent to the terminal, and where it begins."""

    text: str
    style: Any
    x: int
    y: int


def pieces(app: FwdtuiApp) -> Iterator[Piece]:
    """Everything on the screen that is not blank."""
    for y, strip in enumerate(app.screen._compositor.render_strips(app.size)):
        x = 0
        for segment in strip:
            if segment.text.strip() and segment.style is not None:
                yield Piece(
                    segment.text, segment.style, x + len(segment.text) - len(segment.text.lstrip()), y
                )
            x += Segment.get_line_length([segment])


def is_graphic(text: str) -> bool:
    """Only lines, blocks and Braille."""
    return all(one.isspace() or 0x2500 <= ord(one) <= 0x259F or 0x2800 <= ord(one) <= 0x28FF for one in text)


@cache
def ratio(colour: str, ground: str) -> float:
    return contrast(colour, ground)


def contrast_of(piece: Piece) -> float:
    colour, ground = (one.get_truecolor().hex for one in (piece.style.color, piece.style.bgcolor))
    return ratio(colour, ground)


def unreadable(app: FwdtuiApp) -> list[str]:
    """Pieces of the screen on top with too little contrast."""
    found = []
    for piece in pieces(app):
        wanted = GRAPHIC if is_graphic(piece.text) else TEXT
        if piece.style.color and piece.style.bgcolor and contrast_of(piece) >= wanted:
            continue
        if set(piece.text) <= NO_NEWS or exempt(app, piece, wanted):
            continue
        found.append(f"{piece.text.strip()[:40]!r} has {contrast_of(piece):.2f} ({piece.style})")
    return found


def exempt(app: FwdtuiApp, piece: Piece, wanted: float) -> bool:
    """Whether it is dimmed behind a dialog, or a frame, a scroll bar or the rail under the tabs."""
    widget, _ = app.screen.get_widget_at(piece.x, piece.y)
    if widget is app.screen and app.screen.is_modal:
        return True
    decoration = not widget.content_region.contains(piece.x, piece.y) or type(widget).__name__ in (
        "Underline",
        "ScrollBar",
    )
    return decoration and wanted == GRAPHIC


async def turn_to(pilot: Pilot[None], theme: str) -> None:
    """Give the app this theme where it stands."""
    app = pilot.app
    app.theme = theme
    await pilot.pause()
    # the page of a report is drawn in a thread: until then the old one is on the new ground
    await until(lambda: all(one.is_finished for one in app.workers if one.group == "draw"))
    await pilot.pause()
    await pilot.pause()


async def read_in_every_theme(pilot: Pilot[None], what: str) -> None:
    """Switch through the themes where the app stands."""
    app = pilot.app
    assert isinstance(app, FwdtuiApp)
    for name in COLOURED:
        await turn_to(pilot, name)
        assert not unreadable(app), f"{what} in {name}"


def measured() -> Control:
    """A run with every kind of thing to tell."""
    rig = Rig(uneven=True)
    rig.run(20)
    for code in ("link-down", "failed", "silent", "host-back"):
        rig.event(code, f"{code} told", "dut")
    rig.run(70)
    return Control(rig, EXAMPLES)


@asynccontextmanager
async def running(size: tuple[int, int] = (110, 34), **options: Any) -> AsyncIterator[Pilot[None]]:
    app = FwdtuiApp(EXAMPLES, **options)
    app.animation_level = "none"
    async with app.run_test(size=size, notifications=True) as pilot:
        await done(app)
        await until(lambda: len(app.available_themes) > len(COLOURED) + 2)
        yield pilot


async def test_the_live_screen_its_dialogs_notices_and_help():
    async with running(live=measured()) as pilot:
        app = pilot.app
        for severity in ("information", "warning", "error"):
            app.notify("a notice", title="its title", severity=severity)
        app.screen.query_one("#graph").focus()
        await press(pilot, "end")  # its cursor
        await read_in_every_theme(pilot, "live")
        app.clear_notifications()
        for keys in (["escape", "i", "space"], ["escape", "g"], ["escape", "question_mark"]):
            await press(pilot, *keys)
            await read_in_every_theme(pilot, keys[-1])
        await pilot.resize_terminal(80, 24)
        await done(app)
        await read_in_every_theme(pilot, "help as a page")


async def test_the_sessions_one_of_them_and_their_dialogs():
    async with running() as pilot:
        for keys in (["slash", "r"], ["escape", "R"], ["escape", "t", "a"]):
            await press(pilot, *keys)
            await read_in_every_theme(pilot, f"sessions: {keys[-1]}")
        await press(pilot, "escape", "enter")
        await drawn(pilot)
        for tab in "12":
            await press(pilot, tab)
            await read_in_every_theme(pilot, f"session: {tab}")


async def test_the_comparison_and_its_report():
    async with running() as pilot:
        pilot.app.compare(EXAMPLES / "no-rules", [EXAMPLES / "rules-100"])
        await drawn(pilot)
        for tab in "156":
            await press(pilot, tab)
            await drawn(pilot)
            await read_in_every_theme(pilot, f"comparison: {tab}")
        await press(pilot, "e")
        await drawn(pilot)
        await press(pilot, "i")
        await read_in_every_theme(pilot, "report")
        await press(pilot, "escape", "e")
        await read_in_every_theme(pilot, "where the report goes")


async def test_a_replay_the_welcome_the_palette_and_a_form(tmp_path):
    async with running() as pilot:
        app = pilot.app
        app.replay(EXAMPLES / "rules-100", EXAMPLES / "no-rules")
        await until(lambda: isinstance(app.screen, ReplayScreen) and app.screen.player.beside is not None)
        await press(pilot, "n", "right", "space")
        await read_in_every_theme(pilot, "replay")
        await press(pilot, "v")
        await read_in_every_theme(pilot, "the choice of a recording")
        for screen in (WelcomeScreen(EXAMPLES), NewLabScreen(tmp_path / "lab.toml")):
            app.switch_screen(screen)
            await done(app)
            await read_in_every_theme(pilot, type(screen).__name__)
        await press(pilot, "ctrl+p")
        await until(lambda: any(one.option_count > 3 for one in app.screen.query(OptionList)))
        await read_in_every_theme(pilot, "palette")


async def test_the_names_of_a_matrix_can_be_read_in_every_theme_and_on_a_terminal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    many()
    app = FwdtuiApp(SESSIONS)
    async with app.run_test(size=(110, 34)) as pilot:
        await done(app)
        await until(lambda: len(app.available_themes) > len(COLOURED) + 2)
        await matrix(app)
        await drawn(pilot)
        await read_in_every_theme(pilot, "matrix")
        app.theme = "fwdtui-terminal"
        await drawn(pilot)
        names = [piece for piece in pieces(app) if piece.text.strip() in ("forwarding.on", "pf.inet4")]
        assert names and {piece.style.bgcolor.name for piece in names} == {"default"}


async def test_with_the_terminals_own_colours_cursor_marks_and_selection_are_seen_without_any(subtests):
    async with running(live=measured()) as pilot:
        app = pilot.app

        async def in_both(what: str, look: Callable[[set[str]], None]) -> None:
            for name, allowed in (("fwdtui-monochrome", set()), ("fwdtui-terminal", OWN_COLOURS)):
                with subtests.test(what, theme=name):
                    await turn_to(pilot, name)
                    look(allowed | {"default"})

        def marked(_: set[str]) -> None:
            found = app.screen.query_one(MarkedList)
            rows = [list(found.render_line(y)) for y in range(3)]
            assert [row[0].text for row in rows] == ["[x]", "[ ]", "[x]"]
            assert [bool(row[-2].style.underline) for row in rows] == [False, True, False], "the cursor"

        def selected(_: set[str]) -> None:
            field = app.screen.query_one(Input)
            typed = [segment for segment in field.render_line(0) if segment.text.strip()]
            assert typed and all(segment.style.reverse for segment in typed), "all of it is selected"

        def no_other_colours(allowed: set[str]) -> None:
            wrong = {
                (piece.text.strip()[:30], one.name)
                for piece in pieces(app)
                for one in (piece.style.color, piece.style.bgcolor)
                if one is not None and one.name not in allowed and not is_graphic(piece.text)
            }
            assert not wrong

        await press(pilot, "i", "down", "space")
        await in_both("marks", marked)
        await press(pilot, "escape", "f3", "R")
        await in_both("selection", selected)
        await press(pilot, "escape")
        app.compare(EXAMPLES / "no-rules", [EXAMPLES / "rules-100"])
        await drawn(pilot)
        await press(pilot, "e")
        await drawn(pilot)
        await in_both("report", no_other_colours)


def test_pieces_that_cannot_be_read_are_found():
    assert ratio("#747778", "#fbfbf8") < TEXT < ratio("#67696a", "#fbfbf8")
    assert is_graphic("⠐⠐ ─█▏") and not is_graphic("┈ offered") and not is_graphic("✕")
