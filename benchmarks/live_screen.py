"""Measures the CPU use of the live screen at ten frames a second, beside btop's at its fastest (100 ms).

A terminal of 200x60, three flows over 300 points, 64 queues per direction, 32 cores, every sample different;
while it is quiet, and in a blast. Each program runs in a pseudo terminal whose output is read and counted;
its own CPU time is taken from /proc between two moments well after its start, all of them in turns. The same
samples are also measured without a screen; the difference is the cost of drawing.

    python benchmarks/live_screen.py [--seconds 10] [--rounds 2] [--columns 200] [--rows 60] [--json FILE]
    python benchmarks/live_screen.py --against CHECKOUT [--turns 3]

The second command measures the drawing of this checkout against that of another one, in turns, while it is
quiet and in a blast: CPU time a frame, so that a busy machine, which draws fewer frames, changes the ratio
little.

Linux only. btop, which is compiled, is installed if this is root on Debian; it shows this machine, which has
fewer than 64 queues and 32 cores, and lists its processes: the more there are, the more it needs. As root it
is measured a second time in a namespace of processes of its own, where it lists nothing but itself.
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
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from rows import Row, tell

INTERVAL = 0.1
POINTS = 300
QUEUES = 64
CORES = 32
SETTLE = 6.0
"""Seconds after a program's start that are not measured."""
STATES = {"quiet": 35.0, "in a blast": 55.0}
"""Seconds of recording that exist when the screen opens: a blast ends at 35 s, another begins at 50 s."""
ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--columns", type=int, default=200)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2, help="of all programs, in turns")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
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
    if sys.platform != "linux":
        sys.exit("Linux only: CPU times are read from /proc")
    return tell(_beside_btop(size, args.seconds, args.rounds), args.json)


def _beside_btop(size: tuple[int, int], seconds: float, rounds: int) -> list[Row]:
    """The rows: all programs in turns, the median of each."""
    shares: dict[str, list[float]] = {}
    written: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "btop" / "btop.conf"
        config.parent.mkdir()
        config.write_text("update_ms = 100\n")
        programs: dict[str, list[str]] = {}
        for state, at in STATES.items():
            for child in ("feed", "screen"):
                programs[f"{child} {state}"] = [sys.executable, __file__, "--child", child, "--at", str(at)]
        if btop := _installed("btop"):
            programs["btop"] = [btop]
            if os.geteuid() == 0:
                programs["btop alone"] = ["unshare", "--pid", "--fork", "--mount-proc", btop]
        for _ in range(rounds):
            for name, command in programs.items():
                share, count = measure(command, size, seconds, {"XDG_CONFIG_HOME": folder})
                shares.setdefault(name, []).append(share * 100)
                written.setdefault(name, []).append(count / 1024)
    used = {name: statistics.median(found) for name, found in shares.items()}
    wrote = {name: statistics.median(found) for name, found in written.items()}
    rows = []
    for state in STATES:
        whole, fed = used[f"screen {state}"], used[f"feed {state}"]
        what = f"live screen, 64 queues, 32 cores, {size[1]}x{size[0]} at 10 Hz, {state}"
        for peer, name in (("btop at 10 Hz", "btop"), ("btop listing no other process", "btop alone")):
            theirs = used.get(name)
            note = "" if theirs is not None else "btop is not there"
            if name == "btop" or theirs is not None:
                rows.append(Row(f"{what}: drawing", "% of a core", whole - fed, 2.0, peer, theirs, note))
                rows.append(Row(f"{what}: with the samples", "% of a core", whole, 3.0, peer, theirs, note))
        there = wrote.get("btop")
        rows.append(Row(f"{what}: written", "KiB/s", wrote[f"screen {state}"], 1.0, "btop at 10 Hz", there))
    return rows


def _installed(program: str) -> str | None:
    if shutil.which(program) is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", program], check=False, stdout=subprocess.DEVNULL)
    return shutil.which(program)


def measure(
    command: list[str], size: tuple[int, int], seconds: float, more: dict[str, str]
) -> tuple[float, float]:
    """(share of a core, bytes written per second) of `command` in a terminal of (rows, columns)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", **more})
        os.execvp(command[0], command)
    measured = pid
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        _read(terminal, SETTLE)
        measured = _inside(pid) if command[0] == "unshare" else pid
        before, began = _cpu(measured), time.monotonic()
        count = _read(terminal, seconds)
        spent, lasted = _cpu(measured) - before, time.monotonic() - began
        return spent / lasted, count / lasted
    finally:
        if measured != pid:
            os.kill(measured, signal.SIGKILL)  # that ends its namespace, and then unshare
        else:
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def _inside(pid: int) -> int:
    """The process that this `unshare --fork` has started."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


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


# comparing one checkout with another


def _in_turns(other: Path, turns: int, size: tuple[int, int], seconds: float) -> int:
    """Print, for each state, what drawing a frame costs in both checkouts, and the ratio in each turn."""
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
    """Seconds of CPU per step of the lab, with the checkout `root`."""
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
    """Write down how many steps the lab took in the time, and the CPU time of the process meanwhile.

    Snapshots are not counted: a screen takes one to see whether anything is new, and again to draw it.
    """
    count = 0
    rig = control.rig  # type: ignore[attr-defined]
    step = rig.step

    def counted() -> None:
        nonlocal count
        count += 1
        step()

    rig.step = counted
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
    from fwdtui.cli.screen import collect_garbage
    from fwdtui.ui.shell.app import FwdtuiApp

    collect_garbage()  # from now on as seldom as in the program
    feeding = asyncio.create_task(_step(control))
    app = FwdtuiApp(control.sessions, live=control)  # type: ignore[attr-defined,arg-type]
    await app.run_async()
    feeding.cancel()


if __name__ == "__main__":
    sys.exit(main())
