"""A lab of its own for each test that wants one, and proof afterwards that nothing of it is left."""

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fwdtui.collectors.labfile import open_lab
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.transport.ssh import SshPool


def processes_of(folder: Path) -> list[str]:
    """Processes that run in a lab's folder or from it (their arguments or their environment name it)."""
    listing = subprocess.run(
        ["ps", "-eww", "-o", "stat=,pid=,args="], capture_output=True, text=True, check=True
    ).stdout
    found = [line for line in listing.splitlines() if str(folder) in line]
    for line in listing.splitlines():
        pid = line.split()[1]
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        if f"FWDTUI_HOST={folder}".encode() in environment:
            found.append(line)
    return [line for line in found if not line.lstrip().startswith("Z")]


def contents(folder: Path) -> list[str]:
    """Names of what is in it."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
async def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SimulatedLab]:
    """The healthy scenario; afterwards no process and no file of it may be there."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with SimulatedLab(wait=0, interval="200ms") as lab:
        yield lab
    assert processes_of(lab.folder) == []
    assert contents(tmp_path) == []
    assert [task for task in asyncio.all_tasks() if "simulated" in repr(task.get_coro())] == []


@pytest.fixture
async def pool(lab: SimulatedLab) -> AsyncIterator[SshPool]:
    """What reaches its hosts: the ssh files that its lab.toml names."""
    _, pool = open_lab(lab.lab_toml)
    async with pool:
        yield pool


SHELLS = [
    [path]
    for path in ("/bin/dash", "/bin/bash", "/bin/ksh", "/bin/mksh", "/usr/bin/zsh", "/bin/sh")
    if os.access(path, os.X_OK)
] + ([["/bin/busybox", "sh"]] if os.access("/bin/busybox", os.X_OK) else [])
