"""Measures opening the sessions browser on 10,000 iterations, typing a filter, grouping and judging.

    python benchmarks/browser.py [--sessions 200] [--iterations 50] [--rounds 3] [--json FILE]

It measures how soon after the screen is opened the first rows are in the table, how soon all rows are, and
the longest pause of the event loop, which is how long a key could have waited: by the clock, and as CPU time
of this process, which other work on the machine does not lengthen. Then it measures what it costs to group
the list and to fold and unfold a group, and how long judging all sessions against a baseline takes. Reading
the list without a screen is compared with `ls -lR`, which opens no file.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from listing import make
from rows import Row, tell
from textual.pilot import Pilot

from fwdtui.cli.screen import collect_garbage
from fwdtui.store import list_sessions
from fwdtui.ui.sessions.session_table import SessionTable
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp


@dataclass
class Heartbeat:
    """The longest pauses between two turns of the event loop since the measurement began, in seconds."""

    wall: float = 0.0
    cpu: float = 0.0
    started: float = field(default_factory=time.perf_counter)
    _last: tuple[float, float] = field(default_factory=lambda: (time.perf_counter(), time.process_time()))

    async def beat(self) -> float:
        """Waits for one more turn; returns seconds since the beginning."""
        await asyncio.sleep(0.001)
        now = time.perf_counter(), time.process_time()
        self.wall = max(self.wall, now[0] - self._last[0])
        self.cpu = max(self.cpu, now[1] - self._last[1])
        self._last = now
        return now[0] - self.started

    def told(self) -> str:
        return f"longest wait {self.wall * 1e3:.0f} ms, {self.cpu * 1e3:.0f} ms of CPU"


@dataclass(frozen=True)
class Opening:
    """What opening the screen took, in seconds."""

    first: float
    whole: float
    cpu: float
    wait: float


async def opening(folder: Path) -> Opening:
    app = FwdtuiApp(folder.parent / "nothing")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        collect_garbage()  # as the app does when it has started
        screen = SessionsScreen(folder)
        spent = time.process_time()
        beating = Heartbeat()
        app.push_screen(screen)
        first = whole = 0.0
        while not whole:
            now = await beating.beat()
            if screen.is_mounted and screen.query("#sessions") and screen.table.row_count:
                first = first or now
                whole = 0.0 if screen.reading else now
        found = Opening(first, whole, time.process_time() - spent, beating.cpu)
        letter = await cost(pilot, "slash", "9")
        await pilot.press("escape")
        keys = [await cost(pilot, key) for key in ("G", "left", "right")]
        print(
            f"first rows {first * 1e3:4.0f} ms   all {whole * 1e3:5.0f} ms   {beating.told()}   "
            f"a letter of a filter {letter * 1e3:3.0f} ms of CPU   group, fold, unfold "
            f"{', '.join(f'{one * 1e3:.0f}' for one in keys)} ms of CPU   {await judging(pilot, screen)}",
            flush=True,
        )
        return found


async def cost(pilot: Pilot[None], *keys: str) -> float:
    """The CPU time that the last of `keys` takes until the table has other rows."""
    table = pilot.app.screen.query_one("#sessions", SessionTable)
    await pilot.pause()
    await pilot.press(*keys[:-1])
    there, spent = table.row_count, time.process_time()
    await pilot.press(keys[-1])
    while table.row_count == there:
        await pilot.pause(0.001)
    await pilot.pause()
    return time.process_time() - spent


async def judging(pilot: Pilot[None], screen: SessionsScreen) -> str:
    """Judge all sessions, in groups, against the first one."""
    await pilot.press("down")
    screen.action_baseline()
    assert screen.baseline is not None
    beating = Heartbeat()
    taken = 0.0
    while any(group.tally is None or group.tally.pending for group in screen.table.groups):
        taken = await beating.beat()
    return f"all judged {taken:.1f} s   {beating.told()}"


def listed(folder: Path) -> tuple[float, float]:
    """CPU seconds of reading the list, and of `ls -lR`."""
    spent = time.process_time()
    for _ in list_sessions(folder):
        pass
    spent = time.process_time() - spent
    process = subprocess.Popen(["ls", "-lR", str(folder)], stdout=subprocess.DEVNULL)
    used = os.wait4(process.pid, 0)[2]
    process.returncode = 0
    return spent, used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    what = f"sessions browser, {args.sessions * args.iterations:,} iterations"
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "sessions"
        folder.mkdir()
        make(folder, args.sessions, args.iterations)
        pairs = [listed(folder) for _ in range(args.rounds)]
        found = []
        for number in range(args.rounds):
            os.environ["XDG_STATE_HOME"] = str(Path(root) / f"state{number}")  # leaves the user's own alone
            found.append(asyncio.run(opening(folder)))
    ours, theirs = (min(pair[side] for pair in pairs) for side in (0, 1))
    waits = [one.wait * 1e3 for one in found]
    rows = [
        Row(f"{what}: read", "s of CPU", ours, 2.0, "ls -lR", theirs, note="checksums of all files included"),
        Row(f"{what}: first rows", "s", min(one.first for one in found), 0.2),
        Row(f"{what}: whole list", "s of CPU", min(one.cpu for one in found), 2.0),
        Row(f"{what}: longest wait of a key", "ms of CPU", statistics.median(waits), 50.0),
    ]
    return tell(rows, args.json)


if __name__ == "__main__":
    raise SystemExit(main())
