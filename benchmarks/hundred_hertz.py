"""Measures a kernel lab of three hosts at a hundred samples a second, with recording and screen, in a blast.

The peer reads the lines of the same samplers, which it asks at the same pace over asyncssh, and does nothing
with them: no counters, no recording, no screen. Both run in the same lab, in turns, each in its own blast,
which tcpreplay sends at a modest rate: full load would take the processor from both. CPU time is that of the
program alone, from /proc, between two moments of the blast; ssh servers and samplers are other processes.

Samples are counted in the recording, from the beginning of the blast on, by the samplers' own numbers and
clocks. A missing number is a lost sample if the samples before and after it are further apart than one tick.
If they are not, two ticks were answered at once, and one of the two was set aside (collectors/schedule.py).
Both programs and the ssh servers run with real-time priority, since other work on the machine would delay
their ticks; the generator does not. Ticks that could not be asked for in time are reported.

    python benchmarks/hundred_hertz.py [--seconds 10] [--rounds 2] [--rate 100000] [--json FILE]

Needs Linux and root. It brings up a lab of its own, and takes it down.
"""

import argparse
import asyncio
import fcntl
import json
import os
import pty
import secrets
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from rows import Row, tell

HOSTS = {"gen": ["gen0"], "dut": ["dut0", "dut1"], "sink": ["sink0"]}
INTERVAL = 0.01
ROOT = Path(__file__).resolve().parent.parent
SETTLE = 3.0  # seconds of a blast before it is measured


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rate", type=int, default=100_000, help="packets per second of the blast")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    parser.add_argument("--read-lines", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.read_lines:
        asyncio.run(read_lines(args.read_lines))
        return 0
    if sys.platform != "linux" or os.geteuid() != 0:
        sys.exit("needs root on Linux, for the kernel lab")
    # inherited by the lab's ssh servers and samplers, but not by the generator
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "XDG_STATE_HOME": folder,
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
        }
        fwdtui = [sys.executable, "-m", "fwdtui"]
        subprocess.run([*fwdtui, "lab", "up"], env=environment, check=True, stdout=subprocess.DEVNULL)
        try:
            where = subprocess.run([*fwdtui, "lab", "env"], env=environment, check=True, capture_output=True)
            lab = Path(where.stdout.decode().strip())
            return measured(lab, fwdtui, environment, args)
        finally:
            subprocess.run([*fwdtui, "lab", "down"], env=environment, check=True, stdout=subprocess.DEVNULL)


def measured(lab: Path, fwdtui: list[str], environment: dict[str, str], args: argparse.Namespace) -> int:
    """Both programs in turns, and what the recordings hold."""
    fast = lab.with_name("lab100.toml")
    fast.write_text(lab.read_text().replace('interval = "1s"', f'interval = "{INTERVAL * 1000:.0f}ms"'))
    sessions = lab.parent / "sessions"
    ours: list[float] = []
    theirs: list[float] = []
    lost = missed = asked = 0
    for number in range(args.rounds):
        name = f"round{number}"
        command = [*fwdtui, "live", "--into", str(sessions), "--session", name, str(fast)]
        ours.append(share(command, lab, environment, args))
        for path in (sessions / name).glob("recording-*.jsonl"):
            counted = kept(path)
            lost, missed, asked = (a + b for a, b in zip((lost, missed, asked), counted, strict=True))
        command = [sys.executable, __file__, "--read-lines", str(lab.parent)]
        theirs.append(share(command, lab, environment, args))
    what = "3 hosts x 100 Hz, recording and screen, in a blast"
    skipped = f"{missed / (missed + asked) * 100:.1f} % of the ticks were not asked for in time"
    used, peer = statistics.median(ours), statistics.median(theirs)
    rows = [
        Row(f"{what}: CPU", "% of a core", used, 50.0, note=skipped),
        Row(f"{what}: CPU", "% of a core", used, 3.0, "asyncssh readline alone", peer),
        Row(
            f"{what}: samples lost",
            f"of {asked}",
            lost,
            0.0,
            note="with readings that a held-up host spoiled",
        ),
    ]
    return tell(rows, args.json)


def share(command: list[str], lab: Path, environment: dict[str, str], args: argparse.Namespace) -> float:
    """Percent of a core that `command` uses in a blast, in a terminal of 200x60."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
        os.execvpe(command[0], command, {**environment, "COLORTERM": "truecolor"})
    lasting = SETTLE + args.seconds + 2.0
    send = (
        f"chrt --other 0 timeout --foreground {lasting:.0f} "
        "tcpreplay --intf1=gen0 --preload-pcap --loop=0 --no-flow-stats "
        f"--timer=nano --pps={args.rate} {lab.parent}/ipv4.pcap"
    )
    try:
        read(terminal, 4.0)  # the program connects and starts its samplers
        with subprocess.Popen(
            ["ssh", "-F", str(lab.parent / "ssh_config"), "gen", send],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ):
            read(terminal, SETTLE)
            before, began = cpu(pid), time.monotonic()
            read(terminal, args.seconds)
            used = (cpu(pid) - before) / (time.monotonic() - began) * 100
            read(terminal, 2.0)
        return used
    finally:
        os.write(terminal, b"\x11")  # ctrl+q
        with suppress(SystemExit):
            read(terminal, 3.0)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def read(terminal: int, seconds: float) -> None:
    """Read what the program writes, for that many seconds."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                os.read(terminal, 1 << 16)
            except OSError as error:
                raise SystemExit("the program ended before it was measured") from error


def cpu(pid: int) -> float:
    """Seconds of CPU that the process and its threads have used (proc_pid_stat(5), fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kept(recording: Path) -> tuple[int, int, int]:
    """For all hosts in the blast: samples lost, ticks not asked for in time, and ticks asked for."""
    seen: dict[str, list[tuple[int, float]]] = {}
    began = None
    for line in recording.read_text().splitlines():
        found = json.loads(line)["d"]
        if found["kind"] == "host":
            seen.setdefault(found["host"], []).append((found["seq"], found["t"]))
            sent = sum(port.get("tx_packets", 0) for port in found.get("interfaces", ()))
            if found["host"] == "gen" and began is None and sent > 1000:
                began = found["t"]  # the hosts are namespaces, so they have the same clock
    lost = missed = asked = 0
    for samples in seen.values():
        samples = [(number, t) for number, t in samples if began is not None and t >= began]
        for (number, t), (after, later) in pairwise(samples):
            lost += min(after - number - 1, max(round((later - t) / INTERVAL) - 1, 0))
        wanted, lasted = samples[-1][0] - samples[0][0] + 1, samples[-1][1] - samples[0][1]
        asked += wanted
        missed += max(
            round(lasted * (1 / INTERVAL + 1)) - wanted, 0
        )  # one slow sample per second is asked for in addition
    return lost, missed, asked


async def read_lines(folder: Path) -> None:
    """The peer: runs the same samplers on the three hosts, reads their lines as they come, discards them."""
    import asyncssh

    from fwdtui.collectors import linux_script

    async def host(name: str, interfaces: list[str]) -> None:
        script = linux_script.script(interfaces, secrets.token_hex(8), INTERVAL)
        config, known = str(folder / "ssh_config"), str(folder / "known_hosts")
        async with asyncssh.connect(name, config=[config], known_hosts=known) as connection:
            process = await connection.create_process("exec /bin/sh -c " + _quoted(script))

            async def tick() -> None:
                number = 0
                while True:
                    now = time.monotonic()
                    await asyncio.sleep((now // INTERVAL + 1) * INTERVAL - now)
                    number += 1
                    process.stdin.write(f"P {number}\n")

            ticking = asyncio.create_task(tick())
            while await process.stdout.readline():
                pass
            ticking.cancel()

    await asyncio.gather(*(host(name, interfaces) for name, interfaces in HOSTS.items()))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


if __name__ == "__main__":
    sys.exit(main())
