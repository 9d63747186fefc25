"""Measures what the app takes to its first whole frame, compared with a bare Textual app.

Each program runs in its own pseudo terminal. Its first frame is complete when words of all parts of it (the
footer, the graph, the guide) have been written; the program is killed at that moment, so that the CPU
time from wait4(2) covers the first frame and nothing after it. The programs start in turns, and CPU time is
compared, since the wall clock says little on a busy machine; both are printed with --times.

What is loaded after the first frame must not keep a key waiting: for a few seconds after it, the longest time
that one callback held the event loop is measured too (the least of the rounds: other work only adds to it).

    python benchmarks/first_frame.py [--turns 9] [--columns 120] [--rows 40] [--json FILE]

The byte code has to be compiled already, as it is after the first start.
"""

import argparse
import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rows import Row, tell

PEER = """
from textual.app import App
from textual.widgets import Static
class Peer(App):
    def compose(self):
        yield Static("one line of text")
Peer().run()
"""
LAB = """
name = "nowhere"
[generator]
host = "gen.invalid"
interface = "ix0"
start = "pkt-gen -f tx -i ix0"
[dut]
host = "dut.invalid"
in = "ix0"
out = "ix1"
"""
_ESCAPES = re.compile(rb"\x1b(\[[0-9;?<>=]*[a-zA-Z]|[PX^_\]][^\x1b\x07]*(\x1b\\|\x07)|.)")
_LONGEST = 30.0
_AFTER = 4.0  # seconds after the first frame in which the event loop is watched
_ROUNDS = 3
HELD = 50.0  # milliseconds that a key may wait for one callback


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=9, metavar="N", help="starts of each program")
    parser.add_argument("--columns", type=int, default=120)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--held", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.held:
        return _held(args.held, args.arguments)
    python = sys.executable
    size = args.rows, args.columns
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "lab.toml").write_text(LAB)
        (folder / "empty").mkdir()
        starts = {
            "the welcome": ([], folder / "empty", 1.4, [b"A lab of my own", b"keys"]),
            "the demo": (["demo"], folder / "empty", 1.5, [b"a real measurement", b"now", b"keys"]),
            "the live screen": (["live", "lab.toml"], folder, 1.5, [b"now", b"keys"]),
        }
        peer: list[tuple[float, float]] = []
        took: dict[str, list[tuple[float, float]]] = {what: [] for what in starts}
        held: dict[str, list[float]] = {what: [] for what in starts}
        for turn in range(args.turns + 1):
            measured = first_frame([python, "-c", PEER], folder, [b"one line of text"], size, folder)
            peer += [measured] if turn else []  # the first turn fills the caches
            for what, (arguments, where, _, words) in starts.items():
                measured = first_frame([python, "-m", "fwdtui", *arguments], where, words, size, folder)
                took[what] += [measured] if turn else []
        for _ in range(_ROUNDS):
            for what, (arguments, where, _, _) in starts.items():
                held[what].append(longest_hold(arguments, where, size, folder))
    theirs = statistics.median(cpu for _, cpu in peer)
    rows = []
    for what, (_, _, reach, _) in starts.items():
        wall = statistics.median(wall for wall, _ in took[what])
        ours = statistics.median(cpu for _, cpu in took[what])
        rows.append(
            Row(
                f"first frame: {what}",
                "s of CPU",
                ours,
                reach,
                "a bare Textual app",
                theirs,
                note=f"wall clock {wall / statistics.median(w for w, _ in peer):.2g} x",
            )
        )
    for what, times in held.items():
        rows.append(Row(f"longest hold after it: {what}", "ms", min(times) * 1000, HELD))
    return tell(rows, args.json)


def longest_hold(arguments: list[str], where: Path, size: tuple[int, int], folder: Path) -> float:
    """The most seconds for which one callback held the event loop in the time after the first frame."""
    into = folder / "held"
    command = [sys.executable, str(Path(__file__).resolve()), "--held", str(into), "--", *arguments]

    def watch(pid: int, terminal: int) -> None:
        os.kill(pid, signal.SIGUSR1)
        end = time.monotonic() + _AFTER
        while (left := end - time.monotonic()) > 0:
            if select.select([terminal], [], [], left)[0]:
                os.read(terminal, 1 << 16)
        os.kill(pid, signal.SIGUSR2)
        while not into.exists():
            if time.monotonic() > end + _LONGEST:
                raise SystemExit(f"{' '.join(command)}: it does not say how long")
            time.sleep(0.01)

    first_frame(command, where, [b"keys"], size, folder, watch)
    try:
        return float(into.read_text())
    finally:
        into.unlink()


def _held(into: Path, arguments: list[str]) -> int:
    """Run the app, with each callback of its event loop timed from SIGUSR1 to SIGUSR2."""
    from asyncio import events

    from fwdtui.cli import main as fwdtui

    run = events.Handle._run
    longest = 0.0
    counts = False

    def timed(handle: events.Handle) -> None:
        nonlocal longest
        began = time.monotonic()
        run(handle)
        if counts:
            longest = max(longest, time.monotonic() - began)

    def begin(*_: object) -> None:
        nonlocal counts
        counts = True

    def end(*_: object) -> None:
        part = into.with_suffix(".part")
        part.write_text(str(longest))
        part.rename(into)

    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
    events.Handle._run = timed  # type: ignore[method-assign]
    return fwdtui(arguments)


def first_frame(
    command: list[str],
    where: Path,
    words: Sequence[bytes],
    size: tuple[int, int],
    folder: Path,
    then: Callable[[int, int], None] = lambda pid, terminal: None,
) -> tuple[float, float]:
    """(wall clock, CPU time) in seconds until all `words` are on a terminal of (rows, columns).

    `then` is called with the process and its terminal before it is killed.
    """
    began = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        more = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TMPDIR": str(folder)}
        os.environ.update(more | {"XDG_STATE_HOME": str(folder / "state")})
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else new code here is compiled at each start
        os.chdir(where)
        os.execvp(command[0], command)
    seen = b""
    try:
        while not all(word in _ESCAPES.sub(b"", seen) for word in words):
            if not select.select([terminal], [], [], _LONGEST)[0]:
                raise SystemExit(f"{' '.join(command)}: no frame\n{seen!r}")
            try:
                seen += os.read(terminal, 1 << 16)
            except OSError as error:
                raise SystemExit(f"{' '.join(command)}: ended\n{seen.decode(errors='replace')}") from error
        wall = time.monotonic() - began
        then(pid, terminal)
    finally:
        os.kill(pid, signal.SIGKILL)
        usage = os.wait4(pid, 0)[2]
        os.close(terminal)
    return wall, usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
