"""Measures the CPU use of the live screen at ten frames a second, beside btop's at its fastest (100 ms).

A terminal of 200x60, three flows over 300 points, 64 queues per direction, 32 cores, every sample different.
Each program runs in a pseudo terminal whose output is read and discarded; its own CPU time is taken from
/proc between two moments well after its start. The same samples are also measured without a screen; the
difference is the cost of drawing.

    python benchmarks/live_screen.py [--seconds 10] [--columns 200] [--rows 60]

Linux only. btop, which is compiled, is measured if it is installed; it shows this machine, which has fewer
than 64 queues and 32 cores. With --limit the exit status is 1 if the ratio exceeds it.
"""

import argparse
import asyncio
import fcntl
import os
import pty
import select
import shutil
import signal
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


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--columns", type=int, default=200)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--limit", type=float, metavar="RATIO", help="of our CPU time to btop's")
    parser.add_argument("--child", choices=("screen", "feed"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        _child(args.child == "screen")
        return 0
    size = args.rows, args.columns
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
        _read(terminal, 6.0)
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


# the child: a lab in which every number changes ten times a second


def _child(screen: bool) -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "ui"))
    from live_rig import Control, Rig

    rig = Rig(queues=QUEUES, cores=CORES, interval=INTERVAL)
    rig.run(POINTS * INTERVAL + 5)
    control = Control(rig)
    asyncio.run(_screen(control) if screen else _feed(control))


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
