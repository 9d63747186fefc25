"""Measures the start of `fwdtui compare`: a table of two files of five values, where computing takes nothing.

What counts is CPU time beyond that of a bare Python (`python -c pass`); all run in turns. The figure in
milliseconds depends on the machine and on what else runs there: it is from the rounds that took least. The
row beside it compares medians with what importing numpy and scipy.special takes beyond a bare Python: the
verdicts need numpy and the compiled functions of scipy.special.

    python benchmarks/compare_start.py [--rounds 15]
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from children import FWDTUI, in_turns
from rows import Row, tell

BASE = (10001, 10002, 10003, 10004, 10005)
OTHER = (10020, 10031, 10025, 10028, 10026)
REACH_MS = 230.0
REACH_LIBRARIES = 1.0
"""The 230 ms were set where importing numpy and scipy.special took 190.

Of scipy.special, only the compiled part is loaded.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    ministat = shutil.which("ministat")
    with tempfile.TemporaryDirectory(prefix="compare-start-") as name:
        sets = [str(Path(name) / "before"), str(Path(name) / "after")]
        for path, values in zip(sets, (BASE, OTHER), strict=True):
            Path(path).write_text("".join(f"{value}\n" for value in values))
        commands = {
            "bare": [sys.executable, "-c", "pass"],
            "libraries": [sys.executable, "-c", "import numpy, scipy.special"],
            "table": [*FWDTUI, "compare", *sets],
            **({"ministat": [ministat, *sets]} if ministat else {}),
        }
        found = in_turns(commands, args.rounds)
    least = {who: 1000.0 * min(one.cpu for one in some) for who, some in found.items()}
    took = {who: 1000.0 * statistics.median(one.cpu for one in some) for who, some in found.items()}
    ours, libraries = took["table"] - took["bare"], took["libraries"] - took["bare"]
    peer = f"ministat in all: {least['ministat']:.1f} ms" if ministat else "ministat is not installed"
    what = "compare, table, two files of 5 values, CPU time beyond a bare Python"
    rows = [
        Row(what, "ms", least["table"] - least["bare"], REACH_MS, note=f"this machine's time; {peer}"),
        Row(what, "ms", ours, REACH_LIBRARIES, "importing numpy and scipy.special", libraries),
    ]
    return tell(rows, args.json)


if __name__ == "__main__":
    sys.exit(main())
