"""A lab of its own for each test that wants one, and proof afterwards that nothing of it is left."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from simulated_helpers import contents, none_left, processes_of

from fwdtui.collectors.lab_trust import open_lab
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.transport.ssh import SshPool


@pytest.fixture
async def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SimulatedLab]:
    """The healthy scenario; afterwards no process and no file of it may be there."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with SimulatedLab(wait=0, interval="200ms") as lab:
        yield lab
    assert await none_left(lab.folder), processes_of(lab.folder)
    assert contents(tmp_path) == []
    assert [task for task in asyncio.all_tasks() if "simulated" in repr(task.get_coro())] == []


@pytest.fixture
async def pool(lab: SimulatedLab) -> AsyncIterator[SshPool]:
    """What reaches its hosts: the ssh files that its lab.toml names."""
    _, pool = open_lab(lab.lab_toml)
    async with pool:
        yield pool
