"""Measures `fwdtui compare` against Debian's ministat with ten million values per file.

All programs read the same two files, in turns, and write to a file. The output of `--format ministat` must be
ministat's, byte for byte. `--format table` says more than ministat, and is held to the same limits. CPU time
is the least of several rounds; memory is the peak of resident memory. Python and numpy take 25 MB before the
first value, and scipy, for the table, as much again: the rows with fewer values show from which size on
ministat needs more.

    python benchmarks/ministat_large.py [--values 10000000] [--runs 2] [--kind whole|decimal|full|tower]...
"""

import argparse
import filecmp
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from children import FWDTUI, Used, used
from rows import Row, tell

KINDS = {
    "whole": "whole numbers, as logs give packets per second",
    "decimal": "three decimals",
    "full": "every digit of a double",
    "tower": "nearly all values equal",
}
TIME, MEMORY = 0.5, 1.0
"""The goals: half of ministat's CPU time, and no more than its memory."""
FEWER = (1, 3, 4)
"""Smaller numbers of values, in millions, for which memory is compared as well."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=int, default=10_000_000, metavar="N", help="per file")
    parser.add_argument("--runs", type=int, default=2, metavar="N", help="of each; the best counts")
    parser.add_argument("--kind", choices=KINDS, action="append", help="of values (default: whole, full)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    ministat = shutil.which("ministat") or _installed()
    if ministat is None:
        sys.exit("ministat is not installed (Debian: apt install ministat)")
    rows: list[Row] = []
    for kind in args.kind or ("whole", "full"):
        rows += compared(ministat, args.values, kind, args.runs)
    for millions in FEWER:
        rows += [row for row in compared(ministat, millions * 1_000_000, "whole", 1) if row.unit == "MB"]
    return tell(rows, args.json)


def compared(ministat: str, values: int, kind: str, runs: int) -> Iterator[Row]:
    """CPU time and memory for two files of `values` values. Exits if the outputs differ."""
    with tempfile.TemporaryDirectory(prefix="ministat-large-") as name:
        folder = Path(name)
        sets = [str(folder / "before"), str(folder / "after")]
        for place, mean in enumerate((10_000_000, 10_010_000)):
            make = [sys.executable, "-c", WRITE, sets[place], str(mean), str(values), kind, str(place)]
            subprocess.run(make, check=True)  # in a process of its own: see `used` on the caller's memory
        commands = {
            "ministat": [ministat],
            "ministat format": [*FWDTUI, "compare", "--format", "ministat", "--flavour", "debian"],
            "table": [*FWDTUI, "compare"],
        }
        best: dict[str, Used] = {}
        for _ in range(runs):
            for who, command in commands.items():
                one = used([*command, *sets], folder / f"{who}.out")
                best[who] = Used(*map(min, one, best.get(who, one)))
        if not filecmp.cmp(folder / "ministat.out", folder / "ministat format.out", shallow=False):
            sys.exit(f"{values} values ({kind}): the output of --format ministat is not ministat's")
    theirs = best.pop("ministat")
    for who, ours in best.items():
        what = f"compare, {who}, two files of {values / 1e6:g} million values"
        yield Row(f"{what} ({KINDS[kind]})", "s", ours.cpu, TIME, "ministat", theirs.cpu, "CPU time")
        libraries = "; Python and numpy alone take 25 MB" if values < 10_000_000 else ""
        memory = ours.megabytes, MEMORY, "ministat", theirs.megabytes, f"memory{libraries}"
        yield Row(f"{what} ({KINDS[kind]})", "MB", *memory)


def _installed() -> str | None:
    """Install Debian's ministat, which needs root."""
    apt = shutil.which("apt-get")
    if apt is not None:
        subprocess.run([apt, "install", "-y", "-q", "ministat"], check=False, stdout=subprocess.DEVNULL)
    return shutil.which("ministat")


WRITE = """
import sys
import numpy as np
path, mean, values, kind, seed = sys.argv[1:]
show = {"decimal": "{:.3f}".format, "full": repr}.get(kind, "{:.0f}".format)
mean, values = int(mean), int(values)
chance = np.random.default_rng(int(seed))
with open(path, "w") as file:
    for start in range(0, values, 100_000):
        some = chance.normal(mean, mean / 100, min(100_000, values - start))
        if kind == "tower":
            some[10:] = mean
        file.write("".join(f"{show(value)}\\n" for value in some.tolist()))
"""
"""A program that writes normally distributed values around a mean, one per line."""


if __name__ == "__main__":
    sys.exit(main())
