"""Measures what a sample costs the sampled host: our awk, and others who read the same files.

The others are a static C program that keeps the files open, a shell that runs `cat` and `sleep`, btop, and
glances (from PyPI, in a temporary venv). All run on this machine, in turns and at the same pace, which leaves
the caches cold, as on a host that has other things to do. CPU time is what the kernel has charged to the
process and to all children that it waited for (getrusage, user and system); the cost of starting is measured
separately and subtracted. The ssh server's share is in sampling_bytes.py.

    python benchmarks/sampling_cost.py [--samples 100] [--rounds 3] [--every 0.02] [--interface IF]...
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

from rows import Row, tell

from fwdtui.collectors import linux_script

AWKS = ("mawk", "gawk", "busybox", "original-awk")
FILES = ("net/dev", "net/softnet_stat", "stat")
MESSAGES = "DUT CPU per kernel message, beside a look at all of them every 10 s"
BTOP_EVERY = 0.1  # seconds: the shortest that btop accepts


REACH = 0.05  # the goal in ms per tick
WHERE_SET = {"C": 0.010, "cat": 1.96, "btop": 1.74, "glances": 7.0}
"""What the others took, in ms per sample, on the machine where REACH was set: the goals follow from it."""
READER = r"""
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static char out[1 << 20], line[256];
static size_t now(char *into) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return sprintf(into, "%lld.%09ld\n", (long long)t.tv_sec, t.tv_nsec);
}
int main(int count, char **name) {
  int file[64];
  for (int i = 1; i < count; i++) file[i] = open(name[i], O_RDONLY);
  while (fgets(line, sizeof line, stdin)) {
    size_t n = now(out);
    for (int i = 1; i < count; i++) {
      ssize_t got;
      for (off_t at = 0; (got = pread(file[i], out + n, 65536, at)) > 0; at += got) n += got;
    }
    n += now(out + n);
    if (write(1, out, n) < 0) return 1;
  }
  return 0;
}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100, metavar="N", help="in each run")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="the median of all counts")
    parser.add_argument("--every", type=float, default=0.02, metavar="SECONDS", help="between samples")
    parser.add_argument("--interface", action="append", metavar="IF", help="what is sampled (default: lo)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    interfaces = args.interface or ["lo"]
    runs: dict[str, Callable[[], float]] = {}
    with tempfile.TemporaryDirectory(prefix="sampling-cost-") as name:
        folder = Path(name)
        for kind in AWKS:
            if program := shutil.which(kind):
                path = only(folder / kind, kind, program)
                runs[kind] = ticks("P", args.samples, args.every, interfaces, path)
        if not runs:
            sys.exit("no awk is installed")
        few = max(args.samples // 10, 2)
        runs["slow"] = ticks("S", few, 0.1, interfaces)
        runs["messages"] = messages(folder, few, 0.1, interfaces)
        runs["dmesg"] = dmesg_at_each_line(few, 0.1)
        runs["cat"] = cat_and_sleep(args.samples, args.every, interfaces)
        missing: dict[str, str] = {}
        for peer, make in (
            ("C", reader(folder, args.samples, args.every, interfaces)),
            ("btop", btop(folder)),
            ("glances", glances(folder)),
        ):
            if isinstance(make, str):
                missing[peer] = make
            else:
                runs[peer] = make
        found: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(args.rounds):
            for name, run in runs.items():
                found[name].append(run())
    cost = {name: statistics.median(values) * 1e3 for name, values in found.items()}
    ours = next(kind for kind in AWKS if kind in cost)
    others = ", ".join(f"{kind} {cost[kind]:.3f}" for kind in AWKS if kind in cost and kind != ours)
    what = "DUT CPU per plain tick"
    note = f"{ours}, {', '.join(interfaces)}; {others}; slow tick {cost['slow']:.2f}"
    rows = [Row(what, "ms", cost[ours], REACH, note="; ".join([note, *missing.values()]))]
    for peer, told in (
        ("C", "static C that keeps the files open"),
        ("cat", "sh + cat + sleep"),
        ("btop", "btop, a refresh"),
        ("glances", "glances, a refresh"),
    ):
        if peer in cost:
            rows.append(Row(what, "ms", cost[ours], REACH / WHERE_SET[peer], told, cost[peer]))
    rows.append(Row(MESSAGES, "ms", cost["messages"], 0.1, "dmesg | tail", cost["dmesg"]))
    return tell(rows, args.json)


def only(folder: Path, kind: str, program: str) -> str:
    """A PATH in which this awk is the only one."""
    folder.mkdir()
    (folder / ("busybox" if kind == "busybox" else "awk")).symlink_to(program)
    for tool in ("sh", "cat", "grep", "date", "tail", "dmesg", "ethtool", "tc", "readlink"):
        if found := shutil.which(tool):
            (folder / tool).symlink_to(found)
    return str(folder)


def charged(process: "subprocess.Popen[bytes]") -> float:
    """Wait for a process to end; returns the CPU seconds that it and its children used."""
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def fed(
    command: list[str], lines: list[bytes], every: float, path: str | None, errors: int | None = None
) -> float:
    """CPU seconds of a command that gets a line every `every` seconds, and then the end of its stdin."""
    environment = {**os.environ, "LC_ALL": "C", **({"PATH": path} if path else {})}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors, env=environment, bufsize=0
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


def messages(folder: Path, count: int, every: float, interfaces: list[str]) -> Callable[[], float]:
    """A message that our reader passes on; a FIFO stands for /dev/kmsg. Without messages it takes no time."""
    fifo = folder / "kmsg"
    os.mkfifo(fifo)
    command = ["sh", "-c", linux_script.script(interfaces, "TOKEN", every, kmsg=str(fifo))]

    def run(messages: int) -> float:
        kernel = os.open(fifo, os.O_RDWR)

        def log() -> None:
            time.sleep(0.1)
            for number in range(messages):
                time.sleep(every)
                os.write(kernel, b"6,%d,%d,-;eth0: link becomes ready\n" % (number, (number + 2) * 1_000_000))

        logging = threading.Thread(target=log)
        logging.start()
        used = fed(command, [b"K 1000000\n"] * (messages + 5), every, None, subprocess.DEVNULL)
        logging.join()
        os.close(kernel)
        return used

    return lambda: (run(count) - run(0)) / count


def dmesg_at_each_line(count: int, every: float) -> Callable[[], float]:
    """The programs that print the end of the kernel's messages, which are started each time."""
    command = ["sh", "-c", "while read -r line; do dmesg | tail -n 60; done"]
    return lambda: (fed(command, [b"M\n"] * count, every, None) - fed(command, [], every, None)) / count


def same_files(interfaces: list[str]) -> list[str]:
    """The counters that a plain tick reads."""
    files = [f"/proc/{name}" for name in FILES]
    for name in interfaces:
        base = f"/sys/class/net/{name}"
        files += [f"{base}/statistics/rx_dropped", f"{base}/statistics/rx_missed_errors", f"{base}/ifindex"]
    return files


def reader(folder: Path, count: int, every: float, interfaces: list[str]) -> Callable[[], float] | str:
    """A C program that is driven like our awk, or the reason why there is none."""
    compiler = shutil.which("cc")
    if compiler is None:
        return "no C compiler"
    source, program = folder / "reader.c", folder / "reader"
    source.write_text(READER)
    subprocess.run([compiler, "-O2", "-static", "-o", program, source], check=True)
    command = [str(program), *same_files(interfaces)]
    return lambda: (fed(command, [b"P\n"] * count, every, None) - fed(command, [], every, None)) / count


def cat_and_sleep(count: int, every: float, interfaces: list[str]) -> Callable[[], float]:
    """The loop that people usually write."""
    body = f"cat /proc/uptime {' '.join(same_files(interfaces))}; sleep {every:g}"

    def run() -> float:
        script = f"i=0; while [ $i -lt {count} ]; do {body}; i=$((i+1)); done"
        with subprocess.Popen(["sh", "-c", script], stdout=subprocess.DEVNULL) as process:
            return charged(process) / count

    return run


def glances(folder: Path) -> Callable[[], float] | str:
    """glances printing cores, load and interfaces once a second. The cost of its start is subtracted."""
    home = folder / "glances"
    made = subprocess.run([sys.executable, "-m", "venv", home], capture_output=True).returncode == 0
    if (
        not made
        or subprocess.run([home / "bin" / "pip", "install", "-q", "glances"], capture_output=True).returncode
    ):
        return "glances could not be installed"

    def refreshes(count: int) -> float:
        shown = ["--stdout", "cpu,percpu,load,network", "-t", "1", "--stop-after", str(count)]
        process = subprocess.Popen([home / "bin" / "glances", *shown], stdout=subprocess.DEVNULL)
        return charged(process)

    return lambda: (refreshes(5) - refreshes(2)) / 3


def btop(folder: Path) -> Callable[[], float] | str:
    """btop on a terminal of 120x40, refreshing as fast as it can. The cost of its start is subtracted."""
    if shutil.which("btop") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "btop"], capture_output=True)
    program = shutil.which("btop")
    if program is None:
        return "btop is not installed"
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
