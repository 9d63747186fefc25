"""Compares the "time left" of a report with the time that it then took.

    python benchmarks/time_left.py [--cases 60] [--turns 3]

Two sessions with so many cases are compared, and their report is drawn with a chart for each. Whenever the
line of progress would say how much is left, the estimate is kept with the moment; afterwards it is held
against what was left in truth. An estimate is late or early by a factor, which is printed for each tenth of
the job: 1.00 is exact.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from fwdtui.core.model import Iteration, Summary
from fwdtui.core.time_left import TimeLeft
from fwdtui.report import bundle, comparison, export
from fwdtui.report.document import Choices
from fwdtui.store import SessionWriter


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    for turn in range(args.turns):
        with tempfile.TemporaryDirectory() as folder:
            took, first, tenths = drawn(Path(folder), args.cases)
        told = ", ".join(f"{tenth * 10} %: {factor:.2f}" for tenth, factor in sorted(tenths.items()))
        print(f"turn {turn + 1}: {took:.1f} s, first estimate after {first:.1f} s; {told}")
    return 0


def drawn(folder: Path, cases: int) -> tuple[float, float, dict[int, float]]:
    """Seconds of the whole and until the first estimate; tenth of the job: median of estimate / truth."""
    paths = [_session(folder / label, scale, cases) for label, scale in (("base", 1.0), ("other", 1.05))]
    compared = comparison.judge(comparison.load(paths), comparison.MARGIN, comparison.CONFIDENCE)
    left = TimeLeft()
    kept: list[tuple[float, float, int]] = []  # when, the estimate, the tenth
    begun = time.monotonic()

    def progress(done: int, total: int, what: str) -> None:
        left.step(done, total, time.monotonic())
        if (seconds := left.seconds) is not None:
            kept.append((time.monotonic(), seconds, 10 * done // total))

    bundle.carry_out(export.plan(folder / "report.md", compared, Choices()), progress=progress)
    end = time.monotonic()
    factors: dict[int, list[float]] = {}
    for at, seconds, tenth in kept:
        factors.setdefault(tenth, []).append(seconds / (end - at))
    tenths = {tenth: statistics.median(found) for tenth, found in factors.items()}
    return end - begun, kept[0][0] - begun, tenths


def _session(path: Path, scale: float, cases: int) -> Path:
    with SessionWriter.create(path, label=path.name, created="2026-01-02T03:04:05+00:00") as writer:
        for number in range(cases):
            for part in (0.997, 1.001, 1.0, 1.004, 0.998):
                value = round(1e6 * scale * part * (1 + number / cases))
                metrics = {"received": Summary(value, value, value, value, 60)}
                writer.begin(f"case{number:03}").commit(Iteration(0, value, source="log", metrics=metrics))
    return path


if __name__ == "__main__":
    sys.exit(main())
