"""What the tests of the collectors ask of the machine: awks, a wire, a lab, a FreeBSD that is none."""

import asyncio
import contextlib
import errno
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from transport_helpers import children
from transport_sshd import Sshd

from fwdtui.collectors.lab_trust import to_trust
from fwdtui.collectors.source import LabSource
from fwdtui.core.lab import parse
from fwdtui.core.model import TICK, EventSample, HostSample, Sample
from fwdtui.transport import trusted
from fwdtui.transport.ssh import SshPool

FREEBSD_BIN = Path(__file__).resolve().parent / "freebsd_bin"
AWKS = {
    "mawk": "mawk",
    "gawk": "gawk",
    "busybox": "busybox",
    "original-awk": "original-awk",
}
STALLS = ("starved", "held-up", "silent", "sampled-again")
_TOOLS = ("sh", "cat", "grep", "date", "tail", "dmesg", "ethtool", "tc", "readlink", "sleep")


def awk_path(kind: str, folder: Path) -> str | None:
    """A PATH on which this awk is the only one; None where it is not installed."""
    program = shutil.which(AWKS[kind])
    if program is None:
        return None
    folder.mkdir()
    # a name that decides what the program is must stay (busybox), the others are called awk
    (folder / ("busybox" if kind == "busybox" else "awk")).symlink_to(program)
    for tool in _TOOLS:
        if found := shutil.which(tool):
            (folder / tool).symlink_to(found)
    return str(folder)


class Wire:
    """A veth pair; `send` puts frames on `name`, so they count as transmitted there and received at `far`."""

    def __init__(self) -> None:
        tag = secrets.token_hex(3)
        self.name, self.far = f"fw{tag}a", f"fw{tag}b"
        self.add()

    def add(self) -> None:
        _ip("link", "add", self.name, "type", "veth", "peer", "name", self.far)
        for name in (self.name, self.far):
            # no router solicitations and no duplicate address detection: the counters are the test's
            Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
            _ip("link", "set", name, "up")
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self._socket.bind((self.name, 0))

    def send(self, count: int) -> None:
        """As many frames of 60 bytes, of an Ethernet type that nobody speaks."""
        sent = 0
        while sent < count:
            try:
                self._socket.send(b"\xff" * 6 + b"\x02\0\0\0\0\1" + b"\x88\xb5" + bytes(46))
            except OSError as error:
                # the far end's backlog is full where other work keeps the kernel from emptying it; neither
                # end counts such a frame as a packet
                if error.errno != errno.ENOBUFS:
                    raise
                time.sleep(0.001)
            else:
                sent += 1

    async def flow(self, per_second: int) -> None:
        """A steady flow until cancelled: what is due by the clock, every 5 ms."""
        began, sent = time.monotonic(), 0
        while True:
            due = int((time.monotonic() - began) * per_second)
            self.send(due - sent)
            sent = due
            await asyncio.sleep(0.005)

    def set_far(self, state: str) -> None:
        """Take the far end "up" or "down": both ends lose their link."""
        _ip("link", "set", self.far, state)

    def remove(self) -> None:
        self._socket.close()
        with contextlib.suppress(subprocess.CalledProcessError):
            _ip("link", "del", self.name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Lab:
    """One host, "dut", with the interfaces named, and what was collected from it."""

    def __init__(self, sshd: Sshd, pool: SshPool, interfaces: tuple[str, ...], interval: str) -> None:
        first, second = (*interfaces, *interfaces)[:2]
        self.sshd = sshd
        self.lab = parse(
            f'[sampling]\ninterval = "{interval}"\n[generator]\nhost = "dut"\ninterface = "{first}"\n'
            f'[dut]\nhost = "dut"\nin = "{first}"\nout = "{second}"\n'
        )
        self.source = LabSource(self.lab, pool)
        self.samples: list[Sample] = []
        self._pool = pool
        # the kernel of this machine says what it likes
        self._unasked: set[str] = set() if "FREEBSD_STATE" in sshd.options.get("SetEnv", "") else {"dmesg"}

    @property
    def plain(self) -> list[HostSample]:
        return [s for s in self.samples if isinstance(s, HostSample) and s.interfaces]

    @property
    def slow(self) -> list[HostSample]:
        return [s for s in self.samples if isinstance(s, HostSample) and not s.interfaces]

    @property
    def events(self) -> list[EventSample]:
        """All but the messages of this machine's own kernel."""
        return [
            s for s in self.samples if isinstance(s, EventSample) and s.code not in (TICK, *self._unasked)
        ]

    @property
    def messages(self) -> list[EventSample]:
        """The kernel's messages."""
        return [s for s in self.samples if isinstance(s, EventSample) and s.code == "dmesg"]

    @property
    def unstalled(self) -> list[EventSample]:
        """What happened, but for stalls and what they lead to: a busy test machine has its own."""
        return [
            event
            for event in self.events
            if event.code not in STALLS and not event.text.startswith("the sampler is being restarted")
        ]

    def codes(self) -> list[str]:
        """The codes of what happened, but for stalls."""
        return [event.code for event in self.unstalled]

    def told(self, *codes: str) -> list[EventSample]:
        """The events with these codes."""
        return [event for event in self.events if event.code in codes]

    async def collect(self, seconds: float) -> None:
        """Everything that comes within so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for sample in self.source:
                    self.samples.append(sample)

    async def until(self, condition: Callable[[], object], seconds: float = 10.0) -> None:
        """Everything until `condition` holds; fails when it does not in time."""
        async with asyncio.timeout(seconds):
            while not condition():
                self.samples.append(await anext(self.source))

    async def aclose(self) -> None:
        await self.source.aclose()
        await self._pool.aclose()

    def processes(self) -> list[int]:
        """All processes that serve us on the host."""
        return children(self.sshd.pid)

    def samplers(self) -> list[int]:
        """The process that reads the counters: an awk, other than that of the kernel's messages."""
        found = []
        for pid in self.processes():
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                awk = b"awk" in words[0] or words[:2] == [b"busybox", b"awk"]
                if awk and any(b"/proc/timer_list" in word for word in words):
                    found.append(pid)
        return found


def rates(samples: Iterable[HostSample], interface: str, counter: str) -> Iterator[tuple[float, float]]:
    """(seconds, packets per second) between each two samples, by the host's own clock."""
    for before, after in pairwise(samples):
        first, second = (
            next(getattr(row, counter) for row in sample.interfaces if row.name == interface)
            for sample in (before, after)
        )
        yield after.t - before.t, (second - first) / (after.t - before.t)


def alive(pids: Iterable[int]) -> list[int]:
    """Those that still run; a zombie does not."""
    running = []
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z":
                running.append(pid)
    return running


async def gone(pids: Iterable[int], seconds: float = 20.0) -> bool:
    """Whether all of them end in time."""
    pids = list(pids)
    deadline = time.monotonic() + seconds
    while alive(pids):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.05)
    return True


class FreebsdState:
    """The files that the stand-ins of freebsd_bin read; counters grow with the machine's real clock."""

    def __init__(self, folder: Path, sshd: Sshd) -> None:
        self.folder, self.sshd = folder, sshd
        folder.mkdir()
        self.boot("0123456789abcdef0123456789abcdef", time.time() - 5000)
        self.rates(ix0=100_000, ix1=90_000, queue=50_000, drops=100, netisr=40_000, irq=8_000)
        self.write("dmesg", "ix0: link state changed to UP\nix1: link state changed to UP\n")

    def write(self, name: str, text: str) -> None:
        """Whole or not at all, for a reader may come at any time."""
        fresh = self.folder / f".{name}"
        fresh.write_text(text)
        fresh.rename(self.folder / name)

    def boot(self, identity: str, at: float) -> None:
        """`at` in seconds since 1970: the counters begin there."""
        self.write("boot", f"{identity} {int(at)} {int(at % 1 * 1e6)}\n")

    def rates(self, **per_second: int) -> None:
        """What grows by how much in a second."""
        self.write("rates", "".join(f"{name}={value}\n" for name, value in per_second.items()))

    def log(self, line: str) -> None:
        """One more kernel message."""
        self.write("dmesg", (self.folder / "dmesg").read_text() + line + "\n")


def environment(path: str) -> dict[str, str]:
    """This process's, with another PATH."""
    return {**os.environ, "PATH": path, "LC_ALL": "C"}


def trust(lab: Path) -> Path:
    """As `fwdtui trust` does: the file and the ssh files that it names may run commands."""
    for root, files in to_trust(lab):
        trusted.allow(root, files)
    return lab
