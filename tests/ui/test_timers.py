"""A timer that rings once does so, however late: a new size of the terminal must not be lost."""

import itertools
import sys
from pathlib import Path

import pytest
from textual import _time
from textual.geometry import Size
from textual.timer import Timer
from waiting import rest, until

from fwdtui.ui.shell.app import FwdtuiApp

LATE = 0.05  # seconds from one look at the clock to the next; a new size waits for 8 ms


async def test_a_new_size_is_taken_by_a_process_that_gets_no_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, late = _time.get_time, itertools.count(LATE, LATE)

    def looked() -> float:
        """The time, which goes on by 50 ms between any two looks of a timer that rings once."""
        frame = sys._getframe(1)
        of_timer = frame.f_code is Timer._run.__code__
        return now() + (next(late) if of_timer and frame.f_locals["_repeat"] == 0 else 0.0)

    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await rest(app)
        monkeypatch.setattr(_time, "get_time", looked)
        await pilot.resize_terminal(120, 40)
        await until(lambda: app.screen.outer_size == Size(120, 40), 10.0)
        await pilot.resize_terminal(80, 24)
        await until(lambda: app.screen.outer_size == Size(80, 24), 10.0)
