"""Every screen at three sizes in three themes: its text and its colours are those that somebody looked at.

`pytest tests/ui/test_gallery.py --snapshot-update` takes them anew; `scripts/pictures.py` draws them to be
looked at. The text is kept for each size, and at one size the colours of each theme, with how often each is
used.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from every_screen import screens
from gallery import TOURS, Scene, Tour, without_hosts
from rich.color import Color
from rich.segment import Segment
from textual._compositor import LayoutUpdate
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, TextArea
from waiting import rest, until

from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.shell.app import FwdtuiApp

SIZES = (200, 60), (120, 40), (80, 24)
THEMES = "fwdtui-dark", "fwdtui-light", "fwdtui-monochrome"
PICTURES = os.environ.get("FWDTUI_PICTURES", "")
"""A folder that the pictures are drawn into, as SVG; for scripts/pictures.py."""
CHOSEN = os.environ.get("FWDTUI_SCENES", "").split()
"""Words of the names of those that are drawn; else all."""
LOOKS = [(size, theme) for size in SIZES for theme in THEMES[: 3 if PICTURES or size == SIZES[-1] else 1]]
"""The text does not depend on the theme, and the colours hardly on the size: those of the last are kept."""
MARKS = "bold", "dim", "italic", "underline", "reverse"

Rows = list[list[Segment]]
Look = tuple[tuple[int, int], str]
"""The size of the terminal, and the theme."""
Picture = tuple[str, str]
"""The text, and which colours it has."""


def rounds(tour: Tour) -> list[list[Look]]:
    """The looks at each scene for which it is reached once, while the terminal or the theme changes.

    What is opened where there is little room may differ from what becomes so small later: the last size has a
    round of its own.
    """
    if tour.apart:
        return [[look] for look in LOOKS]
    return [[look for look in LOOKS if (look[0] == SIZES[-1]) is last] for last in (False, True)]


@pytest.fixture(autouse=True)
def _fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times are UTC, paths those of the folder the sessions lie in, and what root is offered is offered."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("fwdtui.ui.shell.welcome.os.geteuid", lambda: 0)
    without_hosts(monkeypatch)
    if not PICTURES:
        monkeypatch.setattr(Screen, "_compositor_refresh", undrawn(Screen._compositor_refresh))
    yield
    monkeypatch.undo()
    time.tzset()


def undrawn(drawn: Callable[[Any], None]) -> Callable[[Any], None]:
    """The screen on top is drawn when it is looked at, not at each step on the way."""

    def refresh(self: Screen[Any]) -> None:
        if self is self.app.screen:
            self._compositor._dirty_regions.clear()
            self._dirty_widgets.clear()
        else:
            drawn(self)

    return refresh


def rows(app: FwdtuiApp) -> Rows:
    """All of it as it is sent to a terminal, with what shines through from behind a dialog."""
    screen = app.screen
    update = screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(update, LayoutUpdate)
    there = screen._compositor.size, screen.size, app.size
    assert len(update.strips) == app.size.height, f"{screen} has another size than the terminal: {there}"
    return [[segment for strip in line for segment in strip] for line in update.strips]


def stand_still(app: FwdtuiApp) -> None:
    """No cursor blinks, and a live screen takes no more snapshots: nothing new is measured anyway."""
    for field in app.screen.query(Input):
        field.cursor_blink = False
    for area in app.screen.query(TextArea):
        area.cursor_blink = False
    for screen in app.screen_stack:
        for timer in screen._timers if isinstance(screen, LiveScreen) else ():
            if timer._repeat is None:
                timer.pause()


async def reach(app: FwdtuiApp, pilot: Pilot[None], how: Any) -> None:
    """Press these keys, or do it, until nothing is under way any more."""
    if callable(how):
        await how(app)
    elif how:
        await pilot.press(*how)
    else:
        return
    await rest(app)
    if app.screen.query("Input, TextArea"):
        stand_still(app)
        await rest(app)


async def gone_through(tour: Tour) -> dict[str, str]:
    """The text and the colours of each of its scenes."""
    tour.files()
    app = tour.app()
    app.animation_level = "none"
    found: dict[str, dict[Look, Picture]] = {scene.name: {} for scene in tour.scenes}
    seen: set[type] = set()
    async with app.run_test(size=SIZES[0], notifications=True) as pilot:
        await rest(app)
        stand_still(app)
        for looks in rounds(tour):
            await turn_to(pilot, looks[0])
            for scene in tour.scenes:
                wanted = [look for look in looks if PICTURES or look[1] == THEMES[0] or not scene.plain]
                if not wanted:
                    continue
                await reach(app, pilot, scene.show)
                if there(app) != wanted[0]:  # the scene before was left with its last look
                    wanted.reverse()
                for look in wanted:
                    await turn_to(pilot, look)
                    assert type(app.screen) in (scene.of, *scene.others), scene.name
                    seen.add(type(app.screen))
                    if PICTURES:
                        draw(app, scene, *look)
                    else:
                        drawn = rows(app)
                        found[scene.name][look] = shown(drawn), colours(drawn)
                await reach(app, pilot, scene.hide)
    assert {kind for scene in tour.scenes for kind in (scene.of, *scene.others)} == seen
    return {name: "\n".join(kept(looked)) for name, looked in found.items()}


def there(app: FwdtuiApp) -> Look:
    return app.size, app.theme


async def turn_to(pilot: Pilot[None], look: Look) -> None:
    """Give the terminal this size and the app this theme, where it stands."""
    app = pilot.app
    assert isinstance(app, FwdtuiApp)
    size, theme = look
    if there(app) == look:
        return
    app.theme = theme
    if app.size != size:
        await pilot.resize_terminal(*size)
        await until(lambda: app.screen._compositor.size == app.screen.size == size)
    await rest(app)


def kept(looked: dict[Look, Picture]) -> Iterable[str]:
    """What is kept of a scene: of the first theme the text, of the others which rows differ; the colours."""
    for size in SIZES if looked else ():
        yield f"{size[0]}x{size[1]}\n{looked[size, THEMES[0]][0]}"
    for theme in THEMES:
        if look := looked.get((SIZES[-1], theme)):
            yield f"{theme}\n{different(looked[SIZES[-1], THEMES[0]][0], look[0])}{look[1]}"


def draw(app: FwdtuiApp, scene: Scene, size: tuple[int, int], theme: str) -> None:
    """A picture for somebody to look at."""
    if chosen(scene):
        name = f"{scene.name}.{size[0]}x{size[1]}.{theme.removeprefix('fwdtui-')}.svg"
        app.save_screenshot(name.replace(" ", "-"), PICTURES)


def chosen(scene: Scene) -> bool:
    return not CHOSEN or any(word in scene.name.split() for word in CHOSEN)


def shown(drawn: Rows) -> str:
    return "\n".join("".join(segment.text for segment in row).rstrip() for row in drawn)


def different(usual: str, text: str) -> str:
    """The rows that differ from the usual text: monochrome buttons have a frame."""
    ours, others = usual.split("\n"), text.split("\n")
    assert len(ours) == len(others), f"{usual}\n\n{text}"
    pairs = zip(ours, others, strict=True)
    return "".join(f"  row {row}: {there}\n" for row, (here, there) in enumerate(pairs) if here != there)


def colours(drawn: Rows) -> str:
    """``812 bold #e0e0e0 on #121212``, a line each: how many characters have which colours."""
    used: Counter[str] = Counter()
    for row in drawn:
        for segment in row:
            if (style := segment.style) and (count := len(segment.text.strip())):
                marks = [mark for mark in MARKS if getattr(style, mark)]
                used[" ".join([*marks, named(style.color), "on", named(style.bgcolor)])] += count
    ordered = sorted(used.items(), key=lambda one: (-one[1], one[0]))
    return "\n".join(f"  {count:5} {style}" for style, count in ordered)


def named(colour: Color | None) -> str:
    return "default" if colour is None else colour.name


@pytest.mark.parametrize("tour", TOURS, ids=lambda tour: tour.name)
async def test_every_screen_is_as_it_was_looked_at(tour: Tour, snapshot: Any, subtests: Any) -> None:
    if PICTURES and not any(map(chosen, tour.scenes)):
        pytest.skip("none of its scenes is wanted")
    found = await gone_through(tour)
    for name, text in found.items():
        if not PICTURES:
            with subtests.test(name):
                assert text == snapshot(name=name)


def test_no_screen_was_left_out() -> None:
    in_a_scene = {kind for tour in TOURS for scene in tour.scenes for kind in (scene.of, *scene.others)}
    assert not screens() - in_a_scene, "no scene shows these"


def test_every_picture_has_a_name_of_its_own() -> None:
    names = [scene.name for tour in TOURS for scene in tour.scenes]
    assert sorted(names) == sorted(set(names))
