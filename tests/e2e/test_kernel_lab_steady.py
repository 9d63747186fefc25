"""The whole instrument on the kernel lab at a steady rate: real forwarding, real sshd, a real command.

What it records is held against the kernel's own counters, read by someone else at the same time. At this load
other tests may run meanwhile.
"""

import json
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from kernel_blasts import stored
from kernel_lab_use import run_undisturbed, running, wait_for

pytestmark = pytest.mark.root


OBSERVER = """
import sys, time
name, seconds = sys.argv[1], float(sys.argv[2])
file = open(f"/sys/class/net/{name}/statistics/tx_packets")
end = time.monotonic() + seconds
while time.monotonic() < end:
    file.seek(0)
    before = time.monotonic_ns()
    count = int(file.read())
    after = time.monotonic_ns()
    if after - before < 1_000_000:  # else it was held up, and when the counter was read is not known
        print((before + after) // 2, count)
    time.sleep(0.02)
"""


def test_the_recorded_rate_is_that_of_the_kernels_own_counters_within_a_thousandth(lab, tmp_path):
    path = lab.quick_file("--rate", "20k", interval="100ms", iterations="1", duration='"6s"')
    command = [
        "ip",
        "netns",
        "exec",
        f"fwdtui-{lab.name}-dut",
        sys.executable,
        "-uc",
        OBSERVER,
        "dut1",
        "300",
    ]
    readings = tmp_path / "readings"
    with readings.open("w") as file, subprocess.Popen(command, stdout=file) as observer:
        try:
            # again if a busy machine did not send it all, or held up a reading at an end of the window
            for session in ("first", "second", "third", "fourth", "fifth", "sixth"):
                done = run_undisturbed(path, tmp_path, session)
                assert done.status == 0, done.err
                *_, iteration = json.loads(done.out)[0]["cases"][0][
                    "iterations"
                ]  # the one that was not starved
                mean, rate = both(tmp_path / session / "c" / f"{iteration['index']:03}", readings)
                sent = iteration["value"] == pytest.approx(20_000, rel=5e-3)
                if sent and mean == pytest.approx(rate, rel=1e-3):
                    break
        finally:
            observer.terminate()
    assert mean == pytest.approx(rate, rel=1e-3)
    assert iteration["value"] == pytest.approx(20_000, rel=5e-3)


def both(iteration: Path, readings: Path) -> tuple[float, float]:
    """The recorded mean of the window, and the kernel's between the same two readings."""
    lines = readings.read_text().splitlines()[:-1]  # the last one may be cut
    seen = [tuple(map(int, line.split())) for line in lines]
    samples = [json.loads(line)["d"] for line in (iteration / "samples.jsonl").read_text().splitlines()]
    dut = [s for s in samples if s["kind"] == "host" and s["host"] == "dut" and "interfaces" in s]
    whole = stored(iteration)
    window = whole["window"]
    inside = [s for s in dut if window["start"] - 0.01 <= s["at"] <= window["end"] + 0.01]
    first, last = round(inside[0]["t"] * 1e9), round(inside[-1]["t"] * 1e9)
    rate = (at(seen, last) - at(seen, first)) / (last - first) * 1e9
    return whole["metrics"]["forwarded"]["mean"], rate


def at(seen: list[tuple[int, int]], when: int) -> float:
    """The counter at `when`, between the two readings around it."""
    for (t0, c0), (t1, c1) in pairwise(seen):
        if t0 <= when <= t1:
            return c0 + (c1 - c0) * (when - t0) / (t1 - t0)
    raise AssertionError("the observer did not run at that time")


def test_live_only_watches_and_cuts_the_blast_of_somebody_else(lab, tmp_path):
    path = lab.quick_file("--rate", "20k")
    start = next(line.split('"')[1] for line in path.read_text().splitlines() if line.startswith("start = "))
    command = [
        "live",
        path,
        "--headless",
        "--for",
        "300s",
        "--into",
        tmp_path,
        "--session",
        "s",
        "--case",
        "c",
    ]
    with running(*command) as watching:
        recording = tmp_path / "s" / "recording-001.jsonl"
        wait_for(
            lambda: recording.exists() and len(recording.read_bytes().splitlines()) > 15,
            "it watches quiet hosts",
            30,
        )
        blast = ["ip", "netns", "exec", f"fwdtui-{lab.name}-gen", "timeout", "3", "sh", "-c", start]
        for index in range(1, 16):  # again if a busy machine did not send at a steady rate
            subprocess.run(blast, capture_output=True, timeout=30)
            folder = tmp_path / f"s/c/{index:03d}"
            wait_for((folder / "iteration.json").exists, "the blast was cut", 30)
            if stored(folder)["value"] == pytest.approx(20_000, rel=0.01):
                break
        watching.terminate()
        stdout, stderr = watching.communicate(timeout=60)
    assert watching.returncode == 128 + signal.SIGTERM, stderr
    (session,) = json.loads(stdout)
    *_, iteration = session["cases"][0]["iterations"]
    assert iteration["index"] == index, "each blast is one iteration"
    assert iteration["value"] == pytest.approx(20_000, rel=0.01), stderr
    assert not (folder / "generator.log").exists()
    assert lab.quiet() == []
