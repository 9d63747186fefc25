"""Measures `fwdtui compare` against Debian's ministat with ten million values per file.

All get the same two files and write to a file; the output of `--format ministat` must be ministat's, byte for
byte. `--format table` says more than ministat, and is held to the same limits. It prints wall time and peak
resident memory of each, the best of several runs, and their ratios to ministat's; the exit status is 1 if the
outputs differ or a ratio is above 1. With fewer values the memory of Python and numpy themselves (about 25
MB) and of scipy (25 MB more for the table) weighs more, and ministat needs less.

    python benchmarks/ministat_large.py [--values 10000000] [--runs 3] [--kind whole|decimal|full|tower]
"""

import argparse
import filecmp
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FORMATS = {
    "whole": "{:.0f}".format,  # packets per second, as pkt-gen's logs give them
    "decimal": "{:.3f}".format,
    "full": repr,  # every digit of a double
}
KINDS = ("whole", "decimal", "full", "tower")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=int, default=10_000_000, metavar="N", help="per file")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each; the best counts")
    parser.add_argument(
        "--kind", choices=KINDS, default="whole", help="tower: nearly all values are the same"
    )
    args = parser.parse_args()
    ministat = shutil.which("ministat")
    if ministat is None:
        sys.exit("ministat is not installed (Debian: apt install ministat)")
    ours = [sys.executable, "-m", "fwdtui", "compare", "--format"]
    commands = {
        "ministat": [ministat],
        "fwdtui": [*ours, "ministat", "--flavour", "debian"],
        "table": [*ours, "table"],
    }
    with tempfile.TemporaryDirectory(prefix="ministat-large-") as name:
        folder = Path(name)
        sets = [str(folder / "before"), str(folder / "after")]
        for place, mean in enumerate((10_000_000, 10_010_000)):
            write_values(Path(sets[place]), mean, args.values, args.kind, seed=place)
        size = sum(Path(path).stat().st_size for path in sets)
        print(f"2 files of {args.values} values ({args.kind}), {size / 1e6:.0f} MB")
        best: dict[str, tuple[float, float]] = {}
        for _ in range(args.runs):
            for who, command in commands.items():
                seconds, megabytes = measure([*command, *sets], folder / f"{who}.out")
                before = best.get(who, (seconds, megabytes))
                best[who] = min(seconds, before[0]), min(megabytes, before[1])
        same = filecmp.cmp(folder / "ministat.out", folder / "fwdtui.out", shallow=False)
        written = (folder / "ministat.out").stat().st_size
    within = same
    reference = best["ministat"]
    for who, (seconds, megabytes) in best.items():
        ratios = seconds / reference[0], megabytes / reference[1]
        within = within and max(ratios) <= 1
        print(f"{who:9}{seconds:8.2f} s{megabytes:8.1f} MB   ratios {ratios[0]:5.2f} {ratios[1]:5.2f}")
    print(f"outputs of {written / 1e6:.0f} MB are {'identical' if same else 'DIFFERENT'}")
    return 0 if within else 1


def write_values(path: Path, mean: float, values: int, kind: str, *, seed: int) -> None:
    """Write normally distributed values around `mean`, one per line."""
    chance = np.random.default_rng(seed)
    show = FORMATS.get(kind, "{:.0f}".format)
    with path.open("w") as file:
        for start in range(0, values, 100_000):
            some = chance.normal(mean, mean / 100, min(100_000, values - start))
            if kind == "tower":
                some[10:] = mean
            file.write("".join(f"{show(value)}\n" for value in some.tolist()))


def measure(command: list[str], output: Path) -> tuple[float, float]:
    """(wall seconds, peak resident megabytes) of a command that writes to `output`."""
    with output.open("wb") as file:
        start = time.perf_counter()
        pid = os.posix_spawn(
            command[0],
            command,
            os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
            file_actions=[(os.POSIX_SPAWN_DUP2, file.fileno(), 1)],
        )
        _, status, usage = os.wait4(pid, 0)
        seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{' '.join(command)}: wait status {status}")
    return seconds, usage.ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
