"""Measures the bytes over ssh of a sample of a large router, beside the bytes of the files themselves.

The machine may be small, so the sampler reads a copy of /proc and /sys that is written here: 32 cores, two
interfaces of 32 queues each, and counters that grow like those of a router under load. Everything else is the
product's own: a real sshd on loopback, our connection, the same script and awk. What the server sends is
counted on the way, including encryption and heartbeats. Doing the same without compression shows what
compression costs the server's processes in CPU time (/proc/PID/schedstat).

    python benchmarks/sampling_bytes.py [--samples 100] [--every 0.05]
"""

import argparse
import asyncio
import contextlib
import getpass
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rows import Row, tell

from fwdtui.collectors import linux_script
from fwdtui.collectors.frames import FrameReader
from fwdtui.transport.base import Process
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool

CORES = 32
QUEUES = 32  # of each interface
INTERFACES = ("eth0", "eth1")
TOKEN = "0123456789abcdef"
REACH = 0.25
REACH_MS = 0.05


class Router:
    """A copy of /proc and /sys, and stand-ins for ethtool and tc. `advance` lets a second pass."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._draw = random.Random(1)
        draw = self._draw.randrange
        self.soft = [[draw(1 << 32), draw(100), draw(1 << 16)] for _ in range(CORES)]
        self.ticks = [
            [draw(10**6), draw(10), draw(10**6), 10**8 + draw(10**7), draw(10**5), 0, draw(10**7), 0, 0, 0]
            for _ in range(CORES)
        ]
        self.irqs = [[0] * CORES for _ in range(QUEUES * len(INTERFACES))]
        self.other = [[draw(10**6) for _ in range(CORES)] for _ in range(20)]
        self.queue = {
            name: [[draw(10**10), draw(10**12), 0] for _ in range(2 * QUEUES)] for name in INTERFACES
        }
        (folder / "bin").mkdir()
        for tool in ("ethtool", "tc"):
            # the interface is the last word of what the sampler asks for
            program = folder / "bin" / tool
            program.write_text(f'#!/bin/sh\nfor last in "$@"; do :; done\ncat {folder}/{tool}-"$last"\n')
            program.chmod(0o755)
        self.advance()

    def advance(self) -> None:
        draw = self._draw.randrange
        for core, row in enumerate(self.soft):
            row[0] = (row[0] + draw(400_000)) % 2**32
            row[2] += draw(3)
            busy = draw(100)
            ticks = self.ticks[core]
            for column, more in ((0, draw(2)), (2, draw(3)), (6, busy), (3, 100 - busy)):
                ticks[column] += more
        for number, row in enumerate(self.irqs):
            row[number % CORES] += draw(8000)
        for row in self.other:
            row[draw(CORES)] += draw(100)
        for rows in self.queue.values():
            for row in rows:
                packets = draw(400_000)
                row[0] += packets
                row[1] += 60 * packets
        self._write()

    def _write(self) -> None:
        self._put(
            "proc/net/softnet_stat",
            "".join(
                " ".join(f"{value:08x}" for value in [*row, *[0] * 9, core, 0, 0]) + "\n"
                for core, row in enumerate(self.soft)
            ),
        )
        rows = [f"cpu{core} " + " ".join(map(str, row)) for core, row in enumerate(self.ticks)]
        total = " ".join(str(sum(column)) for column in zip(*self.ticks, strict=True))
        intr = " ".join(str(sum(row)) for row in self.irqs) + " 0" * 400
        stat = [f"cpu  {total}", *rows, f"intr {intr}", "ctxt 9", "btime 1795190000", "processes 9", ""]
        self._put("proc/stat", "\n".join(stat))
        head = (
            "Inter-|   Receive  |  Transmit\n face |bytes packets errs drop fifo frame compressed multicast"
        )
        dev = [head + "|bytes packets errs drop fifo colls carrier compressed"]
        for name, queues in self.queue.items():
            packets, size = (sum(row[column] for row in queues) for column in (0, 1))
            dev.append(f"{name:>6}: {size} {packets} 0 0 0 0 0 0 {size} {packets} 0 0 0 0 0 0")
        self._put("proc/net/dev", "\n".join([*dev, "    lo: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0", ""]))
        lines = ["     " + "".join(f"{f'CPU{core}':>11}" for core in range(CORES))]
        for number, row in enumerate(self.irqs):
            card, queue = divmod(number, QUEUES)
            where = f"PCI-MSIX-0000:01:00.{card} {number}-edge eth{card}-TxRx-{queue}"
            lines.append(f"{100 + number:>4}: " + " ".join(f"{count:>10}" for count in row) + "  " + where)
        for number, row in enumerate(self.other):
            lines.append(f"{f'L{number}':>4}: " + " ".join(f"{count:>10}" for count in row) + "  Local")
        self._put("proc/interrupts", "\n".join([*lines, ""]))
        self._put("proc/net/snmp", f"Ip: Forwarding DefaultTTL ForwDatagrams\nIp: 1 64 {self.soft[0][0]}\n")
        self._put("proc/net/snmp6", f"Ip6InReceives 9\nIp6OutForwDatagrams {self.soft[1][0]}\n")
        for index, (name, queues) in enumerate(self.queue.items(), 2):
            base = f"sys/class/net/{name}"
            self._put(f"{base}/statistics/rx_dropped", "0\n")
            self._put(f"{base}/statistics/rx_missed_errors", "0\n")
            self._put(f"{base}/ifindex", f"{index}\n")
            self._put(f"{base}/operstate", "up\n")
            self._put(f"{base}/carrier_down_count", "1\n")
            driver = ["NIC statistics:"]
            for number, row in enumerate(queues):
                prefix = f"     {'rx' if number < QUEUES else 'tx'}_queue_{number % QUEUES}_"
                driver += [
                    f"{prefix}{what}: {value}" for what, value in zip(("packets", "bytes"), row, strict=False)
                ]
            self._put(f"ethtool-{name}", "\n".join([*driver, ""]))
            packets = sum(row[0] for row in queues)
            sent = f" Sent {60 * packets} bytes {packets} pkt (dropped 0, overlimits 0 requeues 0)\n"
            self._put(f"tc-{name}", f"qdisc mq 0: root \n{sent} backlog 0b 0p requeues 0\n")

    def _put(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def raw(self) -> int:
        """Bytes of everything that one plain and one slow tick read."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file()) - sum(
            path.stat().st_size for path in (self.folder / "bin").iterdir()
        )


class Counted:
    """A proxy for a port on loopback that counts the bytes that come back."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.bytes = 0

    async def open(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far, back = await asyncio.open_connection("127.0.0.1", self._port)

        async def pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter, count: bool) -> None:
            with contextlib.suppress(OSError):
                while data := await source.read(65536):
                    self.bytes += len(data) if count else 0
                    sink.write(data)
                    await sink.drain()
            sink.close()

        await asyncio.gather(pass_on(reader, back, False), pass_on(far, writer, True))


def serve(folder: Path, path: str) -> "tuple[subprocess.Popen[bytes], int]":
    """Start a real sshd with keys of its own; returns it and its port."""
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    (folder / "sshd").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {folder}/user.pub\nStrictModes no\nSetEnv PATH={path}:{os.environ['PATH']}\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    program = shutil.which("sshd") or "/usr/sbin/sshd"
    server = subprocess.Popen([program, "-D", "-f", folder / "sshd"], stderr=subprocess.DEVNULL)
    for _ in range(100):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server, port
        time.sleep(0.05)
    sys.exit("sshd does not start")


def server_cpu(pid: int) -> float:
    """CPU seconds that the server's processes have used, without the programs that they started."""
    used = 0
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        for one in (child, *Path(f"/proc/{child}/task/{child}/children").read_text().split()):
            if Path(f"/proc/{one}/comm").read_text().startswith("sshd"):
                used += int(Path(f"/proc/{one}/schedstat").read_text().split()[0])
    return used / 1e9


async def frame(process: Process, reader: FrameReader) -> None:
    while (line := await process.readline()) is not None:
        if reader.feed(line):
            return
    sys.exit(f"the sampler ended: {reader.stray} {process.stderr!r}")


def sampled(folder: Path, compressed: bool, samples: int, every: float) -> tuple[float, float, float]:
    """(bytes of a sample as it arrived, bytes of its files, CPU seconds of the server for it)."""
    (folder / "router").mkdir(parents=True)
    router = Router(folder / "router")
    server, port = serve(folder, str(router.folder / "bin"))
    try:
        return asyncio.run(_sampled(folder, router, server.pid, port, compressed, samples, every))
    finally:
        server.terminate()
        server.wait()


async def _sampled(
    folder: Path, router: Router, server: int, port: int, compressed: bool, samples: int, every: float
) -> tuple[float, float, float]:
    way = Counted(port)
    through = await way.open()
    at = through.sockets[0].getsockname()[1]
    config, known = folder / "config", folder / "known"
    config.write_text(
        f"Host dut\n HostName 127.0.0.1\n Port {at}\n User {getpass.getuser()}\n"
        f" IdentityFile {folder}/user\n IdentitiesOnly yes\n IdentityAgent none\n"
        + ("" if compressed else " Compression no\n")
    )
    known.write_text(f"[127.0.0.1]:{at} {(folder / 'host.pub').read_text()}")
    settings = SshSettings(config_file=config, known_hosts=known, accepted=folder / "accepted")
    raw: list[int] = []
    async with SshPool(settings) as pool:
        host = await pool.open("dut", "dut")
        process = await host.start(
            linux_script.script(INTERFACES, TOKEN, 1.0, root=str(router.folder)), stdin=True
        )
        reader = FrameReader(TOKEN)
        await frame(process, reader)
        for seq in range(samples + 5):
            if seq == 5:  # the first samples fill dictionaries and caches
                before, cpu = way.bytes, server_cpu(server)
            router.advance()
            raw.append(router.raw())
            for kind in ("P", "S"):
                process.send(f"{kind} {seq}".encode())
                await frame(process, reader)
            await asyncio.sleep(every)
        found = (way.bytes - before) / samples, statistics.mean(raw), (server_cpu(server) - cpu) / samples
        await process.close()
    through.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100, metavar="N")
    parser.add_argument("--every", type=float, default=0.05, metavar="SECONDS", help="between samples")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sampling-bytes-") as name:
        folder = Path(name)
        sent, raw, cpu = sampled(folder / "with", True, args.samples, args.every)
        plain, _, without = sampled(folder / "without", False, args.samples, args.every)
    what = "a plain and a slow tick of 64 queues, 32 cores"
    rows = [
        Row(
            f"bytes over ssh, {what}", "bytes", sent, REACH, "the files", raw, f"not compressed: {plain:.0f}"
        ),
        Row(
            f"CPU of the ssh server, {what}: what compression adds",
            "ms",
            (cpu - without) * 1e3,
            REACH_MS,
            note=f"{without * 1e3:.2f} without",
        ),
    ]
    return tell(rows, args.json)


if __name__ == "__main__":
    sys.exit(main())
