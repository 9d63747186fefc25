"""Measures what a sample costs the sampled host: our awk, a shell that runs `cat`, and btop.

All run here, in turns and at the same pace. CPU time is what the kernel has charged to the process and to all
children that it waited for (getrusage, user and system); the cost of starting is measured separately and
subtracted. The ssh server's share is not included: it is the same for all of them except btop, which sends a
screen instead of numbers. Exit status 1: our sampler was not the cheapest.

    python benchmarks/sampling_cost.py [--samples 200] [--rounds 3] [--every 0.02] [--interface IF]...
"""

import argparse
import fcntl
import os
import pty
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path

from fwdtui.collectors import linux_script

AWKS = ("mawk", "gawk", "busybox", "original-awk")
FILES = ("timer_list", "net/dev", "net/softnet_stat", "stat")
BTOP_EVERY = 0.1  # seconds: the shortest that btop accepts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200, metavar="N", help="in each run")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="the median of all counts")
    parser.add_argument("--every", type=float, default=0.02, metavar="SECONDS", help="between samples")
    parser.add_argument("--interface", action="append", metavar="IF", help="what is sampled (default: lo)")
    args = parser.parse_args()
    interfaces = args.interface or ["lo"]
    runs: dict[str, Callable[[], float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in AWKS:
            if program := shutil.which(kind):
                path = only(Path(folder) / kind, kind, program)
                runs[f"plain tick, {kind}"] = ticks("P", args.samples, args.every, interfaces, path)
        runs["slow tick (ethtool, tc)"] = ticks("S", max(args.samples // 5, 2), 0.1, interfaces)
        runs["messages tick (dmesg)"] = ticks("M", max(args.samples // 20, 2), 0.1, interfaces)
        runs["sh, cat at each line"] = cat_at_each_line(args.samples, args.every, interfaces)
        runs["sh, cat and sleep"] = cat_and_sleep(args.samples, args.every, interfaces)
        if program := shutil.which("btop"):
            runs["btop, one refresh"] = btop(program, Path(folder))
        found: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(args.rounds):
            for name, run in runs.items():
                found[name].append(run())
    cost = {name: statistics.median(values) for name, values in found.items()}
    ours = [value for name, value in cost.items() if name.startswith("plain")]
    if not ours:
        sys.exit("no awk is installed")
    names = ", ".join(interfaces)
    print(f"CPU per sample of {names}: {args.samples} samples, one every {args.every:g} s")
    for name, value in cost.items():
        spread = f"{min(found[name]) * 1e3:.3f} to {max(found[name]) * 1e3:.3f}"
        print(f"  {name:<26}{value * 1e3:8.3f} ms  ({spread})  {value / ours[0]:6.1f} x the first")
    others = [value for name, value in cost.items() if name.startswith(("sh", "btop"))]
    return 0 if max(ours) < min(others) else 1


def only(folder: Path, kind: str, program: str) -> str:
    """A PATH with this awk as the only one."""
    folder.mkdir()
    (folder / ("busybox" if kind == "busybox" else "awk")).symlink_to(program)
    for tool in ("sh", "cat", "grep", "date", "tail", "dmesg", "ethtool", "tc", "readlink"):
        if found := shutil.which(tool):
            (folder / tool).symlink_to(found)
    return str(folder)


def charged(process: "subprocess.Popen[bytes]") -> float:
    """Wait for a process to end; the CPU seconds that it and its children used."""
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def fed(command: list[str], lines: list[bytes], every: float, path: str | None) -> float:
    """CPU seconds of a command that gets a line every `every` seconds and then the end of its stdin."""
    environment = {**os.environ, "LC_ALL": "C", **({"PATH": path} if path else {})}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment, bufsize=0
    )
    assert process.stdin is not None
    due = time.monotonic() + 0.1
    for line in lines:
        time.sleep(max(0.0, due - time.monotonic()))
        process.stdin.write(line)
        due += every
    time.sleep(0.1)
    process.stdin.close()
    return charged(process)


def ticks(
    kind: str, count: int, every: float, interfaces: list[str], path: str | None = None
) -> Callable[[], float]:
    """Our sampler, with `count` requests for one kind of frame."""
    command = ["sh", "-c", linux_script.script(interfaces, "TOKEN", every)]

    def run() -> float:
        lines = [f"{kind} {number}\n".encode() for number in range(count)]
        return (fed(command, lines, every, path) - fed(command, [], every, path)) / count

    return run


def same_files(interfaces: list[str]) -> str:
    """The files that a plain tick reads, as arguments for cat."""
    files = [f"/proc/{name}" for name in FILES if os.access(f"/proc/{name}", os.R_OK)]
    for name in interfaces:
        base = f"/sys/class/net/{name}"
        files += [f"{base}/statistics/rx_dropped", f"{base}/statistics/rx_missed_errors", f"{base}/ifindex"]
    return " ".join(files)


def cat_at_each_line(count: int, every: float, interfaces: list[str]) -> Callable[[], float]:
    """A shell that is driven like our awk: no sleep, but a fork for each line."""
    command = ["sh", "-c", f"while read -r line; do cat {same_files(interfaces)}; done"]
    return lambda: (fed(command, [b"P\n"] * count, every, None) - fed(command, [], every, None)) / count


def cat_and_sleep(count: int, every: float, interfaces: list[str]) -> Callable[[], float]:
    """The loop that people usually write."""
    body = f"cat {same_files(interfaces)}; sleep {every:g}"

    def run() -> float:
        script = f"i=0; while [ $i -lt {count} ]; do {body}; i=$((i+1)); done"
        with subprocess.Popen(["sh", "-c", script], stdout=subprocess.DEVNULL) as process:
            return charged(process) / count

    return run


def btop(program: str, folder: Path) -> Callable[[], float]:
    """btop on a terminal of 120x40, refreshing as fast as it can; the cost of its start is subtracted."""
    configuration = folder / "config" / "btop"
    configuration.mkdir(parents=True)
    (configuration / "btop.conf").write_text(f"update_ms = {BTOP_EVERY * 1000:.0f}\n")
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config"), "TERM": "xterm-256color"}

    def lasting(seconds: float) -> float:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        process = subprocess.Popen(
            [program, "--utf-force"], stdin=slave, stdout=slave, stderr=slave, env=environment
        )
        os.close(slave)
        drain = threading.Thread(target=_drain, args=(master,), daemon=True)
        drain.start()
        time.sleep(seconds)
        process.send_signal(signal.SIGTERM)
        used = charged(process)
        drain.join(2)
        os.close(master)
        return used

    return lambda: (lasting(3.5) - lasting(1.5)) / (2.0 / BTOP_EVERY)


def _drain(master: int) -> None:
    try:
        while os.read(master, 65536):
            pass
    except OSError:  # the terminal is gone with btop
        return


if __name__ == "__main__":
    sys.exit(main())
