"""What several tests of the transport ask of the operating system."""

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from processes import processes


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run_tool(*command: str | Path, **environment: str) -> str:
    """What a local command prints; it must succeed."""
    done = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    return done.stdout


def generate_key(path: Path, passphrase: str = "", kind: str = "ed25519") -> Path:
    """The files that ssh-keygen makes; most are made without it, in a tenth of its processor time."""
    if kind == "ed25519" and not passphrase:
        import asyncssh

        key = asyncssh.generate_private_key("ssh-ed25519", comment="test")
        path.write_bytes(b"")
        path.chmod(0o600)
        key.write_private_key(path)
        key.write_public_key(f"{path}.pub")
        return path
    run_tool("ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", path)
    return path


def children(pid: int) -> list[int]:
    """All descendants of a process."""
    parents = [(one.pid, one.parent) for one in processes()]
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        below = [child for child, its_parent in parents if its_parent == parent]
        found += below
        todo += below
    return found


def processes_with(marker: str) -> list[str]:
    """Live processes (not zombies) that have `marker` in their arguments."""
    return [
        f"{one.state} {one.pid} {one.arguments}"
        for one in processes()
        if marker in one.arguments and one.state != "Z" and one.pid != os.getpid()
    ]


async def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Fails when `condition` does not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        await asyncio.sleep(0.02)
