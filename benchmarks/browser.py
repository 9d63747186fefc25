"""Measures opening the sessions browser on 10,000 iterations, typing a filter, grouping and judging.

    python benchmarks/browser.py [--sessions 200] [--iterations 50]

Prints how soon the first rows are in the table after the screen is opened, how soon all are, and the longest
time for which the event loop was blocked, which is how long a key could have waited. Then what it costs to
group the list, to fold and unfold a group, and how long judging all sessions against a baseline takes, again
with the longest wait.
"""

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path

from listing import make
from textual.pilot import Pilot

from fwdtui.ui.sessions.session_table import SessionTable
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp


async def opening(folder: Path) -> str:
    app = FwdtuiApp(folder.parent / "nothing")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        screen = SessionsScreen(folder)
        started = last = time.perf_counter()
        app.push_screen(screen)
        first = whole = longest = 0.0
        while not whole:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
            rows = screen.table.row_count if screen.is_mounted and screen.query("#sessions") else 0
            if rows:
                first = first or now - started
                whole = 0.0 if screen.reading else now - started
        await pilot.press("slash")
        there, spent = screen.table.row_count, time.process_time()
        await pilot.press("9")
        while screen.table.row_count == there:
            await pilot.pause(0.001)
        spent = time.process_time() - spent
        await pilot.press("escape")
        while screen.table.row_count < there:
            await pilot.pause(0.001)
        costs = [await cost(pilot, key) for key in ("G", "left", "right")]
        return (
            f"first rows {first * 1e3:4.0f} ms   all {whole * 1e3:5.0f} ms   "
            f"longest wait {longest * 1e3:3.0f} ms   a letter of a filter {spent * 1e3:3.0f} ms of CPU   "
            "group, fold, unfold " + ", ".join(f"{one * 1e3:.0f}" for one in costs) + " ms of CPU   "
            f"{await judging(pilot, screen)}"
        )


async def cost(pilot: Pilot[None], key: str) -> float:
    """The CPU time of a key, until the table has other rows."""
    table = pilot.app.screen.query_one("#sessions", SessionTable)
    there, spent = table.row_count, time.process_time()
    await pilot.press(key)
    while table.row_count == there:
        await pilot.pause(0.001)
    await pilot.pause()
    return time.process_time() - spent


async def judging(pilot: Pilot[None], screen: SessionsScreen) -> str:
    """Judge all, in groups, against the first session."""
    await pilot.press("down")
    screen.action_baseline()
    assert screen.baseline is not None
    started = last = time.perf_counter()
    longest = 0.0
    while any(group.tally is None or group.tally.pending for group in screen.table.groups):
        await asyncio.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return f"all judged {last - started:.1f} s   longest wait {longest * 1e3:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--iterations", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "sessions"
        folder.mkdir()
        make(folder, args.sessions, args.iterations)
        for number in range(3):
            os.environ["XDG_STATE_HOME"] = str(Path(root) / f"state{number}")  # the user's own stays as it is
            print(asyncio.run(opening(folder)))


if __name__ == "__main__":
    main()
