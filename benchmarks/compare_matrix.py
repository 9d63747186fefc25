"""Measures `fwdtui compare` on many cases: 7 sessions of 100 cases of 30 iterations, the first the baseline.

The peers compare the same values, each in its own format, in two ways. "One file a session": `pyperf
compare_to --table` reads one JSON file per session, and benchstat one text file per session: 7 files, while
fwdtui reads 21,000 with their checksums. "One file an iteration": they start from 21,000 files as well, small
ones without checksums. pyperf's own classes load and add the runs, then compare as above in the same process;
benchstat, for which a file is a column of its table, gets what `find` and `cat` put together. The peers only
test (pyperf with Student's t, benchstat with Mann and Whitney's test), while a verdict of fwdtui also has an
interval, a test of equivalence, Holm's correction, warnings, and the number of iterations that would decide.
The note says how much of the time imports and reading take.

pyperf is installed from PyPI into an environment of its own; benchstat is built by `go install` unless it is
installed. The output names what is not available.

    python benchmarks/compare_matrix.py [--rounds 5]
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from children import FWDTUI, in_turns
from rows import Row, tell

SESSIONS, CASES, ITERATIONS = 7, 100, 30
REACH = 1.0
"""The goal: no more time and memory than the peer."""
PYPERF = "pyperf==2.10.0"
BENCHSTAT = "golang.org/x/perf/cmd/benchstat@latest"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="compare-matrix-") as name:
        folder = Path(name)
        size = [str(number) for number in (SESSIONS, CASES, ITERATIONS)]
        # done in a process of its own: see `used` on the memory of the caller
        subprocess.run([*PYTHON, WRITE, name, *size], check=True, cwd=folder.parent, env=ENVIRONMENT)
        places = [f"{name}/s{number}" for number in range(SESSIONS)]
        commands: dict[str, list[str]] = {
            "compare": [*FWDTUI, "compare", *places],
            "reading": [*PYTHON, READ, *places],
            "imports": [*PYTHON, IMPORTS],
        }
        missing = []
        if (python := pyperf(folder)) is not None:
            files = [f"{place}.json" for place in places]
            commands["pyperf"] = [python, "-m", "pyperf", "compare_to", "--table", *files]
            commands["pyperf, one file an iteration"] = [python, "-c", RUNS_OF_PYPERF, *places]
        else:
            missing.append("pyperf could not be installed")
        if (benchstat := built_benchstat(folder)) is not None:
            commands["benchstat"] = [benchstat, *(f"{place}.txt" for place in places)]
            commands["benchstat, one file an iteration"] = ["sh", "-c", CAT, benchstat, *places]
        else:
            missing.append("benchstat could not be built (go, golang.org/x/perf)")
        found = in_turns(commands, args.rounds)
    cpu = {who: statistics.median(one.cpu for one in some) for who, some in found.items()}
    memory = {who: max(one.megabytes for one in some) for who, some in found.items()}
    what = f"compare, table, {SESSIONS} sessions of {CASES} cases of {ITERATIONS} iterations"
    imports, reading = cpu["imports"] / cpu["compare"], (cpu["reading"] - cpu["imports"]) / cpu["compare"]
    note = f"{imports:.0%} of it is importing, {reading:.0%} reading {SESSIONS * CASES * ITERATIONS} files"
    peers = [who for who in found if who.startswith(("pyperf", "benchstat"))]
    shown = {who: who if "," in who else f"{who}, one file a session" for who in peers}
    rows = [Row(f"{what}, CPU time", "s", cpu["compare"], REACH, shown[who], cpu[who], note) for who in peers]
    rows += [Row(f"{what}, memory", "MB", memory["compare"], REACH, shown[who], memory[who]) for who in peers]
    if missing:
        rows.append(Row(f"{what}, CPU time", "s", cpu["compare"], 0.0, note="; ".join(missing)))
    return tell(rows, args.json)


def pyperf(folder: Path) -> str | None:
    """The interpreter of an environment with pyperf; None if it cannot be installed."""
    python = str(folder / "environment" / "bin" / "python")
    steps = [
        [sys.executable, "-m", "venv", str(folder / "environment")],
        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", PYPERF],
    ]
    if any(subprocess.run(step, check=False).returncode for step in steps):
        return None
    return python


def built_benchstat(folder: Path) -> str | None:
    """The path of benchstat: the installed one, else one that Go builds; None: not available."""
    go = shutil.which("go")
    if (installed := shutil.which("benchstat")) is not None or go is None:
        return installed
    environment = os.environ | {"GOBIN": str(folder)}
    done = subprocess.run([go, "install", BENCHSTAT], check=False, env=environment, stderr=subprocess.DEVNULL)
    return str(folder / "benchstat") if done.returncode == 0 else None


PYTHON = (sys.executable, "-c")
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)}

IMPORTS = """
import gc
gc.disable()
from fwdtui.stats.student import special
special()
import fwdtui.report.compare_command, fwdtui.report.experiment_summary
import fwdtui.stats.verdict, fwdtui.store.reader
gc.freeze()
"""

READ = f"""{IMPORTS}
import sys
from fwdtui.report.sides import load_sides
load_sides(sys.argv[1:])
"""

RUNS_OF_PYPERF = """
import sys
from pathlib import Path
from pyperf import Benchmark, BenchmarkSuite
from pyperf.__main__ import main
for place in sys.argv[1:]:
    of_case = {}
    for path in sorted(Path(place + ".runs").glob("*.json")):
        one = Benchmark.load(str(path))
        if one.get_name() in of_case:
            of_case[one.get_name()].add_runs(one)
        else:
            of_case[one.get_name()] = one
    BenchmarkSuite(list(of_case.values())).dump(place + ".added.json", replace=True)
sys.argv[1:] = ["compare_to", "--table", *(place + ".added.json" for place in sys.argv[1:])]
main()
"""

CAT = """
for place; do
    find "$place.runs" -name '*.txt' -print0 | sort -z | xargs -0 cat > "$place.cat.txt"
    set -- "$@" "$place.cat.txt"
    shift
done
exec "$0" "$@"
"""

WRITE = """
import json, random, sys
from pathlib import Path
from fwdtui.core.model import Iteration, Summary, Window
from fwdtui.store.schema import SessionFile, encode_iteration, encode_session
root, sessions, cases, iterations = Path(sys.argv[1]), *map(int, sys.argv[2:])
chance = random.Random(1)
offered = Summary(2e7, 2e7, 2e7, 2e7, 60)
window = Window("steady", 3.0, 63.0, 60, head=3, tail=2)
for number in range(sessions):
    session, text, benchmarks = root / f"s{number}", [], []
    session.mkdir()
    runs = root / f"s{number}.runs"
    runs.mkdir()
    header = SessionFile(1, f"build {number}", "2026-01-02T03:04:05+00:00")
    (session / "session.toml").write_bytes(encode_session(header))
    for place in range(cases):
        case, base = f"case{place:03d}", 1e6 * (1 + place / 10)
        mean = base * (1 + 0.01 * number * (place % 7 - 3) / 3)
        values = [round(chance.gauss(mean, base * 0.01), 1) for _ in range(iterations)]
        text += [f"Benchmark{case} 1 {value} pps\\n" for value in values]
        benchmarks.append({"metadata": {"name": case, "unit": "integer"}, "runs": [{"values": values}]})
        for index, value in enumerate(values, 1):
            (runs / f"{case}.{index:03d}.txt").write_text(f"Benchmark{case} 1 {value} pps\\n")
            run = {"version": "1.0", "benchmarks": [{**benchmarks[-1], "runs": [{"values": [value]}]}]}
            (runs / f"{case}.{index:03d}.json").write_text(json.dumps(run))
            folder = session / case / f"{index:03d}"
            folder.mkdir(parents=True)
            rate = Summary(value, value, 0.99 * value, 1.01 * value, 60)
            metrics = {"offered": offered, "forwarded": rate, "received": rate}
            one = Iteration(index, value, source="receiver.log", window=window, metrics=metrics)
            (folder / "iteration.json").write_bytes(encode_iteration(case, one))
    (root / f"s{number}.txt").write_text("".join(text))
    (root / f"s{number}.json").write_text(json.dumps({"version": "1.0", "benchmarks": benchmarks}))
"""
"""A program that writes the sessions, and the same values for the peers.

The values are rates around a mean for each session and case.
"""


if __name__ == "__main__":
    sys.exit(main())
