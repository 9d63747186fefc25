"""Measures the time from process start to the first whole frame, compared with a bare Textual app.

Each program runs in its own pseudo terminal. Its first frame is complete when the words that are drawn last
(in the footer, or the last line) have been written; the program is killed at that moment, so that the CPU
time from wait4(2) covers the first frame and nothing after it. On a busy machine the wall clock says little:
look at the CPU time and at the ratio to the bare app, which is started in turns with the others.

    python benchmarks/first_frame.py [--times 7] [--limit 0.3]

The byte code has to be compiled already, as it is after the first start. Exit status 1: the median wall clock
of one of fwdtui's starts is over --limit seconds.
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
from pathlib import Path

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


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=7, metavar="N", help="starts of each program")
    parser.add_argument("--limit", type=float, default=0.3, metavar="SECONDS")
    parser.add_argument("--columns", type=int, default=120)
    parser.add_argument("--rows", type=int, default=40)
    args = parser.parse_args()
    python = sys.executable
    size = args.rows, args.columns
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "lab.toml").write_text(LAB)
        (folder / "empty").mkdir()
        ours = [python, "-m", "fwdtui"]
        programs: dict[str, tuple[list[str], Path, bytes]] = {
            "python -c pass": ([python, "-c", "print('done')"], folder, b"done"),
            "bare Textual app": ([python, "-c", PEER], folder, b"one line of text"),
            "fwdtui": (ours, folder / "empty", b"keys"),
            "fwdtui demo": ([*ours, "demo"], folder / "empty", b"keys"),
            "fwdtui live lab.toml": ([*ours, "live", "lab.toml"], folder, b"keys"),
        }
        took: dict[str, list[tuple[float, float]]] = {program: [] for program in programs}
        for turn in range(args.times + 1):
            for program, (command, where, words) in programs.items():
                measured = first_frame(command, where, words, size, folder)
                if turn:  # the first one fills the caches
                    took[program].append(measured)
    print(f"{'':22}{'wall clock':>14}{'fastest':>10}{'CPU':>10}{'CPU to peer':>14}")
    peer = statistics.median(cpu for _, cpu in took["bare Textual app"])
    late = False
    for program, times in took.items():
        wall, cpu = (statistics.median(column) for column in zip(*times, strict=True))
        late |= program.startswith("fwdtui") and wall > args.limit
        fastest = min(times)[0]
        print(f"{program:22}{wall:>12.3f} s{fastest:>8.3f} s{cpu:>8.3f} s{cpu / peer:>14.2f}")
    return 1 if late else 0


def first_frame(
    command: list[str], where: Path, words: bytes, size: tuple[int, int], folder: Path
) -> tuple[float, float]:
    """(wall clock, CPU time) in seconds until `words` are on a terminal of (rows, columns)."""
    began = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        more = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TMPDIR": str(folder)}
        os.environ.update(more | {"XDG_STATE_HOME": str(folder / "state")})
        os.chdir(where)
        os.execvp(command[0], command)
    seen = b""
    try:
        while words not in _ESCAPES.sub(b"", seen):
            if not select.select([terminal], [], [], _LONGEST)[0]:
                raise SystemExit(f"{' '.join(command)}: no frame\n{seen!r}")
            try:
                seen += os.read(terminal, 1 << 16)
            except OSError as error:
                raise SystemExit(f"{' '.join(command)}: ended\n{seen.decode(errors='replace')}") from error
        wall = time.monotonic() - began
    finally:
        os.kill(pid, signal.SIGKILL)
        usage = os.wait4(pid, 0)[2]
        os.close(terminal)
    return wall, usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
