"""Every screen at three sizes in three themes: its text and its colours are those that somebody looked at.

`pytest tests/ui/test_gallery.py --snapshot-update` takes them anew; `scripts/pictures.py` draws them to be
looked at. The text is kept once a size, and for each theme the colours in use and how often.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from live_rig import Control, Rig
from rich.color import Color
from rich.segment import Segment
from textual.pilot import Pilot
from textual.widgets import Input
from waiting import done, until

from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.replay.replay_control import ReplayControl
from fwdtui.ui.replay.screen import ReplayScreen
from fwdtui.ui.shell.app import FwdtuiApp

SIZES = (80, 24), (120, 40), (200, 60)
MIDDLE = SIZES[1]
"""The size at which the colours of every theme are kept."""
THEMES = "fwdtui-dark", "fwdtui-light", "fwdtui-monochrome"
PICTURES = os.environ.get("FWDTUI_PICTURES", "")
"""A folder that the pictures are drawn into, as SVG; for scripts/pictures.py."""
MARKS = "bold", "dim", "italic", "underline", "reverse"
RECORDED = Path(__file__).resolve().parents[1] / "recorded"


@dataclass(frozen=True)
class Scene:
    """A screen: how the app is started, and the keys that lead to it."""

    name: str
    app: Callable[[], FwdtuiApp]
    keys: tuple[str, ...] = ()


def sessions(**options: bool) -> Callable[[], FwdtuiApp]:
    return lambda: FwdtuiApp(Path("sessions"), **options)


def live(seconds: float, **options: object) -> Callable[[], FwdtuiApp]:
    def app() -> FwdtuiApp:
        rig = Rig(**options)  # type: ignore[arg-type]
        rig.run(seconds)
        return FwdtuiApp(Path("sessions"), live=Control(rig), live_screen=LiveScreen)

    return app


def replay() -> FwdtuiApp:
    control = ReplayControl(RECORDED / "no-rules")
    control.playing = False
    return FwdtuiApp(RECORDED, live=control, live_screen=ReplayScreen)


SCENES = [
    Scene("welcome", sessions(welcome=True)),
    Scene("new lab", sessions(welcome=True), ("3", *"apu2", "enter", *"gen", "enter", *"igb2")),
    Scene("sessions", sessions()),
    Scene("sessions help", sessions(), ("question_mark",)),
    Scene("palette", sessions(), ("ctrl+p",)),
    Scene("rename", sessions(), ("R",)),
    Scene("session", sessions(), ("enter",)),
    Scene("drop an iteration", sessions(), ("enter", "d")),
    *(Scene(f"compare {tab}", sessions(), ("c", str(tab))) for tab in range(1, 10)),
    Scene("matrix", sessions(), ("c", "m")),
    Scene("report", sessions(), ("c", "e")),
    Scene("live before traffic", live(4)),
    Scene("live blast", live(30, uneven=True)),
    Scene("live after a blast", live(43, uneven=True)),
    Scene("live 64 queues", live(30, queues=64, cores=32)),
    Scene("live table", live(30), ("T",)),
    Scene("replay", replay, ("right", "right")),
]


@pytest.fixture(autouse=True)
def _fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times are UTC, and paths those of the folder the sessions lie in."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.chdir(tmp_path)
    yield
    monkeypatch.undo()
    time.tzset()


async def still(pilot: Pilot[None]) -> None:
    """Nothing is being read, judged or drawn any more, and no cursor blinks."""
    app = pilot.app
    assert isinstance(app, FwdtuiApp)
    if isinstance(app.live, ReplayControl):
        control = app.live
        await until(lambda: control.replay is not None)
    await done(app)
    for field in app.screen.query(Input):
        field.cursor_blink = False
    before: list[list[Segment]] = []
    while before != (before := rows(app)):
        await pilot.pause(0.02)


def rows(app: FwdtuiApp) -> list[list[Segment]]:
    return [list(strip) for strip in app.screen._compositor.render_strips()]


def shown(drawn: list[list[Segment]]) -> str:
    return "\n".join("".join(segment.text for segment in row).rstrip() for row in drawn)


def different(usual: str, text: str) -> str:
    """The rows that differ from the usual text: monochrome buttons have a frame."""
    pairs = zip(usual.split("\n"), text.split("\n"), strict=True)
    return "".join(f"  row {row}: {there}\n" for row, (here, there) in enumerate(pairs) if here != there)


def colours(drawn: list[list[Segment]]) -> str:
    """``812 bold #e0e0e0 on #121212``, a line each: how many characters have which colours."""
    used: Counter[str] = Counter()
    for row in drawn:
        for segment in row:
            if (style := segment.style) and (count := len(segment.text.strip())):
                marks = [mark for mark in MARKS if getattr(style, mark)]
                used[" ".join([*marks, named(style.color), "on", named(style.bgcolor)])] += count
    ordered = sorted(used.items(), key=lambda one: (-one[1], one[0]))
    return "\n".join(f"    {count:5} {style}" for style, count in ordered)


def named(colour: Color | None) -> str:
    return "default" if colour is None else colour.name


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name.replace(" ", "-"))
async def test_every_screen_is_as_it_was_looked_at(scene: Scene, pair, snapshot) -> None:
    app = scene.app()
    app.animation_level = "none"
    found: list[str] = []
    async with app.run_test(size=SIZES[-1]) as pilot:
        await still(pilot)
        for key in scene.keys:
            await pilot.press(key)
            await still(pilot)
        if isinstance(app.screen, LiveScreen) and not isinstance(app.screen, ReplayScreen):
            await pilot.press("space")  # the picture stands still
        for size in reversed(SIZES):
            await pilot.resize_terminal(*size)
            usual = ""
            for theme in THEMES if size == MIDDLE or PICTURES else THEMES[:1]:
                app.theme = theme
                await still(pilot)
                drawn = rows(app)
                if not usual:
                    usual = shown(drawn)
                    found.append(f"{size[0]}x{size[1]}\n{usual}")
                found.append(f"  {theme}\n{different(usual, shown(drawn))}{colours(drawn)}")
                if PICTURES:
                    name = f"{scene.name}.{size[0]}x{size[1]}.{theme.removeprefix('fwdtui-')}.svg"
                    app.save_screenshot(name.replace(" ", "-"), PICTURES)
    if not PICTURES:
        assert "\n".join(found) == snapshot
