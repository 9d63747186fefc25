"""The simulated lab with short waits in its tools, sampled as often as its short blasts need.

Samples are most of what an experiment costs here. From a third of a second on, a blast would end later. A
simulated host is back from a boot within seconds, and connected to again at once: waits for one that was lost
several times would grow to half a minute, in which the others are sampled.
"""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.transport.settings import SshSettings


@pytest.fixture
async def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SimulatedLab]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("fwdtui.transport.settings.SshSettings", partial(SshSettings, backoff_max=1.0))
    async with SimulatedLab("healthy", interval="300ms", wait=0) as lab:
        yield lab
