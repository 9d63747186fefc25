"""The kernel lab as the whole instrument's tests use it: the command as a process, what runs on its hosts."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

TOOLS = ("ip", "sshd", "nft", "trafgen", "tcpreplay", "ethtool")
MISSING = [tool for tool in TOOLS if shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None]

NEEDS = [
    pytest.mark.root,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
    pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]


def fwdtui(*arguments: str, timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fwdtui", *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )


@dataclass
class Lab:
    """`folder` holds its files; `name` is its own, so that labs stand beside each other."""

    folder: Path
    name: str

    def lab(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = fwdtui("lab", arguments[0], "--dir", str(self.folder), "--name", self.name, *arguments[1:])
        assert done.returncode == 0, done.stderr
        return done

    def toml(self, *load: str, interval: str = "200ms", **run: str) -> Path:
        """A lab.toml of this lab for a load, sampled and run as a test has time for."""
        path = Path(self.lab("env", *load).stdout.strip())
        text = path.read_text().replace('interval = "1s"', f'interval = "{interval}"')
        head, _, _ = text.partition("[run]")
        plan = {"iterations": "5", "warmup": '"500ms"', "duration": '"2s"', "settle": '"300ms"'} | run
        mine = path.with_name(f"{path.stem}-{len(list(path.parent.glob('*.toml')))}.toml")
        mine.write_text(head + "[run]\n" + "".join(f"{key} = {value}\n" for key, value in plan.items()))
        return mine

    def processes(self) -> list[str]:
        """Everything that runs on the three hosts, but for their sshd listeners."""
        found = []
        for host in ("gen", "dut", "sink"):
            pids = subprocess.run(
                ["ip", "netns", "pids", f"fwdtui-{self.name}-{host}"],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.split()
            for pid in pids:
                try:
                    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                except OSError:
                    continue
                if "sshd" not in command or ("[listener]" not in command and "-f" not in command):
                    found.append(f"{host} {pid} {command}")
        return found

    def quiet(self, seconds: float = 8.0) -> list[str]:
        """What still runs after at most so long."""
        end = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.1)
        return left
