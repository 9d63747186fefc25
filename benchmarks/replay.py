"""Measures replaying an hour of three hosts: memory beside that for ten minutes, start, and seeks.

    python benchmarks/replay.py [--minutes 60] [--json FILE]

A session of three hosts, sampled each second, with a blast of 30 s every 45 s, is written as `fwdtui live`
records it. For each length, a new process reads the recording, shows the first snapshot, goes through the
whole recording, as it has to before it can play, and seeks to 200 places forwards and backwards. The peak
memory is that of the whole process.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rows import Row, tell

SHORT = 10  # minutes
SEEKS = 200
POINTS = 600


def record(folder: Path, minutes: int) -> Path:
    """Record a session of that length."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "ui"))
    from live_rig import Rig

    from fwdtui.core.lab import plain
    from fwdtui.monitor.live.monitor import Monitor
    from fwdtui.monitor.run.beginning import open_session
    from fwdtui.monitor.run.recorder import Recorder

    rig = Rig(queues=8, cores=8)
    recorder = Recorder(open_session(folder, f"m{minutes}", lab=plain(rig.lab)), "forwarding")
    rig.monitor = Monitor(rig.lab, finished=recorder.finished)
    push = rig.monitor.push

    def taken(sample: object) -> None:
        recorder.take(sample)
        push(sample)

    rig.monitor.push = taken
    rig.run(60 * minutes)
    recorder.close()
    return recorder.folder


def child(session: Path) -> None:
    """Print what one replay needs, as JSON: seconds, and MB of 10^6 bytes."""
    started = time.process_time()
    from fwdtui.cli.screen import collect_garbage
    from fwdtui.monitor.replay.recording import load
    from fwdtui.monitor.replay.replay import Replay
    from fwdtui.monitor.replay.target import find

    collect_garbage()  # as the app does when it has started
    imported = time.process_time()
    replay = Replay(load(find(session)))
    replay.snapshot(POINTS)
    first = time.process_time()
    replay.survey()
    surveyed = time.process_time()
    chance = random.Random(1)
    seeks = []
    for _ in range(SEEKS):
        began = time.process_time()
        replay.seek(chance.uniform(replay.start, replay.end))
        replay.snapshot(POINTS)
        seeks.append(time.process_time() - began)
    # not ru_maxrss: that is at least the memory of the process that started this one
    status = Path("/proc/self/status").read_text().split()
    most = int(status[status.index("VmHWM:") + 1]) * 1024 / 1e6
    print(
        json.dumps(
            {
                "imported": imported - started,
                "first": first - imported,
                "playable": surveyed - imported,
                "seeks": seeks,
                "most": most,
            }
        )
    )


def measured(session: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, "--child", str(session)], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    seeks = sorted(found.pop("seeks"))
    return {**found, "median": statistics.median(seeks), "worst": seeks[-1]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if args.child:
        child(args.child)
        return 0
    with tempfile.TemporaryDirectory(prefix="replay-") as name:
        found = {minutes: measured(record(Path(name), minutes)) for minutes in (SHORT, args.minutes)}
    for minutes, one in found.items():
        print(f"{minutes:3} minutes  {', '.join(f'{key} {value:.3g}' for key, value in one.items())}")
    short, whole = found[SHORT], found[args.minutes]
    what = f"replay of {args.minutes} minutes, three hosts"
    peer = f"{SHORT} minutes of it"
    rows = [
        Row(f"{what}: peak memory", "MB", whole["most"], 1.1, peer, short["most"]),
        Row(
            f"{what}: until the first picture",
            "s of CPU",
            whole["first"],
            0.5,
            note=f"it can be played after {whole['playable']:.2f} s",
        ),
        Row(f"{what}: the slowest seek of {SEEKS}", "ms of CPU", whole["worst"] * 1e3, 50.0),
    ]
    return tell(rows, args.json)


if __name__ == "__main__":
    sys.exit(main())
