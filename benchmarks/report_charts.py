"""Measures `fwdtui report` on two sessions of 100 cases: 101 charts, 200 value files and the document.

    python benchmarks/report_charts.py [--cases 100] [--rounds 3] [--json FILE]

There is no peer. The figures are those of the process, including its start, and the least of several rounds.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rows import Row, tell

from fwdtui.core.model import Iteration, Summary, Window
from fwdtui.store.schema import SessionFile, encode_iteration, encode_session

ITERATIONS = 5


def make(folder: Path, label: str, cases: int, change: float) -> None:
    """Make a session of `cases` cases: a third changed by `change`, a third the opposite way, a third not."""
    chance = random.Random(label)
    folder.mkdir()
    header = SessionFile(1, label, "2026-01-02T03:04:05+00:00")
    (folder / "session.toml").write_bytes(encode_session(header))
    for number in range(cases):
        name = f"case{number:03d}"
        for index in range(1, ITERATIONS + 1):
            value = 1e6 * (1 + number / 50) * (1 + change * (number % 3 - 1) + chance.gauss(0, 0.004))
            rate = Summary(value, value, value * 0.98, value * 1.02, 60)
            one = Iteration(
                index,
                value,
                source="receiver.log",
                window=Window("steady", 3.0, 63.0, 60),
                metrics=dict.fromkeys(("offered", "forwarded", "received"), rate),
            )
            place = folder / name / f"{index:03d}"
            place.mkdir(parents=True)
            (place / "iteration.json").write_bytes(encode_iteration(name, one))


def measured(command: list[str]) -> tuple[float, float]:
    """Seconds of CPU and of wall clock that a command needs."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="report-charts-") as name:
        folder = Path(name)
        sides = [folder / "before", folder / "after"]
        for side, change in zip(sides, (0.0, 0.02), strict=True):
            make(side, side.name, args.cases, change)
        out = folder / "report.md"
        command = [sys.executable, "-m", "fwdtui", "report", *map(str, sides), "-o", str(out)]
        found = [measured(command) for _ in range(args.rounds)]
        written = [path.suffix for path in folder.joinpath("report.d").iterdir()]
    what = f"report of {args.cases} cases with charts"
    note = f"{written.count('.svg')} SVGs, {written.count('.pps')} data files"
    rows = [
        Row(what, "s of CPU", min(cpu for cpu, _ in found), 2.0, note=note),
        Row(what, "s", min(wall for _, wall in found), 2.0, note="wall clock, beside other work"),
    ]
    return tell(rows, args.json)


if __name__ == "__main__":
    sys.exit(main())
