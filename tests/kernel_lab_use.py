"""The kernel lab of the tests, beside whatever else runs here: own folder, own name, gone at the end.

And what a test does with it: the program's commands, ssh, the counters, and what is left of it.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import forked
import pytest
from processes import Process, processes

from fwdtui.labs.kernel import journal, needs

HOSTS = ("gen", "dut", "sink")


@dataclass(frozen=True)
class Answer:
    """What a command said."""

    status: int
    out: str
    err: str


def fwdtui(*arguments: object, timeout: float = 120.0, **options: Any) -> Answer:
    """The program as a user starts it."""
    done = forked.run(*map(str, arguments), timeout=timeout, **options)
    return Answer(done.returncode, done.stdout, done.stderr)


@contextmanager
def running(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """The program beside the test. It is ended in any case, so that it takes its generator with it."""
    argv = [sys.executable, "-m", "fwdtui", *map(str, arguments)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.communicate(timeout=30)
                except subprocess.TimeoutExpired:
                    process.kill()


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

    def quick_file(self, *options: object, interval: str = "200ms", **plan: str) -> Path:
        """A lab.toml of this lab for a load, sampled and run as a test has time for."""
        path = self.file(*options)
        text = path.read_text().replace('interval = "1s"', f'interval = "{interval}"')
        head, _, _ = text.partition("[run]")
        run = {"iterations": "5", "warmup": '"500ms"', "duration": '"2s"', "settle": '"300ms"'} | plan
        mine = path.with_name(f"{path.stem}-{len(list(path.parent.glob('*.toml')))}.toml")
        mine.write_text(head + "[run]\n" + "".join(f"{key} = {value}\n" for key, value in run.items()))
        return mine

    def at_work(self) -> list[str]:
        """Everything that runs on the three hosts, but for their sshd listeners."""
        pids = {
            int(pid): host
            for host in HOSTS
            for pid in run("ip", "netns", "pids", self.namespace(host)).split()
        }
        found = []
        for one in running_processes():
            listens = "sshd" in one.arguments and ("[listener]" in one.arguments or "-f" in one.arguments)
            if one.pid in pids and not listens:
                found.append(f"{pids[one.pid]} {one.pid} {one.arguments}")
        return found

    def quiet(self, seconds: float = 8.0) -> list[str]:
        """What still runs on the hosts after at most so long."""
        end = time.monotonic() + seconds
        while (left := self.at_work()) and time.monotonic() < end:
            time.sleep(0.1)
        return left

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
        return [
            one.pid
            for one in running_processes()
            if one.arguments.split()[0] in ("trafgen", "tcpreplay") and network_of(one.pid) == gen
        ]

    def remains(self) -> list[str]:
        """What is left of the lab on this machine; call it with the journal's veths still known."""
        left = [f"namespace {host}" for host in HOSTS if Path("/run/netns", self.namespace(host)).exists()]
        left += [f"process {one.pid}" for one in running_processes() if str(self.folder) in one.arguments]
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


def running_processes() -> list[Process]:
    """All but this one, threads of the kernel, and those that have ended and wait for their parent."""
    return [one for one in processes() if one.arguments and one.state != "Z" and one.pid != os.getpid()]


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


# what it says then: of a blast, and if it has not even begun one
STARVED = ("No samples from", "no samples after")


def run_undisturbed(
    path: Path, into: Path, session: str, *options: str, before: Callable[[], object] = lambda: None
) -> Answer:
    """``fwdtui run`` as case "c"; anew, twice at most, if a busy machine disturbed one of its blasts.

    At full load the labs need the whole machine. Where it is shared with others, the program itself says that
    a host could not be sampled, in a blast or from the start. `before` is called before each run.
    """
    for left in (2, 1, 0):
        before()
        done = fwdtui(
            "run", path, "--headless", *options, "--into", into, "--session", session, "--case", "c"
        )
        made = [file.read_text() for file in (into / session).glob("*/*/iteration.json")]
        starved = [told for told in STARVED if told in done.err]
        if not left or not (starved or any('"unsampled"' in text for text in made)):
            break
        shutil.rmtree(into / session)
        wait_until_calm()
    return done


def wait_until_calm(seconds: float = 60.0) -> None:
    """Waits until short sleeps end in time again, but no longer than this."""
    end = time.monotonic() + seconds
    calm = 0
    while calm < 50 and time.monotonic() < end:
        asleep = time.monotonic()
        time.sleep(0.02)
        calm = calm + 1 if time.monotonic() - asleep < 0.04 else 0


def traffic_only(counters: dict[str, int]) -> dict[str, int]:
    """Those of the test path."""
    return {name: value for name, value in counters.items() if not name.startswith(("mgmt0", "lo"))}


# fixtures, for tests/conftest.py


@pytest.fixture(scope="session")
def kernel_lab_works() -> None:
    """Skips where the lab cannot be."""
    if sys.platform != "linux":
        pytest.skip("network namespaces need Linux")
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    missing = [name for name in (*needs.PACKAGES, "tcpreplay", "ssh") if needs.find(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if (os.cpu_count() or 1) < 2 or not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("the lab's usual mode needs CPUs 0 and 1")


@pytest.fixture
def a_lab(kernel_lab_works: None, tmp_path: Path) -> Iterator[LabUnderTest]:
    """A lab that is not up yet."""
    lab = LabUnderTest(tmp_path / "lab", f"t{os.getpid()}x")
    yield lab
    lab("down")


@pytest.fixture(scope="session")
def lab(kernel_lab_works: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabUnderTest]:
    """A lab that is up, for all tests of a process: each leaves it as it was, without rules or traffic."""
    lab = LabUnderTest(tmp_path_factory.mktemp("kernel") / "lab", f"t{os.getpid()}")
    answer = lab("up")
    try:
        assert answer.status == 0, answer.err
        yield lab
    finally:
        down = lab("down")
        assert down.status == 0, down.err
        assert not lab.folder.exists() or shutil.rmtree(lab.folder) is None
