"""What panels write straight to the terminal: the terminal then shows what Textual itself would paint."""

import json
import os
import re
import select
import signal
import struct
import sys
import time
from pathlib import Path

import pytest
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import MONOKAI
from textual.color import Color
from textual.filter import ANSIToTruecolor
from textual.strip import Strip

from fwdtui.ui.draw.brush import MOST_STYLES, Codes, differing
from fwdtui.ui.draw.row import Row

RED, BLUE = Style(color="red"), Style(color="blue")


@pytest.mark.parametrize(
    ("before", "now", "runs"),
    [
        ([("abc", RED)], [("abc", RED)], []),
        ([("abc", RED)], [("abd", RED)], [(2, ["d"])]),
        ([("abcdef", RED)], [("aXcdYf", RED)], [(1, ["XcdY"])]),  # a skip costs as much as the cells between
        ([("abc", RED)], [("abc", BLUE)], [(0, ["abc"])]),
        ([("ab", RED), ("cd", BLUE)], [("ab", RED), ("cX", BLUE)], [(3, ["X"])]),
        ([("ab", RED), ("cd", BLUE)], [("aX", RED), ("Yd", BLUE)], [(1, ["X", "Y"])]),
        ([("Xb", RED), ("cd", BLUE)], [("ab", RED), ("cY", BLUE)], [(0, ["a"]), (3, ["Y"])]),
        ([("ab", RED), ("cd", RED)], [("abc", RED), ("d", RED)], []),  # cut elsewhere, but the same cells
        ([("abcd", RED)], [("ab", RED), ("c", BLUE), ("d", RED)], [(2, ["c"])]),
        ([("ab", None)], [("aX", None)], [(1, ["X"])]),
        ([("日本", RED)], [("日x ", RED)], [(0, ["日x "])]),  # not one cell a character: the whole row
    ],
)
def test_runs_of_cells_that_differ(
    before: list[tuple[str, Style]], now: list[tuple[str, Style]], runs: list[tuple[int, list[str]]]
) -> None:
    found = differing(*(Row(Segment(*one) for one in row) for row in (before, now)))
    assert [(x, [text for text, _, _ in cells]) for x, cells in found] == runs


@pytest.mark.parametrize(
    "style", [RED, RED + Style(bold=True), Style(color="red", dim=True), Style(color="#123456"), Style()]
)
@pytest.mark.parametrize("ground", ["#000000", "#ffffff"])
def test_a_style_is_written_as_a_whole_line_of_the_panel_would_be(style: Style, ground: str) -> None:
    filters, background = [ANSIToTruecolor(MONOKAI)], Color.parse(ground)
    (segment,) = filters[0].apply([Segment("x", style)], background)
    expected, _, _ = Strip.render_style(segment.style, "x", color_system=ColorSystem.TRUECOLOR).partition("x")
    codes = Codes(ColorSystem.TRUECOLOR, filters, background)
    assert codes[style] == "\x1b[0" + expected.replace("\x1b[", ";") if expected else "\x1b[0m"
    assert codes[style] is codes[style]


def test_dim_text_is_written_differently_on_another_ground() -> None:
    dim, filters = Style(color="red", dim=True), [ANSIToTruecolor(MONOKAI)]
    grounds = [Color.parse(name) for name in ("#000000", "#ffffff")]
    assert len({Codes(ColorSystem.TRUECOLOR, filters, ground)[dim] for ground in grounds}) == 2


def test_no_style_is_the_terminal_s_own_and_styles_without_end_take_no_memory() -> None:
    codes = Codes(ColorSystem.TRUECOLOR, [], Color.parse("#000000"))
    assert codes[None] == "\x1b[0m"
    for number in range(2 * MOST_STYLES):
        assert codes[Style(color=f"#{number:06x}")].startswith("\x1b[0;38;2;")
    assert len(codes) <= MOST_STYLES


CHILD = """
import asyncio, json, sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from live_rig import Control, Rig
from rich.color import ColorSystem
from textual.strip import Strip
from waiting import under_way

TRUECOLOR = ColorSystem.TRUECOLOR

from fwdtui.ui.draw.brush import Brush
from fwdtui.ui.shell.app import FwdtuiApp

taken = []
paint = Brush.paint
Brush.paint = lambda self, *what: taken.append(paint(self, *what)) or taken[-1]


def unpainted(app):
    widgets = app.screen, *app.screen.walk_children()
    return app.screen._dirty_widgets or app._batch_count or any(one._repaint_required for one in widgets)


async def main():
    rig = Rig(queues=16, cores=8, interval=0.1)
    rig.run(4.0)
    control = Control(rig)
    app = FwdtuiApp(control.sessions, live=control)

    async def drive():
        while not taken or sum(taken) < 40:
            rig.step()
            await asyncio.sleep(0.02)
        if sys.argv[3] == "covered":
            app.screen.notify("a notice over the graph", timeout=60)
            while not any(toast.region for toast in app.screen.query("Toast")):
                await asyncio.sleep(0.02)
            for _ in range(20):
                rig.step()
                await asyncio.sleep(0.05)
        app.screen._view = __import__("msgspec").structs.replace(app.screen._view, paused=True)
        looks = 0
        while looks < 5:  # a busy machine may be between two steps of painting
            await asyncio.sleep(0.01)
            looks = 0 if under_way(app) or unpainted(app) else looks + 1
        strips = app.screen._compositor.render_strips()
        cells = []
        for strip in strips:
            row = []
            for text, style, _ in strip:
                known = "" if style is None else Strip.render_style(style, "", color_system=TRUECOLOR)
                row += [(one, known.partition("m")[0][2:]) for one in text]
            cells.append(row)
        Path(sys.argv[2]).write_text(json.dumps([cells, sum(taken), len(taken)]))
        app._driver.write("\\x1b[999;999Hthe end")
        await asyncio.Event().wait()

    driving = asyncio.create_task(drive())
    await app.run_async()

asyncio.run(main())
"""
ROWS, COLUMNS = 40, 130
_ESCAPE = re.compile(rb"\x1b\[([?>=<]?)([0-9;:]*)[ -/]*([@-~])|\x1b[P_\]].*?\x1b\\|\x1b.", re.S)


def shown(output: bytes) -> list[list[tuple[str, str]]]:
    """A terminal's cells (character, codes of its style) after this output: places, styles and texts."""
    grid = [[(" ", "")] * COLUMNS for _ in range(ROWS)]
    row = column = place = 0
    style = ""
    while place < len(output):
        found = _ESCAPE.match(output, place)
        if found is None:
            end = output.find(b"\x1b", place)
            end = len(output) if end < 0 else end
            for one in output[place:end].decode():
                if one == "\n":
                    row, column = row + 1, 0
                elif one >= " ":
                    if row < ROWS and column < COLUMNS:
                        grid[row][column] = one, style
                    column += 1
            place = end
            continue
        place = found.end()
        private, numbers, kind = (part.decode() for part in found.groups(b""))
        if kind == "m" and not private:
            codes = numbers.split(";")
            style = ";".join(codes[1:] if codes[0] == "0" else codes)
        elif kind == "H":
            row, column = (int(number or 1) - 1 for number in f"{numbers};".split(";")[:2])
    return grid


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
@pytest.mark.parametrize("case", ["open", "covered"])
def test_the_terminal_shows_what_textual_would_paint(case: str, tmp_path: Path) -> None:
    """In a blast that begins, with every panel changing; and with a notice that lies over the graph."""
    import fcntl
    import pty
    import termios

    script, said = tmp_path / "child.py", tmp_path / "said.json"
    script.write_text(CHILD)
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.environ.update({"TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": str(tmp_path)})
        os.environ.update(
            {"PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": str(COLUMNS), "LINES": str(ROWS)}
        )
        os.execvp(sys.executable, [sys.executable, str(script), str(Path(__file__).parent), str(said), case])
    try:
        output, until = b"", time.monotonic() + 60.0
        while b"the end" not in output:
            assert time.monotonic() < until and select.select([terminal], [], [], 60.0)[0], output[-2000:]
            output += os.read(terminal, 1 << 16)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    cells, taken, asked = json.loads(said.read_text())
    # while rows are shared anew a panel may have to wait for Textual; under a notice the graph always does
    assert taken >= 40 and (asked - taken >= 8) == (case == "covered")
    output = output.partition(b"\x1b[999;999H")[0]
    for number, (expected, found) in enumerate(zip(cells, shown(output), strict=True)):
        assert [tuple(cell) for cell in expected] == found, f"row {number}"
