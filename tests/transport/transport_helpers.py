"""What several tests of the transport ask of the operating system."""

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def generate_key(path: Path, passphrase: str = "") -> Path:
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "test", "-f", path], check=True
    )
    return path


def children(pid: int) -> list[int]:
    """All descendants of a process."""
    listing = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], check=True, capture_output=True, text=True)
    parents = [tuple(map(int, line.split())) for line in listing.stdout.splitlines()]
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        below = [child for child, its_parent in parents if its_parent == parent]
        found += below
        todo += below
    return found


def processes_with(marker: str) -> list[str]:
    """Live processes (not zombies) that have `marker` in their arguments."""
    listing = subprocess.run(["ps", "-ewwo", "stat=,pid=,args="], check=True, capture_output=True, text=True)
    own = str(os.getpid())
    return [
        line
        for line in listing.stdout.splitlines()
        if marker in line and not line.lstrip().startswith("Z") and line.split()[1] != own
    ]


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Fails when `condition` does not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        await asyncio.sleep(0.02)
