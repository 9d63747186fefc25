"""Measures whether a day of watching and recording needs more memory than an hour, beside btop's memory.

    python benchmarks/long_run.py [--hours 3] [--json FILE]       # --hours 24: all of it, half an hour

Three hosts are sampled ten times a second on a simulated clock, with a blast of 30 s every 45 s. The samples
go into the real monitor and the real recorder as fast as these take them, and a snapshot is taken every
simulated second. The resident memory is read every simulated quarter of an hour; Linux only. The peer is btop
at its fastest, after a minute, since a whole day of it would take too long.
"""

import argparse
import fcntl
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from rows import Row, tell

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "ui"))

from live_rig import Rig  # type: ignore[import-not-found]
from live_screen import _read

from fwdtui.core.lab import plain
from fwdtui.core.model import HostSample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.recorder import Recorder

INTERVAL = 0.1
POINTS = 600
LOOK = 900  # seconds between two looks at the memory
MOST = 150.0  # MB
BTOP = 60.0  # seconds


def megabytes(pid: int | str = "self") -> float:
    """Resident memory (proc_pid_status(5), VmRSS) in MB of 10^6 bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024 / 1e6


class Recorded(Rig):
    """The rig of the screen's tests, recorded like a live lab: first to disk, then into the monitor."""

    def __init__(self, folder: Path) -> None:
        super().__init__(interval=INTERVAL)
        self.recorder = Recorder(open_session(folder, "day", lab=plain(self.lab)), "forwarding")
        self.monitor = Monitor(self.lab, finished=self.recorder.finished)

    def _sample(self, host: str, at: float) -> HostSample:
        sample: HostSample = super()._sample(host, at)
        self.recorder.take(sample)
        return sample


def watched(hours: float) -> list[float]:
    """The memory at each look, in MB, after the first quarter of an hour."""
    found = []
    with tempfile.TemporaryDirectory(prefix="long-run-") as name:
        rig = Recorded(Path(name))
        started = time.monotonic()
        for second in range(1, round(hours * 3600) + 1):
            rig.run(second)
            rig.monitor.snapshot(POINTS)
            if second % LOOK == 0:
                found.append(megabytes())
                spent = time.monotonic() - started
                print(f"{second / 3600:6.2f} h  {found[-1]:6.1f} MB  ({spent:.0f} s)", flush=True)
                if second % (4 * LOOK) == 0:
                    _make_room(rig.recorder.folder)
        rig.recorder.close()
    return found


def _make_room(session: Path) -> None:
    """Remove the recordings of whole iterations: a day of them is gigabytes, and nothing reads them here."""
    for samples in session.glob("*/*/samples.jsonl"):
        samples.unlink()


def peer() -> float | None:
    """The memory of btop after a minute at ten frames a second, in MB; None without btop."""
    if shutil.which("btop") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-qq", "-y", "btop"], stdout=subprocess.DEVNULL, check=False)
    btop = shutil.which("btop")
    if btop is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "btop" / "btop.conf"
        config.parent.mkdir()
        config.write_text("update_ms = 100\n")
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update({"TERM": "xterm-256color", "LANG": "C.UTF-8", "XDG_CONFIG_HOME": folder})
            os.execv(btop, [btop])
        try:
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
            _read(terminal, BTOP)
            return megabytes(pid)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(terminal)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=3.0, help="simulated hours, 2 or more")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    theirs = peer()
    found = watched(args.hours)
    what = f"{args.hours:g} simulated hours at 10 Hz"
    half = len(found) // 2
    growth = max(found[half:]) / max(found[:half])
    note = "monitor and recorder, without a screen"
    rows = [
        Row(f"{what}: memory", "MB", max(found), MOST / theirs if theirs else MOST, "btop", theirs, note),
        Row(f"{what}: memory, second half / first half", "", growth, 1.05),
    ]
    return tell(rows, args.json)


if __name__ == "__main__":
    sys.exit(main())
