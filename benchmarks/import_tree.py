"""Measures `fwdtui import` beside the archive's own way, a shell loop over the receivers' logs.

For each log, the peer does the steps of netbenches' bench-lab-ministat.sh: wc, head, tail, grep, cut, and
ministat for the median. It reads only the receiver's log. fwdtui reads both logs of a run, finds its window,
and writes a session with both logs, their samples and checksums; all of that counts as one log here.

The trees are published results (../shared/archive), copied until one folder has the number of runs, or if
those are missing, generated results in the same format. They are in memory (/dev/shm), so that the program is
measured and not the disk. One row is about the disk, with everything synced.

    python benchmarks/import_tree.py [--logs 720 18000] [--rounds 3] [--json FILE]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from children import FWDTUI, HERE, Used, used
from rows import Row, tell

ARCHIVE = HERE.parents[1] / "shared/archive/Atom_C2758_8Cores/Chelsio_T540-CR/firewalls/results/fbsd.2016/RAW"
RATIO = 1 / 30
SECONDS = 20.0  # for the largest tree
MEGABYTES = 100.0
START = 10.0  # times what the peer takes, with one log: Python and its modules have to start
PEER = "head, tail, grep, cut, ministat"
ON_DISK = 300  # logs: some disks take minutes to remove the files of thousands
PEER_LOGS = 100  # logs for the peer, whose time is the same for each

LOOP = r"""
clean=$1/clean; shift
for log in "$@"; do
  lines=$(wc -l "$log" | cut -d ' ' -f 1)
  head -n $(expr "$lines" - 10) "$log" | tail -n $(expr "$lines" - 25) >"$clean.1"
  grep -E 'main_thread[[:space:]]\[[[:digit:]]+\][[:space:]][1-9].*pps' "$clean.1" |
    cut -d ' ' -f 4 >"$clean.2"
  echo $(ministat -n "$clean.2" | tail -n 1 | tr -s ' ' | cut -d ' ' -f 5) >>"$clean.medians"
  rm "$clean.1" "$clean.2"
done
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, nargs="+", default=[720, 18_000], metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of each; the best counts")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    if shutil.which("ministat") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "ministat"], capture_output=True, check=False)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as quick, tempfile.TemporaryDirectory() as disk:
        rows = [row for size in args.logs for row in of_size(Path(quick), size, args.rounds)]
        rows += [
            on_disk(Path(quick), Path(disk), ON_DISK, args.rounds),
            single(Path(quick), args.rounds),
        ]
    return tell(rows, args.json)


def of_size(folder: Path, size: int, rounds: int) -> Iterator[Row]:
    """CPU time per log; for a large tree also the time of all logs and the memory."""
    logs = tree(folder / f"tree-{size}", size)
    ours, theirs = in_turns(folder, logs, rounds if size < 5000 else 1)
    what = f"import, {size} logs in one folder"
    per_log = min(one.cpu for one in ours) / size * 1e3
    yield Row(f"{what}: CPU time a log", "ms", per_log, RATIO, *peer([one.cpu for one in theirs]))
    if size >= 5000:
        yield Row(
            f"{what}: wall clock", "s", min(one.wall for one in ours), SECONDS, note="of a shared machine"
        )
        largest = max(one.megabytes for one in ours)
        yield Row(f"{what}: memory", "MB", largest, MEGABYTES, note="of the largest of its processes")


def on_disk(quick: Path, disk: Path, size: int, rounds: int) -> Row:
    """Wall-clock time. In it fwdtui waits until everything is on disk; the peer does not."""
    ours, theirs = in_turns(disk, tree(quick / f"disk-{size}", size), rounds)
    what = f"import, {size} logs, onto a disk and synced: wall clock a log"
    per_log = min(one.wall for one in ours) / size * 1e3
    return Row(what, "ms", per_log, RATIO, *peer([one.wall for one in theirs]), "the peer does not sync")


def single(folder: Path, rounds: int) -> Row:
    """One log: nearly all of it is the start of Python."""
    ours, theirs = in_turns(folder, tree(folder / "single", 1), 3 * rounds)
    what = "import, a single log: CPU time with the start"
    return Row(what, "ms", min(one.cpu for one in ours) * 1e3, START, *peer([one.cpu for one in theirs], 1))


def in_turns(folder: Path, logs: list[Path], rounds: int) -> tuple[list[Used], list[Used]]:
    """What the import of a tree used, and the peer for some of its logs, in turns."""
    loop = ["sh", "-c", LOOP, "sh", str(folder), *map(str, logs[:PEER_LOGS])]
    ours, theirs = [], []
    for turn in range(rounds):
        # nothing is removed in between: after that, some file systems are slow to create files for a while
        into = Path(tempfile.mkdtemp(prefix=f"sessions-{turn}-", dir=folder))
        ours.append(used([*FWDTUI, "import", str(logs[0].parent), "--into", str(into), "--quiet"]))
        if shutil.which("ministat"):
            theirs.append(used(loop))
    return ours, theirs


def peer(took: list[float], logs: int = PEER_LOGS) -> tuple[str, float | None]:
    """The peer's name, and its milliseconds per log."""
    return (PEER, min(took) / logs * 1e3) if took else ("ministat is not installed", None)


def tree(folder: Path, size: int) -> list[Path]:
    """A folder of `size` runs; returns the receivers' logs."""
    folder.mkdir(parents=True)
    given = list(published() if ARCHIVE.is_dir() else generated())
    made: list[Path] = []
    turn = 0
    while len(made) < size:
        for name, files in given:
            image, _, case = name.partition(".")
            for tail, data in files.items():
                if tail.endswith(("receiver", "sender")) and len(made) + (tail.endswith("receiver")) > size:
                    continue
                new = f"{turn}{image}"
                text = data.replace(image.encode(), new.encode()) if tail == "info" else data
                path = folder / (f"{new}.{case}.pps" if tail == "pps" else f"bench.{new}.{case}.{tail}")
                path.write_bytes(text)
                if tail.endswith("receiver"):
                    made.append(path)
            if len(made) == size:
                break
        turn += 1
    return made


def published() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Each result of the archive's largest folder: its name, and its files by the ends of their names."""
    found: dict[str, dict[str, bytes]] = {}
    for path in sorted(ARCHIVE.iterdir()):
        name = re.fullmatch(
            r"(?:bench\.)?([0-9]+\..+?)\.((?:[0-9]+\.(?:receiver|sender))|info|pps)", path.name
        )
        if name:
            found.setdefault(name[1], {})[name[2]] = path.read_bytes()
    yield from found.items()


def generated() -> Iterator[tuple[str, dict[str, bytes]]]:
    """The same with pkt-gen's lines and invented rates: three cases of ten builds, five runs of each."""
    for build in range(300_000, 300_010):
        for place, case in enumerate(("forwarding", "ipfw", "pf")):
            files = {"info": f'IMAGE="{build}"\nCFG="{case}"\nPKTGEN=""\nUNAME="FreeBSD dut"'.encode()}
            for run in range(1, 6):
                for kind in ("receiver", "sender"):
                    rate = 700_000 + 10_000 * place + run
                    files[f"{run}.{kind}"] = log("rx" if kind == "receiver" else "tx", rate).encode()
            yield f"{build}.{case}", files


def log(mode: str, rate: int) -> str:
    lines = [f"CMD: pkt-gen -N -f {mode} -i vcxl1 -w 4"]
    lines += [f"5.{n:06} main [2512] a line of the start" for n in range(9)]
    for second in range(30):
        packets = rate + 37 * second % 101
        interval = f"({packets} pkts {480 * packets} bps in 1000000 usec) 6.63 avg_batch 0 min_space"
        lines.append(f"{7 + second}.000000 main_thread [2277] {packets} pps {interval}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
