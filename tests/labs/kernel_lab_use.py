"""A lab as the tests see it: the program's commands, ssh, the counters, and what is left of it."""

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fwdtui.labs.kernel import journal

HOSTS = ("gen", "dut", "sink")


@dataclass(frozen=True)
class Answer:
    """What a command said."""

    status: int
    out: str
    err: str


def fwdtui(*arguments: object, **options: Any) -> Answer:
    """The program as a user starts it."""
    argv = [sys.executable, "-m", "fwdtui", *map(str, arguments)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, **options)
    return Answer(done.returncode, done.stdout, done.stderr)


def run(*argv: object, timeout: float = 20) -> str:
    """A tool of the system, which must work."""
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{argv}: {done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class LabUnderTest:
    """One lab by its folder and name."""

    folder: Path
    name: str

    def __call__(self, action: str, *more: object, **options: Any) -> Answer:
        return fwdtui("lab", action, "--dir", self.folder, "--name", self.name, *more, **options)

    def namespace(self, host: str) -> str:
        return f"fwdtui-{self.name}-{host}"

    def inside(self, host: str, *argv: object) -> str:
        return run("ip", "netns", "exec", self.namespace(host), *argv)

    def ssh_command(self, host: str, *options: str) -> list[str]:
        strict = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
        return ["ssh", "-F", str(self.folder / "ssh_config"), *strict, *options, host]

    def ssh(self, host: str, command: str) -> str:
        return run(*self.ssh_command(host), command)

    def file(self, *options: object) -> Path:
        answer = self("env", *options)
        assert answer.status == 0, answer.err
        return Path(answer.out.strip())

    def generator(self, *options: object) -> dict[str, str]:
        table: dict[str, str] = tomllib.loads(self.file(*options).read_text())["generator"]
        return table

    def counters(self) -> dict[str, int]:
        """``gen0.tx``, ``dut0.rx_dropped`` ..., and what the sink's rules counted as ``sink.nft``."""
        found = {}
        for host in HOSTS:
            for port in json.loads(run("ip", "-n", self.namespace(host), "-s", "-j", "link", "show")):
                for way in ("rx", "tx"):
                    found[f"{port['ifname']}.{way}"] = port["stats64"][way]["packets"]
                    found[f"{port['ifname']}.{way}_dropped"] = port["stats64"][way]["dropped"]
        rules = json.loads(self.inside("sink", "nft", "-j", "list", "table", "netdev", "sink"))["nftables"]
        expressions = [part for rule in rules for part in rule.get("rule", {}).get("expr", [])]
        found["sink.nft"] = sum(part["counter"]["packets"] for part in expressions if "counter" in part)
        return found

    def generators(self) -> list[int]:
        """trafgen or tcpreplay at work in this lab, whoever is their parent."""
        gen = Path("/run/netns", self.namespace("gen")).stat().st_ino
        tools = (b"trafgen", b"tcpreplay")
        return [pid for pid, words in processes().items() if words[0] in tools and network_of(pid) == gen]

    def remains(self) -> list[str]:
        """What is left of the lab on this machine; call it with the journal's veths still known."""
        left = [f"namespace {host}" for host in HOSTS if Path("/run/netns", self.namespace(host)).exists()]
        left += [
            f"process {pid}"
            for pid, words in processes().items()
            if str(self.folder).encode() in b" ".join(words)
        ]
        if self.folder.exists():
            left += [f"file {entry.name}" for entry in self.folder.iterdir()]
        return left

    def veths(self) -> dict[str, str]:
        """The journal's: name in the machine's own namespace -> hardware address."""
        book = journal.read(self.folder)
        return dict(book.veths) if book else {}


def veths_left(veths: dict[str, str]) -> list[str]:
    """Those of them that are still there; another lab may have the name by now, but not the address."""
    ports = json.loads(run("ip", "-j", "link", "show"))
    return [port["ifname"] for port in ports if port["address"] in veths.values()]


def processes() -> dict[int, list[bytes]]:
    """pid -> command line; those that have ended and wait for their parent have none."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")[:-1]
            except OSError:
                continue
            if words:
                found[int(entry.name)] = words
    return found


def network_of(pid: int) -> int | None:
    try:
        return Path(f"/proc/{pid}/ns/net").stat().st_ino
    except OSError:
        return None


def wait_for(met: Callable[[], object], what: str, seconds: float = 10) -> None:
    """Fails when it does not come true in time."""
    until = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def traffic_only(counters: dict[str, int]) -> dict[str, int]:
    """Those of the test path."""
    return {name: value for name, value in counters.items() if not name.startswith(("mgmt0", "lo"))}
