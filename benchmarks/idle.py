"""Measures what the app takes of a core while nothing changes on its screen, beside btop at 1 Hz.

Each program runs in a pseudo terminal of its own, and all of them at the same time, so that other work on the
machine falls on all alike. A program is brought to its screen by keys, left alone for a while, and its CPU
time (all threads, none of its children) is taken between two moments. The lab is the simulated one, sampled
once a second, in a process of its own that is not counted. `fwdtui live --headless` on the same lab shows how
much of it is collecting and recording: work that goes on behind every screen.

    python benchmarks/idle.py [--seconds 20] [--columns 200] [--rows 60] [--json FILE]

Linux only: the CPU time of another process is read from its clock, since /proc counts in hundredths of a
second. Exit status 1: a screen takes more than it may.
"""

import argparse
import asyncio
import fcntl
import json
import os
import pty
import re
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rows import Row, tell

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "sessions"
COMPARED = ("no-rules", "rules-100")
SETTLE = 8.0
"""Seconds between a program's last key and its measurement: by then the work of start and keys is over."""
MAY_TAKE = 1.0  # percent of a core
_LONGEST = 60.0
_ESCAPES = re.compile(rb"\x1b(\[[0-9;?<>=]*[a-zA-Z]|[PX^_\]][^\x1b\x07]*(\x1b\\|\x07)|.)")
Step = tuple[bytes, bytes]
"""A key, and words that are on the terminal when its effect is complete."""


@dataclass(frozen=True)
class Case:
    """A program in a folder: the words that its first screen ends with, and the steps to the measured one."""

    name: str
    command: Sequence[str]
    where: Path
    begins: bytes = b"keys"
    steps: Sequence[Step] = ()
    terminal: bool = True
    more: Mapping[str, str] = field(default_factory=dict)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--turns", type=int, default=3, help="of --seconds each; the median counts")
    parser.add_argument("--columns", type=int, default=200)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--only", metavar="WORDS", help="the cases whose names contain this")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--lab", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.lab:
        asyncio.run(_lab(args.lab))
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lab = subprocess.Popen([sys.executable, __file__, "--lab", str(folder / "lab")])
        running: list[Running] = []
        try:
            lab_toml = _brought_up(folder / "lab")
            environment = {"XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config")}
            subprocess.run(
                [sys.executable, "-m", "fwdtui", "trust", "--yes", str(lab_toml)],
                env=os.environ | environment,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            for case in cases(folder, lab_toml):
                if not args.only or args.only in case.name:
                    running.append(Running(case, (args.rows, args.columns), environment))
                    running[-1].begin()
            measured = _measured(running, args.seconds, args.turns)
        finally:
            for one in running:
                one.end()
            lab.terminate()
            lab.wait()
    return tell(rows(measured), args.json)


def cases(folder: Path, lab_toml: Path) -> list[Case]:
    """All programs. btop is among them only if it is installed or can be."""
    ours = [sys.executable, "-m", "fwdtui"]
    empty = folder / "empty"
    empty.mkdir()
    with_sessions = folder / "with"
    shutil.copytree(EXAMPLES, with_sessions / "sessions")

    def live(number: int) -> list[str]:
        into = folder / f"into{number}"
        shutil.copytree(EXAMPLES, into)
        return [*ours, "live", str(lab_toml), "--into", str(into), "--session", "idle"]

    to_sessions = (b"\x1bOR", b"candidate")  # F3
    to_session = (b"\r", b"iteration")
    # F4, and the comparison that state.json remembers
    to_compare = ((b"\x1bOS", b"repeats the last"), (b"\r", b"margin"))
    found = [
        Case("the welcome", ours, empty),
        Case("help", ours, empty, steps=[(b"?", b"Welcome")]),
        Case("the list of sessions", [*ours, "demo", "--examples"], empty),
        Case("no traffic on the live screen", live(1), folder),
        Case("the list of sessions in front of it", live(2), folder, steps=[to_sessions]),
        Case("a session in front of it", live(3), folder, steps=[to_sessions, to_session]),
        Case("the comparison in front of it", live(4), folder, steps=to_compare),
        Case("help in front of it", live(5), folder, steps=[(b"?", b"Live")]),
        Case("collecting and recording", [*live(6), "--headless"], folder, begins=b"", terminal=False),
    ]
    if _btop():
        config = folder / "btop" / "btop.conf"
        config.parent.mkdir()
        config.write_text("update_ms = 1000\n")
        where = {"XDG_CONFIG_HOME": str(folder)}
        found.append(Case("btop", ["btop"], folder, begins=b"cpu", more=where))
    return found


def rows(measured: dict[str, float]) -> list[Row]:
    """One row for each of our screens. The notes name the peer's share and that of collecting."""
    peer, collecting = measured.pop("btop", None), measured.pop("collecting and recording", None)
    found = []
    for name, share in measured.items():
        live = collecting is not None and ("live" in name or "in front" in name)
        notes = [f"of it {collecting:.2f} % collecting and recording" if live else ""]
        notes.append(f"btop at 1 Hz: {peer:.2f} %" if peer is not None else "btop cannot be had here")
        found.append(
            Row(f"idle: {name}", "% of a core", share, MAY_TAKE, note="; ".join(filter(None, notes)))
        )
    return found


def _btop() -> bool:
    if shutil.which("btop") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-qq", "-y", "btop"], check=False, stdout=subprocess.DEVNULL)
    return shutil.which("btop") is not None


class Running:
    """One program in a pseudo terminal. What it writes is read and discarded."""

    def __init__(self, case: Case, size: tuple[int, int], environment: Mapping[str, str]) -> None:
        self.case = case
        state = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        own = Path(environment["XDG_STATE_HOME"]) / case.name
        shutil.copytree(environment["XDG_STATE_HOME"] + "/fwdtui", own / "fwdtui")
        remembered = {"version": 1, "comparison": [str(EXAMPLES / name) for name in COMPARED]}
        (own / "fwdtui" / "state.json").write_text(json.dumps(remembered))
        state["XDG_STATE_HOME"] = str(own)
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            os.environ.update({**environment, **state, **case.more})
            os.chdir(case.where)
            if not case.terminal:
                quiet = os.open(os.devnull, os.O_RDWR)
                for stream in range(2):
                    os.dup2(quiet, stream)
            os.execvp(case.command[0], case.command)

    def begin(self) -> None:
        """Bring the program to the screen that is measured."""
        self._until(self.case.begins)
        for key, words in self.case.steps:
            self.read(0.6)
            os.write(self.terminal, key)
            self._until(words)

    def _until(self, words: bytes) -> None:
        seen, end = b"", time.monotonic() + _LONGEST
        while words not in _ESCAPES.sub(b"", seen):
            if time.monotonic() > end:
                raise SystemExit(f"{self.case.name}: {words!r} never came: {told(seen)}")
            seen += self.read(0.1)

    def read(self, seconds: float) -> bytes:
        """What the program writes within that many seconds."""
        seen, end = b"", time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                try:
                    seen += os.read(self.terminal, 1 << 16)
                except OSError as error:
                    raise SystemExit(f"{self.case.name}: it ended: {told(seen)}") from error
        return seen

    @property
    def cpu(self) -> float:
        """Seconds of CPU of the process and its threads (clock_getcpuclockid(3): the clock of a pid)."""
        return time.clock_gettime((~self.pid << 3) | 2)

    def end(self) -> None:
        """End the program, and wait for its end."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def told(seen: bytes) -> str:
    """The last words on a terminal, for people."""
    return " ".join(_ESCAPES.sub(b"", seen).decode(errors="replace").split())[-1500:]


def _measured(running: Sequence[Running], seconds: float, turns: int) -> dict[str, float]:
    """Percent of a core by case: the median of the turns."""
    _drain(running, SETTLE)
    shares: dict[str, list[float]] = {one.case.name: [] for one in running}
    for _ in range(turns):
        before, began = [one.cpu for one in running], time.monotonic()
        _drain(running, seconds)
        after, lasted = [one.cpu for one in running], time.monotonic() - began
        for one, first, last in zip(running, before, after, strict=True):
            shares[one.case.name].append(100 * (last - first) / lasted)
    return {name: statistics.median(found) for name, found in shares.items()}


def _drain(running: Sequence[Running], seconds: float) -> None:
    """Read what the programs write, so that none has to wait for its terminal."""
    terminals = [one.terminal for one in running]
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        for terminal in select.select(terminals, [], [], left)[0]:
            os.read(terminal, 1 << 16)


# the lab, which runs in a process of its own


async def _lab(says: Path) -> None:
    from fwdtui.labs.simulated.lab import SimulatedLab

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with SimulatedLab("healthy") as lab:
        part = says.with_suffix(".part")
        part.write_text(str(lab.lab_toml))
        part.rename(says)
        await stop.wait()


def _brought_up(says: Path) -> Path:
    end = time.monotonic() + _LONGEST
    while not says.exists():
        if time.monotonic() > end:
            raise SystemExit("the simulated lab did not come up")
        time.sleep(0.05)
    return Path(says.read_text())


if __name__ == "__main__":
    sys.exit(main())
