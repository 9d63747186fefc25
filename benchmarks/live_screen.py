"""Measures the CPU use of the live screen at ten frames a second, beside btop's at its fastest (100 ms).

A terminal of 200x60, three flows over 300 points, 64 queues per direction, 32 cores, every sample different.
Each program runs in a pseudo terminal whose output is read and discarded; its own CPU time is taken from
/proc between two moments well after its start. The same samples are also measured without a screen; the
difference is the cost of drawing.

    python benchmarks/live_screen.py [--seconds 10] [--columns 200] [--rows 60]
    python benchmarks/live_screen.py --against CHECKOUT [--turns 3]

The second command measures the drawing of this checkout against that of another one, in turns, while it is
quiet and in a blast: CPU time a frame, so that a busy machine, which draws fewer frames, changes the ratio
little.

Linux only. btop, which is compiled, is measured if it is installed; it shows this machine, which has fewer
than 64 queues and 32 cores. With --limit the exit status is 1 if the ratio exceeds it.
"""

import argparse
import asyncio
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

INTERVAL = 0.1
POINTS = 300
QUEUES = 64
CORES = 32
SETTLE = 6.0
"""Seconds after the start of a program that are not measured."""
STATES = {"quiet": 35.0, "in a blast": 55.0}
"""Seconds of the recording that are there when the screen opens: a blast ends at 35 s, one begins at 50 s."""
ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--columns", type=int, default=200)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--limit", type=float, metavar="RATIO", help="of our CPU time to btop's")
    parser.add_argument("--child", choices=("screen", "feed"), help=argparse.SUPPRESS)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="compare the cost of drawing")
    parser.add_argument("--turns", type=int, default=3, help="of both checkouts, with --against")
    parser.add_argument("--at", type=float, default=STATES["quiet"], help=argparse.SUPPRESS)
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parser.add_argument("--frames", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        _child(args.child == "screen", args.root, args.at, args.frames, args.seconds)
        return 0
    size = args.rows, args.columns
    if args.against:
        return _in_turns(args.against.resolve(), args.turns, size, args.seconds)
    here = [sys.executable, __file__, "--child"]
    feed, _ = measure([*here, "feed"], size, args.seconds, {})
    screen, bytes_a_second = measure([*here, "screen"], size, args.seconds, {})
    print(f"live screen   {screen * 100:5.1f} % of a core, {bytes_a_second / 1024:.0f} KiB/s to the terminal")
    print(f"  of it samples and snapshots {feed * 100:.1f} %, drawing {(screen - feed) * 100:.1f} %")
    btop = shutil.which("btop")
    if btop is None:
        print("btop is not installed, so there is no ratio")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "btop" / "btop.conf"
        config.parent.mkdir()
        config.write_text("update_ms = 100\n")
        theirs, their_bytes = measure([btop], size, args.seconds, {"XDG_CONFIG_HOME": folder})
    ratio = screen / theirs if theirs else float("inf")
    print(f"btop at 10 Hz {theirs * 100:5.1f} % of a core, {their_bytes / 1024:.0f} KiB/s to the terminal")
    print(f"ratio         {ratio:5.2f}; of drawing alone {(screen - feed) / theirs if theirs else 0.0:.2f}")
    return 1 if args.limit is not None and ratio > args.limit else 0


def measure(
    command: list[str], size: tuple[int, int], seconds: float, more: dict[str, str]
) -> tuple[float, float]:
    """(share of a core, bytes written a second) of `command` in a terminal of (rows, columns)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", **more})
        os.execvp(command[0], command)
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        _read(terminal, SETTLE)
        before, began = _cpu(pid), time.monotonic()
        count = _read(terminal, seconds)
        spent, lasted = _cpu(pid) - before, time.monotonic() - began
        return spent / lasted, count / lasted
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def _read(terminal: int, seconds: float) -> int:
    end = time.monotonic() + seconds
    count = 0
    while (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                count += len(os.read(terminal, 1 << 16))
            except OSError as error:
                raise SystemExit("the program ended before it was measured") from error
    return count


def _cpu(pid: int) -> float:
    """Seconds of CPU that the process and its threads have used (proc_pid_stat(5), fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# one checkout against another


def _in_turns(other: Path, turns: int, size: tuple[int, int], seconds: float) -> int:
    """Print, for each state, what drawing a frame costs here and there, and the ratio of each turn."""
    for state, at in STATES.items():
        costs: dict[Path, list[float]] = {ROOT: [], other: []}
        for _ in range(turns):
            for root, found in costs.items():
                screen, feed = (a_frame(root, child, at, size, seconds) for child in ("screen", "feed"))
                found.append(screen - feed)
        ratios = [here / there for here, there in zip(costs[ROOT], costs[other], strict=True)]
        here, there = (statistics.median(costs[root]) * 1000 for root in (ROOT, other))
        shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        print(f"{state}: drawing takes {here:.2f} ms of CPU a frame, there {there:.2f} ms; ratios {shown}")
    return 0


def a_frame(root: Path, child: str, at: float, size: tuple[int, int], seconds: float) -> float:
    """Seconds of CPU for each snapshot that was taken, of the checkout `root`."""
    with tempfile.TemporaryDirectory() as folder:
        frames = Path(folder) / "frames"
        command = [sys.executable, __file__, "--child", child, "--root", str(root), "--at", str(at)]
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            os.environ.update({"TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(root)})
            os.execvp(command[0], [*command, "--frames", str(frames), "--seconds", str(seconds)])
        try:
            end = time.monotonic() + 10 * (SETTLE + seconds)
            while not frames.exists():
                if time.monotonic() > end:
                    raise SystemExit(f"the {child} of {root} was not measured")
                _read(terminal, 0.2)
            taken, spent = json.loads(frames.read_text())
            return float(spent / taken)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(terminal)


# the child: a lab in which every number changes ten times a second


def _child(screen: bool, root: Path, at: float, frames: Path | None, seconds: float) -> None:
    sys.path.insert(0, str(root / "tests" / "ui"))
    from live_rig import Control, Rig

    rig = Rig(queues=QUEUES, cores=CORES, interval=INTERVAL)
    rig.run(at)
    control = Control(rig)

    async def run() -> None:
        counting = asyncio.create_task(_count(control, frames, seconds)) if frames else None
        await (_screen(control) if screen else _feed(control))
        del counting

    asyncio.run(run())


async def _count(control: object, frames: Path, seconds: float) -> None:
    """Write down how many snapshots were taken in the time, and the CPU time of the process meanwhile."""
    count = 0
    taken = control.snapshot  # type: ignore[attr-defined]

    def snapshot(points: int) -> object:
        nonlocal count
        count += 1
        return taken(points)

    control.snapshot = snapshot  # type: ignore[attr-defined]
    await asyncio.sleep(SETTLE)
    count, began = 0, time.process_time()
    await asyncio.sleep(seconds)
    part = frames.with_suffix(".part")
    part.write_text(json.dumps([count, time.process_time() - began]))
    part.rename(frames)


async def _step(control: object) -> None:
    while True:
        await asyncio.sleep(INTERVAL)
        control.rig.step()  # type: ignore[attr-defined]


async def _feed(control: object) -> None:
    async def look() -> None:
        while True:
            await asyncio.sleep(INTERVAL)
            control.snapshot(POINTS)  # type: ignore[attr-defined]

    await asyncio.gather(_step(control), look())


async def _screen(control: object) -> None:
    from fwdtui.ui.shell.app import FwdtuiApp

    feeding = asyncio.create_task(_step(control))
    app = FwdtuiApp(control.sessions, live=control)  # type: ignore[attr-defined,arg-type]
    await app.run_async()
    feeding.cancel()


if __name__ == "__main__":
    sys.exit(main())
